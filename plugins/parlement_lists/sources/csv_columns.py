"""A CSV read by the names of its columns, whatever their order, case and accents."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator

from ..bounds import too_long
from ..movement import plain
from .source import OriginalRefused


def has_columns(header: str, columns: Collection[str]) -> bool:
    """Whether a line is a header with these columns."""
    return not _missing(columns, _split_header(header))


def _split_header(line: str) -> list[str]:
    """The columns in a header; none if it is no CSV."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


def read_rows(
    name: str, text: str, columns: Collection[str], above: int = 0
) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row's place, and its values by the given column names, spaces made one.

    `name` is that of the file, and `above` the lines above the header, for the places. Raises
    OriginalRefused for a missing column, a row of another width and what is no CSV.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows = filter(None, reader)
    try:
        header = next(rows, [])
        if missing := _missing(columns, header):
            raise OriginalRefused(f"{name}: no column {', '.join(missing)}")
        found = list(map(plain, header))
        at = {column: found.index(plain(column)) for column in columns}
        for row in rows:
            place = f"{name}: line {above + reader.line_num}"
            if len(row) != len(header):
                raise OriginalRefused(f"{place}: {len(row)} values under {len(header)} columns")
            if long := too_long(header, row, {}):
                raise OriginalRefused(f"{place}: {long}")
            yield place, {column: " ".join(row[index].split()) for column, index in at.items()}
    except csv.Error as error:
        raise OriginalRefused(f"{name}: line {above + reader.line_num}: {error}") from error


def _missing(columns: Collection[str], header: Collection[str]) -> list[str]:
    return [column for column in columns if plain(column) not in map(plain, header)]
