"""The rows of `_mandats`: the mandates of the members for whom somebody worked."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping

from ..tracking.members import MemberKey, Members
from .published import Row


def mandate_rows(
    keys: Iterable[MemberKey], members: Members, before: Mapping[MemberKey, list[Row]]
) -> Iterator[Row]:
    """The mandates of some members in order: of those that `members` does not know, what was known before."""
    for key in sorted(set(keys)):
        spans = members.mandates(*key)
        known = {(*key, _day(span.since), _day(span.until)) for span in spans}
        yield from sorted(known or before.get(key, []))


def _day(day: datetime.date | None) -> str:
    """A day as the table has it; "" for one that nobody knows."""
    return day.isoformat() if day and day != datetime.date.min else ""
