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
from parlement_lists.tenure import FIELD_NAMES as TENURE_NAMES
from parlement_lists.tenure import Tenure

from ...dataset.schema import STAYS, TABLE, TENURES
from ...dataset.stays.successions import HOMONYMS_SQL, find_successions, homonyms
from ..counts.stay_links import (
    LINK_FIELDS,
    LINK_NAMES,
    MANDATE_FIELD,
    MOVEMENT_LINK_COLUMNS,
    MOVEMENT_LINK_FIELDS,
    MOVEMENT_LINKS,
    RETURNED,
    links_of,
    values_of,
)

STAY_NAMES = (*TENURE_NAMES, *LINK_NAMES, MANDATE_FIELD.name)
MOVEMENT_NAMES = (*FIELD_NAMES, *(field.name for field in MOVEMENT_LINK_FIELDS))
_FOUND = f"""
    {RETURNED} select {{}}, {MOVEMENT_LINK_COLUMNS} from {TABLE} m {MOVEMENT_LINKS}
    where {{}} order by m.rowid desc
"""
_NUMBERS = {field.name for field in LINK_FIELDS if field.example.isdigit()}
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
    columns = ", ".join(f"m.{name}" for name in FIELD_NAMES)
    found = (
        (*row, days and str(days))
        for *row, days in db.execute(_FOUND.format(columns, where), values)
    )
    if form == "tableur":
        # A French spreadsheet splits at semicolons, but never within quotes.
        text = io.StringIO("\ufeff")
        text.seek(1)
        writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL)
        yield from _csv(found, MOVEMENT_NAMES, chunk, text, writer, harmless_wherever_cut)
    else:
        text = io.StringIO()
        yield from _csv(found, MOVEMENT_NAMES, chunk, text, csv.writer(text), harmless)


def stays_with_links(db: sqlite3.Connection) -> list[tuple[str, ...]]:
    """All stays, the latest begun first, each with what follows which under its name: STAY_NAMES."""
    found = db.execute(
        f"""
        select {", ".join(f"c.{name}" for name in TENURE_NAMES)},
          json_extract(cast(l.json as text), '$.{MANDATE_FIELD.name}')
        from {TENURES} c join {STAYS.lines} l on l.rowid = c.rowid order by c.rowid desc
        """
    )
    stays = [
        (Tenure(*(value or "" for value in row)), mandate_end or "") for *row, mandate_end in found
    ]
    apart = homonyms(db.execute(HOMONYMS_SQL))
    links = find_successions((stay for stay, _ in stays), apart)
    return [
        (*one, *values_of(links_of(links, one.id, one.id)), mandate_end)
        for one, mandate_end in stays
    ]


def write_stays(rows: Iterable[tuple[str, ...]], form: str, chunk: int) -> Iterator[bytes]:
    """The file of these stays: `csv`, or `ndjson` without the fields that have no value."""
    if form == "csv":
        text = io.StringIO()
        yield from _csv(rows, STAY_NAMES, chunk, text, csv.writer(text), harmless)
        return
    yield b""
    left = iter(rows)
    while some := list(islice(left, chunk)):
        stays = (
            {n: _value(n, v) for n, v in zip(STAY_NAMES, row, strict=True) if v} for row in some
        )
        yield b"".join(
            json.dumps(stay, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for stay in stays
        )


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


def _value(name: str, text: str) -> str | int:
    return int(text) if name in _NUMBERS else text


def _csv(
    found: Iterable[tuple[Any, ...]],
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
