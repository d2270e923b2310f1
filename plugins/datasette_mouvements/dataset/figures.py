"""Members, teams and groups as of their chamber's last list: `_lignes_elus`, `equipes`, `groupes`, and who left in twelve months.

Turnover and presence are defined in docs/explanation/what-may-be-said.md, "Turnover". People are told apart
by `Tenure.person`.
"""

from __future__ import annotations

import datetime
import json
import statistics
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.dates import days_between, in_french
from parlement_lists.movement import plain
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.spans import NO_GROUP

from .coverage import Coverage, Gap, coverage
from .mandates import NOT_TOLD, OVER, RENEWED, mandate_ends
from .ready_made import particle_first, split_name
from .schema import (
    GROUP_FIGURES,
    GROUPS,
    MANDATES,
    MEMBER_LINES,
    MEMBERS,
    MEMBERSHIPS,
    TABLE,
    TEAMS,
    TENURES,
)

# Of fewer people a share says something of each of them.
FEWEST = 3
TOO_FEW = "Moins de trois personnes."
GROUPS_UNKNOWN = "Le groupe de la plupart des membres n’est pas connu."
# Digits of a share: SQLite and Python write the same text of it.
DIGITS = 4
_STAY_COLUMNS = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)
# How many worked there, how many of them left, or why they are not counted, in French.
Turnover = tuple[int | None, int | None, str | None]
Row = tuple[Any, ...]


class LastEnd(NamedTuple):
    """How somebody's time somewhere stood at the end of a period."""

    there: bool
    day: str  # that of the last end, "" for one who is there
    left: bool  # by that end, the member staying
    stay: Tenure


def last_ends(
    stays: Iterable[Tenure], period: tuple[str, str], gone_with_member: Container[str]
) -> dict[str, LastEnd]:
    """Person -> last end, of all who worked somewhere from the first to the last day of a period.

    `gone_with_member` are the identifiers of the movements whose contexte is `elu_sortant`.
    """
    since, until = period
    ends: dict[str, LastEnd] = {}
    for stay in stays:
        if stay.debut > until or (stay.fin and stay.fin < since):
            continue
        if stay.fin and stay.fin <= until:
            end = LastEnd(False, stay.fin, stay.mouvement_fin not in gone_with_member, stay)
        else:
            end = LastEnd(True, "", False, stay)
        person = stay.person
        ends[person] = max(ends.get(person, end), end)
    return ends


class Year:
    """The twelve months up to the last of a chamber's lists: `offices` are the stays of each member's staff that reach it."""

    def __init__(self, db: sqlite3.Connection, chamber: str, lists: Coverage) -> None:
        self.lists, self.period = lists, lists.year
        self._missing = _missing(lists.gap_across(*lists.year))
        with_member = f"select id from {TABLE} where chambre = ? and contexte = 'elu_sortant'"
        self._gone = {id for (id,) in db.execute(with_member, [chamber])}
        self.offices: dict[str, list[Tenure]] = defaultdict(list)
        stays = f"""
            select {_STAY_COLUMNS} from {TENURES}
            where chambre = ? and (fin is null or fin >= ?) and debut <= ?
        """
        for stay in map(Tenure._make, db.execute(stays, [chamber, *self.period])):
            self.offices[stay.elu_id].append(stay)

    def turnover(self, stays: Iterable[Tenure]) -> Turnover:
        """The turnover of some people's stays; not counted where days are missing."""
        ends = last_ends(stays, self.period, self._gone)
        if self._missing or len(ends) < FEWEST:
            return None, None, self._missing or TOO_FEW
        return len(ends), sum(end.left for end in ends.values()), None


