"""Movements and stays as CSV and NDJSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import FIELD_NAMES

from ...dataset.schema import STAYS, TABLE
from ...dataset.stays.lines import LINE_FIELDS
from ..counts.stay_links import (
    MOVEMENT_LINK_COLUMNS,
    MOVEMENT_LINK_FIELDS,
    MOVEMENT_LINKS,
    RETURNED,
)

STAY_NAMES = tuple(field.name for field in LINE_FIELDS)
MOVEMENT_NAMES = (*FIELD_NAMES, *(field.name for field in MOVEMENT_LINK_FIELDS))
_FOUND = f"""
    {RETURNED} select {{}}, {MOVEMENT_LINK_COLUMNS} from {TABLE} m {MOVEMENT_LINKS}
    where {{}} order by m.rowid desc
"""
# A cell that begins so is a formula to a spreadsheet (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# A spreadsheet may split a cell at any of these separators, and reads full-width signs as plain ones.
_FORMULA_AFTER = re.compile(r"(^|[;,|:\t\r\n])([\s\"']*)(?=[=+\-@＝＋－＠])")


def write(
    db: sqlite3.Connection, form: str, where: str, values: Sequence[str], chunk: int
) -> Iterator[bytes]:
    """The file of the movements `m` that `where` selects, newest first, `chunk` movements at a time."""
    if form == "ndjson":
        yield from _ndjson(db, where, values, chunk)
        return
    found = ((*row, days and str(days)) for *row, days in movement_rows(db, where, values))
    if form == "tableur":
        # A French spreadsheet splits at semicolons, but never within quotes.
        text = io.StringIO("\ufeff")
        text.seek(1)
        writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL)
        yield from _csv(found, MOVEMENT_NAMES, chunk, text, writer, harmless_wherever_cut)
    else:
        text = io.StringIO()
        yield from _csv(found, MOVEMENT_NAMES, chunk, text, csv.writer(text), harmless)


def movement_rows(
    db: sqlite3.Connection, where: str = "1", values: Sequence[str] = ()
) -> Iterator[Sequence[Any]]:
    """The movements `m` that `where` selects, newest first: MOVEMENT_NAMES, None where there is no value."""
    columns = ", ".join(f"m.{name}" for name in FIELD_NAMES)
    yield from db.execute(_FOUND.format(columns, where), values)


def stay_rows(db: sqlite3.Connection) -> Iterator[Sequence[Any]]:
    """All stays, the latest begun first: STAY_NAMES, None where there is no value."""
    for (line,) in db.execute(f"select json from {STAYS.lines} order by rowid desc"):
        stay = json.loads(line)
        yield [stay.get(name) for name in STAY_NAMES]


def write_stays(db: sqlite3.Connection, form: str, chunk: int) -> Iterator[bytes]:
    """The file of all stays, the latest begun first: `csv`, or `ndjson` as the interface answers them."""
    if form == "csv":
        text = io.StringIO()
        cells = map(_cells, stay_rows(db))
        yield from _csv(cells, STAY_NAMES, chunk, text, csv.writer(text), harmless)
        return
    yield b""
    found = db.execute(f"select json from {STAYS.lines} order by rowid desc")
    while lines := found.fetchmany(chunk):
        yield b"".join(line + b"\n" for (line,) in lines)


def _cells(row: Iterable[Any]) -> list[str]:
    """A row as cells; of several identifiers one cell."""
    return [
        " ".join(value) if isinstance(value, list) else "" if value is None else str(value)
        for value in row
    ]


def write_rows(db: sqlite3.Connection, table: str, chunk: int) -> Iterator[bytes]:
    """The rows of a table in its order, as NDJSON by column; what has no value is absent."""
    yield b""
    found = db.execute(f"select * from {table} order by rowid")
    names = [name for name, *_ in found.description]
    while some := found.fetchmany(chunk):
        for row in some:
            told = {
                name: value for name, value in zip(names, row, strict=True) if value is not None
            }
            yield json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _csv(
    found: Iterable[Sequence[Any]],
    names: Sequence[str],
    chunk: int,
    text: io.StringIO,
    writer: Any,
    safe: Callable[[str | None], str],
) -> Iterator[bytes]:
    """What `writer` writes into `text`, whose beginning is there already, each cell made `safe`."""
    writer.writerow(names)
    left = iter(found)
    while True:
        rows = list(islice(left, chunk))
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
    """Each line is the movement as the interface answers it, and what files add where it has a value."""
    line = "(select cast(json as blob) from _lignes l where l.rowid = m.rowid)"
    found = db.execute(_FOUND.format(line, where), values)
    names = [field.name for field in MOVEMENT_LINK_FIELDS]
    yield b""  # a search without result is an empty file, not an absent one
    while rows := found.fetchmany(chunk):
        pieces = []
        for movement, *added in rows:
            more = {name: value for name, value in zip(names, added, strict=True) if value}
            told = json.dumps(more, ensure_ascii=False, separators=(",", ":")).encode()
            pieces.append(movement[:-1] + b"," + told[1:] if more else movement)
        yield b"\n".join(pieces) + b"\n"


def harmless(value: str | None) -> str:
    """The cell as a spreadsheet may open it: never a formula."""
    if not value:
        return ""
    return "'" + value if value.startswith(_FORMULA) else value


def harmless_wherever_cut(value: str | None) -> str:
    """The cell as any spreadsheet may open it: no part is a formula, whatever separator it splits at."""
    return _FORMULA_AFTER.sub(r"\1\2'", value) if value else ""
