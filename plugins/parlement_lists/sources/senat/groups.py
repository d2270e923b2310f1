"""The Sénat's groups: the names they had at a time, under the codes its files never change."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ..source import Period

# A group keeps its first code: each name it had since, and from when on. Those of the renewals of 2017
# and 2020 were declared with the lists of members in the first days of October; where only the year of
# a change is certain, the name is used from the next renewal on. Les Républicains of the Sénat followed
# the party (30 May 2015) on the next Tuesday; UDI-UC was formed in 2012.
_OF_2012 = datetime.date(2012, 10, 1)
_OF_2017 = datetime.date(2017, 10, 2)
_OF_2020 = datetime.date(2020, 10, 1)
_OF_2023 = datetime.date(2023, 10, 2)
_RENAMED: dict[str, tuple[tuple[datetime.date, str], ...]] = {
    "UMP": ((datetime.date(2015, 6, 2), "LR"),),
    "SOC": ((_OF_2017, "SOCR"), (_OF_2020, "SER")),
    "CRC": ((_OF_2017, "CRCE"), (_OF_2023, "CRCE-K")),
    "LREM": ((_OF_2020, "RDPI"),),
    "RTLI": ((datetime.date.min, "LIRT"),),
    "UC": ((_OF_2012, "UDI-UC"), (_OF_2017, "UC")),
}
# The short labels of ODSEN_GENERAL are names of their day already, all but these.
_LABELS = {"Les Républicains": "LR", "Les Indépendants": "LIRT", "LaREM": "LREM"}
_NONE = ("", "AUCUN")
_LONGEST = 12


def name_on(code: str, day: datetime.date) -> str:
    """The name on a day of the group with a code, "" for who has no group."""
    if code.upper() in _NONE:
        return ""
    name = code
    for since, renamed in _RENAMED.get(code, ()):
        if since <= day:
            name = renamed
    return name


def name_of_label(label: str) -> str:
    """The name of a group from its short label of the day; one that is a sentence is no name."""
    name = _LABELS.get(label, label)
    return "" if name.upper() in _NONE or len(name) > _LONGEST else name


def periods(code: str, since: datetime.date, until: datetime.date | None) -> Iterator[Period]:
    """A membership, cut into the times that its group had one name."""
    days = [
        day for day, _ in _RENAMED.get(code, ()) if since < day and (until is None or day <= until)
    ]
    starts = [since, *days]
    ends = [*(day - datetime.timedelta(1) for day in days), until]
    for first, last in zip(starts, ends, strict=True):
        yield Period(first, last, name_on(code, first))
