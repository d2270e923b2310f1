"""One version of the movements as it is served: totals, positions and ready-made lines, all of that version."""

from __future__ import annotations

import datetime
import json
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import compress
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import PARIS

from .. import digest, schema
from ..connections import BUILT_ANEW, connect_read_only
from ..coverage import coverage
from ..disk import system_errors
from ..schema import Filter
from ..stays.evidence import evidence
from . import nights
from .lru import LRUCache
from .member_rows import ServedMembers
from .rows import Rowids, ServedRows
from .stay_rows import StayRows

# What one worker may have in memory beyond the file itself: positions of filters, and pages.
POSITIONS_BYTES = 48_000_000
PAGES_BYTES = 16_000_000
# Of lines in files: those of movements and, in what these leave, those of stays. More are left to SQLite.
LINES_BYTES = 96_000_000
# Rows of a member that are filtered on the event loop: about a tenth of a millisecond.
SHORT = 2_000


class NotServable(Exception):
    """A file is not a movements database that this version can serve; the message says why."""


class Snapshot(ServedRows):
    """An open movements file that nobody changes any more, and what is served of its movements.

    `lines`, `changes`, `change_of`, `known` and `keep` are quick and belong on the event loop; `rowids` and `sound` may take
    long and belong in a thread. Raises NotServable when opened on anything else, OSError when that cannot be
    told now (too many open files, say), sqlite3.Error later, where `rowids` may raise NotServable too.
    """

    def __init__(self, path: Path, lines_bytes: int = LINES_BYTES, short: int = SHORT) -> None:
        self.path, self._short = path, short
        with _faults_of(path):
            self._db = _connect(path)
            try:
                self._load(lines_bytes)
            except BaseException:
                self.close()
                raise
        self.pages: LRUCache[Any, Any] = LRUCache(PAGES_BYTES)

    def _load(self, lines_bytes: int) -> None:
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
                f" {BUILT_ANEW}"
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
        self.invented = schema.INVENTED in publication
        super().__init__(
            self._db, self.path, schema.MOVEMENTS, self.built_at, POSITIONS_BYTES, lines_bytes
        )
        days = self._db.execute(
            "select jour, premier, dernier from _jours order by jour"
        ).fetchall()
        self._days = [str(day, "utf-8") for day, _, _ in days]
        self._firsts = array("I", (first for _, first, _ in days))
        self._lasts = array("I", (last for _, _, last in days))
        self.first, self.latest = (self._days[0], self._days[-1]) if days else ("", "")
        (self._cells,) = self._db.execute("select cellules from _cellules").fetchone()
        last = self._lasts[-1] if days else 0
        self.coverage = coverage(self.path)
        self.nights = nights.read(self.path, immutable=True)
        self.day = self._day()
        left = lines_bytes - (0 if self.line_file is None else len(self.line_file))
        self.stays = StayRows(self._db, self.path, self.edition, self.built_at, self.coverage, left)
        self.members = ServedMembers(self.path, self.stays)
        if not (self.rows == last == len(self._cells) - 1 == int(publication["mouvements"])):
            raise NotServable("its tables do not count the same movements")

    def _day(self) -> datetime.date:
        """The day in Paris on which the file was made; invented data never age, and speak on the day after their last."""
        newest = max((one.last for one in self.coverage.values()), default="") or self.latest
        if self.invented and newest:
            return datetime.date.fromisoformat(newest) + datetime.timedelta(1)
        return datetime.datetime.fromisoformat(self.built_at).astimezone(PARIS).date()

    def known(self, filter_: Filter) -> Rowids | None:
        """The rowids of a filter if they can be had without delay, else None: then call `rowids` in a thread."""
        if not any(filter_):
            return range(1, self.rows + 1)
        found = self._rowids.get(filter_)
        if found is None and filter_.narrow:
            found = self._stored(self._db, filter_, self._short)
            if found is not None:
                self.keep(filter_, found)
        return found

    def rowids(self, filter_: Filter) -> Rowids:
        """The rowids of a filter, ascending. May read some megabytes."""
        with closing(_connect(self.path)) as db:
            found = self._stored(db, filter_, self.rows)
        if found is None:
            raise NotServable("a filter has more positions than there are movements")
        return found

    def _stored(self, db: sqlite3.Connection, filter_: Filter, most: int) -> Rowids | None:
        """The rowids of a filter; None if more than `most` must be read."""
        sql = (
            "select case when length(rowids) <= ? then rowids end from _positions where filtre = ?"
        )
        row = db.execute(sql, (4 * most, filter_.name)).fetchone()
        if row is None and filter_.team:
            row = db.execute(sql, (4 * most, filter_.otherwise)).fetchone()
        if row and row[0] is None:
            return None
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

    def has_name(self, address: str) -> bool:
        """Whether the page of a staff name has this address; quick, by an index."""
        sql = f"select 1 from {schema.SPELLINGS} where adresse = ? limit 1"
        return self._db.execute(sql, [address]).fetchone() is not None

    def evidence(self, line: bytes) -> dict[str, Any]:
        """What the movement of a ready-made line is made of; see `evidence`."""
        return evidence(self._db, json.loads(line), self.stays.lists_of)

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
