"""The Sénat's groups, which its files name by a code that never changes, or by a label of their day."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ...tracking.members.senate_groups import name_on, named
from ...tracking.members.spans import Span
from ..source import Period

# The short labels of ODSEN_GENERAL are names of their day already, all but these.
_LABELS = {"Les Républicains": "LR", "Les Indépendants": "LIRT", "LaREM": "LREM"}
_NONE = ("", "AUCUN")
_LONGEST = 12


def name_of_code(code: str, day: datetime.date) -> str:
    """The name on a day of the group with a code, "" for the code of no group."""
    return "" if code.upper() in _NONE else name_on(code, day)


def name_of_label(label: str) -> str:
    """The name of a group from its short label of the day; one that is a sentence is no name."""
    name = _LABELS.get(label, label)
    return "" if name.upper() in _NONE or len(name) > _LONGEST else name


def periods(code: str, since: datetime.date, until: datetime.date | None) -> Iterator[Period]:
    """A membership, cut into the times that its group had one name."""
    for first, last, name in named(Span(since, until, code)):
        yield Period(first, last, "" if name.upper() in _NONE else name)
