"""The files of data.senat.fr: lines that begin with `%`, then a CSV in Latin-1, read by column name."""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Iterator, Sequence

from ...movement import is_date, plain, shown
from ..source import Original, OriginalRefused

MAGIC = b"%"
GENERAL = ("Matricule", "Qualité", "Nom usuel", "Prénom usuel", "État", "Groupe politique")
MANDATES = (
    *("Matricule", "Qualité", "Nom usuel", "Prénom usuel"),
    *("Date de début de mandat", "Date de fin de mandat", "Motif fin de mandat"),
)
GROUPS = (
    *("Matricule", "Code du groupe politique"),
    *("Date de début d'appartenance", "Date de fin d'appartenance"),
)
# 14263U, 000346, 1111R3: of all senators since 1959.
MATRICULE = re.compile(r"[0-9]{4}[0-9A-Z]{2}")
_TIME = re.compile(r"[ T]00:00(?::00(?:\.0+)?)?")


def is_odsen(original: Original) -> bool:
    """Whether an original is one of these files: an error page in their place begins with `<`."""
    return original.body.startswith(MAGIC) and not original.body.startswith(b"%PDF")


def is_of(original: Original, columns: Sequence[str]) -> bool:
    """Whether a file is the one with these columns, whatever its name."""
    return is_odsen(original) and not _missing(_header(original), columns)


def rows(original: Original, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row's place, and its values by the given column names, stripped.

    Raises OriginalRefused for another file, a row of another width and what is no matricule.
    """
    if not is_odsen(original):
        raise OriginalRefused(f"{original.name}: begins {original.body[:20]!r}, not with %")
    header = _header(original)
    if missing := _missing(header, columns):
        raise OriginalRefused(f"{original.name}: no column {', '.join(missing)}")
    at = {name: header.index(plain(name)) for name in columns}
    announced = re.search(r"^% *([0-9]+) ligne", _text(original), re.MULTILINE)
    count = 0
    for line, row in _table(original):
        place = f"{original.name}: line {line}"
        if len(row) != len(header):
            raise OriginalRefused(f"{place}: {len(row)} values under {len(header)} columns")
        values = {name: " ".join(row[index].split()) for name, index in at.items()}
        if not MATRICULE.fullmatch(values["Matricule"]):
            raise OriginalRefused(f"{place}: {shown(values['Matricule'])} is no matricule")
        count += 1
        yield place, values
    if announced and int(announced[1]) != count:
        raise OriginalRefused(f"{original.name}: {count} rows, {announced[1]} are announced")


def day(place: str, text: str) -> datetime.date | None:
    """The day of `2011-10-01 00:00:00.0` or `2011/10/01 00:00:00`, None for nothing."""
    if not text:
        return None
    written = _TIME.sub("", text).replace("/", "-")
    if not is_date(written):
        raise OriginalRefused(f"{place}: {shown(text)} is not a day")
    return datetime.date.fromisoformat(written)


def _text(original: Original) -> str:
    # cp1252 is Latin-1 but for control characters, which no name holds.
    return original.body.decode("cp1252", errors="replace")


def _table(original: Original) -> Iterator[tuple[int, list[str]]]:
    """The rows below the header, with their line in the file."""
    text = _text(original)
    table = re.sub(r"\A(?:%[^\n]*\n)*", "", text)
    before = text.count("\n") - table.count("\n")
    reader = csv.reader(io.StringIO(table, newline=""), strict=True)
    try:
        next(reader, None)
        for row in reader:
            if row:
                yield before + reader.line_num, row
    except csv.Error as error:
        raise OriginalRefused(
            f"{original.name}: line {before + reader.line_num}: {error}"
        ) from error


def _header(original: Original) -> list[str]:
    lines = (line for line in _text(original).splitlines() if line and not line.startswith("%"))
    try:
        return [plain(name) for name in next(csv.reader([next(lines, "")]), [])]
    except csv.Error:
        return []


def _missing(header: Sequence[str], columns: Sequence[str]) -> list[str]:
    return [name for name in columns if plain(name) not in header]
