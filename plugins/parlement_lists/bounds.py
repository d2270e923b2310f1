"""The greatest size of everything that comes in: every reader, `check` and the documentation take it from here."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from typing import Self


class OverBound(ValueError):
    """Something is greater than its bound; the message has the figure and the bound, never what was read."""


class Bound(int):
    """A greatest size: a number, and `what` it is of, in words."""

    what: str

    def __new__(cls, most: int, what: str) -> Self:
        """The bound of so many; `what` begins with what it counts."""
        bound = super().__new__(cls, most)
        bound.what = what
        return bound

    def examine(self, size: int) -> None:
        """Raises OverBound, with both figures, for a size above the bound."""
        if size > self:
            raise OverBound(f"{size:,} {self.what}, more than {self:,}")


# In the lists at hand a family or given name has up to 33 letters, a function 32. A list has up to 2160
# rows, 14 staff of one member.
NAME_LETTERS = Bound(100, "letters of a family or given name")
FULL_NAME_LETTERS = Bound(250, "letters of a full name")
KEY_LETTERS = Bound(500, "letters of a join key")
GROUP_LETTERS = Bound(100, "letters of a group’s code")
FUNCTION_LETTERS = Bound(300, "letters of a function")
ID_LETTERS = Bound(100, "letters of an identifier")
TEXT_LETTERS = Bound(300, "letters of any other field")
# Real lists have up to 446 kB.
LIST_BYTES = Bound(32_000_000, "bytes of a list, unpacked")
# Else `csv` itself refuses a field of more than 131,072 letters, and no reader could name it.
csv.field_size_limit(int(LIST_BYTES))
HEADER_LETTERS = Bound(2_000, "letters of a list’s header")
LIST_ROWS = Bound(20_000, "rows of a list")
MEMBER_STAFF = Bound(200, "staff of one member in a list")
INTERVAL_ROWS = Bound(100_000, "rows of the interval file")
# Pages draw every year between two days, and look months before and after each: a day of another
# millennium would close them all.
FIRST_DAY, LAST_DAY = "1900-01-01", "2100-12-31"
# Maintainers' files.
MEMBERS_BYTES = Bound(32_000_000, "bytes of a file of members")
CORRECTIONS_BYTES = Bound(2_000_000, "bytes of the corrections")
REASON_LETTERS = Bound(2_000, "letters of a correction’s reason")
LINE_LETTERS = Bound(1_000_000, "letters of one line of movements")
# Originals. The most under one mandate was 10; the Assemblée's biggest file of a person had 0.15 MB, the 1,239
# of a day together 23 MB.
# 56 real PDFs have 19 to 25 pages, of 289 objects and 1,796 characters at most.
# 56 real PDFs have up to 66 kB in a stream, fonts among them, and 502 kB in all. They have up to 31 streams.
# The largest of 353 real pages has 151,477 bytes and 2,811 tags.
ORIGINAL_BYTES = Bound(100_000_000, "bytes of an original given to `read`, unpacked")
ZIP_ENTRIES = Bound(50_000, "files in a zip")
ZIP_ENTRY_BYTES = Bound(2_000_000, "bytes of one file in a zip, unpacked")
ZIP_BYTES = Bound(250_000_000, "bytes of all files read in a zip, unpacked")
ZIP_PATH_LETTERS = Bound(200, "letters of a file’s path in a zip")
PDF_PAGES = Bound(200, "pages of a PDF")
PDF_OBJECTS = Bound(1_000, "objects on a page of a PDF")
PDF_LETTERS = Bound(50_000, "letters on a page of a PDF")
PDF_STREAMS = Bound(500, "streams of a PDF")
PDF_STREAM_BYTES = Bound(500_000, "bytes of a stream of a PDF, unpacked")
PDF_BYTES = Bound(4_000_000, "bytes of all streams of a PDF, unpacked")
PAGE_BYTES = Bound(500_000, "bytes of a member’s page")
# Nesting and attributes cost the parser their square.
PAGE_TAGS = Bound(20_000, "tags of a member’s page")
# A parser opens elements of formatting again within every later one until they are closed.
PAGE_OPEN = Bound(50, "elements of formatting left open in a member’s page")
FILE_BYTES = Bound(2_000_000_000, "bytes of a movements file that is copied")

# The journal of the lists keeps the latest ones: a year, and the weeks in which somebody looks back at it.
NIGHT_DAYS = 400

BOUNDS: dict[str, Bound] = {
    name: bound for name, bound in list(globals().items()) if isinstance(bound, Bound)
}
_NAMES = dict.fromkeys(
    ("collab_nom", "collab_prenom", "elu_prenom", "prenom", "family", "given"), NAME_LETTERS
)
_NAMES |= {"member_family": NAME_LETTERS, "member_given": NAME_LETTERS}
# The bound of every field by its column; one that is not named has TEXT_LETTERS.
LETTERS: Mapping[str, Bound] = {
    **_NAMES,
    **dict.fromkeys(("elu_nom", "elu_origine_nom", "nom_complet"), FULL_NAME_LETTERS),
    **dict.fromkeys(("elu_groupe", "elu_origine_groupe", "groupe", "group"), GROUP_LETTERS),
    **dict.fromkeys(("id", "elu_id"), ID_LETTERS),
    **dict.fromkeys(("elu_cle", "anciens_noms"), KEY_LETTERS),
    "code": GROUP_LETTERS,
    "fonction": FUNCTION_LETTERS,
    "personne": KEY_LETTERS,
    "raison": REASON_LETTERS,
    "role": FUNCTION_LETTERS,
}
_SHORTEST = min(LETTERS.values())


def too_long(
    names: Iterable[str], values: Iterable[str], letters: Mapping[str, Bound] = LETTERS
) -> str:
    """The first field over its bound with both figures, "" if none is: `fonction: 301 letters, more than 300`."""
    values = tuple(values)
    if max(map(len, values), default=0) <= _SHORTEST:
        return ""
    for name, value in zip(names, values, strict=False):
        if len(value) > (most := letters.get(name, TEXT_LETTERS)):
            return f"{name}: {len(value):,} letters, more than {most:,}"
    return ""
