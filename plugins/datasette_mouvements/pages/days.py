"""Movements by day and office, and a contract that several members share as one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from parlement_lists.movement import CHAMBERS

from ..dataset.schema import TABLE
from .movement import follow
from .runner import View

Row = dict[str, Any]
# From so many on, the movements of emptied or of new teams of one chamber and day are counted, not listed.
COUNTED_FROM = 20
# What the European Parliament calls the function of whoever several members employ together.
GROUPING = "(grouping)"
# Bytes that an office, a movement, and a member of a shared contract take of a page, about.
OFFICE, MOVEMENT, MEMBER = 400, 420, 200
_CONTRACT = ("type", "collab_nom", "collab_prenom", "collab_civilite", "fonction")
# Emptied teams, new ones, then the others, by chamber and member; who leaves first, and withheld names last, because
# their place would tell their letter.
_ORDER = f"""
    date_event desc, case type when 'transfert' then '' else contexte end desc,
    instr('{" ".join(CHAMBERS)}', chambre), coalesce(elu_cle, elu_nom, ''), elu_id,
    instr('depart transfert arrivee', type), coalesce(collab_nom, collab_prenom) is null, collab_nom, collab_prenom, id
"""
_EVENT = "date_event || chambre || contexte"


class Office(NamedTuple):
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
    def weight(self) -> int:
        """About how many bytes of a page it takes."""
        return OFFICE + len(self.rows) * (MEMBER if self.shared else MOVEMENT)


def days(
    view: View, since: str, until: str, most_bytes: int, page: int = 1
) -> tuple[list[dict[str, Any]], int]:
    """The days of a period with movements, the latest first, of one page of about `most_bytes`, and how many pages there are.

    There is at least one page; one past the last has no day. Of each `day`: its `offices`; in `counted` the emptied
    and new teams that are told by their numbers; `total`, the movements without those of emptied and new teams, and
    `contracts`, those of shared ones. A day that began on the page before `goes_on`.
    """
    counted = view.rows(
        f"""
        select date_event, chambre, contexte, {_EVENT} as event, count(distinct coalesce(elu_id, elu_nom)) as teams,
          count(*) as names
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
        order by {_ORDER}
        """,
        since=since,
        until=until,
        counted=json.dumps([event["event"] for event in counted]),
    )
    by_day = {day: list(of_day) for day, of_day in groupby(rows, lambda row: row["date_event"])}
    dates = sorted({*by_day, *(event["date_event"] for event in counted)}, reverse=True)
    pages = _cut([_day(day, by_day.get(day, []), counted) for day in dates], most_bytes)
    shown = pages[page - 1] if page <= len(pages) else []
    follow(view, [row for day in shown for office in day["offices"] for row in office.rows])
    return shown, len(pages)


def _day(day: str, rows: list[Row], counted: Iterable[Any]) -> dict[str, Any]:
    offices = by_office(rows)
    return {
        "day": day,
        "offices": offices,
        "counted": [event for event in counted if event["date_event"] == day],
        "total": sum(not _whole(row) for row in rows),
        "contracts": sum(len(office.rows) for office in offices if office.contract),
        "goes_on": False,
    }


def by_office(rows: Iterable[Row]) -> list[Office]:
    """The offices of rows of one day, in their order; what several members share stands last."""
    shared: list[Office] = []
    alone: dict[tuple[str, ...], list[Row]] = {}
    for office in fold(rows):
        row = office.first
        if office.shared:
            shared.append(office)
        else:
            member = row["elu_id"] or row["elu_nom"] or ""
            # Who left a member since gone to another group left that of the day.
            place = (row["chambre"], member, row["elu_groupe"] or "", office.whole)
            alone.setdefault(place, []).append(row)
    return [Office(of_office) for of_office in alone.values()] + shared


def fold(rows: Iterable[Row]) -> list[Office]:
    """The movements in the order given: those of one day, name and kind that several members share are one."""
    named: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        named.setdefault((row["date_event"], *_contract(row)), []).append(row)
    offices: list[Office] = []
    for same in named.values():
        if len({row["elu_id"] for row in same}) > 1:
            offices.append(Office(same, shared=True))
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


def _cut(all_days: Iterable[dict[str, Any]], most_bytes: int) -> list[list[dict[str, Any]]]:
    """The days on pages of about so many bytes each, at least one page; an office is never cut."""
    pages: list[list[dict[str, Any]]] = [[]]
    room = most_bytes
    for day in all_days:
        part = day | {"offices": []}
        for office in day["offices"]:
            if office.weight > room and (part["offices"] or pages[-1]):
                if part["offices"]:
                    pages[-1].append(part)
                    part = day | {"offices": [], "counted": [], "goes_on": True}
                pages.append([])
                room = most_bytes
            part["offices"].append(office)
            room -= office.weight
        pages[-1].append(part)
    return pages
