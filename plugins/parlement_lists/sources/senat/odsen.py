"""The files of data.senat.fr: lines that begin with `%`, then a CSV in Latin-1, read by column name."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence

from ...csv_rows import RowsRefused, has_columns, read_rows
from ...movement import DAY, is_day, plain, shown
from ..originals import Original, OriginalRefused

GENERAL = ("Matricule", "Qualité", "Nom usuel", "Prénom usuel", "État", "Groupe politique")
MANDATES = (
    *("Matricule", "Qualité", "Nom usuel", "Prénom usuel"),
    *("Date de début de mandat", "Date de fin de mandat", "Motif fin de mandat"),
)
GROUPS = (
    *("Matricule", "Code du groupe politique"),
    *("Date de début d'appartenance", "Date de fin d'appartenance"),
)
# What an original of the Sénat is: a PDF, senateurs.json or an answer in its place, or one of these files.
PDF, SITTING = ("PDF",), ("JSON",)
MAGIC = b"%PDF-"
# 14263U, 000346, 1111R3: of all senators since 1959.
MATRICULE = re.compile(r"[0-9]{4}[0-9A-Z]{2}")
_ABOVE = re.compile(r"\A(?:%[^\n]*\n)*")
_TIME = re.compile(r"[ T]00:00(?::00(?:\.0+)?)?")


def kind_of(original: Original) -> Sequence[str]:
    """What an original is, whatever its name; raises OriginalRefused for anything else, such as an error page."""
    if original.body.startswith(MAGIC):
        return PDF
    if original.body.lstrip().startswith((b"[", b"{")):
        return SITTING
    for columns in (GENERAL, MANDATES, GROUPS):
        if is_of(original, columns):
            return columns
    raise original.refusal(f"begins {original.body[:20]!r}: no PDF, no file of senators")


def is_of(original: Original, columns: Sequence[str]) -> bool:
    """Whether an original is a file with these columns."""
    if not original.body.startswith(b"%"):
        return False
    return has_columns(_split(original)[1].partition("\n")[0], columns, plain)


def read(original: Original, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row's place, and its values by the given column names.

    Raises OriginalRefused for another file, a row of another width and what is no matricule.
    """
    if not original.body.startswith(b"%") or original.body.startswith(b"%PDF"):
        raise original.refusal(f"begins {original.body[:20]!r}, not with %")
    above, table = _split(original)
    announced = re.search(r"^% *([0-9]+) ligne", above, re.MULTILINE)
    count = 0
    lines = above.count("\n")
    try:
        rows = read_rows(original.name, table, columns, alike=plain, above=lines, ended=True)
        for place, row in rows:
            values = {column: " ".join(text.split()) for column, text in row.items()}
            if not MATRICULE.fullmatch(values["Matricule"]):
                raise OriginalRefused(f"{place}: {shown(values['Matricule'])} is no matricule")
            count += 1
            yield place, values
    except RowsRefused as error:
        raise OriginalRefused(str(error)) from error
    if announced and int(announced[1]) != count:
        raise original.refusal(f"{count} rows, {announced[1]} are announced")


def read_days(place: str, row: dict[str, str], first: str, last: str) -> list[datetime.date | None]:
    """The days in two columns, `2011-10-01 00:00:00.0` or `2011/10/01 00:00:00`; None for nothing."""
    days: list[datetime.date | None] = []
    for text in (row[first], row[last]):
        written = _TIME.sub("", text).replace("/", "-")
        if text and not is_day(written):
            raise OriginalRefused(f"{place}: {shown(text)} is not {DAY}")
        days.append(datetime.date.fromisoformat(written) if text else None)
    return days


def _split(original: Original) -> tuple[str, str]:
    """The lines above the table, and the table."""
    # cp1252 is Latin-1 but for control characters, which no name holds.
    text = original.body.decode("cp1252", errors="replace")
    table = _ABOVE.sub("", text, count=1)
    return text.removesuffix(table), table
