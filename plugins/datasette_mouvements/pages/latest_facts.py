"""The facts of the newest data version that was counted, each version once, in a thread."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from concurrent.futures import Future

from ..dataset.snapshot import Snapshot
from . import counting
from .facts import Facts

log = logging.getLogger(__name__)
# A count that takes no longer is waited for; one that failed is tried again after a while.
BRIEFLY = 1.0
COUNT_AGAIN = 60.0


class Counting(Exception):
    """The first version since the start is being counted: nothing is known of it as a whole."""


class LatestFacts:
    """What is told of the data as a whole: of the version before, until the new one is counted."""

    def __init__(self) -> None:
        self.known: Facts | None = None
        self._counting: asyncio.Future[Facts] | None = None
        self._again_at = 0.0

    async def get(self, served: Snapshot) -> Facts:
        """The facts; Counting if no version is counted yet, which is waited for briefly."""
        self.count(served)
        if self.known is None and self._counting is not None:
            await asyncio.wait([self._counting], timeout=BRIEFLY)
        if self.known is None:
            raise Counting
        return self.known

    def count(self, served: Snapshot) -> None:
        """Begin to count the version served now, unless that is done or under way."""
        if self.known is not None and self.known.edition == served.edition:
            return
        under_way = self._counting is not None and not self._counting.done()
        if not under_way and time.monotonic() >= self._again_at:
            self._counting = _counted_in_thread(served)
            self._counting.add_done_callback(self._counted)

    def _counted(self, counted: asyncio.Future[Facts]) -> None:
        if counted.cancelled():
            return
        error = counted.exception()
        if error is None:
            self.known = counted.result()
            return
        self._again_at = time.monotonic() + COUNT_AGAIN
        log.error("the pages' figures cannot be counted: %s", type(error).__name__)


def _counted_in_thread(served: Snapshot) -> asyncio.Future[Facts]:
    """The facts of a version, counted in a daemon thread: it must not keep the process from ending."""
    done: Future[Facts] = Future()

    def work() -> None:
        try:
            done.set_result(counting.count(served))
        except BaseException as error:  # handed to the one who waits
            done.set_exception(error)

    threading.Thread(target=work, name="mouvements-pages", daemon=True).start()
    return asyncio.wrap_future(done)
