"""`journal.csv` beside the lists: what each run found at each source, a line a day and source."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ..bounds import LIST_BYTES, NIGHT_DAYS, TEXT_LETTERS
from ..csv_rows import read_rows, to_csv
from ..movement import CHAMBERS, is_day
from ..regular_file import FilesError, read_bytes, write_whole

FILE = "journal.csv"
# Why there is no list, in the words of the public table: what came could not be used, or nothing came; a fault of this
# machine, or of a reader.
CAUSES = {
    "unreachable": "original non obtenu",
    "unusable": "original inutilisable",
    "local": "enregistrement impossible",
    "unforeseen": "défaut du programme",
}
# What came of a source, in English.
ENGLISH = {
    "nouvelle": "new",
    "identique": "unchanged",
    "refusee": "refused",
    "echouee": "failed",
}
KEPT = ("nouvelle", "identique")
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
    """The lines of a folder's journal in the order of days, none where it has no such file.

    Raises FilesError, which names file, line and field.
    """
    path = folder / FILE
    lines = []
    try:
        body = read_bytes(path, follow=False, most=LIST_BYTES + 1)
        LIST_BYTES.examine(len(body))
        rows = read_rows(str(path), body.decode("utf-8-sig"), Line._fields)
        for place, row in rows:
            line = Line(**row)
            if not is_day(line.jour):
                raise FilesError(f"{place}: jour: {line.jour[:80]!r} is no day")
            if line.source and line.chamber not in CHAMBERS:
                raise FilesError(f"{place}: liste: {line.liste[:80]!r} names no chamber")
            lines.append(line)
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise FilesError(f"{path}: {error}") from error
    return sorted(lines, key=lambda line: (line.jour, line.source))


def read_on(lines: Iterable[Line]) -> dict[str, datetime.date]:
    """The last day of each chamber on which its originals made a list, new or not, and told its members."""
    return {
        line.chamber: datetime.date.fromisoformat(line.jour)
        for line in sorted(lines)
        if line.source and line.resultat in KEPT and line.raison != NO_MEMBERS
    }


def add(folder: Path, lines: Iterable[Line]) -> None:
    """Write lines down, each in place of the one of its day and source; the oldest days are forgotten.

    Raises what `read` raises, OSError.
    """
    by_day = {(line.jour, line.source): line for line in read(folder)}
    for line in lines:
        by_day[line.jour, line.source] = Line(*(text[:TEXT_LETTERS] for text in line))
    days = set(sorted({day for day, _ in by_day})[-NIGHT_DAYS:])
    rows = [by_day[key] for key in sorted(by_day) if key[0] in days]
    write_whole(folder / FILE, to_csv(Line._fields, rows))
