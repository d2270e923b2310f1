"""The people of one office as lists tell it: who is there, who was, who came and left in a year."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from typing import NamedTuple

from parlement_lists.movement import plain
from parlement_lists.tenure import Tenure

from ...dataset.turnover import last_ends


class OfficePerson(NamedTuple):
    """The stays of one person with one member, in order; of a name withheld, one stay."""

    stays: tuple[Tenure, ...]

    @property
    def latest(self) -> Tenure:
        return self.stays[-1]


class Timeline(NamedTuple):
    """The people of one office."""

    listed: list[OfficePerson]  # on the chamber's last list, who came first first
    missing: list[OfficePerson]  # not on it, for too few days to have left; in the same order
    past: list[OfficePerson]  # who left last first

    @property
    def people(self) -> list[OfficePerson]:
        return [*self.listed, *self.missing, *self.past]


class OfficeYear(NamedTuple):
    """The changes of one office in a period."""

    arrivals: list[Tenure]  # the stays that began, the latest first
    left: list[
        OfficePerson
    ]  # those whom turnover counts as having left, each up to that end, the latest first
    people: int  # all who were there at some time
    with_member: int  # of them, those who left as the member's mandate ended


def timeline(stays: Iterable[Tenure], last: str) -> Timeline:
    """The people of one office, all of whose stays are `stays`; the chamber's last list is of day `last`."""
    found = Timeline([], [], [])
    for person in _people(stays):
        latest = person.latest
        if latest.fin:
            found.past.append(person)
        elif latest.fin_apres < last:
            found.missing.append(person)
        else:
            found.listed.append(person)
    for group in (found.listed, found.missing):
        group.sort(key=lambda one: (one.latest.debut, _by_name(one)))
    found.past.sort(key=_by_name)
    found.past.sort(key=lambda one: (one.latest.fin, one.latest.fin_apres), reverse=True)
    return found


def changes(
    stays: Iterable[Tenure], period: tuple[str, str], gone_with_member: Container[str]
) -> OfficeYear:
    """The changes of a period, first and last day included; the rest is as for `chamber_figures`.

    A stay that the chamber's first list has already is no arrival.
    """
    stays = list(stays)
    since, until = period
    arrivals = [one for one in stays if one.debut_apres and since <= one.debut <= until]
    arrivals.sort(key=lambda one: (one.debut, one.debut_apres), reverse=True)
    ends = last_ends(stays, period, gone_with_member)
    people = {person.latest.person: person for person in _people(stays)}
    left = [_up_to(people[name], end.stay) for name, end in ends.items() if end.left]
    left.sort(key=_by_name)
    left.sort(key=lambda one: (one.latest.fin, one.latest.fin_apres), reverse=True)
    with_member = sum(not end.there and not end.left for end in ends.values())
    return OfficeYear(arrivals, left, len(ends), with_member)


def on_list(stays: Iterable[Tenure], day: str) -> list[Tenure]:
    """The stays that lists have on a day."""
    return [one for one in stays if one.covers(day)]


def _people(stays: Iterable[Tenure]) -> list[OfficePerson]:
    """The stays of each person; the latest is that in progress, else that which ended last."""
    found: dict[str, list[Tenure]] = defaultdict(list)
    for one in stays:
        found[one.person].append(one)
    return [OfficePerson(tuple(sorted(of, key=_order))) for of in found.values()]


def _up_to(person: OfficePerson, latest: Tenure) -> OfficePerson:
    """The person with one stay as the latest, and those that ended before or with it."""
    before = [one for one in person.stays if one.fin and one.fin <= latest.fin and one != latest]
    return OfficePerson((*before, latest))


def _order(stay: Tenure) -> tuple[bool, str, str, str]:
    return (not stay.fin, stay.fin, stay.debut, stay.id)


def _by_name(person: OfficePerson) -> str:
    return plain(f"{person.latest.collab_nom} {person.latest.collab_prenom}")
