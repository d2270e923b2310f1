"""The stays of one version as they are served: who worked for whom, on a day or on the last lists."""

from __future__ import annotations

import datetime
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, words

from ..connections import connect_read_only
from ..coverage import Coverage
from ..mandates import NOT_TOLD, MandateEnd, mandate_ends
from ..schema import SPELLED_STAYS, STAYS
from .rows import Rowids, ServedRows
from .stay_index import Key, StayFilter, StayIndex

# What one worker may have in memory beside what is known of each stay: rowids of a thousand days.
POSITIONS_BYTES = 16_000_000
# Days for which it is kept whose mandate has ended: today, and yesterday at midnight.
DAYS_KEPT = 2


class StayRows(ServedRows):
    """The stays of an open file; `rowids` and `over` may take long, and belong in a thread."""

    def __init__(
        self,
        db: sqlite3.Connection,
        path: Path,
        edition: str,
        built_at: str,
        coverage: Mapping[str, Coverage],
        lines: int,
    ) -> None:
        super().__init__(db, path, STAYS, built_at, POSITIONS_BYTES, lines)
        self.version, self._path, self._coverage = edition, path, coverage
        self._index = StayIndex(db, {chamber: lists.last for chamber, lists in coverage.items()})
        self._days: dict[str, list[str]] = defaultdict(list)
        self._list_rowids: dict[str, list[int]] = defaultdict(list)
        for rowid, chamber, day in db.execute(
            "select rowid, chambre, date from listes where statut <> 'refusee' order by 2, 3, nom"
        ):
            self._days[str(chamber, "utf-8")].append(str(day, "utf-8"))
            self._list_rowids[str(chamber, "utf-8")].append(rowid)
        self._over: dict[str, frozenset[Key]] = {}

    def known(self, filter_: StayFilter) -> Rowids | None:
        """The rowids of a filter if they can be had within a few milliseconds, else None: then call `rowids` in a thread."""
        if not any(filter_):
            return range(1, self.rows + 1)
        found = self._rowids.get(filter_)
        if found is None and not filter_.present:
            found = self._found(self._db, filter_)
            self.keep(filter_, found)
        return found

    def rowids(self, filter_: StayFilter) -> Rowids:
        """The rowids of a filter, ascending, those of the latest first day last."""
        with closing(connect_read_only(self._path, immutable=True)) as db:
            return self._found(db, filter_)

    def between(self, rowids: Rowids, since: str, until: str) -> tuple[int, int]:
        """All of `rowids`: no parameter gives two days."""
        return 0, len(rowids)

    def lists(self, day: str) -> dict[str, dict[str, str]]:
        """Of each chamber the list of a day and the next one; without a day, the last list."""
        found = {}
        for chamber in filter(self._days.__contains__, CHAMBERS):
            days = self._days[chamber]
            place = bisect_right(days, day) if day else len(days)
            told = {"le": days[place - 1]} if place else {}
            found[chamber] = told | ({"suivante": days[place]} if place < len(days) else {})
        return found

    def lists_of(self, chamber: str, *days: str) -> Iterator[tuple[str, str, str | None]]:
        """The name, the day and the digest of each list of a chamber on some days, in the order of days and then of names."""
        known, rowids = self._days.get(chamber, []), self._list_rowids[chamber]
        for day in sorted({*days}):
            for rowid in rowids[bisect_left(known, day) : bisect_right(known, day)]:
                sql = "select nom, sha256 from listes where rowid = ?"
                name, sha256 = self._db.execute(sql, (rowid,)).fetchone()
                yield str(name, "utf-8"), day, None if sha256 is None else str(sha256, "utf-8")

    def _found(self, db: sqlite3.Connection, filter_: StayFilter) -> Rowids:
        named = _of_name(db, filter_.name) if filter_.name else None
        over = self.over(filter_.present) if filter_.present else frozenset()
        return self._index.find(filter_, named, over)

    def over(self, today: str) -> frozenset[Key]:
        """The members whose mandate has ended by a day, or is not known to go on."""
        found = self._over.get(today)
        if found is None:
            day = datetime.date.fromisoformat(today)
            found = frozenset(key for key, end in self._mandate_ends if end.on(day) is not None)
            # Replaced whole, because threads ask at once; a cache of the bound method would keep a closed file's rows.
            self._over = {**dict([*self._over.items()][1 - DAYS_KEPT :]), today: found}
        return found

    def not_told(self, today: str) -> dict[Key, str]:
        """The members whose mandate ended on a day that nobody told, and the last list that names their staff."""
        day = datetime.date.fromisoformat(today)
        ends = ((key, end.on(day)) for key, end in self._mandate_ends)
        return {key: end.day for key, end in ends if end and end.how == NOT_TOLD}

    @cached_property
    def _mandate_ends(self) -> list[tuple[Key, MandateEnd]]:
        with closing(connect_read_only(self._path, immutable=True)) as db:
            return [
                ((chamber, member), end)
                for chamber, lists in self._coverage.items()
                for member, end in mandate_ends(db, chamber, lists.last).items()
            ]


def _of_name(db: sqlite3.Connection, name: str) -> list[int]:
    """The stays under a name of just these words, in any order and spelling; none of signs alone."""
    sql = f"select c.rowid from {SPELLED_STAYS} where n.mots = ? order by 1"
    found = db.execute(sql, [words(name)])
    return [rowid for (rowid,) in found]
