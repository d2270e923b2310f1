"""What a running service does when a day turns: it tells how fresh lists are, and forgets old use."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from datasette.app import Datasette

from ..access import open_store
from ..access.quota_day import KEPT_MONTHS, day, months_before
from ..access.stores.store import Store, StoreUnavailable
from ..api.routes import routes_of
from ..api.service import Freshness, Service

log = logging.getLogger(__name__)
LOOK_EVERY = 60.0
# The lock on the counts is held for some milliseconds at a time: a charge waits no longer.
PIECE = 500
PAUSE = 0.05


class Daily:
    """The daily work of one service; `store` is its own connection to the counts, which no charge shares."""

    def __init__(self, service: Service, store: Store) -> None:
        self.service = service
        self.store = store
        # Whatever becomes of a look, the store is in use by one thread at a time.
        self._thread = ThreadPoolExecutor(1, "mouvements-daily")
        self._told: dict[str, Freshness] = {}
        self._forgot = ""

    async def watch(self) -> None:
        """Look for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY)

    async def look(self) -> None:
        """Do what is due; what the store does not take is tried again at the next look."""
        today = day(self.service.clock())
        self._tell()
        if self.service.keeps_keys and today != self._forgot:
            try:
                await self._forget(today)
            except StoreUnavailable:
                return
            self._forgot = today

    def _tell(self) -> None:
        """Log how fresh each chamber is: once a day, since ages grow, and when lists have come."""
        fresh = self.service.freshness()
        if fresh == self._told:
            return
        self._told = fresh
        for chamber, one in fresh.items():
            last, refused_since = one.lists.last, one.lists.refused_since
            if refused_since:
                # To do: read the reason in the report of the run or on the page of lists; accept
                # or refuse the lists by name.
                log.warning("%s: lists are refused since %s", chamber, refused_since)
            if one.late:
                # To do: see that the morning run ended well, and that the chamber still publishes
                # its list there.
                log.warning("%s is late: last list of %s, %d days ago", chamber, last, one.age)
            elif one.age is not None:
                # To do: nothing. Said once a day, and when lists have come.
                log.info("%s: last list of %s, %d days ago", chamber, last, one.age)

    async def _forget(self, today: str) -> None:
        """Leave sums by month of what is older than `KEPT_MONTHS`.

        Every process does it: where another is at it, or has done it, fewer pieces or none are left.
        """
        oldest = months_before(today, KEPT_MONTHS)
        run = partial(asyncio.get_running_loop().run_in_executor, self._thread)
        try:
            while await run(self.store.forget_days, oldest, PIECE):
                await asyncio.sleep(PAUSE)
        finally:
            self._thread.submit(self.store.close)


def begin(datasette: Datasette) -> None:
    """Have the instance do its daily work, where movements are served."""
    routes = routes_of(datasette)
    if routes is not None:
        service = routes.service
        store = open_store(service.config.store, datasette.get_internal_database().path or "")
        daily = Daily(service, store)
        datasette.add_background_task(lambda _: daily.watch(), name="mouvements-daily")
