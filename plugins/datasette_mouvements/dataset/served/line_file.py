"""The ready-made lines of a resource, one behind the other in a file."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile

from datasette.utils.sqlite import sqlite3

from ..schema import Resource

# Lines that are read and written together.
_CHUNK = 1_000


class LineFile:
    """Lines of the rowids 1, 2, 3 and so on: the newest first, a comma behind each. Adjacent ones are one part of it.

    The file has no name and ends with its process. What is read of it is the kernel's memory, not the process's own.
    """

    def __init__(self, starts: array[int], view: memoryview) -> None:
        self._starts, self._view = starts, view  # by rowid; at 0 the end of all

    def __len__(self) -> int:
        """Its bytes."""
        return len(self._view)

    def parts(self, rowids: Sequence[int]) -> list[memoryview]:
        """The lines of ascending `rowids`, at least one, newest first with commas between them, in parts."""
        starts, view = self._starts, self._view
        first, last = rowids[0], rowids[len(rowids) - 1]
        if last - first + 1 == len(rowids):
            return [view[starts[last] : starts[first - 1] - 1]]
        found = [view[starts[rowid] : starts[rowid - 1]] for rowid in reversed(rowids)]
        found[-1] = found[-1][:-1]
        return found


def line_file(
    db: sqlite3.Connection, of: Resource, rows: int, folder: Path, most: int
) -> LineFile | None:
    """A file of the lines of all `rows`, in a folder; None where there are none, or where it cannot be written.

    None, too, where the lines have more than `most` bytes: far more is known by the first ones. ValueError for
    lines that have no place.
    """
    found = db.execute(
        f"select cast(json as blob) from {of.lines} where json is not null order by rowid desc"
    )
    ends = array("I", [0])
    with suppress(OSError), TemporaryFile(dir=folder) as file:
        while lines := [line for (line,) in found.fetchmany(_CHUNK)]:
            file.write(b",".join([*lines, b""]))
            ends.extend(accumulate((len(line) + 1 for line in lines), initial=ends.pop()))
            read = len(ends) - 1
            if ends[-1] > most or ends[-1] / read * rows > 2 * most:
                return None
        if len(ends) != rows + 1:
            raise ValueError("ready-made lines without a place")
        file.flush()
        if rows:
            ends.reverse()
            return LineFile(ends, memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)))
    return None
