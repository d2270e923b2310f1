"""Places for what is dear to answer: so many requests at once, the others wait their turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from ..refusal import Refusal

GiveBack = Callable[[], None]
# A page keeps one core busy for tens of milliseconds: two at once give no more pages, and make /v1
# wait longer (benchmarks/visitors.py). SQL of accounts may wait for the disk, and for a second.
AT_ONCE = 1
AT_ONCE_OF_ACCOUNTS = 2
WAITING = 64
WAIT_SECONDS = 5.0
# One person opens a page and what it shows, or several tabs; a program asks in turn.
WAITING_OF_ONE = 16


class Queue:
    """Places for `at_once` requests; `waiting` more wait, `seconds` at most, in the order they came."""

    def __init__(
        self, at_once: int = AT_ONCE, waiting: int = WAITING, seconds: float = WAIT_SECONDS
    ) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._asked = 0
        self._most = at_once + waiting
        self._seconds = seconds

    @property
    def idle(self) -> bool:
        """Whether nobody has a place or waits for one."""
        return self._asked == 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[GiveBack]:
        """Hold a place while the block runs, or until it gives it back; Refusal("busy") if none is free in time."""
        if self._asked >= self._most:
            raise _busy()
        self._asked += 1
        try:
            async with asyncio.timeout(self._seconds):
                await self._places.acquire()
        except BaseException as error:  # a cancellation too
            self._asked -= 1
            if isinstance(error, TimeoutError):
                raise _busy() from None
            raise
        held = True

        def give_back() -> None:
            nonlocal held
            if held:
                held = False
                self._asked -= 1
                self._places.release()

        try:
            yield give_back
        finally:
            give_back()


class FairQueue:
    """Places for `at_once` requests in all, and for `of_one` at a time of each person or key.

    A request gives the place that all share back when what is dear is over; its own it keeps.
    """

    def __init__(self, at_once: int = AT_ONCE_OF_ACCOUNTS, of_one: int = 1) -> None:
        self._all = Queue(at_once)
        self._of_one = of_one
        self._own: dict[str, Queue] = {}

    @asynccontextmanager
    async def place(self, who: str) -> AsyncIterator[GiveBack]:
        """Hold a place of `who` while the block runs; Refusal("busy") if there is none in time."""
        own = self._own.setdefault(who, Queue(self._of_one, WAITING_OF_ONE))
        try:
            async with own.place(), self._all.place() as give_back:
                yield give_back
        finally:
            if own.idle:
                self._own.pop(who, None)


def _busy() -> Refusal:
    return Refusal(
        "busy", "Trop de pages sont demandées en même temps : réessayez dans quelques secondes."
    )
