"""Queues for what is expensive to answer: they limit how many requests run at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager

from ..refusal import Refusal

Release = Callable[[], None]
# A page keeps one core busy for tens of milliseconds: two at once give no more pages, and make /v1
# wait longer (benchmarks/visitors.py). SQL of accounts may wait for the disk, and for a second.
AT_ONCE = 1
AT_ONCE_OF_ACCOUNTS = 2
WAITING = 64
WAIT_SECONDS = 5.0
# One person opens a page and its images, or several tabs; a program asks one page after the other.
WAITING_OF_ONE = 16


class SlotQueue:
    """`at_once` slots; `waiting` more requests wait in the order they came, `seconds` at most."""

    def __init__(
        self, at_once: int = AT_ONCE, waiting: int = WAITING, seconds: float = WAIT_SECONDS
    ) -> None:
        self._slots = asyncio.Semaphore(at_once)
        self._requests = 0  # that have a slot or wait for one
        self._most = at_once + waiting
        self._seconds = seconds

    @property
    def idle(self) -> bool:
        """Whether no request has a slot or waits for one."""
        return self._requests == 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Release]:
        """Hold a slot while the block runs, or until it is released; Refusal("busy") if none is free in time."""
        if self._requests >= self._most:
            raise _busy()
        with ExitStack() as held:
            self._requests += 1
            held.callback(self._leave)
            try:
                async with asyncio.timeout(self._seconds):
                    await self._slots.acquire()
            except TimeoutError:
                raise _busy() from None
            held.callback(self._slots.release)
            yield held.close

    def _leave(self) -> None:
        self._requests -= 1


class FairQueue:
    """`at_once` slots in all, and `of_one` of them at a time for each person or key.

    Released early, a slot is free for others; the same person still waits for the end of the block.
    """

    def __init__(self, at_once: int = AT_ONCE_OF_ACCOUNTS, of_one: int = 1) -> None:
        self._all = SlotQueue(at_once)
        self._of_one = of_one
        self._own: dict[str, SlotQueue] = {}

    @asynccontextmanager
    async def slot(self, who: str) -> AsyncIterator[Release]:
        """Hold a slot for `who` while the block runs; Refusal("busy") if none is free in time."""
        own = self._own.setdefault(who, SlotQueue(self._of_one, WAITING_OF_ONE))
        try:
            async with own.slot(), self._all.slot() as release:
                yield release
        finally:
            if own.idle:
                self._own.pop(who, None)


def _busy() -> Refusal:
    return Refusal(
        "busy", "Trop de pages sont demandées en même temps : réessayez dans quelques secondes."
    )
