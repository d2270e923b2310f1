"""Charges of a service's requests: exact, many in one transaction, answered after its commit."""

from __future__ import annotations

import asyncio
import datetime
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from .store import Charge, Demand, Store, StoreBusy, StoreUnavailable

log = logging.getLogger(__name__)
MOST_WAITING = 10_000
T = TypeVar("T")
Answer = asyncio.Future["Charge | None"]


class Charging:
    """The store of one service, for one event loop.

    All requests of two turns of the loop are charged in one transaction: on the loop where that takes a fraction of
    a millisecond, else in a thread, which also waits for another process's lock.
    """

    def __init__(self, store: Store, quota: int, clock: Callable[[], datetime.datetime]) -> None:
        self.store = store
        self._quota = quota
        self._clock = clock
        self._waiting: list[tuple[Demand, Answer]] = []
        self._due = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._store_in_use = asyncio.Lock()
        self._failing = False
        self._closed = False

    def charge(self, digest: bytes, amount: int = 1) -> Answer:
        """Record one demand (see `Demand`); None for a key that is unknown or ended, StoreUnavailable if it failed."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        answer: Answer = self._loop.create_future()
        if self._closed or len(self._waiting) >= MOST_WAITING:
            answer.set_exception(StoreUnavailable("the service ends, or too many requests wait"))
            return answer
        self._waiting.append(((digest, amount), answer))
        if not self._due:
            self._due = True
            # In the turn after the next: who has just been answered asks again in the next one.
            self._loop.call_soon(self._loop.call_soon, self._charge_waiting)
        return answer

    async def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call another function of the store in a thread; raises what it raises."""
        async with self._store_in_use:
            return await asyncio.to_thread(function, *arguments)

    def close(self) -> None:
        """Answer those who wait, and close the store unless a thread is at work in it: then it ends with the process."""
        self._closed = True
        self._answer(self._take(), StoreUnavailable("the service ends"))
        if not self._store_in_use.locked():
            self.store.close()

    def _charge_waiting(self) -> None:
        if self._store_in_use.locked() or not self.store.at_once:
            self._task = asyncio.ensure_future(self._charge_in_thread())
            return
        if not (batch := self._take()):  # the service has ended meanwhile
            return
        try:
            self._answer(batch, self._charge(batch, wait=False))
        except StoreBusy:
            self._waiting, self._due = batch + self._waiting, True
            self._task = asyncio.ensure_future(self._charge_in_thread())

    async def _charge_in_thread(self) -> None:
        async with self._store_in_use:
            if not (batch := self._take()):
                return
            charges = await asyncio.to_thread(self._charge, batch)
            if isinstance(charges, StoreUnavailable) and not isinstance(charges, StoreBusy):
                batch += self._take()  # they would wait as long for the same answer
            self._answer(batch, charges)

    def _take(self) -> list[tuple[Demand, Answer]]:
        """All whose caller still waits; what comes from now on is charged in another turn."""
        batch = [(demand, answer) for demand, answer in self._waiting if not answer.done()]
        self._waiting, self._due = [], False
        return batch

    def _charge(
        self, batch: list[tuple[Demand, Answer]], wait: bool = True
    ) -> list[Charge | None] | StoreUnavailable:
        """What the store says to a batch, or why it failed; StoreBusy where it may not `wait`."""
        demands = [demand for demand, _ in batch]
        try:
            return self.store.charge(demands, self._clock(), self._quota, wait)
        except StoreUnavailable as error:
            if isinstance(error, StoreBusy) and not wait:
                raise
            return error
        except Exception:  # whatever it is: callers must be answered
            # To do: report it with its traceback. Requests that waited were answered 503; the next ones are tried.
            log.error("an unforeseen fault in the store of keys", exc_info=True)
            return StoreUnavailable("the store failed")

    def _answer(
        self, batch: list[tuple[Demand, Answer]], charges: list[Charge | None] | StoreUnavailable
    ) -> None:
        failed = charges if isinstance(charges, StoreUnavailable) else None
        if batch and bool(failed) != self._failing:
            self._failing = bool(failed)
            if failed:
                # To do: SQLite: look for a full disk, a lock by another program, a file moved away. PostgreSQL:
                # see that it runs, is reachable and can be written. Every request gets 503 until then.
                log.error("the store of keys does not answer: %s", failed)
            else:
                # To do: nothing.
                log.warning("the store of keys answers again")
        for place, (_, answer) in enumerate(batch):
            if answer.done():  # its caller has gone
                continue
            if isinstance(charges, StoreUnavailable):
                answer.set_exception(StoreUnavailable(str(charges)))
            else:
                answer.set_result(charges[place])
