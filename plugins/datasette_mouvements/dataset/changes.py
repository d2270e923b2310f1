"""The feeds of changes of a movements file, of movements and of stays: one row an identifier ever published, with its latest change.

A run compares the file before with the next one by identifier. What it changes goes to the end of the
feed, under numbers (`seq`) that rise with every run and are never used again; what it does not change
keeps its place. The movement or stay itself is joined when the feed is read, so the feed never holds an old name.

The lineage is a random value of the file that every later run over it keeps. Each run that changes
something adds a random value of its own: a file restored from a backup and tracked again takes numbers
that were used before, and a cursor of what was lost must not be taken for one of what came instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from .connections import BUILT_ANEW, connect_read_only, read_only
from .input_files import InputRefused
from .schema import CHANGES, MOVEMENTS, OF_CHANGES, PUBLISHED, RESOURCES, WITHDRAWN, Resource

# How an instant of the feed is written: in UTC, to the second.
INSTANT = "%Y-%m-%dT%H:%M:%SZ"
# Makes random bytes, as many as it is asked for, in hexadecimal; tests pass one that is not random.
Draw = Callable[[int], str]
TOKEN_BYTES = 8
# Where nothing was published, no run wrote the last change.
NO_RUN = "0" * 2 * TOKEN_BYTES


class Cursor(NamedTuple):
    """A place in the feed of one lineage: everything up to `seq`, as it was after the run `run`."""

    lineage: str
    seq: int
    run: str

    def __str__(self) -> str:
        return f"{self.lineage}-{self.seq}-{self.run}"


class CursorGone(Exception):
    """A cursor of another lineage, or of a run that a restored file lost: changes since then are not known."""


@lru_cache(maxsize=1024)  # who has all that changed shows the same one each time
def parse_cursor(text: str) -> Cursor | None:
    """The cursor of a text; None where it is no cursor."""
    lineage, _, rest = text.partition("-")
    seq, _, run = rest.partition("-")
    if not (seq.isascii() and seq.isdecimal() and len(seq) < 19):
        return None
    cursor = Cursor(lineage, int(seq), run)
    written = all(len(part) == len(NO_RUN) and _is_hexadecimal(part) for part in (lineage, run))
    return cursor if written and str(cursor) == text else None


def _is_hexadecimal(text: str) -> bool:
    return all(character in "0123456789abcdef" for character in text)


class Runs:
    """The runs of a feed, each with the last number it took; finds cursors and judges them."""

    def __init__(self, lineage: str, runs: list[tuple[int, str]]) -> None:
        self.lineage = lineage
        self._lasts = {token: last for last, token in runs}
        last, self._run = max(runs, default=(0, NO_RUN))
        self.end = self.at(last)  # the place after everything

    def at(self, seq: int) -> Cursor:
        """The place after `seq`, one of the numbers up to the last, for a reader of the feed as it is now.

        It names the last run, not the run that took `seq`: a later run may have moved a change away from
        before `seq` that this reader never saw, and a restored file has it there again.
        """
        return Cursor(self.lineage, seq, self._run if seq else NO_RUN)

    def place(self, cursor: Cursor) -> int:
        """The number after which the cursor goes on; CursorGone if it is not one of this feed's."""
        known = 0 < cursor.seq <= self._lasts.get(cursor.run, 0)
        if cursor.lineage == self.lineage and (known or cursor == self.at(0)):
            return cursor.seq
        raise CursorGone


def runs_of(db: sqlite3.Connection, of: Resource = MOVEMENTS) -> Runs:
    """The runs of a feed of an open movements file; sqlite3.Error where it has none."""
    (lineage,) = db.execute("select valeur from _publication where cle = 'lignee'").fetchone()
    rows = db.execute(f"select dernier, jeton from {of.runs} order by dernier")
    return Runs(lineage, rows.fetchall())


def has_place(path: Path, of: Resource, cursor: Cursor) -> bool:
    """Whether a cursor is a place of a feed of the file at `path`, as it is now; reads little."""
    try:
        with closing(connect_read_only(path)) as db:
            runs_of(db, of).place(cursor)
    except (CursorGone, OSError, sqlite3.Error, TypeError):
        return False
    return True


