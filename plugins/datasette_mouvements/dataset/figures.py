"""The tables `equipes` and `groupes`: each team and each group as of its chamber's last list, and who left in twelve months.

Defined in docs/explanation/what-may-be-said.md, "Turnover". People are told apart by `Tenure.person`.
"""

from __future__ import annotations

import datetime
import statistics
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.dates import days_between, in_french
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.spans import NO_GROUP

from .coverage import Coverage, Gap, covered
from .mandates import MandateEnd, mandate_ends
from .schema import GROUP_FIGURES, GROUPS, MANDATES, MEMBER_LINES, TABLE, TEAMS, TENURES

# Of fewer people a share says something of each of them.
FEWEST = 3
TOO_FEW = "Moins de trois personnes."
GROUPS_UNKNOWN = "Le groupe de la plupart des membres n’est pas connu."
# Digits of a share: SQLite and Python write the same text of it.
DIGITS = 4
_STAY_COLUMNS = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)


class LastEnd(NamedTuple):
    """How somebody's time somewhere stood at the end of twelve months."""

    there: bool
    day: str  # that of the last end, "" for one who is there
    left: bool  # by that end, the member staying
    stay: Tenure


def last_ends(
    stays: Iterable[Tenure], year: tuple[str, str], emptied: Container[str]
) -> dict[str, LastEnd]:
    """Of each person who worked somewhere in the days of `year`, by `Tenure.person`, the last end by the last of them.

    `emptied` are the identifiers of the movements whose contexte is `elu_sortant`.
    """
    since, until = year
    ends: dict[str, LastEnd] = {}
    for stay in stays:
        if stay.debut > until or (stay.fin and stay.fin < since):
            continue
        there = not stay.fin or stay.fin > until
        left = not there and stay.mouvement_fin not in emptied
        end = LastEnd(there, "" if there else stay.fin, left, stay)
        person = stay.person
        ends[person] = max(end, ends.get(person, end))
    return ends


class ChamberYear:
    """The stays of a chamber in the twelve months up to its last list, by member and by group.

    A stay counts in the group it names, an office among those of the group of its latest stay.
    """

    def __init__(self, db: sqlite3.Connection, chamber: str, lists: Coverage) -> None:
        self.lists = lists
        since, until = lists.year
        self._gap = lists.period(since, until).gap
        movements = db.execute(
            f"""
            select id from {TABLE}
            where chambre = ? and contexte = 'elu_sortant' and date_event >= ?
            """,
            [chamber, since],
        )
        self._emptied = {id for (id,) in movements}
        self.offices: dict[str, list[Tenure]] = defaultdict(list)
        self.groups: dict[str, list[Tenure]] = defaultdict(list)
        stays = db.execute(
            f"""
            select {_STAY_COLUMNS} from {TENURES}
            where chambre = ? and (fin is null or fin >= ?) and debut <= ?
            """,
            [chamber, since, until],
        )
        for stay in map(Tenure._make, stays):
            self.offices[stay.elu_id].append(stay)
            if stay.elu_groupe:
                self.groups[stay.elu_groupe].append(stay)

    def count(self, stays: Iterable[Tenure]) -> tuple[int | None, int | None, str | None]:
        """Who worked there, who of them left, and why nobody is counted."""
        if self._gap:
            return None, None, _without_list(self._gap)
        ends = last_ends(stays, self.lists.year, self._emptied)
        if len(ends) < FEWEST:
            return None, None, TOO_FEW
        return len(ends), sum(end.left for end in ends.values()), None

    def presence(self, stays: Iterable[Tenure]) -> float | None:
        """The median of the days that the stays of the last list have lasted up to it."""
        last = self.lists.last
        days = [
            days_between(stay.debut, last) for stay in stays if stay.debut <= last <= stay.fin_apres
        ]
        return statistics.median(days) if days else None

    def medians(self) -> dict[str, float] | None:
        """Of each group the median of the shares of its offices; None where the group of most offices is not known."""
        shares: dict[str, list[float]] = defaultdict(list)
        known = 0
        for stays in self.offices.values():
            people, left, _ = self.count(stays)
            *_, group = max((stay.fin_apres, stay.debut, stay.elu_groupe) for stay in stays)
            shares[group] += [left / people] if people and left is not None else []
            known += bool(group)
        if 2 * known < len(self.offices):
            return None
        return {group: statistics.median(some) for group, some in shares.items() if some}


