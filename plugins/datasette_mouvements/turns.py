"""Turns of what is expensive to answer: how many run at once, how many wait, how many one client may have."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from .refusal import Refusal

WAITING = 64
WAIT_SECONDS = 5.0
# One person opens a page and its images, or several tabs; a program asks one page after the other.
OF_ONE = 8


class Turns:
    """`at_once` run; `waiting` more wait in the order they came, `seconds` at most.

    One client has `of_one` in all, and half of those that run: another finds a place.
    """

    def __init__(
        self,
        at_once: int,
        of_one: int = OF_ONE,
        waiting: int = WAITING,
        seconds: float = WAIT_SECONDS,
    ) -> None:
        self._running = asyncio.Semaphore(at_once)
        self._half = max(1, at_once // 2)
        self._running_of: dict[str, asyncio.Semaphore] = {}
        self._most, self._of_one, self._seconds = at_once + waiting, of_one, seconds
        self._clients: Counter[str] = Counter()

    @asynccontextmanager
    async def request(self, client: str) -> AsyncIterator[PageTurn]:
        """A request of a client; Refusal("busy") beyond what it, or all of them, may have."""
        if self._clients[client] >= self._of_one or self._clients.total() >= self._most:
            raise busy()
        self._clients[client] += 1
        own = self._running_of.setdefault(client, asyncio.Semaphore(self._half))
        turn = PageTurn((own, self._running), self._seconds)
        try:
            yield turn
        finally:
            await turn.release()
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client], self._running_of[client]


class PageTurn:
    """The turn of one request, taken when something must be made for it: what is remembered waits for nobody."""

    def __init__(self, running: Sequence[asyncio.Semaphore], seconds: float) -> None:
        self._running, self._seconds = running, seconds
        self._held = AsyncExitStack()
        self._taken = False

    async def take(self) -> None:
        """Wait for the turn, unless the request has had it; Refusal("busy") if it does not come in time."""
        if self._taken:
            return
        self._taken = True
        try:
            async with asyncio.timeout(self._seconds):
                for semaphore in self._running:
                    await self._held.enter_async_context(semaphore)
        except TimeoutError:
            raise busy() from None

    async def release(self) -> None:
        """Let others have the turn: before the answer is sent, which a client may read slowly."""
        await self._held.aclose()


# The turn of the current request; None where nothing limits how many run at once.
TURN: ContextVar[PageTurn | None] = ContextVar("turn", default=None)


async def take_turn() -> None:
    """Wait until something may be made for the current request; Refusal("busy") as `PageTurn.take`."""
    if (turn := TURN.get()) is not None:
        await turn.take()


def busy() -> Refusal:
    """The refusal of what has no turn."""
    return Refusal(
        "busy", "Trop de pages sont demandées en même temps : réessayez dans quelques secondes."
    )


def client_of(scope: dict[str, Any]) -> str:
    """Whose request this is (ASGI): an IPv4 address, or the /64 network of an IPv6 address, one subscriber's (RFC 6177).

    A name of its own where a proxy of a network within does not name its clients.
    """
    address = (scope.get("client") or ("",))[0] or ""
    proxied = any(name == b"x-forwarded-for" for name, _ in scope["headers"])
    try:
        parsed = ip_address(address)
    except ValueError:
        return str(address) or f"unknown {id(scope)}"
    if proxied and parsed.is_private and not parsed.is_loopback:
        return f"unknown {id(scope)}"
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or IPv6Network((parsed, 64), strict=False))
    return str(parsed)
