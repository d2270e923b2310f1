"""Notes on members' pages from one run to the next: whose page failed, who had staff."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

FAILING_DAYS = 7
# Number of days on which the page was asked for and failed: a run that ends before the pages says
# nothing of them.
FAILING_RUNS = 4
# Number of members who may lose all staff from one run to the next: in the lists of 2019-2022, one did
# within days, and four, who left the Parliament, within 15 (figure `members-left`).
FEW_EMPTIED = 3


def note_failures(
    memory: dict[str, Any], failed: Iterable[str], unasked: Iterable[str], day: datetime.date
) -> Mapping[str, Sequence[str]]:
    """Note whose page failed on `day`; returns the first FAILING_RUNS days on which each of them failed.

    Every run that asks for pages calls this: a member whose page did not fail is forgotten, and one
    whose page was not asked for stays as noted.
    """
    before = memory.get("failing", {})
    failures = {id: sorted({*before.get(id, ()), day.isoformat()})[:FAILING_RUNS] for id in failed}
    kept = {id: before[id] for id in unasked if id in before}
    memory["failing"] = dict(sorted((kept | failures).items()))
    return failures


def failing_for_days(failures: Iterable[Sequence[str]], day: datetime.date) -> bool:
    """Whether all have failed since at least FAILING_DAYS before `day`, on FAILING_RUNS days."""
    latest_begin = (day - datetime.timedelta(FAILING_DAYS)).isoformat()
    return all(len(days) >= FAILING_RUNS and days[0] <= latest_begin for days in failures)


def newly_emptied(
    memory: dict[str, Any], staffed: Mapping[str, bool], day: datetime.date
) -> list[str]:
    """Those who had staff in the last list and have nobody for the first time on `day`.

    A site that serves empty lists for a day is no departure, so a second day must say the same.
    `staffed` says of each member whose page was read whether it has staff.
    """
    before = memory.get("emptied", {})
    empty = [id for id in memory.get("staffed", ()) if staffed.get(id) is False]
    memory["emptied"] = {id: before.get(id, day.isoformat()) for id in empty}
    return [id for id, first in memory["emptied"].items() if first == day.isoformat()]


def note_staffed(memory: dict[str, Any], staffed: Mapping[str, bool]) -> None:
    """Note who has staff in a list that is made; a member whose page was not read stays as noted."""
    unread = [id for id in memory.get("staffed", ()) if id not in staffed]
    memory["staffed"] = sorted({*unread, *(id for id, some in staffed.items() if some)})
