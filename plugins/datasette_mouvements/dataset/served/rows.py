"""What is served of one table of an open file: its ready-made lines, and its feed of changes."""

from __future__ import annotations

import functools
import json
from array import array
from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeAlias

from datasette.utils.sqlite import sqlite3

from ..changes import runs_of
from ..schema import Resource
from .lru import LRUCache

# Ascending rowids: a range, an array of unsigned int, a view of stored bytes as such, or stays of a day.
Rowids: TypeAlias = "Sequence[int] | array[int] | memoryview"


class PublicationChange(NamedTuple):
    """A change of a feed: its place, the ready-made line, empty where the row was withdrawn."""

    seq: int
    id: str
    published_at: str
    line: bytes


class ServedRows:
    """The rows of a resource in an open file that nobody changes any more, whose text is read as bytes.

    All but what a subclass says otherwise is quick and belongs on the event loop. sqlite3.Error where the
    file cannot be read. `positions` is how many bytes of rowids of filters may be in memory.
    """

    version: str  # of what of the file its answers depend on: the movements, or all that it says

    def __init__(self, db: sqlite3.Connection, of: Resource, built_at: str, positions: int) -> None:
        self._db, self.of = db, of
        self.feed = runs_of(db, of)
        (changed,) = db.execute(f"select max(publie_le) from {of.changes}").fetchone()
        # When a row was published or withdrawn last; when the file was built, if none ever was.
        self.changed_at = str(changed, "utf-8") if changed else built_at
        (self.rows,) = db.execute(f"select coalesce(max(rowid), 0) from {of.lines}").fetchone()
        self._rowids: LRUCache[Hashable, Rowids] = LRUCache(positions)

    def keep(self, filter_: Hashable, rowids: Rowids) -> None:
        """Have `known` find what `rowids` read for a filter."""
        self._rowids.put(filter_, rowids, 4 * len(rowids) + 200)

    def lines(self, rowids: Rowids) -> bytes:
        """The ready-made lines of ascending `rowids`, newest first, joined by commas."""
        if not len(rowids):
            return b""
        first, last = rowids[0], rowids[len(rowids) - 1]
        if last - first + 1 == len(rowids):
            found = self._db.execute(lines_between(self.of), (first, last))
        else:
            asked = json.dumps(list(reversed(rowids)))
            found = self._db.execute(lines_among(self.of), (asked,))
        joined = found.fetchone()[0]
        return bytes(joined)

    def changes(self, after: int, most: int) -> tuple[list[PublicationChange], bool]:
        """At most `most` changes after a place of the feed, in order, and whether more follow."""
        sql = _changes(self.of, "c.id,") + "where c.seq > ? order by c.seq limit ?"
        rows = self._db.execute(sql, (after, most + 1)).fetchall()
        found = [
            PublicationChange(seq, str(id, "utf-8"), str(at, "utf-8"), line or b"")
            for seq, id, at, line in rows[:most]
        ]
        return found, len(rows) > most

    def change_of(self, id: str) -> PublicationChange | None:
        """The latest change of one row; None for an identifier that was never published."""
        row = self._db.execute(_changes(self.of, "") + "where c.id = ?", (id,)).fetchone()
        if row is None:
            return None
        seq, at, line = row
        return PublicationChange(seq, id, str(at, "utf-8"), line or b"")


@functools.cache
def _changes(of: Resource, also: str) -> str:
    return f"""
        select c.seq, {also} c.publie_le, l.json from {of.changes} c
        left join {of.lines} l on l.rowid = c.ligne
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