def fill_figures(db: sqlite3.Connection, today: datetime.date) -> None:
    """Make the lines of members and the rows of `equipes`, in the order of names, and of `groupes`, by chamber and code.

    All tables but the feeds and the lines of stays are filled. A line tells what is known of mandates as of a day.
    """
    years = {chamber: Year(db, chamber, lists) for chamber, lists in sorted(coverage(db).items())}
    members = [row for chamber, year in years.items() for row in _members(db, chamber, year, today)]
    members.sort(key=lambda row: (plain(row[0]), plain(row[1]), row[2][1]))
    for _, _, line, team in members:
        db.execute(f"insert into {MEMBER_LINES} values (null, ?, ?, ?, ?, ?, ?)", line)
        db.execute(f"insert into {TEAMS} values ({', '.join('?' * len(team))})", team)
    for chamber, year in years.items():
        _fill_groups(db, chamber, year)


# In the order in which the last of those of one day is the one that stays have then.
_MANDATES = f"""
    select elu_id, debut, fin from {MANDATES} where chambre = ? order by debut, fin = '', fin
"""
_MEMBERSHIPS = f"""
    select elu_id, m.debut, m.fin, groupe, coalesce(nom, groupe) from {MEMBERSHIPS} m
    left join {GROUPS} g on g.chambre = m.chambre and g.code = m.groupe
    where m.chambre = ? order by m.debut, m.fin = '', m.fin, groupe desc
"""
# What a line calls the end of a mandate that the members' files leave open, by how it is known.
_END_OF_OPEN = {RENEWED: "fin", NOT_TOLD: "fin_apres"}
_ON_THE_DAY = """
    chambre = :chamber and elu_id = c.elu_id and debut <= :last and (fin = '' or fin >= :last)
"""
# Each member as the latest stay has it, how many stays the last list has, and the mandate and the group of its day.
_MEMBERS = f"""
    select c.elu_id, elu_cle, coalesce(elu_nom, c.elu_id), coalesce(elu_groupe, ''), fin_apres,
      sum(debut <= :last and fin_apres >= :last), e.nom, e.prenom, coalesce(e.civilite, ''),
      (select max(debut) from {MANDATES} where {_ON_THE_DAY}),
      (select groupe from {MEMBERSHIPS} where {_ON_THE_DAY}
        order by debut desc, fin <> '', fin desc, groupe limit 1),
      max(fin_apres || debut || coalesce(elu_groupe, ''))
    from {TENURES} c left join {MEMBERS} e using (chambre, elu_id)
    where chambre = :chamber group by 1
"""


def _members(
    db: sqlite3.Connection, chamber: str, year: Year, today: datetime.date
) -> Iterator[tuple[str, str, Row, Row]]:
    """Family name, given name, line and row of `equipes` of each member of whom a list ever named staff."""
    last, (since, until) = year.lists.last, year.period
    mandates, groups = _spans(db, _MANDATES, chamber), _spans(db, _MEMBERSHIPS, chamber)
    ended = mandate_ends(db, chamber, last)
    ended_by_today = mandate_ends(db, chamber, last, today=today.isoformat())
    rows = db.execute(_MEMBERS, {"chamber": chamber, "last": last})
    for member, key, full, latest_group, latest, listed, family, given, civility, *then, _ in rows:
        if family is None:
            family, given = split_name(full, key or "")
            if full.endswith(")"):
                full = f"{given} {particle_first(family)}".strip()
        end, stays = ended.get(member), year.offices.get(member, [])
        current, held = (None, None) if end else then
        if held is None:
            # Where the folder knows no group at all, that of the team is today's if there is one.
            held = latest_group if listed and not end and not groups[member] else ""
        by_today = ended_by_today.get(member)
        known_until = by_today.until if by_today and by_today.how != OVER else ""
        field = _END_OF_OPEN.get(by_today.how, "") if by_today else ""
        open_end = {field: known_until} if field else {}
        values = {
            "chambre": chamber,
            "elu_id": member,
            "elu_cle": key or "",
            "nom": family,
            "prenom": given,
            "civilite": civility,
            "mandats": [
                _known(debut=begun, **({"fin": over} if over else open_end))
                for begun, over in mandates[member]
            ],
            "groupes": [
                {"code": code, "nom": name, **_known(debut=begun, fin=over)}
                for begun, over, code, name in groups[member]
            ],
            "equipe": 0 if end else listed,
        }
        line = json.dumps(_known(**values), ensure_ascii=False, separators=(",", ":")).encode()
        # Whose staff is not listed, and of whom no mandate of that day is known, was known to sit up to the latest list
        # that names somebody.
        over = end.until if end else "" if listed or current is not None else latest
        begun = current
        if over:
            begun = max((day for day, _ in mandates[member] if day <= over), default="")
        # A stay of the last list has the group of its day; who is gone has that of the mandate's last day.
        group = latest_group if over or listed else held.removeprefix(NO_GROUP)
        for first, final, code, _ in groups[member] if over else ():
            if first <= over and (not final or over <= final):
                group = code.removeprefix(NO_GROUP)
        people, left, reason = year.turnover(stays)
        lasted = [
            days_between(stay.debut, last) for stay in stays if stay.debut <= last <= stay.fin_apres
        ]
        # The list may still name the staff of a member whose mandate had ended.
        presence = statistics.median(lasted) if lasted and not end else None
        whose = chamber, member, key, full, group or None, begun or None, over or None
        days = last or None, since or None, until or None
        team = (*whose, 0 if over else listed, *days, people, left, presence, reason)
        yield (
            family,
            given,
            (chamber, member, held, not end, known_until, line),
            team,
        )


