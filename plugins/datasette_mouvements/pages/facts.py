"""The figures that pages show of one whole data version, and the version itself, for pages to read."""

from __future__ import annotations

import asyncio
import heapq
import threading
import weakref
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from hashlib import blake2s
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from ..dataset.schema import TABLE
from ..dataset.snapshot import Snapshot
from ..movement import FIELD_NAMES

LATEST = 20
MONTHS = 24
GROUPS = 12
COLUMNS = ", ".join(FIELD_NAMES)
# So many numbers are sorted in two milliseconds, in which nothing else of the process runs.
SORTED_AT_ONCE = 10_000

Row = dict[str, Any]
Member = tuple[str, str]  # chamber, identifier


class Turnover(NamedTuple):
    """Over the last twelve months, with one member: who was there, and who no longer is."""

    people: int
    left: int

    @property
    def rate(self) -> float:
        return self.left / self.people if self.people else 0.0


class Listed(NamedTuple):
    """One elected member in the list of a chamber."""

    identifier: str
    name: str
    group: str  # as last known
    movements: int


class Names:
    """Which rows show a name, by its slug: twelve bytes a name, where a dictionary takes 350."""

    def __init__(self, names: Iterable[tuple[int, int]]) -> None:
        """`names` are the digests of slugs (`digest`), each with a row for each spelling."""
        runs: list[list[int]] = [[]]
        for slug, rowid in names:
            # Digest and row as one number: a tuple of each would keep the garbage collector busy.
            runs[-1].append(slug << 32 | rowid)
            if len(runs[-1]) == SORTED_AT_ONCE:
                runs[-1].sort()
                runs.append([])
        runs[-1].sort()
        self._digests, self._rowids = array("Q"), array("I")
        for number in heapq.merge(*runs):
            self._digests.append(number >> 32)
            self._rowids.append(number & 0xFFFFFFFF)

    def rowids(self, slug: str) -> list[int]:
        """One row for each spelling; another name's too if their digests are the same."""
        one = digest(slug)
        low, high = bisect_left(self._digests, one), bisect_right(self._digests, one)
        return list(self._rowids[low:high])


def digest(slug: str) -> int:
    """What stands for a slug where there are very many: 64 bits."""
    return int.from_bytes(blake2s(slug.encode(), digest_size=8).digest(), "big")


class Reader:
    """A connection to one data version, which reads it even when its file has made room for the next."""

    def __init__(self, path: Path) -> None:
        self._db = connect(path)
        self._one_at_a_time = threading.Lock()
        weakref.finalize(self, self._db.close)

    async def rows(self, rest: str, parameters: Any) -> list[Row]:
        """Movements, `n` being their rowid: `rest` is what follows the table in the query."""
        return await asyncio.to_thread(self._rows, rest, parameters)

    def _rows(self, rest: str, parameters: Any) -> list[Row]:
        with self._one_at_a_time:
            found = self._db.execute(
                f"select {COLUMNS}, rowid as n from {TABLE} {rest}", parameters
            )
            return [dict(row) for row in found]


class Facts(NamedTuple):
    """One data version, counted."""

    edition: str
    built_at: str
    first: str  # first and latest day of a movement, "" if there is none
    latest: str
    since: str  # a year before the latest
    total: int
    chambers: dict[str, dict[str, int]]  # chamber -> type -> movements
    latest_rows: list[Row]
    months: dict[str, dict[str, dict[str, int]]]  # chamber -> month -> type -> movements
    groups: list[tuple[str, str, int, int]]  # chamber, group, arrivals, departures in a year
    members: dict[str, list[Listed]]  # chamber -> its members, by name
    turnover: dict[Member, Turnover]
    median: dict[str, float]  # chamber -> median of its members' rates
    names: Names
    left_for: dict[tuple[str, str], array[int]]  # chamber, member left by name -> rowids
    namesakes: dict[tuple[str, str], list[str]]  # chamber, member's name -> identifiers
    reader: Reader | None = None  # None of what was not counted

    async def rows(self, rest: str, parameters: Any) -> list[Row]:
        """Movements of this version, as `Reader.rows`."""
        assert self.reader is not None
        return await self.reader.rows(rest, parameters)


def at_once(snapshot: Snapshot, latest_rows: list[Row]) -> Facts:
    """What is known of a version before it is counted: how many movements, and the latest."""
    return Facts(
        edition=snapshot.edition,
        built_at=snapshot.built_at,
        first=snapshot.first,
        latest=snapshot.latest,
        since="",
        total=snapshot.rows,
        chambers={},
        latest_rows=latest_rows,
        months={},
        groups=[],
        members={},
        turnover={},
        median={},
        names=Names(()),
        left_for={},
        namesakes={},
    )


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a served copy, which nobody changes."""
    db = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
    )
    db.row_factory = sqlite3.Row
    return db


def rows(db: sqlite3.Connection, rest: str, parameters: Any) -> list[Row]:
    """Movements as dictionaries: `rest` is what follows the table in the query."""
    return [dict(row) for row in db.execute(f"select {COLUMNS} from {TABLE} {rest}", parameters)]
