"""The one strict reader of CSV rows, by the names of their columns, with file, line and field in each message; a writer."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from .bounds import too_long
from .movement import DIRECTION, UNFIT
from .regular_file import FilesError

# Line ends that are not among the control characters.
_LINE_ENDS = re.compile("[\u2028\u2029]")


# Whom a cut file lacks would be taken for gone.
_CUT = (
    "the last line does not end: the file is cut off; put a copy of it in its place, or end the line if it is"
    " whole"
)


def find_fault(text: str) -> str:
    """What no field may hold, "" if it holds nothing of the kind."""
    if DIRECTION.search(text):
        return "a mark of direction"
    unfit = UNFIT.search(text) or _LINE_ENDS.search(text)
    return "a control character or a line end" if unfit else ""


def one_line(text: str) -> str:
    """A text of an original with one space between its words; ValueError, without it, for what no field may hold.

    `str.split` takes some control characters for spaces: a damaged name would look whole.
    """
    if fault := find_fault(text.strip(" \t\n\r")):
        raise ValueError(f"holds {fault}")
    return " ".join(text.split())


def read_rows(
    name: str,
    text: str,
    columns: Collection[str],
    *,
    optional: Collection[str] = (),
    alike: Callable[[str], str] = str,
    above: int = 0,
    ended: bool = False,
) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row of a text: its place, and its values by column; an `optional` column may be missing.

    `name` is the file's, `above` the lines above the header; two names of a column are one if they are `alike`.
    Raises FilesError for a missing column, a row of another width, a field that is too long or holds
    what no text may, what is no CSV, and a file that is cut off: its last line lacks values, or its end where
    every line must be `ended`.
    """
    cut = bool(text) and not text.endswith(("\n", "\r"))
    if ended and cut:
        raise FilesError(f"{name}: line {text.count(chr(10)) + above + 1}: {_CUT}")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows = filter(None, reader)
    try:
        header = next(rows, [])
        names = list(map(alike, header))
        if missing := [column for column in columns if alike(column) not in names]:
            raise FilesError(f"{name}: line {above + 1}: no column {', '.join(missing)}")
        wanted = [column for column in (*columns, *optional) if alike(column) in names]
        places = {column: names.index(alike(column)) for column in wanted}
        for row in rows:
            place = f"{name}: line {above + reader.line_num}"
            if len(row) != len(header):
                values_told = f"{len(row)} values under {len(header)} columns"
                last = cut and len(row) < len(header) and not next(rows, None)
                raise FilesError(f"{place}: {_CUT if last else values_told}")
            if long := too_long(header, row):
                raise FilesError(f"{place}: {long}")
            values = {column: row[index] for column, index in places.items()}
            for column, value in values.items():
                if fault := find_fault(value):
                    raise FilesError(f"{place}: {column}: {value[:80]!r} holds {fault}")
            yield place, values
    except csv.Error as error:
        raise FilesError(f"{name}: line {above + reader.line_num}: {error}") from error


def to_csv(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> bytes:
    """The file of rows under a header: UTF-8, LF, quotes where they are needed."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return file.getvalue().encode()
