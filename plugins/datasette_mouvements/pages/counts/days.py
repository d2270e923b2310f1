"""Movements by day and office, and a contract that several members share as one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from parlement_lists.movement import CHAMBERS, TYPES

from ...dataset.schema import TABLE
from ..words import french
from . import stay_links
from .facts import Facts, Row

# From so many on, movements of one chamber and day that come with mandates are counted, not listed.
NUMBERED_FROM = 20
# What the European Parliament calls the function of whoever several members employ together.
GROUPING = "(grouping)"
# What follows a number of members.
NO_GROUP = "de groupe non connu"
# Bytes that an office, a movement, what it is linked with, and a member of a shared contract take of a page, about.
OFFICE, MOVEMENT, LINKED, MEMBER = 400, 320, 200, 200
_CONTRACT = ("type", "collab_nom", "collab_prenom", "collab_civilite", "fonction")
_BETWEEN, _EVENT = "date_event between ? and ?", "date_event || chambre || contexte"
_LEAVING_FIRST = {"depart": 0, "transfert": 1, "arrivee": 2}


class OfficeDay(NamedTuple):
    """What one day changed in one office of one group; or, where it is `shared`, one name in several offices, a row for each."""

    rows: Sequence[Row]
    shared: bool = False

    @property
    def first(self) -> Row:
        """The row with chamber, member and group; of a shared office also with kind and name."""
        return self.rows[0]

    @property
    def contract(self) -> bool:
        """Whether the lists say that the members share one contract."""
        return self.shared and GROUPING in (self.first["fonction"] or "")

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of the members who share it, the largest first; last those whose group is not known."""
        found = Counter(row["elu_groupe"] or NO_GROUP for row in self.rows)
        return sorted(found.items(), key=lambda one: (one[0] == NO_GROUP, -one[1], one[0]))

    @property
    def weight(self) -> int:
        """About how many bytes of a page it takes."""
        if self.shared:
            return OFFICE + MEMBER * len(self.rows)
        linked = sum(bool(row.get("links")) for row in self.rows)
        return OFFICE + MOVEMENT * len(self.rows) + LINKED * linked


class MandateMovements(NamedTuple):
    """How many movements of a chamber come with ends or begins of mandates; they are not listed."""

    chamber: str
    context: str
    movements: int


class Day(NamedTuple):
    """What one day changed: offices in the order of chambers and members, and what is told by its number."""

    day: str
    total: int  # all movements of the day, those told by their number and those of other pages included
    offices: Sequence[OfficeDay]
    numbered: Sequence[MandateMovements] = ()
    goes_on: bool = False  # it began on the page before

    @property
    def of_contracts(self) -> int:
        """How many movements shown here are of contracts that several members share."""
        return sum(len(one.rows) for one in self.offices if one.contract)


async def held(facts: Facts, since: str, until: str) -> int:
    """How many changes of these days wait for later lists: they are no movements yet."""
    sql = """select coalesce(sum(number), 0) from (select max(retenus) as number from listes
      where date between ? and ? group by chambre, date)"""
    ((number,),) = await facts.reader.rows(sql, [since, until])
    return int(number)


async def read(facts: Facts, since: str, until: str) -> list[Row]:
    """The movements of some days, both included, in no order.

    Of those that are told by their number, only day, chamber, context and type. Of others, `ended` is the stay
    that a departure or transfer ended, None where none is known; `listed` the day of the chamber's last list;
    `links` as `stay_links` gives them.
    """
    sql, days = f"select date_event, chambre, contexte, type from {TABLE} where ", [since, until]
    found = await facts.reader.rows(f"{sql} contexte <> '' and {_BETWEEN}", days)
    many = _numbered(found)
    # Of what is told by its number, a renewal's thousand movements, nothing more is read.
    numbered = [dict(row) for row in found if _event(row) in many]
    events = json.dumps(["".join(event) for event in many])
    told = await facts.reader.movements(
        f"where {_BETWEEN} and {_EVENT} not in (select value from json_each(?)) order by rowid desc",
        [*days, events],
    )
    within, ids = "(select value from json_each(?))", json.dumps([row["id"] for row in told])
    ends = await facts.reader.stays(
        f"where mouvement_debut in {within} or mouvement_fin in {within}", [ids, ids]
    )
    await stay_links.link(facts.reader.rows, told, ends)
    stays = {stay.mouvement_fin: stay for stay in ends}
    for row in told:
        row["ended"] = stays.get(row["id"])
        row["listed"] = facts.coverage[row["chambre"]].last
    return told + numbered


