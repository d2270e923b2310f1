"""The Assemblée's lists of staff and of deputies in CSV, which are read if the zip fails."""

from __future__ import annotations

import re

from ...bounds import HEADER_LETTERS
from ...movement import UNSEEN
from ...tracking.reading.formats import recognise
from ...tracking.reading.lists import ListRefused, decode
from .. import kept_list
from ..csv_columns import has_columns, read_rows, split_header
from ..source import ChamberMembers, MemberRecord, Original, OriginalRefused, StaffList

ORIGIN = "assemblee-csv"
# The two lists are not made at the same moment.
MOST_UNKNOWN = 0.01
_NUMBER = re.compile(r"[0-9]{1,9}")
_COLUMNS = ("identifiant", "nom", "prenom", "groupe politique abrege", "groupe politique complet")


def is_staff(original: Original) -> bool:
    """Whether the header is that of the list of staff."""
    form = recognise(split_header(_header(original)))
    return form is not None and form.name == "assemblee-open-data"


def is_deputies(original: Original) -> bool:
    """Whether the header is that of the list of deputies."""
    return has_columns(_header(original), _COLUMNS)


def read_staff(original: Original) -> StaffList:
    """The list of staff; it has neither civility nor group.

    OriginalRefused if a row cannot be read: without it somebody would have departed.
    """
    list_ = kept_list.read(original, "assemblee")
    if unread := list_.unreadable + list_.without_member:
        raise original.refusal(f"{unread} of {list_.rows} rows cannot be read")
    return StaffList(kept_list.to_rows(list_), ORIGIN)


def read_deputies(original: Original, staff: StaffList | None = None) -> ChamberMembers:
    """The sitting deputies with the group of the day, without dates.

    OriginalRefused names the line of the fault. It is raised, too, if more than MOST_UNKNOWN of the
    deputies in `staff` are missing, because a deputy whom the file leaves out would sit no longer.
    """
    try:
        text = decode(original.body)
    except ListRefused as refused:
        raise original.refusal(str(refused)) from refused
    # The file ends its last line.
    if not text.endswith("\n"):
        raise original.refusal("the last line does not end: it is cut off")
    deputies: dict[str, MemberRecord] = {}
    names: dict[str, str] = {}
    for place, values in read_rows(original.name, text, _COLUMNS):
        number, family, given, group, group_name = values.values()
        id = f"PA{number}"
        if not _NUMBER.fullmatch(number):
            raise OriginalRefused(f"{place}: the identifier is no number")
        if not family or UNSEEN.search(family + given + group + group_name):
            raise OriginalRefused(
                f"{place}: no name, or a control character, or a mark of direction"
            )
        if id in deputies:
            raise OriginalRefused(f"{place}: a second row of {id}")
        deputies[id] = MemberRecord(id, family, given, group=group)
        if group:
            names[group] = group_name
    if not deputies:
        raise original.refusal("0 deputies")
    employers = {row.elu_id for row in staff.rows} if staff else set()
    unknown = employers - deputies.keys()
    if len(unknown) > MOST_UNKNOWN * len(employers):
        raise original.refusal(
            f"{len(unknown)} of {len(employers)} deputies with staff are not in it"
        )
    return ChamberMembers(list(deputies.values()), False, ORIGIN, names)


def _header(original: Original) -> str:
    line = original.body.partition(b"\n")[0]
    return line.decode("utf-8-sig", "replace").strip() if len(line) <= HEADER_LETTERS else ""
