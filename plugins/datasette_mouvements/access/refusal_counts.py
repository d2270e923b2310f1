"""How many requests were refused, by Paris day and kind: counted in memory, stored now and then."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable
from typing import Final

from parlement_lists.movement import PARIS

from .charge_queue import ChargeQueue
from .quota_day import day
from .stores.store import StoreUnavailable

# However many requests are refused, each process writes a row for each kind this often.
STORE_EVERY: Final = 5.0
# More than a year, which is the most that `stats` shows.
KEPT: Final = datetime.timedelta(days=400)


class RefusalCounts:
    """The refusals of one service; `queue` leads to the store.

    They are for a maintainer's eyes, not for a bill: a process that is killed loses its last
    seconds, and what a store recorded without saying so in time is counted twice.
    """

    def __init__(self, queue: ChargeQueue, clock: Callable[[], datetime.datetime]) -> None:
        self._queue = queue
        self._clock = clock
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, kind: str) -> None:
        """Count one refusal of a kind, by the anchor of `refusal.KINDS`."""
        self._add((day(self._clock()), kind), 1)

    async def write(self) -> None:
        """Hand what was counted to the store; what it does not take is kept for the next time."""
        taken, self._counts = self._counts, {}
        if not taken:
            return
        oldest = (self._clock().astimezone(PARIS).date() - KEPT).isoformat()
        try:
            await self._queue.run(self._queue.store.add_refusals, taken, oldest)
        except StoreUnavailable:
            for day_and_kind, times in taken.items():
                self._add(day_and_kind, times)

    def _add(self, day_and_kind: tuple[str, str], times: int) -> None:
        self._counts[day_and_kind] = self._counts.get(day_and_kind, 0) + times

    async def watch(self) -> None:
        """Write every few seconds, for ever."""
        while True:
            await asyncio.sleep(STORE_EVERY)
            await self.write()
