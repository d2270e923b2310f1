"""Digests of the tables that answers come from: they show damage, and tables of two builds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from datasette.utils.sqlite import sqlite3

from . import schema

_MADE = (*(resource.changes for resource in schema.RESOURCES), schema.STAYS.lines)
# The digest of these shows damage inside a value, which SQLite does not notice.
_TABLES = (*_MADE, schema.MEMBER_LINES, *schema.OF_MEMBERS, schema.SPELLINGS, schema.HOMONYMS)
# Pages show stays and lists too, and the feed has a place.
_SHOWN = (schema.TENURES, "listes", *schema.FIGURES, *schema.OF_MEMBERS, schema.HOMONYMS)
_EDITION = (*_SHOWN, schema.RUNS, schema.STAYS.runs)


def of_lines(db: sqlite3.Connection) -> str:
    """The version of the data: what its ready-made lines say, in order."""
    rows = db.execute("select cast(json as blob) from _lignes order by rowid")
    return _digest(line + b"\n" for (line,) in rows)


def of_tables(db: sqlite3.Connection) -> str:
    """The digest of the feeds, of the lines of stays and members, of names, and of what is known of members."""
    return _digest(_rows(db, _TABLES))


def of_edition(db: sqlite3.Connection, version: str, lineage: str) -> str:
    """The edition: what the whole file says."""
    # Pages of invented data say so.
    sql = "select valeur from _publication where cle = ?"
    invented = db.execute(sql, [schema.INVENTED]).fetchall()
    return _digest([f"{version}{lineage}{invented}".encode(), *_rows(db, _EDITION)])


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:16]


def _rows(db: sqlite3.Connection, tables: Iterable[str]) -> Iterator[bytes]:
    """Every row of some tables. Texts are read as bytes: damage may have made them no text."""
    factory, db.text_factory = db.text_factory, bytes
    try:
        for table in tables:
            for row in db.execute(f"select rowid, * from {table} order by rowid"):
                yield repr(row).encode()
    finally:
        db.text_factory = factory