def fill_figures(db: sqlite3.Connection) -> None:
    """Make the rows of `equipes`, in the order of names, and of `groupes`, by chamber and code.

    All tables but the feeds and the lines of stays are filled.
    """
    lists = covered(db.execute("select nom, chambre, date, statut, motif from listes"))
    years = {chamber: ChamberYear(db, chamber, lists[chamber]) for chamber in lists}
    teams: dict[int, tuple[Any, ...]] = {}
    for chamber, year in years.items():
        teams.update(_team_rows(db, chamber, year))
    db.executemany(
        f"insert into {TEAMS} values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (teams[place] for place in sorted(teams)),
    )
    db.executemany(
        f"insert into {GROUP_FIGURES} values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        list(_group_rows(db, years)),
    )


def _ends(db: sqlite3.Connection, chamber: str, last: str) -> dict[str, MandateEnd]:
    """Of each member whose mandate does not go on at the last list, how it stands then."""
    ends = mandate_ends(db, chamber, last).items()
    on_day = ((member, end.on(datetime.date.fromisoformat(last))) for member, end in ends)
    return {member: end for member, end in on_day if end}


def _team_rows(
    db: sqlite3.Connection, chamber: str, year: ChamberYear
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Each row of `equipes` of a chamber, with its place in the order of names."""
    last, (since, until) = year.lists.last, year.lists.year
    ends = _ends(db, chamber, last)
    mandates: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for member, first_day, last_day in db.execute(
        f"select elu_id, debut, fin from {MANDATES} where chambre = ?", [chamber]
    ):
        mandates[member].append((first_day, last_day))
    teams = db.execute(
        f"""
        with team as (
          select elu_id, elu_cle, coalesce(elu_nom, elu_id) as elu_nom, elu_groupe, fin_apres,
            sum(debut <= :last and fin_apres >= :last) as listed,
            max(fin_apres || debut || coalesce(elu_groupe, ''))
          from {TENURES} where chambre = :chamber group by elu_id
        )
        select line.rowid, elu_id, elu_cle, elu_nom, elu_groupe, team.fin_apres, listed, groupe
        from {MEMBER_LINES} line join team using (elu_id) where line.chambre = :chamber
        """,
        {"chamber": chamber, "last": last},
    )
    for place, member, key, name, latest_group, latest_day, listed, group in teams:
        begun, over = _mandate(mandates[member], ends.get(member), last, listed, latest_day)
        # A stay of the last list has the group of its day.
        if over or listed:
            group = latest_group
        elif group == NO_GROUP:
            group = None
        stays = year.offices.get(member, [])
        people, left, reason = year.count(stays)
        yield (
            place,
            (
                *(chamber, member, key, name, group or None),
                *(begun or None, over or None, 0 if over else listed),
                *(last or None, since or None, until or None),
                *(people, left),
                None if member in ends else year.presence(stays),
                reason,
            ),
        )


def _mandate(
    mandates: list[tuple[str, str]], end: MandateEnd | None, last: str, listed: int, latest: str
) -> tuple[str, str]:
    """The first day of the mandate of the day of the last list, and up to when it is known, "" while it goes on.

    Whose staff is not listed, and of whom no mandate of that day is known, was known to sit up to the `latest`
    list that names somebody.
    """
    if not end:
        current = [day for day, until in mandates if day <= last and (not until or until >= last)]
        if current or listed:
            return max(current, default=""), ""
    over = end.until if end else latest
    return max((day for day, _ in mandates if day <= over), default=""), over


def _group_rows(
    db: sqlite3.Connection, years: Mapping[str, ChamberYear]
) -> Iterator[tuple[Any, ...]]:
    """Each row of `groupes`, by chamber and code."""
    medians = {chamber: year.medians() for chamber, year in years.items()}
    groups = db.execute(
        f"""
        select g.chambre, g.code, g.nom, nullif(g.debut, ''), nullif(g.fin, ''),
          count(e.elu_id), coalesce(sum(e.presents), 0)
        from {GROUPS} g left join {TEAMS} e
          on e.chambre = g.chambre and e.elu_groupe = g.code and e.mandat_fin is null
        group by 1, 2 order by 1, 2
        """
    )
    for chamber, code, *counts in groups:
        year, median = years[chamber], medians[chamber]
        if median is None:
            yield (chamber, code, *counts, None, None, None, GROUPS_UNKNOWN)
            continue
        people, left, reason = year.count(year.groups.get(code, []))
        share = median.get(code)
        share = None if share is None else round(share, DIGITS)
        yield (chamber, code, *counts, people, left, share, reason)


def _without_list(gap: Gap) -> str:
    if not gap.after:
        return "Pas de liste."
    if not gap.before:
        return f"Pas de liste avant le {in_french(gap.after)}."
    since = in_french(gap.since)
    if gap.since[:4] == gap.until[:4]:
        since = since.removesuffix(f" {gap.since[:4]}")
    return f"Pas de liste du {since} au {in_french(gap.until)}."
