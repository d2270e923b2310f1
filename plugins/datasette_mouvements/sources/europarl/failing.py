"""Since when members' pages have failed: what the source remembers from one run to the next."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

FAILING_DAYS = 7
_KEY = "failing"


def remember(
    memory: dict[str, Any], failed: Iterable[str], day: datetime.date
) -> dict[str, datetime.date]:
    """The first day of failure of each member that fails on `day`; one read again is forgotten."""
    known = memory.get(_KEY)
    since = {id: _day(known.get(id)) if isinstance(known, dict) else None for id in failed}
    first = {id: found or day for id, found in since.items()}
    memory[_KEY] = {id: found.isoformat() for id, found in sorted(first.items())}
    return first


def failing_for_days(since: Iterable[datetime.date], day: datetime.date) -> bool:
    """Whether all have failed since at least FAILING_DAYS before `day`."""
    return all((day - first).days >= FAILING_DAYS for first in since)


def _day(text: object) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(str(text))
    except ValueError:
        return None
