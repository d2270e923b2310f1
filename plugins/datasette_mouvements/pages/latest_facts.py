"""The facts of the newest data version that was counted, each version once, in a thread."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from concurrent.futures import Future

from ..dataset.snapshot import Snapshot
from . import counting
from .facts import Counting, Facts

log = logging.getLogger(__name__)
# A count that takes no longer is waited for; one that failed is tried again after a while.
BRIEFLY = 1.0
COUNT_AGAIN = 60.0


class LatestFacts:
    """What is told of the data as a whole: of the version before, until the new one is counted.

    Of the first version since the start it is told before the names of staff are counted.
    """

    def __init__(self) -> None:
        self.known: Facts | None = None
        self._counting: asyncio.Future[Facts] | None = None
        self._first: asyncio.Future[Facts] | None = None
        self._again_at = 0.0

    async def get(self, served: Snapshot, names: bool = False) -> Facts:
        """The facts, with the names of staff where they are needed.

        Counting if no version is counted yet, which is waited for briefly.
        """
        self.count(served)
        awaited = self._counting if names else self._first
        if awaited is not None and not self._has(names):
            await asyncio.wait([awaited], timeout=BRIEFLY)
        if self.known is None or not self._has(names):
            raise Counting
        return self.known

    def _has(self, names: bool) -> bool:
        return self.known is not None and not (names and self.known.counted_names is None)

    def count(self, served: Snapshot) -> None:
        """Begin to count the version served now, unless that is done or under way."""
        if self.known and self._has(names=True) and self.known.build == served.build:
            return
        under_way = self._counting is not None and not self._counting.done()
        if not under_way and time.monotonic() >= self._again_at:
            self._first, self._counting = _counted_in_thread(served)
            self._first.add_done_callback(self._told)
            self._counting.add_done_callback(self._counted)

    def _told(self, first: asyncio.Future[Facts]) -> None:
        if not first.cancelled() and first.exception() is None and self.known is None:
            self.known = first.result()

    def _counted(self, counted: asyncio.Future[Facts]) -> None:
        if counted.cancelled():
            return
        error = counted.exception()
        if error is None:
            self.known = counted.result()
            return
        self._again_at = time.monotonic() + COUNT_AGAIN
        log.error("the pages' figures cannot be counted: %s", type(error).__name__)


def _counted_in_thread(served: Snapshot) -> tuple[asyncio.Future[Facts], asyncio.Future[Facts]]:
    """The facts of a version without and with names, counted in a daemon thread.

    It must not keep the process from ending.
    """
    first: Future[Facts] = Future()
    done: Future[Facts] = Future()

    def work() -> None:
        try:
            counted = counting.count(served)
            first.set_result(counted)
            done.set_result(counted._replace(counted_names=counting.staff_names(served)))
        except BaseException as error:  # handed to the one who waits
            for waited in (first, done):
                if not waited.done():
                    waited.set_exception(error)

    threading.Thread(target=work, name="mouvements-pages", daemon=True).start()
    return asyncio.wrap_future(first), asyncio.wrap_future(done)
