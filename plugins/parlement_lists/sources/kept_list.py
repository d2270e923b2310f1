"""Kept lists: one CSV for each chamber and day, one row a pair, sorted."""

from __future__ import annotations

import datetime
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from .. import csv_rows
from ..bounds import LIST_ROWS, MEMBER_STAFF, OverBound, too_long
from ..movement import CIVILITIES, plain, words
from ..regular_file import read_bytes
from ..tenure import UNPAID
from ..tracking.guard import examine
from ..tracking.reading.formats import KEPT_COLUMNS, LEAVE_COLUMN, is_member_id
from ..tracking.reading.lists import ListRefused, parse_path, read_list
from ..tracking.reading.names import is_nobody, is_placeholder, visible
from .originals import OriginalRefused, StaffList, StaffRow, list_some

# The Sénat publishes a list on the evening before its day.
EARLY = datetime.timedelta(1)
# Clocks that are no farther apart pass for one.
MOST_APART = datetime.timedelta(1)


def to_csv(chamber: str, rows: Iterable[StaffRow]) -> bytes:
    """The file of a chamber's list: UTF-8, LF, quotes where they are needed.

    One row a pair, a man and a woman of one name two: of several, one with a civility before one without, one with
    a role before one without, then the first in the order of characters; the order of `rows` does not matter. The
    rows are in the order of the members' names, then of the staff's.
    Raises OriginalRefused, with the row, for one that could not be read again as it was.
    """
    kept: dict[tuple[str, str], dict[str, StaffRow]] = defaultdict(dict)
    whole = (_normalise(chamber, row) for row in rows)
    for row in sorted(whole, key=lambda row: (not row.fonction, row)):
        pair = kept[row.elu_id, words(row.collab_nom, row.collab_prenom)]
        pair.setdefault(row.collab_civilite, row)
    where = "the list"
    try:
        LIST_ROWS.examine(len(kept))
        for member, staff in Counter(member for member, _ in kept).items():
            where = f"member {member}"
            MEMBER_STAFF.examine(staff)
    except OverBound as over:
        raise OriginalRefused(f"{where}: {over}") from None
    lines = [
        row
        for pair in kept.values()
        for civility, row in pair.items()
        if civility or len(pair) == 1
    ]
    # Lists of chambers that tell no leave stay as they are.
    leave = any(row.conge for row in lines)
    # Not by identifier: the newest members would stand last, and when substitutes all leave on one day
    # the list would look cut off (tracking/guard).
    return csv_rows.to_csv(
        (*KEPT_COLUMNS, LEAVE_COLUMN) if leave else KEPT_COLUMNS,
        ((chamber, *(row if leave else row[:-1])) for row in sorted(lines, key=_sort_key)),
    )


def examine_unknown(read: StaffList, before: Sequence[Path]) -> None:
    """Raises OriginalRefused for somebody whom nobody knows, beside the last of the lists kept before, in order.

    Who is not known is new, unless a member of that list is missing: it may be another spelling of the name.
    """
    missing = _last_members(before) - {row.elu_id for row in read.rows} if read.unknown else ()
    if missing:
        raise OriginalRefused(
            f"{list_some(read.unknown)}: not known, and may be one of those who are missing:"
            f" {list_some(sorted(missing))}"
        )


def _last_members(paths: Sequence[Path]) -> set[str]:
    """The members in the newest list that can be read and is right by itself (tracking/guard)."""
    for path in reversed(paths):
        if place := parse_path(f"{path.parent.name}/{path.name}"):
            with suppress(OSError, ListRefused):
                last = read_list(read_bytes(path, follow=False), *place[:2])
                examine(last, None)
                return {*last.members}
    return set()


def examine_day(read: StaffList, received: datetime.date) -> None:
    """Raises OriginalRefused for a list of a future day: it would be newer than every true one.

    The day after `received` is allowed, because the Sénat publishes a day's list on the evening before.
    """
    if read.day is not None and read.day > received + EARLY:
        raise OriginalRefused(
            f"{read.origin}: a list of {read.day}, which is after the day it was received, {received}"
        )


def is_to_come(day: datetime.date, today: datetime.date) -> bool:
    """Whether a list, or members, of a day show that a clock was ahead of the one that says `today`."""
    return day > today + EARLY + MOST_APART


def _sort_key(row: StaffRow) -> tuple[str, str, str, StaffRow]:
    """The sort key of a row; it depends on the row alone, so that a change moves no other row."""
    staff = plain(f"{row.collab_nom} {row.collab_prenom}")
    return plain(f"{row.elu_nom} {row.elu_prenom}"), row.elu_id, staff, row


def _normalise(chamber: str, row: StaffRow) -> StaffRow:
    """The row with one space between words, composed and visible letters, the family name in capitals."""
    for name, value in zip(StaffRow._fields, row, strict=True):
        if fault := csv_rows.find_fault(value):
            raise _refusal(row, f"{name} holds {fault}")
    if long := too_long(StaffRow._fields, row):
        raise _refusal(row, long)
    composed = (unicodedata.normalize("NFC", visible(value)) for value in row)
    row = StaffRow(*(" ".join(value.split()) for value in composed))
    row = row._replace(collab_nom=unicodedata.normalize("NFC", row.collab_nom.upper()))
    names = row.collab_nom, row.collab_prenom
    no_name = is_nobody(" ".join(names)) or any(map(is_placeholder, names))
    for wrong, why in (
        (not is_member_id(chamber, row.elu_id), f"elu_id is not an identifier of {chamber}"),
        (
            row.collab_civilite not in ("", *CIVILITIES),
            f"collab_civilite is not one of {', '.join(CIVILITIES)}",
        ),
        (row.conge not in ("", UNPAID), f"conge is not {UNPAID!r}"),
        (not row.collab_nom or no_name, "collab_nom and collab_prenom are no name"),
    ):
        if wrong:
            raise _refusal(row, why)
    return row


def _refusal(row: StaffRow, why: str) -> OriginalRefused:
    # Without the row itself, because a log must not hold the name.
    return OriginalRefused(f"member {row.elu_id[:20]}: {why}")
