"""Who is named in the files of senators, sitting or not: a list of a past night names those who left."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ...movement import is_date
from ...tracking.members.known_members import Name
from ..source import MemberRead, Original, OriginalRefused
from . import odsen, senators

# ODSEN_GENERAL names every senator since 1959; who died this long before a list is not in it.
LISTED_AFTER = datetime.timedelta(92)
_DIED = "Date de décès"


def names(originals: Sequence[Original], day: datetime.date) -> dict[str, Name]:
    """The names by matricule of all whom the files of senators know, for a list of a day.

    Without those who had left before lists began, or had died, as far as a file says so. A file that
    is refused names nobody; `senators.members_of` says why.
    """
    found: dict[str, Name] = {}
    for original in originals:
        with suppress(OriginalRefused):
            for member in list(_named(original, day)):
                name = f"{member.given} {member.family}".strip(), member.family, member.given
                found[member.id] = Name(*name)
    return found


def _named(original: Original, day: datetime.date) -> Iterator[MemberRead]:
    if senators.is_sitting(original):
        yield from senators.read_sitting(original, day).members
    elif odsen.is_of(original, odsen.GENERAL):
        died = _died(original)
        for place, row in odsen.rows(original, odsen.GENERAL):
            if died.get(row["Matricule"], day) + LISTED_AFTER >= day:
                yield senators.of_general(place, row)
    elif odsen.is_of(original, odsen.MANDATES):
        for member in senators.read_mandates(original).values():
            if any(p.until is None or p.until >= senators.FIRST_DAY for p in member.mandates):
                yield member


def _died(original: Original) -> dict[str, datetime.date]:
    """When senators died, by matricule, where the file says it."""
    columns = ("Matricule", _DIED)
    if not odsen.is_of(original, columns):
        return {}
    # Some days of death have an hour, and some are no days: those say nothing.
    days = {row["Matricule"]: row[_DIED][:10] for _, row in odsen.rows(original, columns)}
    return {id: datetime.date.fromisoformat(day) for id, day in days.items() if is_date(day)}
