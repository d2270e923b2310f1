"""Digests of the tables that answers come from: they show damage, and tables of two builds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

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
    columns,
)

_OF_CHANGES = """
    select cast(seq as blob) as name,
      cast(id || char(31) || publie_le || nature || coalesce(ligne, '') as blob) as value from {}
"""
_CHANGES_AND_LINES = f"""
    select name, length(value), value from (
    {" union all ".join(_OF_CHANGES.format(one.changes) for one in RESOURCES)}
    {"".join(f"union all select cast(rowid as blob), json from {t} " for t in (STAYS.lines, MEMBER_LINES))}
    ) order by name, value
"""


def of_lines(db: sqlite3.Connection) -> str:
    """The version of the data: what its ready-made lines say, in order."""
    digest = hashlib.sha256()
    for found in _hundreds(db.execute("select cast(json as blob) from _lignes order by rowid")):
        digest.update(b"\n".join([*chain.from_iterable(found), b""]))
    return digest.hexdigest()[:16]


def of_tables(db: sqlite3.Connection) -> str:
    """The digest of the feeds, of the lines of stays and members, of names, and of what is known of members.

    SQLite does not notice damage inside a value.
    """
    digest = hashlib.sha256()
    for found in _hundreds(db.execute(_CHANGES_AND_LINES)):
        # SQLite counts what became text by damage otherwise.
        digest.update(b"".join([b"%d,%d,%b%b" % (len(n), size, n, v) for n, size, v in found]))
    for table in (*OF_MEMBERS, SPELLINGS, HOMONYMS):
        # Text may be damaged, so SQLite puts its bytes together.
        row = " || char(31) || ".join(f"coalesce({c.name}, 'None')" for c in columns(table))
        sql = f"select cast({row} || char(10) as blob) from {table} order by rowid"
        for found in _hundreds(db.execute(sql)):
            digest.update(b"".join(chain.from_iterable(found)))
    return digest.hexdigest()[:16]


def _hundreds(rows: sqlite3.Cursor) -> Iterator[list[Any]]:
    """The rows, a hundred at a time: each alone takes longer."""
    while found := rows.fetchmany(100):
        yield found


def of_edition(db: sqlite3.Connection, version: str, lineage: str) -> str:
    """The edition: what the whole file says; pages show stays and lists too, and its feed has a place."""
    digest = hashlib.sha256(f"{version}{lineage}".encode())
    for table in (TENURES, "listes", *FIGURES, *OF_MEMBERS, HOMONYMS, RUNS, STAYS.runs):
        for found in _hundreds(db.execute(f"select * from {table} order by rowid")):
            # Many rows at once, as each alone would be written: no line ends within a text in JSON.
            text = json.dumps(found, separators=(",\n", ":"))[1:-1]
            digest.update(text.replace("],\n[", "][").replace(",\n", ", ").encode())
    # Pages of invented data say so.
    for row in db.execute("select cle, valeur from _publication where cle = ?", [INVENTED]):
        digest.update(json.dumps(row).encode())
    return digest.hexdigest()[:16]
