"""What filters ask of each stay, in memory: a search for stays must not read all of them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from ..schema import MEMBERSHIPS, TENURES

Key = tuple[str, str]  # chamber and identifier of a member
# Stays that are looked at together: of each such block those that ended by a day are passed over at once.
BLOCK = 256
# Later than every day: the end of what goes on.
NEVER = "~"


class StayFilter(NamedTuple):
    """A search for stays; "" filters nothing. `present` is the day for which mandates are judged."""

    chamber: str = ""
    member: str = ""
    group: str = ""
    name: str = ""
    day: str = ""
    present: str = ""


class StayBlock(NamedTuple):
    """Rowids by their last days, and these days."""

    ends: list[str]
    rowids: array[int]


class StayIndex:
    """The stays of an open file by chamber, member, group and day; their rowids are 1, 2, 3 and so on.

    Rowids ascend with first days. `last` is the day of each chamber's last list. ValueError for other rowids.
    """

    def __init__(self, db: sqlite3.Connection, last: Mapping[str, str]) -> None:
        # By the rowid that is the place.
        self._keys: list[Key] = [("", "")]
        self._groups, self._begun, self._ends = [""], [""], [""]
        self._of_chamber: dict[str, array[int]] = defaultdict(partial(array, "I"))
        self._of_member: dict[str, array[int]] = defaultdict(partial(array, "I"))
        self._of_group: dict[str, array[int]] = defaultdict(partial(array, "I"))
        self._listed: dict[int, None] = {}  # those on the last list of the chamber
        self._read(db, last)
        self._blocks = [
            self._block(range(first, min(first + BLOCK, len(self._ends))))
            for first in range(1, len(self._ends), BLOCK)
        ]
        self._memberships: dict[Key, list[tuple[str, str, str]]] = defaultdict(list)
        for row in db.execute(
            f"select chambre, elu_id, groupe, debut, fin from {MEMBERSHIPS} order by debut desc"
        ):
            chamber, member, group, since, until = (str(value, "utf-8") for value in row)
            self._memberships[chamber, member].append((since, until or NEVER, group))

    def _read(self, db: sqlite3.Connection, last: Mapping[str, str]) -> None:
        known: dict[str, str] = {}  # days, members and groups are many times the same
        keys: dict[Key, Key] = {}
        for rowid, *found in db.execute(
            f"""
            select rowid, chambre, elu_id, coalesce(elu_groupe, ''), debut,
              coalesce(fin, '{NEVER}'), fin_apres from {TENURES} order by rowid
            """
        ):
            if rowid != len(self._keys):
                raise ValueError("stays without a place")
            texts = (str(value, "utf-8") for value in found)
            chamber, member, group, begun, end, seen = (known.setdefault(t, t) for t in texts)
            self._keys.append(keys.setdefault((chamber, member), (chamber, member)))
            self._groups.append(group)
            self._begun.append(begun)
            self._ends.append(end)
            self._of_chamber[chamber].append(rowid)
            self._of_member[member].append(rowid)
            self._of_group[group].append(rowid)
            if end == NEVER and seen == last.get(chamber):
                self._listed[rowid] = None

    def _block(self, rowids: Iterable[int]) -> StayBlock:
        by_end = sorted(rowids, key=self._ends.__getitem__)
        return StayBlock([self._ends[rowid] for rowid in by_end], array("I", by_end))

    def find(
        self, filter_: StayFilter, named: Sequence[int] | None, over: Container[Key]
    ) -> array[int]:
        """The rowids of a filter, ascending; `named` are those of its name, if it has one.

        `over` are the members whose mandate has ended by the day of `present`.
        """
        chamber, member, group, _, day, present = filter_
        keys, found = self._keys, named
        if found is None:
            found = self._candidates(filter_)
        elif member:
            found = [rowid for rowid in found if keys[rowid][1] == member]
        if day and (named is not None or member):
            begun, ends = self._begun, self._ends
            found = [rowid for rowid in found if begun[rowid] <= day < ends[rowid]]
        if chamber and any(filter_[1:]):
            found = [rowid for rowid in found if keys[rowid][0] == chamber]
        if present:
            listed = self._listed
            found = [rowid for rowid in found if rowid in listed and keys[rowid] not in over]
        if group:
            own = self._groups_on(day, {keys[rowid] for rowid in found}) if day else {}
            groups = self._groups
            found = [rowid for rowid in found if own.get(keys[rowid], groups[rowid]) == group]
        return found if isinstance(found, array) else array("I", found)

    def _candidates(self, filter_: StayFilter) -> Sequence[int]:
        """The stays of one of the filter's values, in the order of how few have it."""
        if filter_.member:
            return self._of_member.get(filter_.member, ())
        if filter_.day:
            return self._on(filter_.day)
        if filter_.present:
            return list(self._listed)
        if filter_.group:
            return self._of_group.get(filter_.group, ())
        return self._of_chamber.get(filter_.chamber, ())

    def _on(self, day: str) -> list[int]:
        """The stays of a day: begun by then, and not ended."""
        begun = bisect_right(self._begun, day) - 1
        found: list[int] = []
        for ends, rowids in self._blocks[: -(-begun // BLOCK)]:
            found += sorted(rowids[bisect_right(ends, day) :])
        del found[bisect_right(found, begun) :]
        return found

    def _groups_on(self, day: str, members: Iterable[Key]) -> dict[Key, str]:
        """The groups of members on a day, of those of whom the members' folder knows it."""
        found = {}
        for member in members:
            for since, until, group in self._memberships.get(member, ()):
                if since <= day <= until:
                    found[member] = group
                    break
        return found
