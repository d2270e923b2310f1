"""Queues for what is expensive to answer: they limit how many requests run at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from contextvars import ContextVar
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

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
            raise busy()
        with ExitStack() as held:
            self._requests += 1
            held.callback(self._leave)
            try:
                async with asyncio.timeout(self._seconds):
                    await self._slots.acquire()
            except TimeoutError:
                raise busy() from None
            held.callback(self._slots.release)
            yield held.close

    def _leave(self) -> None:
        self._requests -= 1


class FairQueue:
    """`at_once` slots in all, and `of_one` of them at a time for each person, key or address; `waiting` more wait.

    Released early, a slot is free for others; the same person still waits for the end of the block.
    """

    def __init__(
        self,
        at_once: int = AT_ONCE_OF_ACCOUNTS,
        of_one: int = 1,
        waiting: int = WAITING_OF_ONE,
        seconds: float = WAIT_SECONDS,
    ) -> None:
        self._all = SlotQueue(at_once, seconds=seconds)
        self._of_one = of_one
        self._waiting = waiting
        self._seconds = seconds
        self._own: dict[str, SlotQueue] = {}

    @asynccontextmanager
    async def slot(self, who: str) -> AsyncIterator[Release]:
        """Hold a slot for `who` while the block runs; Refusal("busy") if none is free in time."""
        own = self._own.setdefault(who, SlotQueue(self._of_one, self._waiting, self._seconds))
        try:
            async with own.slot(), self._all.slot() as release:
                yield release
        finally:
            if own.idle:
                self._own.pop(who, None)


def subscriber(client: Sequence[Any] | None) -> str:
    """A client (ASGI): an IPv4 address, or the /64 network of an IPv6 address, one subscriber's (RFC 6177); "" if unknown."""
    address = (client or ("",))[0] or ""
    try:
        known = IPv6Address(address)
    except ValueError:
        return str(address)
    return str(known.ipv4_mapped or IPv6Network((known, 64), strict=False))


def is_inner(client: Sequence[Any] | None) -> bool:
    """Whether a client's address is of a network within, where it may be a proxy of many; this machine's is not."""
    try:
        address = ip_address(subscriber(client).partition("/")[0])
    except ValueError:
        return False
    return address.is_private and not address.is_loopback


class PageTurn:
    """The slot of one request, taken when something must be made for it: what is remembered waits for nobody."""

    def __init__(self, slot: AbstractAsyncContextManager[Release]) -> None:
        self._slot: AbstractAsyncContextManager[Release] | None = slot
        self._held = AsyncExitStack()
        self._release: Release | None = None

    async def __aenter__(self) -> PageTurn:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._held.__aexit__(*raised)

    async def take(self) -> None:
        """Wait for the slot, unless the request has it; Refusal("busy") if none is free in time."""
        slot, self._slot = self._slot, None
        if slot is not None:
            self._release = await self._held.enter_async_context(slot)

    def release(self) -> None:
        """Let others have the slot."""
        if self._release is not None:
            self._release()


# The turn of the current request; None where nothing limits how many run at once.
TURN: ContextVar[PageTurn | None] = ContextVar("turn", default=None)


async def take_turn() -> None:
    """Wait until something may be made for the current request; Refusal("busy") as `PageTurn.take`."""
    if (turn := TURN.get()) is not None:
        await turn.take()


def busy() -> Refusal:
    """The refusal of what has no slot."""
    return Refusal(
        "busy", "Trop de pages sont demandées en même temps : réessayez dans quelques secondes."
    )
