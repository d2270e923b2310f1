"""The next movements file: written whole beside the one that stands, whose place it takes in one step."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import ALWAYS_PRESENT, FIELD_NAMES, PARIS, Movement

from ..dataset import changes, digest, schema
from ..dataset.disk import new_file, system_errors, take_place
from ..dataset.figures import fill_figures
from ..dataset.ready_made import fill_member_lines, fill_movement_lines, fill_spellings
from ..dataset.stays.lines import fill_stay_lines

Tables = Mapping[str, Iterable[tuple[Any, ...]]]
# Four times SQLite's own: a page of 500 movements out of a million is read in three quarters of the time.
PAGE_BYTES = 16_384


class Written(NamedTuple):
    """The version of the data that a file has, and how many movements."""

    version: str
    movements: int


@contextmanager
def next_file(
    database: Path,
    movements: Iterable[Movement],
    tables: Tables,
    now: datetime,
    draw: changes.Draw = secrets.token_hex,
    mode: int | None = None,
) -> Iterator[tuple[Path, Written]]:
    """The next file of `database`, whole and on disk; it takes its place when the block ends well.

    `movements` are in the order of their insertion, `tables` are rows of further tables of `schema.TABLES`. The feeds of the
    file that stands go on. The file has the permissions of the one that stands, else `mode`, else
    those of the umask. Raises InputRefused where another program writes to the file that
    stands or its feed is damaged; OSError, naming `database`, when it cannot be written.
    """
    with new_file(database) as path:
        with system_errors(database), closing(sqlite3.connect(path.as_uri(), uri=True)) as db:
            written = _fill(db, movements, tables, database, now, draw)
        yield path, written
        take_place(path, database, mode)


def _fill(
    db: sqlite3.Connection,
    movements: Iterable[Movement],
    tables: Tables,
    before: Path,
    now: datetime,
    draw: changes.Draw,
) -> Written:
    # Nobody else sees this file before it is whole and on disk: no journal, no flush on the way.
    db.executescript(
        f"pragma page_size={PAGE_BYTES}; pragma journal_mode=off; pragma synchronous=off;"
        " pragma cache_size=-65536"
    )
    for create in schema.TABLES.values():
        db.execute(create)
    optional = {name for name in FIELD_NAMES if name not in ("id", ALWAYS_PRESENT)}
    places = ", ".join("nullif(?, '')" if name in optional else "?" for name in FIELD_NAMES)
    db.executemany(
        f"insert into {schema.TABLE} ({', '.join(FIELD_NAMES)}) values ({places})",
        # The order of answers is that of rowids.
        sorted(movements, key=lambda movement: movement.date_event),
    )
    for table, rows in tables.items():
        _insert(db, table, rows)
    fill_spellings(db)
    for create in (*schema.INDEXES.values(), *schema.FULL_TEXT.values()):
        db.execute(create)
    for table in schema.SEARCHED:
        db.execute(f"insert into {table}_fts ({table}_fts) values ('rebuild')")
    fill_movement_lines(db)
    fill_member_lines(db)
    fill_figures(db)
    version = digest.of_lines(db)
    fill_stay_lines(db, now.astimezone(PARIS).date())
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


def _insert(db: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    columns = [column.name for column in schema.columns(table)]
    places = ", ".join("?" * len(columns))
    db.executemany(f"insert into {table} ({', '.join(columns)}) values ({places})", rows)
