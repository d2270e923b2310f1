"""Digests of the tables that answers come from: they show damage, and tables of two builds."""

from __future__ import annotations

import hashlib
import json

from datasette.utils.sqlite import sqlite3

from .schema import (
    COPY_CREDITS,
    HOMONYMS,
    INVENTED,
    OF_MEMBERS,
    RESOURCES,
    RUNS,
    SPELLINGS,
    STAYS,
    TENURES,
)

_OF_CHANGES = """
    union all select cast(seq as blob),
      cast(id || publie_le || nature || coalesce(ligne, '') as blob) from {}
"""
_POSITIONS = f"""
    select cast(filtre as blob), rowids from _positions
    union all select cast(jour as blob), cast(premier || '-' || dernier as blob) from _jours
    union all select x'', cellules from _cellules
    {"".join(_OF_CHANGES.format(one.changes) for one in RESOURCES)}
    union all select cast(rowid as blob), json from {STAYS.lines}
    order by 1, 2
"""


def of_lines(db: sqlite3.Connection) -> str:
    """The version of the data: what its ready-made lines say, in order."""
    digest = hashlib.sha256()
    for (line,) in db.execute("select cast(json as blob) from _lignes order by rowid"):
        digest.update(line)
        digest.update(b"\n")
    return digest.hexdigest()[:16]


def of_positions(db: sqlite3.Connection) -> str:
    """The digest of where each filter's and each change's lines are, of the lines of stays, of names, and of what is known of members.

    SQLite does not notice damage inside a value.
    """
    digest = hashlib.sha256()
    for name, value in db.execute(_POSITIONS):
        digest.update(b"%d,%d," % (len(name), len(value)))
        digest.update(name)
        digest.update(value)
    for table in (*OF_MEMBERS, SPELLINGS, HOMONYMS):
        for row in db.execute(f"select * from {table} order by rowid"):
            # Text may be damaged, so it is read as bytes.
            values = (v if isinstance(v, bytes) else str(v).encode() for v in row)
            digest.update(b"\x1f".join(values) + b"\n")
    return digest.hexdigest()[:16]


def of_edition(db: sqlite3.Connection, version: str, lineage: str) -> str:
    """The edition: what the whole file says; pages show stays and lists too, and its feed has a place."""
    digest = hashlib.sha256(f"{version}{lineage}".encode())
    for table in (TENURES, "listes", *OF_MEMBERS, HOMONYMS, RUNS, STAYS.runs):
        for row in db.execute(f"select * from {table} order by rowid"):
            digest.update(json.dumps(row).encode())
    # Pages of a copy show the credits of its service, and pages of invented data say so.
    for row in db.execute(
        "select cle, valeur from _publication where cle in (?, ?, ?) order by cle",
        (*COPY_CREDITS, INVENTED),
    ):
        digest.update(json.dumps(row).encode())
    return digest.hexdigest()[:16]
