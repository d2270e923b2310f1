"""The queue of what a service charges: at once, on its event loop, or in one thread."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import functools
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, NamedTuple, TypeVar

from .charging import Charge, Demand
from .stores.store import Store, StoreUnavailable

log = logging.getLogger(__name__)
TIMEOUT: Final = 0.8  # seconds; a caller answers 503 in under one
MOST_WAITING: Final = 10_000
# The thread charges for a while where the store held up the loop for longer so many times in a row: once
# may be another process's turn.
AT_ONCE_SECONDS: Final = 0.001
SLOW_TIMES: Final = 3
IN_THREAD_SECONDS: Final = 1.0

T = TypeVar("T")


class ChargeFuture(asyncio.Future["Charge | None"]):
    """A charge to come. Who waits for nothing else sets `then`, which is called without another round of the loop."""

    then: Callable[[], object] | None = None

    def set_result(self, result: Charge | None) -> None:
        asyncio.Future.set_result(self, result)  # `super()` takes longer
        if self.then is not None:
            self.then()

    def set_exception(self, exception: type | BaseException) -> None:
        super().set_exception(exception)
        if self.then is not None:
            self.then()


class _QueueEntry(NamedTuple):
    """A demand, and the future that its caller awaits; None for a charge given back: nobody awaits it."""

    demand: Demand
    answer: ChargeFuture | None
    deadline: float


class ChargeQueue:
    """Charges for one event loop: exact, in the order of arrival.

    Demands that arrive together, or during a transaction of the store, form its next one together. The
    loop commits it where the store can at once; the thread takes what would hold up the loop, and calls
    the store's other methods: a store is used by one of the two at a time. A demand that
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
        in_thread_seconds: float = IN_THREAD_SECONDS,
    ) -> None:
        self.store = store
        self._quota = quota
        self._clock = clock
        self._timeout = timeout
        self._most_waiting = most_waiting
        self._in_thread_seconds = in_thread_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: deque[_QueueEntry] = deque()
        self._batch: list[_QueueEntry] = []  # in the store's thread now
        self._due = False  # whether the loop will charge those who wait
        self._in_use = threading.Lock()  # the store
        self._slow_times = 0
        self._at_once_from = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._failing = False
        self._jobs: queue.SimpleQueue[Callable[[], Callable[[], object] | None] | None]
        self._jobs = queue.SimpleQueue()
        # A daemon: the process must end even where the store hangs.
        self._thread = threading.Thread(target=self._run_jobs, name="mouvements-quota", daemon=True)
        self._thread.start()

    def charge(self, digest: bytes, amount: int = 1, day: str = "") -> ChargeFuture:
        """Record one demand (see `charging.Demand`); None for a key that is unknown or ended.

        The future has StoreUnavailable, and nothing is charged, if the store fails or does not answer in time.
        """
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._adopt(loop)
        answer = ChargeFuture(loop=loop)
        if self._closed or len(self._waiting) >= self._most_waiting:
            answer.set_exception(
                StoreUnavailable("closed, or too many requests wait for the store")
            )
            return answer
        self._waiting.append(
            _QueueEntry(Demand(digest, amount, day), answer, loop.time() + self._timeout)
        )
        if not self._batch and not self._due:
            self._due = True
            loop.call_soon(self._charge_waiting, loop)
        if self._timer is None:
            self._timer = loop.call_later(self._timeout, self._expire, loop)
        return answer

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """Call another function in the store's thread, after the current batch.

        Raises what the call raises, and StoreUnavailable if it does not end in time.
        """
        done: Future[T] = Future()

        def job() -> Callable[[], object]:
            if not done.set_running_or_notify_cancel():
                return bool
            try:
                return functools.partial(done.set_result, function(*args))
            except BaseException as error:  # handed to the one who waits
                return functools.partial(done.set_exception, error)

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
            with self._in_use:
                tell = job()
            # Afterwards, so that who hears of it finds the store free.
            if tell is not None:
                tell()

    def _adopt(self, loop: asyncio.AbstractEventLoop) -> None:
        """Serve another loop: in the one before nobody waits any more."""
        self._loop = loop
        self._waiting.clear()
        self._batch = []
        self._due = False
        self._timer = None

    def _charge_waiting(self, loop: asyncio.AbstractEventLoop) -> None:
        """Charge all whose caller still waits, as one batch: at once, else in the thread."""
        if loop is not self._loop:
            return
        self._due = False
        if self._batch:
            return  # they are next
        batch = [w for w in self._waiting if w.answer is None or not w.answer.done()]
        self._waiting.clear()
        if not batch:
            return
        now = self._clock()
        began = time.perf_counter()
        if began >= self._at_once_from and self._in_use.acquire(blocking=False):
            try:
                charged = self._charged(self.store.charge_at_once, batch, now)
            finally:
                self._in_use.release()
            ended = time.perf_counter()
            self._slow_times = self._slow_times + 1 if ended - began > AT_ONCE_SECONDS else 0
            if self._slow_times == SLOW_TIMES:
                self._slow_times, self._at_once_from = 0, ended + self._in_thread_seconds
            if charged is not None:
                self._answer(loop, batch, charged)
                return
        self._batch = batch
        self._jobs.put(functools.partial(self._charge_batch, loop, batch, now))

    def _charge_batch(
        self, loop: asyncio.AbstractEventLoop, batch: list[_QueueEntry], now: datetime.datetime
    ) -> Callable[[], object]:
        """Charge a batch, in the thread: one transaction; what tells the loop of it."""
        charged = self._charged(self.store.charge, batch, now)

        def tell() -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits
                loop.call_soon_threadsafe(self._answer, loop, batch, charged)

        return tell

    def _charged(
        self, charge: Callable[..., T], batch: list[_QueueEntry], now: datetime.datetime
    ) -> T | StoreUnavailable:
        """What the store says to a batch, or why it failed: whatever happens, callers must be answered."""
        try:
            return charge([waiting.demand for waiting in batch], now, self._quota)
        except StoreUnavailable as error:
            return error
        except BaseException:
            # To do: report it with its traceback. Requests that waited were answered 503; the
            # next ones are tried.
            log.error("an unforeseen fault in the store of keys", exc_info=True)
            return StoreUnavailable("the store failed")

    def _answer(
        self,
        loop: asyncio.AbstractEventLoop,
        batch: list[_QueueEntry],
        charged: list[Charge | None] | StoreUnavailable,
    ) -> None:
        """Answer the batch's callers, and charge the next batch."""
        charges = None if isinstance(charged, StoreUnavailable) else charged
        if (charges is None) != self._failing:
            self._failing = charges is None
            if self._failing:
                # To do: SQLite: look for a full disk, a lock by another program, a file moved
                # away. PostgreSQL: see that it runs, is reachable and can be written. Every
                # request gets 503 until then.
                log.error("the store of keys does not answer: %s", charged)
            else:
                # To do: nothing.
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
                answer.set_exception(StoreUnavailable(str(charged)))
            else:
                answer.set_result(charge)
        if loop is self._loop:
            self._batch = []
            if self._waiting:
                self._charge_waiting(loop)

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
        self._waiting = deque(w for w in self._waiting if w.answer is None or not w.answer.done())
        if soonest is not None:
            # At most every 50 ms, not once for each of thousands that wait.
            self._timer = loop.call_at(max(soonest, now + 0.05), self._expire, loop)
