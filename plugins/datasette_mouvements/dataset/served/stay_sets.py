"""Sets of stays in blocks, of which those of a day are found without looking at all."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise, repeat
from typing import Any

# Stays that are looked at together: of each such block those that ended by a day are passed over at once.
BLOCK = 256


class StaysOfDay(Sequence[int]):
    """Rowids in parts, each beyond those of the part before; a part is put in order when it is asked for.

    ValueError for a slice with a step.
    """

    def __init__(self, parts: Sequence[array[int]]) -> None:
        self._rowids = memoryview(b"".join(parts)).cast("I")
        self._bounds = array("I", accumulate(map(len, parts), initial=0))

    def __len__(self) -> int:
        return len(self._rowids)

    def __iter__(self) -> Iterator[int]:
        return iter(self[:])

    def __getitem__(self, places: Any) -> Any:
        if isinstance(places, int):
            place = range(len(self))[places]
            return self[place : place + 1][0]
        low, high, step = places.indices(len(self))
        if step != 1:
            raise ValueError("parts are put in order from low to high")
        if low >= high:
            return []
        first = bisect_right(self._bounds, low) - 1
        bounds = self._bounds[first : bisect_left(self._bounds, high) + 1]
        found: list[int] = []
        for start, end in pairwise(bounds):
            found += sorted(self._rowids[start:end])
        return found[low - bounds[0] : high - bounds[0]]


class StaySet:
    """Ascending rowids of stays, and in blocks of them each by its last day."""

    def __init__(self, rowids: array[int], ends: Sequence[int]) -> None:
        self.rowids = rowids
        self._ends, self._by_end = [], []
        for first in range(0, len(rowids), BLOCK):
            by_end = sorted(rowids[first : first + BLOCK], key=ends.__getitem__)
            self._ends.append(array("I", map(ends.__getitem__, by_end)))
            self._by_end.append(array("I", by_end))

    def on(self, day: int, last: int) -> list[array[int]]:
        """Those of a day, in parts: not ended, and up to `last`, the last one begun by then."""
        begun = self._by_end[: -(-bisect_right(self.rowids, last) // BLOCK)]
        ended = map(bisect_right, self._ends, repeat(day, len(begun)))
        parts = [rowids[first:] for rowids, first in zip(begun, ended, strict=True)]
        if parts:
            parts[-1] = array("I", [rowid for rowid in parts[-1] if rowid <= last])
        return parts
