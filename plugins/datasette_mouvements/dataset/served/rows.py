"""What is served of one table of an open file: its ready-made lines, and its feed of changes."""

from __future__ import annotations

import functools
import json
from array import array
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from datasette.utils.sqlite import sqlite3

from ..changes import runs_of
from ..schema import Resource
from .line_file import line_file
from .lru import LRUCache

# Ascending rowids: a range, an array of unsigned int, a view of stored bytes as such, or stays of a day.
Rowids: TypeAlias = "Sequence[int] | array[int] | memoryview"


class PublicationChange(NamedTuple):
    """The latest change of a row: when, and the ready-made line, empty where the row was withdrawn."""

    published_at: str
    line: bytes


class ServedRows:
    """The rows of a resource in an open file that nobody changes any more, whose text is read as bytes.

    All but what a subclass says otherwise is quick and belongs on the event loop. sqlite3.Error where the
    file cannot be read. Of rowids of filters so many bytes (`positions`) may be in memory. All lines are in a file
    beside that at `path` (`line_file`), unless they have more bytes than `lines`: SQLite finds a page in twice the time.
    ValueError for lines that have no place, 1, 2, 3 and so on.
    """

    version: str  # of what of the file its answers depend on: the movements, or all that it says

    def __init__(
        self,
        db: sqlite3.Connection,
        path: Path,
        of: Resource,
        built_at: str,
        positions: int,
        lines: int,
    ) -> None:
        self._db, self.of = db, of
        self.feed = runs_of(db, of)
        (changed,) = db.execute(f"select max(publie_le) from {of.changes}").fetchone()
        # When a row was published or withdrawn last; when the file was built, if none ever was.
        self.changed_at = str(changed, "utf-8") if changed else built_at
        (self.rows,) = db.execute(f"select coalesce(max(rowid), 0) from {of.lines}").fetchone()
        self._rowids: LRUCache[Hashable, Rowids] = LRUCache(positions)
        self.line_file = line_file(db, of, self.rows, path.parent, lines)

    def keep(self, filter_: Hashable, rowids: Rowids) -> None:
        """Have `known` find what `rowids` read for a filter."""
        self._rowids.put(filter_, rowids, 4 * len(rowids) + 200)

    def lines(self, rowids: Rowids) -> Sequence[bytes | memoryview]:
        """The ready-made lines of ascending `rowids`, newest first with commas between them, in parts."""
        if not len(rowids):
            return []
        if self.line_file is not None:
            return self.line_file.parts(rowids)
        first, last = rowids[0], rowids[len(rowids) - 1]
        if last - first + 1 == len(rowids):
            found = self._db.execute(lines_between(self.of), (first, last))
        else:
            asked = json.dumps(list(reversed(rowids)))
            found = self._db.execute(lines_among(self.of), (asked,))
        return [bytes(found.fetchone()[0])]

    def changes(self, after: int, most: int, one: str) -> tuple[bytes, int]:
        """At most `most` changes after a place of the feed, and the place of the last of them.

        As JSON objects, in order, joined by commas; the row is their member `one`.
        """
        found = self._db.execute(_changes(self.of, one), (after, after, most)).fetchone()
        items, last = found
        return items or b"", last

    def change_of(self, id: str) -> PublicationChange | None:
        """The latest change of one row; None for an identifier that was never published."""
        row = self._db.execute(_change(self.of), (id,)).fetchone()
        return row and PublicationChange(str(row[0], "utf-8"), row[1] or b"")


@functools.cache
def _change(of: Resource) -> str:
    return f"""
        select c.publie_le, l.json from {of.changes} c left join {of.lines} l on l.rowid = c.ligne
        where c.id = ?
    """


@functools.cache
def _changes(of: Resource, one: str) -> str:
    """An identifier of a maintainer's own file may contain any character."""
    return f"""
        select group_concat(item, ','), coalesce(max(seq), ?) from (
          select c.seq, '{{"publie_le":"' || c.publie_le || '","nature":"' || c.nature ||
            '","id":' || json_quote(c.id) || coalesce(',"{one}":' || l.json, '') || '}}' as item
          from {of.changes} c left join {of.lines} l on l.rowid = c.ligne
          where c.seq > ? order by c.seq limit ?
        )
    """


@functools.cache
def lines_between(of: Resource) -> str:
    """The lines of the rowids between two, the latest first."""
    return f"""
        select group_concat(json, ',') from
          (select json from {of.lines} where rowid between ? and ? order by rowid desc)
    """


@functools.cache
def lines_among(of: Resource) -> str:
    """The lines of the rowids in a JSON array, in the order they are given."""
    return f"""
        select group_concat(json, ',') from
          (select l.json from json_each(?) a cross join {of.lines} l on l.rowid = a.value)
    """
