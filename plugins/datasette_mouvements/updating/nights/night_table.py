"""The table of nights in a movements file, to which a run adds its own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from ...dataset import schema
from ...dataset.connections import connect_read_only
from ...dataset.copies import copy
from ...dataset.served.nights import COLUMNS, Night, kept, read
from ...dataset.writer import refuse_other_writers


def publish(database: Path, nights: Iterable[Night]) -> None:
    """Add nights to a movements file of this schema, which a copy replaces: its readers see the old or the new one.

    A file of another schema stays as it is, because the next run writes it anew.
    """
    with closing(connect_read_only(database)) as db:
        said = dict(db.execute("select cle, valeur from _publication"))
    if said.get("schema") != str(schema.SCHEMA_VERSION):
        return
    before = read(database)
    after = kept([*before, *(night.public() for night in nights)])
    if after == before:
        return
    refuse_other_writers(database)
    next_one = database.with_name(f".{database.name}.nuits")
    next_one.unlink(missing_ok=True)
    try:
        copy(database, next_one)
        with closing(sqlite3.connect(next_one)) as db, db:
            db.execute(f"delete from {schema.NIGHTS}")
            places = ", ".join("?" * len(Night._fields))
            db.executemany(f"insert into {schema.NIGHTS} ({COLUMNS}) values ({places})", after)
        with next_one.open("rb") as written:
            os.fsync(written.fileno())
        next_one.chmod(database.stat().st_mode & 0o777)
        next_one.replace(database)
    finally:
        next_one.unlink(missing_ok=True)
