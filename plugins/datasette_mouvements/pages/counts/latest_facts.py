"""The facts of the newest data version that was counted, each version once, in a thread."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

from ...dataset.served import DataVersion
from . import counting
from .facts import CountPending, Facts, Part

log = logging.getLogger(__name__)
LAST = max(Part)
# Seconds for which a page waits for a count; seconds after which a failed count is tried again.
BRIEFLY = 2.0
COUNT_AGAIN = 60.0
# Seconds between figures and words: pages that waited for the figures are rendered first, because the
# words take a whole core.
WORDS_LATER = 0.5


class LatestFacts:
    """The facts of the version served now; until it is counted, those of the version before.

    Of the first version since the start each part is told once it is counted.
    """

    def __init__(
        self,
        count: Callable[[DataVersion], Facts] = counting.count,
        briefly: float = BRIEFLY,
        words_later: float = WORDS_LATER,
    ) -> None:
        self._count, self._briefly, self._words_later = count, briefly, words_later
        self.known: Facts | None = None
        self._parts: list[asyncio.Future[Facts]] = []
        self.again_at = 0.0
        self._words_wanted = threading.Event()

    async def get(self, served: DataVersion, part: Part = Part.FIGURES) -> Facts:
        """The facts up to a part; CountPending if no version is counted so far, which is waited for briefly."""
        self.count(served)
        if part > Part.FIGURES:
            self._words_wanted.set()
        if self._parts and not self._has(part):
            await asyncio.wait([self._parts[part]], timeout=self._briefly)
        if self.known is None or not self._has(part):
            raise CountPending
        return self.known

    def _has(self, part: Part) -> bool:
        return self.known is not None and self.known.counted_to >= part

    def count(self, served: DataVersion) -> None:
        """Begin to count the version served now, unless that is done or under way."""
        if self.known and self._has(LAST) and self.known.build == served.build:
            return
        under_way = self._parts and not self._parts[-1].done()
        if not under_way and time.monotonic() >= self.again_at:
            if self.known is not None:
                # No page waits for the figures, and names masked since must disappear soon.
                self._words_wanted.set()
            self._parts = self._counted_in_thread(served)
            for part in self._parts:
                part.add_done_callback(self._counted)
            self._parts[-1].add_done_callback(self._ended)

    def _counted(self, part: asyncio.Future[Facts]) -> None:
        if part.cancelled() or part.exception() is not None:
            return
        facts = part.result()
        if not self._has(LAST) or facts.counted_to is LAST:
            self.known = facts

    def _ended(self, last: asyncio.Future[Facts]) -> None:
        error = None if last.cancelled() else last.exception()
        if error is not None:
            self.again_at = time.monotonic() + COUNT_AGAIN
            # To do: look at the disk; replace the file. Pages show the version before, or no
            # figures.
            log.error("the pages' figures cannot be counted: %s", type(error).__name__)

    def _counted_in_thread(self, served: DataVersion) -> list[asyncio.Future[Facts]]:
        """The facts of a version up to each part, counted in a daemon thread.

        It must not keep the process from ending.
        """
        parts: list[Future[Facts]] = [Future() for _ in Part]
        words_wanted = self._words_wanted

        def work() -> None:
            try:
                facts = self._count(served)
                parts[Part.FIGURES].set_result(facts)
                words_wanted.wait(self._words_later)
                facts = replace(facts, counted_words=counting.words(served))
                parts[Part.WORDS].set_result(facts)
            except BaseException as error:  # handed to the one who waits
                for part in parts:
                    if not part.done():
                        part.set_exception(error)

        threading.Thread(target=work, name="mouvements-pages", daemon=True).start()
        return [asyncio.wrap_future(part) for part in parts]
