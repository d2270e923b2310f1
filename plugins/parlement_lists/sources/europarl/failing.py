"""On which days members' pages have failed: what the source remembers from one run to the next."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

FAILING_DAYS = 7
# On so many days the page was asked for, and failed: a run that is not begun, or ends before the pages,
# says nothing of them.
FAILING_RUNS = 4
_KEY = "failing"


def remember(
    memory: dict[str, Any], failed: Iterable[str], unasked: Iterable[str], day: datetime.date
) -> Mapping[str, Sequence[datetime.date]]:
    """The first FAILING_RUNS days of failure of each member whose page fails on `day`.

    To be called in every run that asks for pages: one whose page does not fail is forgotten, and
    one that was not asked for is as it was.
    """
    noted = memory.get(_KEY)
    known = noted if isinstance(noted, dict) else {}
    found = {id: sorted({*_days(known.get(id)), day})[:FAILING_RUNS] for id in failed}
    before = {id: days for id in unasked if (days := _days(known.get(id)))}
    kept = sorted((before | found).items())
    memory[_KEY] = {id: [one.isoformat() for one in days] for id, days in kept}
    return found


def failing_for_days(failures: Iterable[Sequence[datetime.date]], day: datetime.date) -> bool:
    """Whether all have failed since at least FAILING_DAYS before `day`, on FAILING_RUNS days."""
    return all(
        len(days) >= FAILING_RUNS and (day - days[0]).days >= FAILING_DAYS for days in failures
    )


def _days(noted: object) -> list[datetime.date]:
    try:
        return (
            [datetime.date.fromisoformat(str(one)) for one in noted]
            if isinstance(noted, list)
            else []
        )
    except ValueError:
        return []
