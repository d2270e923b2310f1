"""The list as it is kept: one CSV a chamber and day, one row a pair, sorted."""

from __future__ import annotations

import csv
import datetime
import io
import re
import unicodedata
from collections.abc import Iterable

from ..movement import CIVILITIES, UNFIT, plain, words
from ..tracking.guard import examine
from ..tracking.members.known_members import Name
from ..tracking.reading.formats import KEPT_COLUMNS, is_member_id
from ..tracking.reading.lists import List, ListRefused, Reader
from ..tracking.reading.names import is_forbidden, turns, visible
from .source import ListRead, OriginalRefused, StaffRow

# Line ends that are not among the control characters.
_LINE_ENDS = re.compile("[\u2028\u2029]")


def to_csv(chamber: str, rows: Iterable[StaffRow]) -> bytes:
    """The file of a chamber's list: UTF-8, LF, quotes where they are needed.

    One row a pair: of several, one with a civility before one without, one with a role before one
    without, then the first in the order of characters; the order of `rows` does not matter. The
    rows are in the order of the members' names, then of the staff's.
    Raises OriginalRefused, with the row, for one that could not be read again as it was.
    """
    kept: dict[tuple[str, str], StaffRow] = {}
    for given in rows:
        row = _normalised(chamber, given)
        pair = row.elu_id, words(row.collab_nom, row.collab_prenom)
        kept[pair] = min(kept.get(pair, row), row, key=_preference)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(KEPT_COLUMNS)
    # By identifier, the newest members would be the last, and substitutes who all leave on the same
    # day would look like a list that was cut off (tracking/guard).
    for row in sorted(kept.values(), key=_place):
        writer.writerow((chamber, *row))
    return file.getvalue().encode()


def of_list(data: bytes, chamber: str) -> list[StaffRow]:
    """The rows of a list in any form that is known, gzip or not; raises OriginalRefused."""
    return rows_of(read(data, chamber))


def read(data: bytes, chamber: str) -> List:
    """A list in any form that is known; OriginalRefused where it is wrong by itself (tracking/guard)."""
    try:
        found = Reader().read(data, chamber, datetime.date.min, "")
        examine(found, None)
    except ListRefused as error:
        raise OriginalRefused(str(error)) from error
    return found


def carried_rows(read: ListRead, before: Iterable[StaffRow]) -> list[StaffRow]:
    """What the list before had of the members of whom not everything could be read."""
    return [row for row in before if row.elu_id in set(read.carried)]


def member_names(rows: Iterable[StaffRow]) -> dict[str, Name]:
    """The names that a list has of its members, by identifier."""
    return {
        row.elu_id: Name(f"{row.elu_prenom} {row.elu_nom}".strip(), row.elu_nom, row.elu_prenom)
        for row in rows
        if row.elu_nom
    }


def rows_of(list_: List) -> list[StaffRow]:
    """The rows of a list that was read."""
    return [
        StaffRow(
            *(pair.member, pair.member_family, pair.member_given, pair.group),
            *(pair.civility, pair.family, pair.given, pair.role),
        )
        for pair in list_.pairs.values()
    ]


def examine_day(read: ListRead, received: datetime.date) -> None:
    """Raises OriginalRefused for a list of a day to come: kept, it would be newer than every true one.

    The Sénat's list of a day is there on the evening before.
    """
    if read.day is not None and read.day > received + datetime.timedelta(1):
        raise OriginalRefused(
            f"{read.origin}: a list of {read.day}, which is after the day it was received, {received}"
        )


def _preference(row: StaffRow) -> tuple[bool, bool, StaffRow]:
    return not row.collab_civilite, not row.fonction, row


def _place(row: StaffRow) -> tuple[str, str, str, StaffRow]:
    """Where a row stands: an order of the rows themselves, so that those that stay keep theirs."""
    staff = plain(f"{row.collab_nom} {row.collab_prenom}")
    return plain(f"{row.elu_nom} {row.elu_prenom}"), row.elu_id, staff, row


def _normalised(chamber: str, row: StaffRow) -> StaffRow:
    """The row with one space between words, composed and visible letters, the family name in capitals."""
    for name, value in zip(StaffRow._fields, row, strict=True):
        if UNFIT.search(value) or _LINE_ENDS.search(value):
            raise _refused(row, f"{name} holds a control character or a line end")
        if turns(value):
            raise _refused(row, f"{name} holds a mark of direction")
    shown = map(visible, row)
    row = StaffRow(*(" ".join(unicodedata.normalize("NFC", value).split()) for value in shown))
    family = unicodedata.normalize("NFC", row.collab_nom.upper())
    row = row._replace(collab_nom=family)
    if not is_member_id(chamber, row.elu_id):
        raise _refused(row, f"elu_id is not an identifier of {chamber}")
    if row.collab_civilite not in ("", *CIVILITIES):
        raise _refused(row, f"collab_civilite is not one of {', '.join(CIVILITIES)}")
    if not row.collab_nom or is_forbidden(f"{row.collab_nom} {row.collab_prenom}"):
        raise _refused(row, "collab_nom and collab_prenom are no name")
    return row


def _refused(row: StaffRow, why: str) -> OriginalRefused:
    # Not the row itself: whoever reads a log must not learn the name.
    return OriginalRefused(f"member {row.elu_id[:20]}: {why}")