def lasted(row: Row) -> str:
    """How long the stay was that a movement ended, "" where that is not known."""
    stay = row["ended"]
    # A late list says only before which day somebody left.
    if not stay or (row["confiance"] == "faible" and french.precise(stay.fin_apres, stay.fin)):
        return ""
    return french.lasted(stay, row["listed"])


def by_day(rows: Iterable[Row]) -> list[Day]:
    """The days of movements, the latest first; `rows` may have any order."""
    ordered = sorted(rows, key=lambda row: row["date_event"], reverse=True)
    return [_day(day, list(found)) for day, found in groupby(ordered, lambda r: r["date_event"])]


def _day(day: str, rows: list[Row]) -> Day:
    many = _numbered(rows)
    numbered = [MandateMovements(*event[1:], many[event]) for event in sorted(many)]
    return Day(day, len(rows), _offices([row for row in rows if _event(row) not in many]), numbered)


def _numbered(rows: Iterable[Row]) -> dict[tuple[str, str, str], int]:
    """What is told by its number: day, chamber and context of so many movements."""
    events = Counter(_event(row) for row in rows if row["contexte"])
    return {event: count for event, count in events.items() if count >= NUMBERED_FROM}


def _event(row: Row) -> tuple[str, str, str]:
    return row["date_event"], row["chambre"], row["contexte"]


def _offices(rows: list[Row]) -> list[OfficeDay]:
    offices: list[OfficeDay] = []
    alone: dict[tuple[str, str, str], list[Row]] = {}
    for found in fold(rows):
        if found.shared:
            offices.append(found)
        for row in () if found.shared else found.rows:
            member = row["elu_id"] or row["elu_nom"] or ""
            # Who left a member since gone to another group left that of the day.
            alone.setdefault((row["chambre"], member, row["elu_groupe"] or ""), []).append(row)
    offices += [OfficeDay(sorted(found, key=_by_kind)) for found in alone.values()]
    return sorted(
        offices, key=lambda one: (one.shared, *_by_member(one.first), *_by_kind(one.first))
    )


def fold(rows: Iterable[Row]) -> list[OfficeDay]:
    """The movements in the order given: those of one day, name and kind that several members share are one."""
    named: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        named.setdefault((row["date_event"], *_contract(row)), []).append(row)
    found: list[OfficeDay] = []
    for same in named.values():
        if len({row["elu_id"] for row in same}) > 1:
            found.append(OfficeDay(sorted(same, key=_by_member), shared=True))
        else:
            found += [OfficeDay([row]) for row in same]
    return found


def _contract(row: Row) -> tuple[str, ...]:
    """What movements of one shared contract have in common; movements with a withheld name are never joined."""
    if row["chambre"] != "europarl" or not (row["collab_nom"] or row["collab_prenom"]):
        return (row["id"],)
    return tuple(row[name] or "" for name in _CONTRACT)


def _by_member(row: Row) -> tuple[int, str, str]:
    return (
        CHAMBERS.index(row["chambre"]),
        row["elu_cle"] or row["elu_nom"] or "",
        row["elu_id"] or "",
    )


def _by_kind(row: Row) -> tuple[int, str, str]:
    # A withheld name stands last, because its place would tell its letter.
    name = f"{row['collab_nom'] or ''} {row['collab_prenom'] or ''}".strip()
    return _LEAVING_FIRST[row["type"]], name or "\uffff", row["id"]


def numbers(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How many movements each chamber had, by kind."""
    found = {chamber: dict.fromkeys(TYPES, 0) for chamber in CHAMBERS}
    for row in rows:
        found[row["chambre"]][row["type"]] += 1
    return found


def pages(days: Sequence[Day], most: int) -> list[list[Day]]:
    """The days on pages of about `most` bytes each, at least one page; an office is never cut."""
    found: list[list[Day]] = [[]]
    room = most
    for day in days:
        part = day
        offices: list[OfficeDay] = []
        for office in day.offices:
            if office.weight > room and (offices or found[-1]):
                if offices:
                    found[-1].append(part._replace(offices=offices))
                    part, offices = day._replace(numbered=(), goes_on=True), []
                found.append([])
                room = most
            offices.append(office)
            room -= office.weight
        found[-1].append(part._replace(offices=offices))
    return found
