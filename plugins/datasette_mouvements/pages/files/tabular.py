"""Movements and stays as CSV and NDJSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES
from parlement_lists.tenure import FIELD_NAMES as STAY_NAMES

from ...dataset.schema import TABLE, TENURES

# A spreadsheet takes these for the beginning of a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# A spreadsheet may cut a cell at any of these separators, and reads the full-width forms as the others.
_FORMULA_AFTER = re.compile(r"(^|[;,|:\t\r\n])([\s\"']*)(?=[=+\-@＝＋－＠])")


def write(
    db: sqlite3.Connection, form: str, where: str, values: Sequence[str], chunk: int
) -> Iterator[bytes]:
    """The file of the movements that `where` selects, newest first, `chunk` movements at a time."""
    if form == "ndjson":
        yield from _ndjson(db, where, values, chunk)
        return
    found = db.execute(
        f"select {', '.join(FIELD_NAMES)} from {TABLE} where {where} order by rowid desc", values
    )
    if form == "tableur":
        # A French spreadsheet cuts at semicolons; quoted, a cell is cut by none.
        text = io.StringIO("\ufeff")
        text.seek(1)
        writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL)
        yield from _csv(found, FIELD_NAMES, chunk, text, writer, harmless_wherever_cut)
    else:
        text = io.StringIO()
        yield from _csv(found, FIELD_NAMES, chunk, text, csv.writer(text), harmless)


def write_stays(db: sqlite3.Connection, form: str, chunk: int) -> Iterator[bytes]:
    """The file of all stays, the latest begun first: `csv`, or `ndjson` without the fields that have no value."""
    found = db.execute(f"select {', '.join(STAY_NAMES)} from {TENURES} order by rowid desc")
    if form == "csv":
        text = io.StringIO()
        yield from _csv(found, STAY_NAMES, chunk, text, csv.writer(text), harmless)
        return
    yield b""
    while rows := found.fetchmany(chunk):
        stays = ({n: v for n, v in zip(STAY_NAMES, row, strict=True) if v} for row in rows)
        yield b"".join(
            json.dumps(stay, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for stay in stays
        )


def _csv(
    found: sqlite3.Cursor,
    names: Sequence[str],
    chunk: int,
    text: io.StringIO,
    writer: Any,
    safe: Callable[[str | None], str],
) -> Iterator[bytes]:
    """What `writer` writes into `text`, whose beginning is there already, each cell made `safe`."""
    writer.writerow(names)
    while True:
        rows = found.fetchmany(chunk)
        writer.writerows([safe(value) for value in row] for row in rows)
        piece = text.getvalue().encode()
        if piece:
            yield piece
        if not rows:
            return
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


def harmless_wherever_cut(value: str | None) -> str:
    """The cell as any spreadsheet may open it, at whatever separator it cuts: no part is a formula."""
    return _FORMULA_AFTER.sub(r"\1\2'", value) if value else ""
