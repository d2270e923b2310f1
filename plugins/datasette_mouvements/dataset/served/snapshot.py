"""One version of the movements as it is served: totals, positions and ready-made lines, all of that version."""

from __future__ import annotations

import datetime
import functools
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import PARIS

from .. import digest, schema
from ..changes import runs_of
from ..connections import connect_read_only
from ..coverage import coverage
from ..disk import system_errors
from ..schema import Filter
from .lru import LRUCache

# What one worker may have in memory beyond the file itself: positions of filters, and pages.
POSITIONS_BYTES = 48_000_000
PAGES_BYTES = 16_000_000
# The lines of a file up to this size are in memory, which takes less than half of it: scattered ones
# are then found in a tenth of the time. Those of a larger file are left to SQLite.
LINES_MOST_BYTES = 110_000_000
# Rows of a member that are filtered on the event loop: about a tenth of a millisecond.
SHORT = 2_000


class NotServable(Exception):
    """A file is not a movements database that this version can serve; the message says why."""


# Ascending rowids: a range, an array of unsigned int, or a view of stored bytes as such.
Rowids: TypeAlias = "Sequence[int] | array[int] | memoryview"


class PublicationChange(NamedTuple):
    """A change of the feed: its place, the movement's ready-made line, empty where it was withdrawn."""

    seq: int
    id: str
    published_at: str
    line: bytes


class Snapshot:
    """An open movements file that nobody changes any more.

    `lines`, `changes`, `movement`, `known` and `keep` are quick and belong on the event loop; `rowids` and `sound` may take
    long and belong in a thread. Raises NotServable when opened on anything else, OSError when that cannot be
    told now (too many open files, say), sqlite3.Error later.
    """

    def __init__(
        self, path: Path, lines_most_bytes: int = LINES_MOST_BYTES, short: int = SHORT
    ) -> None:
        self.path, self._short = path, short
        with _faults_of(path):
            self._db = _connect(path)
            try:
                self._load()
                self._lines = self._all_lines() if path.stat().st_size <= lines_most_bytes else []
            except BaseException:
                self.close()
                raise
        self._rowids: LRUCache[Filter, Rowids] = LRUCache(POSITIONS_BYTES)
        self.pages: LRUCache[Any, Any] = LRUCache(PAGES_BYTES)

    def _load(self) -> None:
        tables = {
            name.decode()
            for (name,) in self._db.execute("select name from sqlite_master where type = 'table'")
        }
        if "_publication" not in tables:
            raise NotServable("no table _publication")
        publication = {
            str(key, "utf-8"): str(value, "utf-8")
            for key, value in self._db.execute("select cle, valeur from _publication")
        }
        # An older version's file lacks tables, too.
        if publication.get("schema") != str(schema.SCHEMA_VERSION):
            raise NotServable(
                f"schema version {publication.get('schema')}, {schema.SCHEMA_VERSION} is needed:"
                " a run of track, daily or build writes it anew"
            )
        missing = [name for name in schema.TABLES if name not in tables]
        if missing:
            raise NotServable(f"no table {', '.join(missing)}")
        self.version = publication.get("version", "")
        # Pages show more than the movements: stays and lists change on days without a movement.
        self.edition = publication.get("edition", "")
        self._digest = publication.get("empreinte")
        self.built_at = publication.get("construite_le", "")
        # Pages say when it was made, and how many corrections there are: the edition leaves both out.
        self.build = f"{self.edition} {self.built_at}"
        # Those of the service that the file is a copy of; "" of any other file.
        self.licence, self.attribution = (publication.get(row, "") for row in schema.COPY_CREDITS)
        self.invented = schema.INVENTED in publication
        self.feed = runs_of(self._db)
        (changed,) = self._db.execute(f"select max(publie_le) from {schema.CHANGES}").fetchone()
        # When a movement was published or withdrawn last; when the file was built, if none ever was.
        self.changed_at = str(changed, "utf-8") if changed else self.built_at
        days = self._db.execute(
            "select jour, premier, dernier from _jours order by jour"
        ).fetchall()
        self._days = [str(day, "utf-8") for day, _, _ in days]
        self._firsts = array("I", (first for _, first, _ in days))
        self._lasts = array("I", (last for _, _, last in days))
        self.rows = self._lasts[-1] if days else 0
        self.first, self.latest = (self._days[0], self._days[-1]) if days else ("", "")
        (self._cells,) = self._db.execute("select cellules from _cellules").fetchone()
        (last,) = self._db.execute("select coalesce(max(rowid), 0) from _lignes").fetchone()
        self.coverage = coverage(self.path)
        self.day = self._day()
        if not (self.rows == last == len(self._cells) - 1 == int(publication["mouvements"])):
            raise NotServable("its tables do not count the same movements")

    def _day(self) -> datetime.date:
        """The day in Paris on which the file was made; invented data never age, and speak on the day after their last."""
        newest = max((one.last for one in self.coverage.values()), default="") or self.latest
        if self.invented and newest:
            return datetime.date.fromisoformat(newest) + datetime.timedelta(1)
        return datetime.datetime.fromisoformat(self.built_at).astimezone(PARIS).date()

    def _all_lines(self) -> list[bytes]:
        """Every ready-made line, newest first: that of a rowid stands so many places before the end."""
        sql = "select cast(json as blob) from _lignes where json is not null order by rowid desc"
        lines = [line for (line,) in self._db.execute(sql)]
        if len(lines) != self.rows:
            raise NotServable("its ready-made lines are not those of its movements")
        return lines

    def known(self, filter_: Filter) -> Rowids | None:
        """The rowids of a filter if they can be had without delay, else None: then call `rowids` in a thread."""
        if not any(filter_):
            return range(1, self.rows + 1)
        found = self._rowids.get(filter_)
        if found is None and filter_.narrow and self._is_short(filter_):
            found = self._stored(self._db, filter_)
            self.keep(filter_, found)
        return found

    def rowids(self, filter_: Filter) -> Rowids:
        """The rowids of a filter, ascending. May read some megabytes."""
        with closing(_connect(self.path)) as db:
            return self._stored(db, filter_)

    def keep(self, filter_: Filter, rowids: Rowids) -> None:
        """Have `known` find what `rowids` read for a filter."""
        self._rowids.put(filter_, rowids, 4 * len(rowids) + 200)

    def _is_short(self, filter_: Filter) -> bool:
        row = _positions(self._db, "length(rowids)", filter_)
        return row is None or row[0] <= 4 * self._short

    def _stored(self, db: sqlite3.Connection, filter_: Filter) -> Rowids:
        row = _positions(db, "rowids", filter_)
        rowids: Rowids = array("I") if row is None else memoryview(row[0]).cast("I")
        if not filter_.narrow or not any(filter_[:3]):
            return rowids
        wanted, cells = filter_.cells, self._cells
        return array("I", compress(rowids, [cells[rowid] in wanted for rowid in rowids]))

    def between(self, rowids: Rowids, since: str, until: str) -> tuple[int, int]:
        """Which part of `rowids` lies in the days from `since` to `until` ("" is no bound)."""
        low, high = 0, len(rowids)
        if since:
            day = bisect_left(self._days, since)
            low = high if day == len(self._days) else bisect_left(rowids, self._firsts[day])
        if until:
            day = bisect_right(self._days, until)
            high = 0 if day == 0 else bisect_right(rowids, self._lasts[day - 1])
        return low, max(low, high)

    def lines(self, rowids: Rowids) -> bytes:
        """The ready-made lines of ascending `rowids`, newest first, joined by commas."""
        if not len(rowids):
            return b""
        first, last = rowids[0], rowids[len(rowids) - 1]
        together = last - first + 1 == len(rowids)
        if lines := self._lines:
            newest = self.rows - last
            if together:
                return b",".join(lines[newest : newest + len(rowids)])
            return b",".join([lines[-rowid] for rowid in reversed(rowids)])
        if together:
            found = self._db.execute(LINES_BETWEEN, (first, last))
        else:
            found = self._db.execute(lines_among(len(rowids)), tuple(reversed(rowids)))
        joined = found.fetchone()[0]
        return bytes(joined)

    def changes(self, after: int, most: int) -> tuple[list[PublicationChange], bool]:
        """At most `most` changes after a place of the feed, in order, and whether more follow."""
        rows = self._db.execute(_CHANGES, (after, most + 1)).fetchall()
        found = [
            PublicationChange(seq, str(id, "utf-8"), str(at, "utf-8"), line or b"")
            for seq, id, at, line in rows[:most]
        ]
        return found, len(rows) > most

    def movement(self, id: str) -> PublicationChange | None:
        """The latest change of one movement; None for an identifier that was never published."""
        row = self._db.execute(_CHANGE, (id,)).fetchone()
        if row is None:
            return None
        seq, at, line = row
        return PublicationChange(seq, id, str(at, "utf-8"), line or b"")

    def sound(self) -> str:
        """What is wrong with the file, "" if nothing; OSError as at the opening. Reads all of it."""
        try:
            with system_errors(self.path), closing(_connect(self.path)) as db:
                # Constraints were checked at the build; damaged pages are what is looked for here.
                db.execute("pragma ignore_check_constraints=on")
                (found,) = db.execute("pragma quick_check(1)").fetchone()
                if found != b"ok":
                    return str(found, "utf-8", "replace")
                whole = (digest.of_lines(db), digest.of_positions(db))
        except (sqlite3.Error, TypeError) as error:
            return str(error)
        return "" if whole == (self.version, self._digest) else "its tables are not of one build"

    def close(self) -> None:
        self._db.close()


