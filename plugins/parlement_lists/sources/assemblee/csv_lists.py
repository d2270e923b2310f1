"""The Assemblée's lists of staff and of deputies in CSV: what is read where the zip fails."""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...movement import NOT_XML, plain
from ...tracking import guard
from ...tracking.reading.formats import recognise
from ...tracking.reading.lists import MAX_HEADER, ListRefused, Reader, decode
from ..source import (
    ListRead,
    MemberRead,
    MembersRead,
    Original,
    OriginalRefused,
    StaffRow,
)

ORIGIN = "assemblee-csv"
# The two lists are not made at the same moment.
MOST_UNKNOWN = 0.01
_NUMBER = re.compile(r"[0-9]{1,9}")
_COLUMNS = ("identifiant", "nom", "prenom", "groupe politique abrege", "groupe politique complet")


class DeputyRow(NamedTuple):
    """A sitting deputy as the list of deputies has one; no group is ""."""

    id: str
    family: str
    given: str
    group: str
    group_name: str


def is_staff(original: Original) -> bool:
    """Whether the header is that of the list of staff."""
    form = recognise(_header(original))
    return form is not None and form.name == "assemblee-open-data"


def is_deputies(original: Original) -> bool:
    """Whether the header is that of the list of deputies."""
    return set(_COLUMNS) <= {plain(name) for name in _header(original)}


def _header(original: Original) -> list[str]:
    line = original.body.partition(b"\n")[0]
    if len(line) > MAX_HEADER:
        return []
    try:
        return next(csv.reader([line.decode("utf-8-sig", "replace").strip()]), [])
    except csv.Error:
        return []


def read_list(original: Original) -> ListRead:
    """The list that the file makes; it has neither civility nor group.

    OriginalRefused where a row cannot be read: left out, it would be somebody's departure.
    """
    try:
        list_ = Reader().read(original.body, "assemblee", datetime.date.min, original.name)
        guard.examine(list_, None)
    except ListRefused as refused:
        raise OriginalRefused(f"{original.name}: {refused}") from refused
    if unread := list_.unreadable + list_.without_member:
        raise OriginalRefused(f"{original.name}: {unread} of {list_.rows} rows cannot be read")
    rows = [
        StaffRow(
            pair.member,
            pair.member_family,
            pair.member_given,
            "",
            pair.civility,
            pair.family,
            pair.given,
        )
        for pair in list_.pairs.values()
    ]
    return ListRead(rows, ORIGIN)


def read_deputies(original: Original) -> Mapping[str, DeputyRow]:
    """The sitting deputies by identifier; OriginalRefused names the line that is not as it must be."""
    try:
        # The file ends its last line: one that does not was cut off.
        lines = decode(original.body)
        if not lines.endswith("\n"):
            raise OriginalRefused(f"{original.name}: the last line does not end: it is cut off")
        return dict(_deputies(original.name, lines))
    except ListRefused as refused:
        raise OriginalRefused(f"{original.name}: {refused}") from refused


def _deputies(name: str, content: str) -> Iterator[tuple[str, DeputyRow]]:
    records = csv.reader(io.StringIO(content, newline=""), strict=True)
    seen: set[str] = set()
    try:
        header = [plain(column) for column in next(records)]
        if missing := set(_COLUMNS) - set(header):
            raise OriginalRefused(f"{name}: no column {', '.join(sorted(missing))}")
        places = [header.index(column) for column in _COLUMNS]
        for record in records:
            where = f"{name}: line {records.line_num}"
            if len(record) != len(header):
                raise OriginalRefused(f"{where}: {len(record)} fields, not {len(header)}")
            number, *values = (" ".join(record[place].split()) for place in places)
            id = f"PA{number}"
            if not _NUMBER.fullmatch(number):
                raise OriginalRefused(f"{where}: the identifier is no number")
            if not values[0] or NOT_XML.search("".join(values)):
                raise OriginalRefused(f"{where}: no name, or a control character")
            if id in seen:
                raise OriginalRefused(f"{where}: a second row of {id}")
            seen.add(id)
            yield id, DeputyRow(id, *values)
    except csv.Error as error:
        raise OriginalRefused(f"{name}: line {records.line_num}: {error}") from error
    if not seen:
        raise OriginalRefused(f"{name}: 0 deputies")


def sitting(original: Original, list_: ListRead | None) -> Mapping[str, DeputyRow]:
    """The deputies by identifier, where they are all: whom the file leaves out would sit no longer.

    OriginalRefused where more than MOST_UNKNOWN of the deputies of the list of staff are not in it.
    """
    deputies = read_deputies(original)
    employers = {row.elu_id for row in list_.rows} if list_ else set()
    unknown = employers - deputies.keys()
    if len(unknown) > MOST_UNKNOWN * len(employers):
        raise OriginalRefused(
            f"{original.name}: {len(unknown)} of {len(employers)} deputies with staff are not in it"
        )
    return deputies


def read_members(deputies: Mapping[str, DeputyRow]) -> MembersRead:
    """The sitting deputies with the group of the day, without dates."""
    members = [MemberRead(d.id, d.family, d.given, group=d.group) for d in deputies.values()]
    names = {d.group: d.group_name for d in deputies.values() if d.group}
    return MembersRead(members, False, ORIGIN, names)
