"""How many requests were refused, by Paris day and kind: counted in memory, stored every 5 seconds."""

from __future__ import annotations

import asyncio
import datetime
from collections import Counter
from collections.abc import Callable
from typing import Final

from parlement_lists.movement import PARIS

from .charge_queue import ChargeQueue
from .quota_day import day
from .stores.store import StoreUnavailable

# A flood of refusals is one write for each kind in so many seconds.
STORE_EVERY: Final = 5.0
# `stats` shows a year at most.
KEPT: Final = datetime.timedelta(days=400)


class RefusalCounts:
    """The refusals of one service; `queue` leads to the store.

    They are not exact: a process that is killed loses its last seconds, and what a store recorded
    without an answer in time is counted twice.
    """

    def __init__(self, queue: ChargeQueue, clock: Callable[[], datetime.datetime]) -> None:
        self._queue = queue
        self._clock = clock
        self._counts = Counter[tuple[str, str]]()  # by day and kind

    def add(self, kind: str) -> None:
        """Count one refusal of a kind, by the anchor of `refusal.KINDS`."""
        self._counts[day(self._clock()), kind] += 1

    async def write(self) -> None:
        """Hand the counts to the store; those it does not take are kept for the next time."""
        taken, self._counts = self._counts, Counter()
        if not taken:
            return
        oldest = (self._clock().astimezone(PARIS).date() - KEPT).isoformat()
        try:
            await self._queue.run(self._queue.store.add_refusals, taken, oldest)
        except StoreUnavailable:
            self._counts.update(taken)

    async def watch(self, seconds: float = STORE_EVERY) -> None:
        """Write after each `seconds`, for ever."""
        while True:
            await asyncio.sleep(seconds)
            await self.write()
