"""`journal.csv` beside the lists: what each run found at each source, a line a day and source."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..bounds import LIST_BYTES, NIGHT_DAYS, TEXT_LETTERS
from ..movement import CHAMBERS, is_day
from ..regular_file import open_regular, write_whole
from ..tracking.reading.list_file import ListFilesError
from ..tracking.reading.lists import ListRefused, decode

FILE = "journal.csv"
# Why there is no list, in the words of the public table: what came could not be used, or nothing came; a fault of this
# machine, or of a reader.
CAUSES = {
    "unreachable": "original non obtenu",
    "unusable": "original inutilisable",
    "local": "enregistrement impossible",
    "unforeseen": "défaut du programme",
}

# Beside a list that was kept.
NO_MEMBERS = "fichiers des élus inchangés"


class Line(NamedTuple):
    """What a run of a day found at a source; every field is a text, "" where there is no value.

    `resultat` is a word of the table `nuits`, `raison` and `mesure` why there is no list, with the figure. `liste` is
    the list that came (`senat/2026-09-03`), or the chamber where none did; `sha256` and `original` are
    of the first original. `source` is "" in the line of the run itself.
    """

    jour: str
    source: str
    resultat: str
    raison: str = ""
    mesure: str = ""
    liste: str = ""
    sha256: str = ""
    original: str = ""

    @property
    def chamber(self) -> str:
        """The chamber, "" in the line of a run."""
        return self.liste.partition("/")[0]


def read(folder: Path) -> list[Line]:
    """The entries of a folder's journal in the order of days, none where it has no such file.

    Raises ListFilesError, which names file, line and field.
    """
    path = folder / FILE
    try:
        with open_regular(path, follow=False) as file:
            data = file.read(LIST_BYTES + 1)
        rows = csv.reader(io.StringIO(decode(data), newline=""), strict=True)
    except FileNotFoundError:
        return []
    except (OSError, ListRefused) as error:
        raise ListFilesError(f"{path}: {error}") from error
    if len(data) > LIST_BYTES:
        raise ListFilesError(f"{path}: more than {LIST_BYTES} bytes")
    try:
        header = next(rows, [])
        if tuple(header) != Line._fields:
            expected, written = ",".join(Line._fields), ",".join(header)[:300]
            raise ListFilesError(f"{path}: line 1: header {written!r} instead of {expected}")
        entries = [_entry(row, f"{path}: line {rows.line_num}") for row in rows if row]
    except csv.Error as error:
        raise ListFilesError(f"{path}: line {rows.line_num}: {error}") from error
    return sorted(entries, key=lambda entry: (entry.jour, entry.source))


def read_on(entries: Iterable[Line]) -> dict[str, datetime.date]:
    """The last day of each chamber on which its originals made a list, new or not, and told its members."""
    return {
        entry.chamber: datetime.date.fromisoformat(entry.jour)
        for entry in sorted(entries)
        if entry.source
        and entry.resultat in ("nouvelle", "identique")
        and entry.raison != NO_MEMBERS
    }


def _entry(row: list[str], where: str) -> Line:
    if len(row) != len(Line._fields):
        raise ListFilesError(f"{where}: {len(row)} fields instead of {len(Line._fields)}")
    entry = Line(*row)
    if not is_day(entry.jour):
        raise ListFilesError(f"{where}: jour: {entry.jour[:80]!r} is no day")
    if entry.source and entry.chamber not in CHAMBERS:
        raise ListFilesError(f"{where}: liste: {entry.liste[:80]!r} names no chamber")
    return entry


def add(folder: Path, entries: Iterable[Line]) -> None:
    """Write entries down, each in place of the one of its day and source; the oldest days are forgotten.

    Raises what `read` raises, OSError.
    """
    known = {(entry.jour, entry.source): entry for entry in read(folder)}
    for entry in entries:
        known[entry.jour, entry.source] = Line(*(text[:TEXT_LETTERS] for text in entry))
    days = set(sorted({day for day, _ in known})[-NIGHT_DAYS:])
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(Line._fields)
    rows.writerows(known[key] for key in sorted(known) if key[0] in days)
    write_whole(folder / FILE, text.getvalue().encode())
