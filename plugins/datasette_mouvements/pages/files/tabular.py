"""The tables as CSV, for programs and for spreadsheets."""

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

from ...dataset.schema import STAYS, TABLE, TENURES
from ...dataset.stays.lines import LINE_FIELDS
from ..counts.stay_links import (
    MOVEMENT_LINK_COLUMNS,
    MOVEMENT_LINK_FIELDS,
    MOVEMENT_LINKS,
    RETURNED,
)

CSV_TYPE = "text/csv; charset=utf-8"
STAY_NAMES = tuple(field.name for field in LINE_FIELDS)
MOVEMENT_NAMES = (*FIELD_NAMES, *(field.name for field in MOVEMENT_LINK_FIELDS))
_NAMES = {TABLE: MOVEMENT_NAMES, TENURES: STAY_NAMES}
_MOVEMENTS = f"""
    {RETURNED} select {", ".join(f"m.{name}" for name in FIELD_NAMES)}, {MOVEMENT_LINK_COLUMNS}
    from {TABLE} m {MOVEMENT_LINKS} order by m.rowid desc
"""
# A cell that begins so is a formula to a spreadsheet (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# A spreadsheet may split a cell at any of these separators, and reads full-width signs as plain ones.
_FORMULA_AFTER = re.compile(r"(^|[;,|:\t\r\n])([\s\"']*)(?=[=+\-@＝＋－＠])")


def write(db: sqlite3.Connection, table: str, chunk: int) -> Iterator[bytes]:
    """The CSV of all movements or all stays, the newest first, `chunk` rows at a time."""
    text = io.StringIO()
    yield from _csv(_table_rows(db, table), _NAMES[table], chunk, text, csv.writer(text), harmless)


def write_for_spreadsheets(db: sqlite3.Connection, table: str, chunk: int) -> Iterator[bytes]:
    """The same for a French spreadsheet, which splits at semicolons, but never within quotes, and wants a BOM."""
    text = io.StringIO("\ufeff")
    text.seek(1)
    writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL)
    yield from _csv(
        _table_rows(db, table), _NAMES[table], chunk, text, writer, harmless_wherever_cut
    )


def _table_rows(db: sqlite3.Connection, table: str) -> Iterator[list[str]]:
    return map(_cells, movement_rows(db) if table == TABLE else stay_rows(db))


def movement_rows(db: sqlite3.Connection) -> Iterator[Sequence[Any]]:
    """All movements, newest first: MOVEMENT_NAMES, None where there is no value."""
    yield from db.execute(_MOVEMENTS)


def stay_rows(db: sqlite3.Connection) -> Iterator[Sequence[Any]]:
    """All stays, the latest begun first: STAY_NAMES, None where there is no value."""
    for (line,) in db.execute(f"select json from {STAYS.lines} order by rowid desc"):
        stay = json.loads(line)
        yield [stay.get(name) for name in STAY_NAMES]


def _cells(row: Iterable[Any]) -> list[str]:
    """A row as cells; of several identifiers one cell."""
    return [
        " ".join(value) if isinstance(value, list) else "" if value is None else str(value)
        for value in row
    ]


def write_rows(db: sqlite3.Connection, table: str, chunk: int) -> Iterator[bytes]:
    """The CSV of a table in its order."""
    rows = db.execute(f"select * from {table} order by rowid")
    names = [name for name, *_ in rows.description]
    text = io.StringIO()
    yield from _csv(map(_cells, rows), names, chunk, text, csv.writer(text), harmless)


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


def harmless(value: str | None) -> str:
    """The cell as a spreadsheet may open it: never a formula."""
    if not value:
        return ""
    return "'" + value if value.startswith(_FORMULA) else value


def harmless_wherever_cut(value: str | None) -> str:
    """The cell as any spreadsheet may open it: no part is a formula, whatever separator it splits at."""
    return _FORMULA_AFTER.sub(r"\1\2'", value) if value else ""
