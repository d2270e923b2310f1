"""The table of nights in a movements file, to which a run adds its own."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from parlement_lists.tracking.state import StateError

from ...dataset import digest, schema
from ...dataset.connections import connect_read_only, copy_whole
from ...dataset.disk import system_errors
from ...dataset.served.nights import COLUMNS, Night, kept, read, until_last
from ...dataset.writer import flush, new_file, refuse_other_writers, take_place
from ..state_file import StateFile


def publish(database: Path, nights: Iterable[Night]) -> None:
    """Add nights to a movements file of this schema, which a copy replaces: its readers see the old or the new one.

    A file of another schema stays as it is, because the next run writes it anew; so does one that another
    program replaces meanwhile: the next run adds its nights.
    """
    found = _identity(database)
    with closing(connect_read_only(database)) as db:
        said = dict(db.execute("select cle, valeur from _publication"))
    if said.get("schema") != str(schema.SCHEMA_VERSION):
        return
    before = read(database)
    after = kept(until_last(before, [night.public() for night in nights]))
    if after == before:
        return
    refuse_other_writers(database)
    with new_file(database) as path, system_errors(database):
        sha256 = digest.of_file(database)
        _fill(path, database, after)
        path.chmod(database.stat().st_mode & 0o777)
        flush(path)
        # Names that were erased meanwhile would come back.
        if _identity(database) == found:
            take_place(path, database)
            with suppress(StateError):  # not noted, it is written whole the next time
                StateFile(database).note_written(sha256, digest.of_file(database))


def _identity(database: Path) -> tuple[int, int, int]:
    found = database.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def _fill(path: Path, database: Path, nights: Iterable[Night]) -> None:
    with closing(connect_read_only(database)) as reading, closing(sqlite3.connect(path)) as db:
        # A journal of a run that is killed would stay: nobody else sees this file before it is whole.
        db.execute("pragma journal_mode=off")
        copy_whole(reading, db)
        with db:
            db.execute(f"delete from {schema.NIGHTS}")
            places = ", ".join("?" * len(Night._fields))
            db.executemany(f"insert into {schema.NIGHTS} ({COLUMNS}) values ({places})", nights)
