"""The next movements file, written whole: its rows, and what is made of them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import ALWAYS_PRESENT, PARIS, Movement

from ..dataset import changes, digest, schema
from ..dataset.disk import system_errors
from ..dataset.figures import fill_figures
from ..dataset.ready_made import LINE_SQL, fill_spellings
from ..dataset.stays import fill_stay_lines

Tables = Mapping[str, Iterable[tuple[Any, ...]]]
# Four times SQLite's own: a page of 500 movements out of a million is read in three quarters of the time.
PAGE_BYTES = 16_384


class Written(NamedTuple):
    """The version of the data that a file has, and how many movements."""

    version: str
    movements: int


def write_file(
    path: Path,
    movements: Iterable[Movement],
    tables: Tables,
    before: Path,
    now: datetime,
    draw: changes.Draw = secrets.token_hex,
) -> Written:
    """Write all of a movements file into the empty file at `path`.

    `movements` are in the order of their insertion, `tables` are rows of further tables of `schema.TABLES`. The feeds
    of the file `before`, if there is one, go on. Raises InputRefused where its feed is damaged; OSError,
    naming `before`, when the file cannot be written.
    """
    with system_errors(before), closing(sqlite3.connect(path.resolve().as_uri(), uri=True)) as db:
        # Nobody else sees this file before it is whole and on disk: no journal, no flush on the way.
        db.executescript(
            f"pragma page_size={PAGE_BYTES}; pragma journal_mode=off; pragma synchronous=off;"
            " pragma cache_size=-65536;" + ";".join(schema.TABLES.values())
        )
        # The order of answers is that of rowids.
        ordered = sorted(movements, key=lambda movement: movement.date_event)
        _insert(db, schema.TABLE, map(_as_row, ordered))
        for table, rows in tables.items():
            _insert(db, table, rows)
        version = _fill(db, now)
        lineage = changes.record(db, before, now, draw)
        (count,) = db.execute(f"select count(*) from {schema.TABLE}").fetchone()
        about = {
            "schema": str(schema.SCHEMA_VERSION),
            "version": version,
            "edition": digest.of_edition(db, version, lineage),
            "empreinte": digest.of_tables(db),
            "mouvements": str(count),
            "construite_le": now.isoformat(timespec="seconds"),
            "lignee": lineage,
        }
        _insert(db, "_publication", about.items())
        db.execute("analyze")
        db.commit()
    return Written(version, count)


def _fill(db: sqlite3.Connection, now: datetime) -> str:
    """Fill what is made of the rows of movements, stays and lists; returns the version of the movements."""
    fill_spellings(db)
    for create in (*schema.INDEXES.values(), *schema.FULL_TEXT.values()):
        db.execute(create)
    for table in schema.SEARCHED:
        db.execute(f"insert into {table}_fts ({table}_fts) values ('rebuild')")
    db.execute(f"insert into _lignes select rowid, {LINE_SQL} from {schema.TABLE} order by rowid")
    today = now.astimezone(PARIS).date()
    fill_figures(db, today)
    fill_stay_lines(db, today)
    return digest.of_lines(db)


def _as_row(movement: Movement) -> Iterator[str | None]:
    """The columns of a movement: an absent value is NULL, but for the one that answers always have."""
    values = movement._asdict()
    return (value if value or name == ALWAYS_PRESENT else None for name, value in values.items())


def _insert(db: sqlite3.Connection, table: str, rows: Iterable[Iterable[Any]]) -> None:
    columns = [column.name for column in schema.columns(table)]
    places = ", ".join("?" * len(columns))
    sql = f"insert into {table} ({', '.join(columns)}) values ({places})"
    db.executemany(sql, (tuple(row) for row in rows))
