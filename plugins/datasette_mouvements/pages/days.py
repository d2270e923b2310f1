"""Movements by day and office, and a contract that several members share as one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from parlement_lists.movement import CHAMBERS

from ..dataset.schema import TABLE
from .movement import follow
from .runner import View

Row = dict[str, Any]
# From so many on, the movements of emptied or of new teams of one chamber and day are counted, not listed.
COUNTED_FROM = 20
# What the European Parliament calls the function of whoever several members employ together.
GROUPING = "(grouping)"
NO_GROUP = "de groupe non connu"
# Bytes that an office, a movement, what it is linked with, and a member of a shared contract take of a page, about.
OFFICE, MOVEMENT, LINKED, MEMBER = 400, 370, 200, 200
_CONTRACT = ("type", "collab_nom", "collab_prenom", "collab_civilite", "fonction")
_ORDER = {"elu_sortant": 0, "elu_entrant": 1, "": 2}
_LEAVING_FIRST = {"depart": 0, "transfert": 1, "arrivee": 2}
_EVENT = "date_event || chambre || contexte"


@dataclass(frozen=True)
class Office:
    """What one day changed in one office of one group; or, where it is `shared`, one name in several offices, a row for each."""

    rows: Sequence[Row]
    shared: bool = False

    @property
    def first(self) -> Row:
        """The row with chamber, member and group; of a shared office also with kind and name."""
        return self.rows[0]

    @property
    def whole(self) -> str:
        """« elu_sortant » of a team that was emptied, « elu_entrant » of a new one, else ""."""
        return _whole(self.first)

    @property
    def contract(self) -> bool:
        """Whether the lists say that the members share one contract."""
        return self.shared and GROUPING in (self.first["fonction"] or "")

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of the members who share it, the largest first; last those whose group is not known."""
        groups = [row["elu_groupe"] or NO_GROUP for row in self.rows]
        numbers = [(group, groups.count(group)) for group in set(groups)]
        return sorted(numbers, key=lambda pair: (pair[0] == NO_GROUP, -pair[1], pair[0]))

    @property
    def weight(self) -> int:
        """About how many bytes of a page it takes."""
        linked = sum(bool(row["links"]) for row in self.rows)
        return OFFICE + len(self.rows) * (MEMBER if self.shared else MOVEMENT) + LINKED * linked


@dataclass(frozen=True)
class Day:
    """What one day changed: `total` movements without those of emptied and new teams, `contracts` of them of shared ones.

    `counted` are the emptied and new teams that are told by their numbers, rows of the query in `days`. A day that
    began on the page before `goes_on`.
    """

    day: str
    offices: Sequence[Office]
    counted: Sequence[Any] = ()
    goes_on: bool = False
    total: int = field(default=0)
    contracts: int = field(default=0)


def days(view: View, since: str, until: str, most_bytes: int) -> list[list[Day]]:
    """The days of a period with movements, the latest first, on pages of about `most_bytes`: at least one page."""
    counted = view.rows(
        f"""
        select date_event, chambre, contexte, {_EVENT} as event, count(distinct coalesce(elu_id, elu_nom)) as teams,
          count(*) as names, '' as renewal
        from {TABLE}
        where date_event between :since and :until and contexte <> '' and type <> 'transfert'
        group by 1, 2, 3 having count(*) >= {COUNTED_FROM} order by contexte desc, chambre
        """,
        since=since,
        until=until,
    )
    rows = view.movements(
        f"""
        where date_event between :since and :until
          and (type = 'transfert' or {_EVENT} not in (select value from json_each(:counted)))
        order by rowid desc
        """,
        since=since,
        until=until,
        counted=json.dumps([event["event"] for event in counted]),
    )
    follow(view, rows)
    by_day = {day: list(of_day) for day, of_day in groupby(rows, lambda row: row["date_event"])}
    dates = sorted({*by_day, *(event["date_event"] for event in counted)}, reverse=True)
    return _cut([_day(day, by_day.get(day, []), counted) for day in dates], most_bytes)


def _day(day: str, rows: list[Row], counted: Iterable[Any]) -> Day:
    offices = by_office(rows)
    return Day(
        day,
        offices,
        [event for event in counted if event["date_event"] == day],
        total=sum(not _whole(row) for row in rows),
        contracts=sum(len(office.rows) for office in offices if office.contract),
    )


def by_office(rows: Iterable[Row]) -> list[Office]:
    """The offices of a day: emptied teams, new ones, then by chamber and member, and shared contracts last."""
    offices: list[Office] = []
    alone: dict[tuple[str, ...], list[Row]] = {}
    for office in fold(rows):
        if office.shared:
            offices.append(office)
        for row in () if office.shared else office.rows:
            member = row["elu_id"] or row["elu_nom"] or ""
            # Who left a member since gone to another group left that of the day.
            place = (row["chambre"], member, row["elu_groupe"] or "", _whole(row))
            alone.setdefault(place, []).append(row)
    offices += [Office(sorted(of_office, key=_by_kind)) for of_office in alone.values()]
    return sorted(
        offices,
        key=lambda office: (
            office.shared,
            _ORDER[office.whole],
            _by_member(office.first),
            _by_kind(office.first),
        ),
    )


def fold(rows: Iterable[Row]) -> list[Office]:
    """The movements in the order given: those of one day, name and kind that several members share are one."""
    named: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        named.setdefault((row["date_event"], *_contract(row)), []).append(row)
    offices: list[Office] = []
    for same in named.values():
        if len({row["elu_id"] for row in same}) > 1:
            offices.append(Office(sorted(same, key=_by_member), shared=True))
        else:
            offices += [Office([row]) for row in same]
    return offices


def _whole(row: Row) -> str:
    """The context of a movement of an emptied or a new team: a transfer stays one."""
    return "" if row["type"] == "transfert" else row["contexte"] or ""


def _contract(row: Row) -> tuple[str, ...]:
    """What movements of one shared contract have in common; those with a withheld name, and of whole teams, are never joined."""
    named = row["collab_nom"] or row["collab_prenom"]
    if row["chambre"] != "europarl" or not named or _whole(row):
        return (row["id"],)
    return tuple(row[name] or "" for name in _CONTRACT)


def _by_member(row: Row) -> tuple[int, str, str]:
    key = row["elu_cle"] or row["elu_nom"] or ""
    return CHAMBERS.index(row["chambre"]), key, row["elu_id"] or ""


def _by_kind(row: Row) -> tuple[int, str, str]:
    # A withheld name stands last, because its place would tell its letter.
    name = f"{row['collab_nom'] or ''} {row['collab_prenom'] or ''}".strip()
    return _LEAVING_FIRST[row["type"]], name or "\uffff", row["id"]


def _cut(all_days: Sequence[Day], most_bytes: int) -> list[list[Day]]:
    """The days on pages of about so many bytes each, at least one page; an office is never cut."""
    pages: list[list[Day]] = [[]]
    room = most_bytes
    for day in all_days:
        part = replace(day, offices=[])
        for office in day.offices:
            if office.weight > room and (part.offices or pages[-1]):
                if part.offices:
                    pages[-1].append(part)
                    part = replace(day, offices=[], counted=(), goes_on=True)
                pages.append([])
                room = most_bytes
            part = replace(part, offices=[*part.offices, office])
            room -= office.weight
        pages[-1].append(part)
    return pages