def _spans(db: sqlite3.Connection, sql: str, chamber: str) -> dict[str, list[tuple[str, ...]]]:
    """First and last day, and what else is asked for, of each mandate or group of each member."""
    spans: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for member, *span in db.execute(sql, [chamber]):
        spans[member].append(tuple(span))
    return spans


def _known(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value != ""}


def _fill_groups(db: sqlite3.Connection, chamber: str, year: Year) -> None:
    shares: dict[str, list[float]] = defaultdict(list)
    of_group: dict[str, list[Tenure]] = defaultdict(list)
    with_group = 0
    for stays in year.offices.values():
        for stay in stays:
            of_group[stay.elu_groupe].append(stay)
        # An office counts in the group of its latest stay.
        group = max((stay.fin_apres, stay.debut, stay.elu_groupe) for stay in stays)[2]
        with_group += bool(group)
        people, left, _ = year.turnover(stays)
        if people and left is not None:
            shares[group].append(left / people)
    groups = db.execute(
        f"""
        select g.code, g.nom, nullif(g.debut, ''), nullif(g.fin, ''),
          count(e.elu_id), coalesce(sum(e.presents), 0)
        from {GROUPS} g left join {TEAMS} e
          on e.chambre = g.chambre and e.elu_groupe = g.code and e.mandat_fin is null
        where g.chambre = ? group by 1 order by 1
        """,
        [chamber],
    )
    for code, *counts in groups.fetchall():
        turnover: Turnover = None, None, GROUPS_UNKNOWN
        median = None
        # Else they would be the figures of a few of its members.
        if 2 * with_group >= len(year.offices):
            turnover = year.turnover(of_group[code])
            if shares[code]:
                median = round(statistics.median(shares[code]), DIGITS)
        people, left, reason = turnover
        row = chamber, code, *counts, people, left, median, reason
        db.execute(f"insert into {GROUP_FIGURES} values ({', '.join('?' * len(row))})", row)


def _missing(gap: Gap | None) -> str:
    """The days without a list that keep people from being counted, in French."""
    if not gap:
        return ""
    if not gap.after:
        return "Pas de liste."
    if not gap.before:
        return f"Pas de liste avant le {in_french(gap.after)}."
    since, until = in_french(gap.since), in_french(gap.until)
    # What the two days share is said once.
    if gap.since[:7] == gap.until[:7]:
        since = since.partition(" ")[0]
    elif gap.since[:4] == gap.until[:4]:
        since = since.rpartition(" ")[0]
    return f"Pas de liste du {since} au {until}."
