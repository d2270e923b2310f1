"""A chamber at an earlier time, told as the present is: its members of a day, and the figures of a period."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from datasette.utils.sqlite import sqlite3

from parlement_lists.dates import add_days
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.known_members import DISSOLUTIONS, RENEWALS, WHOLLY_RENEWED

from ...dataset.mandates import mandate_ends
from . import counting, directory
from .facts import Facts
from .group_times import HELD_SQL, Membership, by_member, group_on

Period = tuple[str, str]  # first and last day
# The day of the last list of a chamber that was accepted by a day.
LIST_BY = "select max(date) from listes where chambre = ? and date <= ? and statut <> 'refusee'"


def sat_on(chamber: str, until: str) -> str:
    """The day of which members and teams are told of a period: its last, or the eve of a dissolution that stood then."""
    begun = max((day for day in RENEWALS[chamber] if day <= until), default="")
    dissolved = chamber in WHOLLY_RENEWED and begun in DISSOLUTIONS
    return add_days(begun, -1) if dissolved else until


async def facts_of(facts: Facts, chamber: str, period: Period) -> Facts:
    """The same facts with those of one chamber at the end of a period, as lists up to then tell them."""
    return await facts.reader.count(lambda db: _count(db, facts, chamber, period))


def _count(db: sqlite3.Connection, facts: Facts, chamber: str, period: Period) -> Facts:
    since, until = period
    lists = facts.coverage[chamber]
    # After the last list nobody knows who is there.
    known = min(until, lists.last)
    sat = sat_on(chamber, known)
    [(day,)] = db.execute(LIST_BY, [chamber, sat])
    day = day or lists.first
    held = by_member(db.execute(HELD_SQL, [chamber]))
    teams, ends = directory.teams_on(db, chamber, day), mandate_ends(db, chamber, day)
    figures = counting.figures(
        db, chamber, lists, ends, period, day, lambda stays: _of_time(stays, held, sat)
    )
    named = directory.named_by(db, chamber, day)
    members = []
    for one in facts.members[chamber]:
        if one.identifier in named:
            team, on_leave = teams.get(one.identifier, (0, 0))
            group = group_on(sat, held.get(one.identifier, ()), named[one.identifier])
            end = ends.get(one.identifier)
            members.append(one._replace(team=team, on_leave=on_leave, group=group, end=end))
    months = counting.months(db, known)[chamber]
    at = " ".join(period)
    return replace(
        facts,
        edition=f"{facts.edition} {at}",
        build=f"{facts.build} {at}",
        coverage={**facts.coverage, chamber: lists.up_to(day)},
        months={**facts.months, chamber: months},
        unlisted={**facts.unlisted, chamber: counting.unlisted_months(lists, months)},
        years={**facts.years, chamber: lists.period(since, until)},
        figures={**facts.figures, chamber: figures},
        members={**facts.members, chamber: members},
        member_of={**facts.member_of, **{(chamber, one.identifier): one for one in members}},
        day=datetime.date.fromisoformat(sat),
    )


def _of_time(
    stays: Iterable[Tenure], held: Mapping[str, list[Membership]], day: str
) -> Iterator[Tenure]:
    """Stays with the groups of a day: those that went on after it name a later one."""
    for stay in stays:
        if stay.fin_apres > day:
            group = group_on(max(day, stay.debut), held.get(stay.elu_id, ()), stay.elu_groupe)
            yield stay._replace(elu_groupe=group)
        else:
            yield stay
