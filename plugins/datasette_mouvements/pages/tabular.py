"""Movements as CSV and NDJSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from datasette.utils.sqlite import sqlite3

from ..dataset.schema import TABLE
from ..movement import FIELD_NAMES
from .facts import COLUMNS

# form -> content type, suffix
FORMS = {
    "csv": ("text/csv; charset=utf-8", "csv"),
    "tableur": ("text/csv; charset=utf-8", "csv"),  # for spreadsheets, which look for the BOM
    "ndjson": ("application/x-ndjson", "ndjson"),
}
# A spreadsheet takes these for the beginning of a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def write(
    db: sqlite3.Connection, form: str, where: str, values: Sequence[str], chunk: int
) -> Iterator[bytes]:
    """The file of the movements that `where` selects, newest first, `chunk` movements at a time."""
    if form == "ndjson":
        yield from _ndjson(db, where, values, chunk)
    else:
        yield from _csv(db, where, values, chunk, bom=form == "tableur")


def _csv(
    db: sqlite3.Connection, where: str, values: Sequence[str], chunk: int, bom: bool
) -> Iterator[bytes]:
    found = db.execute(f"select {COLUMNS} from {TABLE} where {where} order by rowid desc", values)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(FIELD_NAMES)
    start = b"\xef\xbb\xbf" if bom else b""
    while True:
        rows = found.fetchmany(chunk)
        writer.writerows([harmless(value) for value in row] for row in rows)
        piece = start + text.getvalue().encode()
        if piece:
            yield piece
        if not rows:
            return
        start = b""
        text.seek(0)
        text.truncate()


def _ndjson(
    db: sqlite3.Connection, where: str, values: Sequence[str], chunk: int
) -> Iterator[bytes]:
    """Each line is the movement as the interface answers it."""
    found = db.execute(
        f"""
        select cast(l.json as blob) from {TABLE} m join _lignes l on l.rowid = m.rowid
        where {where} order by m.rowid desc
        """,
        values,
    )
    yield b""  # a search without result is an empty file, not an absent one
    while rows := found.fetchmany(chunk):
        yield b"".join(bytes(json) + b"\n" for (json,) in rows)


def harmless(value: str | None) -> str:
    """The cell as a spreadsheet may open it: never a formula."""
    if not value:
        return ""
    return "'" + value if value.startswith(_FORMULA) else value
