"""What a running service does once a day: it logs which lists are late, and forgets old counts."""

from __future__ import annotations

import asyncio
import logging

from ..api.service import Freshness, Service
from ..keys.quota_day import KEPT_DAYS, last_days, quota_day
from ..keys.store import StoreUnavailable

log = logging.getLogger(__name__)
LOOK_EVERY = 60.0


class DailyWork:
    """The daily work of one service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._logged: dict[str, Freshness] = {}
        self._forgot = ""

    async def watch(self) -> None:
        """Look every `LOOK_EVERY` seconds, for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_EVERY)

    async def look(self) -> None:
        """Do what is due; what fails in the store is tried again at the next look."""
        today = quota_day(self.service.clock()).day
        self._log_freshness()
        if self.service.keeps_keys and today != self._forgot:
            oldest = last_days(self.service.clock(), KEPT_DAYS + 1)[0]
            charging = self.service.charging
            # Every process does it: what another has done is not left for this one.
            try:
                await charging.call(charging.store.forget_days, oldest)
            except StoreUnavailable:
                return
            self._forgot = today

    def _log_freshness(self) -> None:
        """Log which chambers are late or refused: once a day, and when lists have come. Invented ones never age."""
        if self.service.invented:
            return
        fresh = self.service.freshness(self.service.version)
        if fresh == self._logged:
            return
        self._logged = fresh
        for chamber, freshness in fresh.items():
            last, refused_since = freshness.lists.last, freshness.lists.refused_since
            if refused_since:
                # To do: read the reason in the report of the run or on the page of lists; accept
                # or refuse the lists by name.
                log.warning("%s: lists are refused since %s", chamber, refused_since)
            if freshness.late:
                # To do: see that the morning run ended well, and that the chamber still publishes
                # its list there.
                log.warning(
                    "%s is late: last list of %s, age in days: %d", chamber, last, freshness.age
                )
