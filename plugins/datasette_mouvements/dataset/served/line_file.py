"""The ready-made lines of a resource, one behind the other in a file."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Sequence
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from datasette.utils.sqlite import sqlite3

from ..schema import Resource

log = logging.getLogger(__name__)
# Lines that are read and written together.
_CHUNK = 500


class LineFile:
    """Lines of the rowids 1, 2, 3 and so on: the newest first, a comma behind each. Adjacent ones are one part of it.

    The file has no name and ends with its snapshot or the process. What is read of it is the kernel's memory, not the
    process's own; a disk that cannot give it back ends the process.
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
    try:
        with TemporaryFile(dir=folder) as file:
            starts = _write(db, of, rows, file, most)
            if not rows or starts is None:
                return None
            return LineFile(starts, memoryview(mmap(file.fileno(), 0, access=ACCESS_READ)))
    except OSError as error:
        # To do: look for a full disk. Cold pages take longer until the next version.
        log.warning("lines are left in the movements file: %s", error.strerror)
        return None


def _write(
    db: sqlite3.Connection, of: Resource, rows: int, file: IO[bytes], most: int
) -> array[int] | None:
    """Write the lines; where each begins, by rowid, and where all end, at 0. None where they are too long."""
    found = db.execute(
        f"select cast(json as blob) from {of.lines} where json is not null order by rowid desc"
    )
    ends = array("I", [0])
    while lines := [line for (line,) in found.fetchmany(_CHUNK)]:
        file.write(b",".join([*lines, b""]))
        ends.extend(accumulate((len(line) + 1 for line in lines), initial=ends.pop()))
        read = len(ends) - 1
        if ends[-1] > most or ends[-1] / read * rows > 2 * most:
            return None
    if len(ends) != rows + 1:
        raise ValueError("ready-made lines without a place")
    file.flush()
    ends.reverse()
    return ends