@contextmanager
def _faults_of(path: Path) -> Iterator[None]:
    """Raises NotServable for what is wrong with a file, OSError for what may pass while it stays as it is."""
    try:
        with system_errors(path):
            yield
    except (sqlite3.Error, ValueError, TypeError, KeyError, OverflowError) as error:
        raise NotServable(f"not a readable movements database ({error})") from error


def _connect(path: Path) -> sqlite3.Connection:
    db = connect_read_only(path, immutable=True)
    db.text_factory = bytes
    return db


_CHANGE_WITH_LINE = f"""
    select c.seq, {{}} c.publie_le, l.json from {schema.CHANGES} c
    left join _lignes l on l.rowid = c.ligne
"""
_CHANGES = _CHANGE_WITH_LINE.format("c.id,") + "where c.seq > ? order by c.seq limit ?"
_CHANGE = _CHANGE_WITH_LINE.format("") + "where c.id = ?"
LINES_BETWEEN = """
    select group_concat(json, ',') from
      (select json from _lignes where rowid between ? and ? order by rowid desc)
"""


@functools.cache
def lines_among(count: int) -> str:
    """The lines of `count` rowids in the order they are given: SQLite walks the values one by one."""
    return f"""
        with asked(rowid) as (values {",".join(["(?)"] * count)})
        select group_concat(json, ',') from
          (select l.json from asked a cross join _lignes l on l.rowid = a.rowid)
    """


def _positions(db: sqlite3.Connection, wanted: str, filter_: Filter) -> Any:
    """The row of a filter, None where nothing matches it; `equipe=` comes after `elu=`."""
    return db.execute(
        f"select {wanted} from _positions where filtre in (?, ?) order by filtre desc limit 1",
        (filter_.name, filter_.otherwise if filter_.narrow else filter_.name),
    ).fetchone()