def record(db: sqlite3.Connection, before: Path, now: datetime, draw: Draw) -> str:
    """Fill the feeds of the next file in `db`, whose movements and stays are written; returns the lineage.

    `before` is the file that it will take the place of, which need not be there, or hold a feed.
    Raises InputRefused for a damaged one.
    """
    instant = now.astimezone(UTC).strftime(INSTANT)
    with _attached(db, before) as tables:
        lineage = _lineage(db, before) if CHANGES in tables else draw(TOKEN_BYTES)
        lasts = [(of, _record(db, of, of.changes in tables, instant)) for of in RESOURCES]
    for create in OF_CHANGES.values():
        db.execute(create)
    for of, last in lasts:
        if db.execute(f"select 1 from {of.changes} where seq > ?", (_last_run(db, of),)).fetchone():
            db.execute(f"insert into {of.runs} values (?, ?)", (last, draw(TOKEN_BYTES)))
    db.commit()
    return lineage


def _record(db: sqlite3.Connection, of: Resource, known: bool, instant: str) -> int:
    """Fill one feed, which goes on if the file before has it (`known`); the last number it takes."""
    last = 0
    names = of._asdict() | {"published": PUBLISHED, "withdrawn": WITHDRAWN}
    if known:
        db.execute(_UNCHANGED.format(**names))
        db.execute(f"insert into {of.runs} select * from before.{of.runs}")
        last, latest = db.execute(
            f"select coalesce(max(seq), 0), max(publie_le) from before.{of.changes}"
        ).fetchone()
        # Instants do not decrease when the clock is set back.
        instant = max(instant, latest or "")
        last += db.execute(_WITHDRAWN.format(**names), (last, instant)).rowcount
    last += db.execute(_ADDED.format(**names), (last, instant)).rowcount
    return int(last)


def _lineage(db: sqlite3.Connection, before: Path) -> str:
    row = db.execute("select valeur from before._publication where cle = 'lignee'").fetchone()
    if row is None:
        raise InputRefused(
            f"{before}: its feed of changes has lost its name: move it away, and {BUILT_ANEW}"
        )
    return str(row[0])


def _last_run(db: sqlite3.Connection, of: Resource) -> int:
    return int(db.execute(f"select coalesce(max(dernier), 0) from {of.runs}").fetchone()[0])


@contextmanager
def _attached(db: sqlite3.Connection, before: Path) -> Iterator[set[str]]:
    """The file before as `before`, to be read; its tables, none where there is no database.

    Raises InputRefused where one is damaged: what its feed says would be lost.
    """
    db.commit()
    try:
        if not before.exists():
            raise sqlite3.DatabaseError
        db.execute("attach ? as before", (read_only(before),))
    except sqlite3.DatabaseError:
        yield set()
        return
    try:
        found = db.execute("select name from before.sqlite_master where type = 'table'")
        yield {name for (name,) in found}
    except sqlite3.DatabaseError as error:
        # A full disk says nothing of what was there before. The extended code's last byte is the code;
        # what the module itself cannot read has none.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
            raise
        raise InputRefused(f"{before}: {error}") from error
    db.commit()
    db.execute("detach before")


# What did not change keeps its place.
_UNCHANGED = """
    insert into {changes}
    select c.seq, c.id, c.publie_le, c.nature, m.rowid from before.{changes} c
    left join main.{table} m on m.id = c.id
    left join before.{lines} was on was.rowid = c.ligne
    left join main.{lines} line on line.rowid = m.rowid
    where was.json is line.json and (m.id is not null or c.nature = '{withdrawn}')
"""
_WITHDRAWN = """
    insert into {changes}
    select ? + row_number() over (order by id), id, ?, '{withdrawn}', null
    from before.{changes} where nature = '{published}' and id not in (select id from main.{table})
"""
_ADDED = """
    insert into {changes}
    select ? + row_number() over (order by rowid), id, ?, '{published}', rowid from main.{table}
    where id not in (select id from {changes})
"""
