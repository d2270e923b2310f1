"""What filters ask of each stay, in memory: a search for stays must not read all of them."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from ..schema import MEMBERSHIPS, TENURES
from .rows import Rowids
from .stay_sets import StaySet, StaysOfDay

Key = tuple[str, str]  # chamber and identifier of a member
_Sets = dict[str, "array[int]"]
# Later than every day: the end of what goes on.
NEVER = 9999_99_99


class StayFilter(NamedTuple):
    """A search for stays; "" filters nothing. `present` is the day for which mandates are judged."""

    chamber: str = ""
    member: str = ""
    group: str = ""
    name: str = ""
    day: str = ""
    present: str = ""


class StayIndex:
    """The stays of an open file by chamber, member, group and day; their rowids are 1, 2, 3 and so on.

    Rowids ascend with first days. `last` is the day of each chamber's last list. ValueError for other rowids.
    """

    def __init__(self, db: sqlite3.Connection, last: Mapping[str, str]) -> None:
        self._memberships = _memberships(db)
        # By the rowid that is the place.
        self._keys: list[Key] = [("", "")]
        self._groups = [""]
        self._begun, self._ends = array("I", [0]), array("I", [0])
        self._of_member: _Sets = defaultdict(partial(array, "I"))
        # By the group that lists gave, and by each that the member has on some day of the stay.
        self._of_own_group: _Sets = defaultdict(partial(array, "I"))
        self._of_possible_group: dict[str, StaySet] = {}
        self._several = bytearray(1)  # 1 where these are more than one, so that the day decides
        self._of_chamber: dict[str, StaySet] = {}
        self._listed: dict[int, None] = {}  # those on the last list of the chamber
        self._read(db, last)

    def _read(self, db: sqlite3.Connection, last: Mapping[str, str]) -> None:
        """Fill the index."""
        of_chamber: _Sets = defaultdict(partial(array, "I"))
        of_possible: _Sets = defaultdict(partial(array, "I"))
        keys: dict[Key, Key] = {}
        for rowid, *found in db.execute(
            f"""
            select rowid, chambre, elu_id, coalesce(elu_groupe, ''), debut,
              coalesce(fin, ''), fin_apres from {TENURES} order by rowid
            """
        ):
            if rowid != len(self._keys):
                raise ValueError("stays without a place")
            # Members and groups are many times the same.
            chamber, member, group, *days = (sys.intern(str(value, "utf-8")) for value in found)
            key = chamber, member
            begun, end = _number(days[0], 0), _number(days[1], NEVER)
            self._keys.append(keys.setdefault(key, key))
            self._groups.append(group)
            self._begun.append(begun)
            self._ends.append(end)
            self._of_member[member].append(rowid)
            self._of_own_group[group].append(rowid)
            if end == NEVER and days[2] == last.get(chamber):
                self._listed[rowid] = None
            of_chamber[""].append(rowid)
            of_chamber[chamber].append(rowid)
            spans = self._memberships.get(key, ())
            possible = {group, *(g for since, until, g in spans if since < end and begun <= until)}
            self._several.append(len(possible) > 1)
            for one in possible:
                of_possible[one].append(rowid)
        self._of_chamber, self._of_possible_group = (
            {name: StaySet(rowids, self._ends) for name, rowids in sets.items()}
            for sets in (of_chamber, of_possible)
        )

    def find(
        self, filter_: StayFilter, named: Sequence[int] | None, over: Container[Key]
    ) -> Rowids:
        """The rowids of a filter, ascending; `named` are those of its name, if it has one.

        `over` are the members whose mandate has ended by the day of `present`.
        """
        chamber, member, group, _, of_day, present = filter_
        keys, found, day = self._keys, named, _number(of_day, 0)
        # Whether `_candidates` are just those of the group, else of the chamber, on the day.
        exact = not (member or present or named is not None)
        if found is None:
            found = self._candidates(filter_, day)
        elif member:
            found = [rowid for rowid in found if keys[rowid][1] == member]
        if day and not exact:
            begun, ends = self._begun, self._ends
            found = [rowid for rowid in found if begun[rowid] <= day < ends[rowid]]
        if chamber and (group or not exact):
            found = [rowid for rowid in found if keys[rowid][0] == chamber]
        if present:
            found = [rowid for rowid in found if rowid in self._listed and keys[rowid] not in over]
        if group and not exact:
            found = [rowid for rowid in found if self._group_on(rowid, day) == group]
        return array("I", found) if isinstance(found, list) else found

    def _candidates(self, filter_: StayFilter, day: int) -> Sequence[int]:
        """Stays with all those of a filter among them, by the first that it has of these: the member, who is
        present, the group on its day, the chamber on its day.
        """
        chamber, member, group, *_, present = filter_
        if member:
            return self._of_member.get(member, ())
        if present:
            return list(self._listed)
        if group and not day:
            return self._of_own_group.get(group, ())
        found = self._of_possible_group.get(group) if group else self._of_chamber.get(chamber)
        if found is None or not day:
            return found.rowids if found else ()
        parts = found.on(day, bisect_right(self._begun, day) - 1)
        if group:
            several, own = self._several, self._group_on
            parts = [
                array("I", [r for r in part if not several[r] or own(r, day) == group])
                for part in parts
            ]
        return StaysOfDay(parts)

    def _group_on(self, rowid: int, day: int) -> str:
        """The group of a stay's member on a day where the members' folder knows it, else that of the stay."""
        if day:
            for since, until, group in self._memberships.get(self._keys[rowid], ()):
                if since <= day <= until:
                    return group
        return self._groups[rowid]


def _memberships(db: sqlite3.Connection) -> dict[Key, list[tuple[int, int, str]]]:
    """The groups of each member with their first and last days: of those of one day the first is told."""
    found: dict[Key, list[tuple[int, int, str]]] = defaultdict(list)
    for row in db.execute(
        f"select chambre, elu_id, groupe, debut, fin from {MEMBERSHIPS}"
        " order by debut desc, fin = '' desc, fin desc, groupe"
    ):
        chamber, member, group, since, until = (str(value, "utf-8") for value in row)
        span = (_number(since, 0), _number(until, NEVER), sys.intern(group))
        found[chamber, member].append(span)
    return found


@lru_cache(maxsize=8192)
def _number(day: str, without: int) -> int:
    """A day as a number, which grows as it does; `without` one, that number."""
    return int(day.replace("-", "")) if day else without
