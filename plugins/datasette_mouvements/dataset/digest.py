"""Digests of the tables that answers come from: they show damage, and tables of two builds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from datasette.utils.sqlite import sqlite3

from .schema import (
    FIGURES,
    HOMONYMS,
    INVENTED,
    MEMBER_LINES,
    OF_MEMBERS,
    RESOURCES,
    RUNS,
    SPELLINGS,
    STAYS,
    TENURES,
)

_CHANGES = tuple(resource.changes for resource in RESOURCES)


def of_lines(db: sqlite3.Connection) -> str:
    """The version of the data: what its ready-made lines say, in order."""
    rows = db.execute("select cast(json as blob) from _lignes order by rowid")
    return _digest(line + b"\n" for (line,) in rows)


def of_tables(db: sqlite3.Connection) -> str:
    """The digest of the feeds, of the lines of stays and members, of names, and of what is known of members.

    SQLite does not notice damage inside a value.
    """
    tables = (*_CHANGES, STAYS.lines, MEMBER_LINES, *OF_MEMBERS, SPELLINGS, HOMONYMS)
    return _digest(_rows(db, tables))


def of_edition(db: sqlite3.Connection, version: str, lineage: str) -> str:
    """The edition: what the whole file says; pages show stays and lists too, and its feed has a place."""
    tables = (TENURES, "listes", *FIGURES, *OF_MEMBERS, HOMONYMS, RUNS, STAYS.runs)
    # Pages of invented data say so.
    invented = db.execute("select valeur from _publication where cle = ?", [INVENTED]).fetchall()
    return _digest([f"{version}{lineage}{invented}".encode(), *_rows(db, tables)])


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
