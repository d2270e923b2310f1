"""The one thread that charges for a service, and the queue in front of it."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import functools
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, NamedTuple, TypeVar

from .charging import Charge, Demand
from .stores.store import Store, StoreUnavailable

log = logging.getLogger(__name__)
TIMEOUT: Final = 0.8  # seconds; a caller answers 503 in under one
MOST_WAITING: Final = 10_000

T = TypeVar("T")


class _QueueEntry(NamedTuple):
    """A demand, and the future that its caller awaits; None for a charge given back: nobody awaits it."""

    demand: Demand
    answer: asyncio.Future[Charge | None] | None
    deadline: float

    @property
    def done(self) -> bool:
        """Whether its caller was answered, or is gone."""
        return self.answer is not None and self.answer.done()


class ChargeQueue:
    """Charges for one event loop: exact, in the order of arrival, off the loop.

    Demands that arrive during a transaction of the store form its next one together. A demand that
    has waited `timeout` seconds is answered StoreUnavailable and costs nothing: one still in the queue
    is dropped, and the charge of one in the store's transaction is given back. Nothing is given back to
    a caller who went away during that transaction, because the request was made. A charge is given back
    only once: if the store fails at that too, it may have recorded it without an answer, and a second
    time would let one request more than the quota through.
    """

    def __init__(
        self,
        store: Store,
        quota: int,
        clock: Callable[[], datetime.datetime],
        timeout: float = TIMEOUT,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self.store = store
        self._quota = quota
        self._clock = clock
        self._timeout = timeout
        self._most_waiting = most_waiting
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: deque[_QueueEntry] = deque()
        self._batch: list[_QueueEntry] = []  # in the store now
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._failing = False
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        # A daemon: the process must end even where the store hangs.
        self._thread = threading.Thread(target=self._run_jobs, name="mouvements-quota", daemon=True)
        self._thread.start()

    async def charge(self, digest: bytes, amount: int = 1, day: str = "") -> Charge | None:
        """Record one demand (see `charging.Demand`); None for a key that is unknown or ended.

        Raises StoreUnavailable, and charges nothing, if the store fails or does not answer in time.
        """
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._adopt(loop)
        if self._closed or len(self._waiting) >= self._most_waiting:
            raise StoreUnavailable("closed, or too many requests wait for the store")
        answer: asyncio.Future[Charge | None] = loop.create_future()
        self._waiting.append(
            _QueueEntry(Demand(digest, amount, day), answer, loop.time() + self._timeout)
        )
        if not self._batch:
            self._hand_over(loop)
        if self._timer is None:
            self._timer = loop.call_later(self._timeout, self._expire, loop)
        return await answer

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """Call another function in the store's thread, after the current batch.

        Raises what the call raises, and StoreUnavailable if it does not end in time.
        """
        done: Future[T] = Future()

        def job() -> None:
            if done.set_running_or_notify_cancel():
                try:
                    done.set_result(function(*args))
                except BaseException as error:  # handed to the one who waits
                    done.set_exception(error)

        if self._closed:
            raise StoreUnavailable("the store is closed")
        self._jobs.put(job)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(done), self._timeout)
        except TimeoutError:
            raise StoreUnavailable("the store did not answer in time") from None

    def close(self) -> None:
        """Finish the current batch, then close the store; what still waits is not charged."""
        if not self._closed:
            self._closed = True
            if self._loop is not None and not self._loop.is_closed():
                for waiting in self._waiting:
                    if waiting.answer is not None and not waiting.answer.done():
                        waiting.answer.set_exception(StoreUnavailable("the service ends"))
            self._waiting.clear()
            self._jobs.put(self.store.close)
            self._jobs.put(None)
            self._thread.join(self._timeout)

    def _run_jobs(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except BaseException:  # the thread must live on: there is no other to charge
                # To do: report it with its traceback. Requests that waited were answered 503; the
                # next ones are tried.
                log.error("an unforeseen fault in the store of keys", exc_info=True)

    def _adopt(self, loop: asyncio.AbstractEventLoop) -> None:
        """Serve another loop: in the one before nobody waits any more."""
        self._loop = loop
        self._waiting.clear()
        self._batch = []
        self._timer = None

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give the thread all demands whose caller still waits, as one batch."""
        self._batch = [waiting for waiting in self._waiting if not waiting.done]
        self._waiting.clear()
        if self._batch:
            self._jobs.put(functools.partial(self._charge_batch, loop, self._batch))

    def _charge_batch(self, loop: asyncio.AbstractEventLoop, batch: Sequence[_QueueEntry]) -> None:
        """Charge a batch, in the thread: one transaction, and one message back to the loop."""
        charges: Sequence[Charge | None] | None = None
        failure = "the store failed"
        try:
            charges = self.store.charge([w.demand for w in batch], self._clock(), self._quota)
        except StoreUnavailable as error:
            failure = str(error)
        finally:
            # Callers must be answered after an unforeseen fault too.
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits
                loop.call_soon_threadsafe(self._answer, loop, batch, charges, failure)

    def _answer(
        self,
        loop: asyncio.AbstractEventLoop,
        batch: Sequence[_QueueEntry],
        charges: Sequence[Charge | None] | None,
        failure: str,
    ) -> None:
        """Answer the batch's callers, and hand over the next batch; `charges` is None where it failed."""
        if (charges is None) != self._failing:
            self._failing = charges is None
            if self._failing:
                # To do: SQLite: look for a full disk, a lock by another program, a file moved
                # away. PostgreSQL: see that it runs, is reachable and can be written. Every
                # request gets 503 until then.
                log.error("the store of keys does not answer: %s", failure)
            else:
                # To do: nothing. The errors counted during the outage are written within seconds.
                log.warning("the store of keys answers again")
        for place, (demand, answer, _deadline) in enumerate(batch):
            if answer is None or answer.cancelled():
                continue
            charge = None if charges is None else charges[place]
            if answer.done():  # with a 503, by `_expire`
                if charge is not None and charge.granted and demand.amount > 0:
                    back = Demand(demand.digest, -demand.amount, charge.day)
                    self._waiting.append(_QueueEntry(back, None, 0.0))
            elif charges is None:
                answer.set_exception(StoreUnavailable(failure))
            else:
                answer.set_result(charge)
        if loop is self._loop:
            self._batch = []
            if self._waiting:
                self._hand_over(loop)

    def _expire(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answer what has waited too long, and wait for the next deadline."""
        self._timer = None
        now = loop.time()
        soonest = None
        for waiting in (*self._batch, *self._waiting):
            if waiting.answer is None or waiting.answer.done():
                continue
            if waiting.deadline <= now:
                waiting.answer.set_exception(StoreUnavailable("the store did not answer in time"))
            elif soonest is None:
                soonest = waiting.deadline
        self._waiting = deque(waiting for waiting in self._waiting if not waiting.done)
        if soonest is not None:
            # At most every 50 ms, not once for each of thousands that wait.
            self._timer = loop.call_at(max(soonest, now + 0.05), self._expire, loop)
