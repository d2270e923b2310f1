"""The feeds of changes of a movements file, of movements and of stays: one row an identifier ever published, with its latest change.

A run compares the file before with the next one by identifier. What it changes goes to the end of the
feed, under numbers (`seq`) that rise with every run and are never used again; what it does not change
keeps its place. The movement or stay itself is joined when the feed is read, so the feed never holds an old name.

The lineage is a random value of the file that every later run over it keeps. Each run that changes
something adds a random value of its own: a file restored from a backup and tracked again takes numbers
that were used before, and a cursor of what was lost must not be taken for one of what came instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from .connections import connect_read_only, publication, read_only
from .disk import system_errors
from .input_files import InputRefused
from .schema import MOVEMENTS, OF_CHANGES, PUBLISHED, RESOURCES, STAYS, WITHDRAWN, Resource

# How an instant of the feed is written: in UTC, to the second.
INSTANT = "%Y-%m-%dT%H:%M:%SZ"
# Makes random bytes, as many as it is asked for, in hexadecimal; tests pass one that is not random.
Draw = Callable[[int], str]
TOKEN_BYTES = 8
# Where nothing was published, no run wrote the last change.
NO_RUN = "0" * 2 * TOKEN_BYTES
_TOKEN = f"([0-9a-f]{{{2 * TOKEN_BYTES}}})"
_CURSOR = re.compile(f"{_TOKEN}-(0|[1-9][0-9]{{0,17}})-{_TOKEN}")


class Cursor(NamedTuple):
    """A place in the feed of one lineage: everything up to `seq`, as it was after the run `run`."""

    lineage: str
    seq: int
    run: str

    def __str__(self) -> str:
        return f"{self.lineage}-{self.seq}-{self.run}"


class CursorGone(Exception):
    """A cursor of another lineage, or of a run that a restored file lost: changes since then are not known."""


def parse_cursor(text: str) -> Cursor | None:
    """The cursor of a text; None where it is no cursor."""
    parts = _CURSOR.fullmatch(text)
    return Cursor(parts[1], int(parts[2]), parts[3]) if parts else None


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
        is_place = 0 < cursor.seq <= self._lasts.get(cursor.run, 0)
        if cursor.lineage == self.lineage and (is_place or cursor == self.at(0)):
            return cursor.seq
        raise CursorGone


def runs_of(db: sqlite3.Connection, resource: Resource = MOVEMENTS) -> Runs:
    """The runs of a feed of an open movements file; sqlite3.Error where it has none."""
    (lineage,) = db.execute("select valeur from _publication where cle = 'lignee'").fetchone()
    rows = db.execute(f"select dernier, jeton from {resource.runs} order by dernier")
    return Runs(lineage, rows.fetchall())


def has_place(path: Path, resource: Resource, cursor: Cursor) -> bool:
    """Whether a cursor is a place of a feed of the file at `path`, as it is now; reads little."""
    try:
        with closing(connect_read_only(path)) as db:
            runs_of(db, resource).place(cursor)
    except (CursorGone, OSError, sqlite3.Error, TypeError):
        return False
    return True


def record(db: sqlite3.Connection, before: Path, now: datetime, draw: Draw) -> str:
    """Fill the feeds of the next file in `db`, whose movements and stays are written; returns the lineage.

    `before` is the file that it will take the place of, if there is one (see `Standing`). Raises InputRefused where
    its feed is damaged.
    """
    instant, goes_on = now.astimezone(UTC).strftime(INSTANT), before.exists()
    lineage = str(publication(before)["lignee"]) if goes_on else draw(TOKEN_BYTES)
    db.commit()
    try:
        with system_errors(before):
            db.execute("attach ? as before", [read_only(before) if goes_on else ":memory:"])
            lasts = [_fill(db, resource, goes_on, instant) for resource in RESOURCES]
            db.commit()
            db.execute("detach before")
    except sqlite3.DatabaseError as error:
        raise InputRefused(f"{before}: {error}") from error
    for create in OF_CHANGES.values():
        db.execute(create)
    for resource, (before_last, last) in zip(RESOURCES, lasts, strict=True):
        if last > before_last:
            db.execute(f"insert into {resource.runs} values (?, ?)", (last, draw(TOKEN_BYTES)))
    db.commit()
    return lineage


def _fill(
    db: sqlite3.Connection, resource: Resource, goes_on: bool, instant: str
) -> tuple[int, int]:
    """Fill one feed, which may go on from that of the file before; the last number before and after."""
    before = withdrawn = 0
    names = resource._asdict() | {"published": PUBLISHED, "withdrawn": WITHDRAWN}
    names["same"] = _SAME[resource]
    if goes_on:
        db.execute(_UNCHANGED.format(**names))
        db.execute(f"insert into {resource.runs} select * from before.{resource.runs}")
        before, latest = db.execute(
            f"select coalesce(max(seq), 0), max(publie_le) from before.{resource.changes}"
        ).fetchone()
        # Instants do not decrease when the clock is set back.
        instant = max(instant, latest or "")
        withdrawn = db.execute(_WITHDRAWN.format(**names), (before, instant)).rowcount
    added = db.execute(_ADDED.format(**names), (before + withdrawn, instant)).rowcount
    return before, before + withdrawn + added


# Each list is the last one that has a stay in progress: that it only goes on is no change, its end is one.
_GOES_ON = "json_remove(cast({}.json as text), '$.fin_apres')"
_SAME = {
    MOVEMENTS: "was.json is line.json",
    STAYS: f"""
        case when m.fin is null then {_GOES_ON.format("was")} is {_GOES_ON.format("line")}
        else was.json is line.json end
    """,
}
# What did not change keeps its place.
_UNCHANGED = """
    insert into {changes}
    select c.seq, c.id, c.publie_le, c.nature, m.rowid from before.{changes} c
    left join main.{table} m on m.id = c.id
    left join before.{lines} was on was.rowid = c.ligne
    left join main.{lines} line on line.rowid = m.rowid
    where {same} and (m.id is not null or c.nature = '{withdrawn}')
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
