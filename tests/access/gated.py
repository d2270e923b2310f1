"""A store that can be held up, and a queue's answers in a word."""

from __future__ import annotations

import asyncio
import datetime
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.charging import Charge, Demand
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.access.stores.store import StoreUnavailable

PATIENCE = 30.0  # seconds: longer than a busy machine stands still, less than a hanging test
NewQueue = Callable[..., ChargeQueue]


class Gated(SqliteStore):
    """A store that is slow when asked to be, and counts what it is asked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.open = threading.Event()
        self.open.set()
        self.entered = threading.Event()
        self.batches: list[list[Demand]] = []
        self.fault: BaseException | None = None
        self.fault_at = 0  # the number of a batch that fails

    def charge_at_once(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None] | None:
        return None  # it may be slow: only the thread charges

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        self.batches.append(list(demands))
        self.entered.set()
        assert self.open.wait(2 * PATIENCE)
        if len(self.batches) == self.fault_at:
            raise StoreUnavailable("down")
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        return super().charge(demands, now, quota)


async def outcome(asked: Awaitable[Charge | None]) -> str:
    try:
        charge = await asked
    except StoreUnavailable:
        return "unavailable"
    return "unknown" if charge is None else "granted" if charge.granted else "refused"


async def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)
