"""The state of a running service, for a load balancer: /-/mouvements/etat."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ..access.stores.store import StoreUnavailable
from ..api import coverage, replies
from ..api.service import Service
from ..dataset.served.nights import LastRun
from ..refusal import NO_PLACE_FOR_KEYS

PATH = "/-/mouvements/etat"
# Seconds between two questions to the store, however often the state is asked for.
ASK_STORE_EVERY = 1.0


class Health:
    """The state of one service; it needs no key and costs nothing."""

    def __init__(self, service: Service, clock: Callable[[], float] = time.monotonic) -> None:
        self.service = service
        self._clock = clock
        self._asked = float("-inf")
        self._reachable = False
        self._asking = asyncio.Lock()

    async def reply(self) -> replies.Reply:
        """200 if a request would be answered, else 503; the body says what is missing.

        Late or refused lists are in the body of a 200 too.
        """
        live, snapshot = self.service.live, self.service.live.snapshot
        store = await self._store_reachable()
        good = snapshot is not None and store
        last = live.last_refusal
        body: dict[str, Any] = {
            "etat": "disponible" if good else "indisponible",
            "version": snapshot.version if snapshot else None,
            "construite_le": snapshot.built_at if snapshot else None,
            "dernier_passage": _run(self.service.last_run()),
            "dernier_jour": snapshot.latest if snapshot else None,
            "mouvements": snapshot.rows if snapshot else None,
            "depuis": _instant(live.since if snapshot else None),
            "dernier_refus": {"motif": last[0], "le": _instant(last[1])} if last else None,
            "fichier_refuse": live.refused is not None,
            "cles_joignables": store,
            "motif": None if self.service.keeps_keys else NO_PLACE_FOR_KEYS,
            "chambres": {
                chamber: {
                    "premiere_liste": one.lists.first or None,
                    "derniere_liste": one.lists.last or None,
                    "age_jours": one.age,
                    "refusee_depuis": one.lists.refused_since or None,
                    "en_retard": one.late,
                    "trous": coverage.holes(one.lists),
                }
                for chamber, one in self.service.freshness().items()
            },
            "licence": self.service.config.licence,
            "attribution": self.service.config.attribution,
        }
        return replies.health(json.dumps(body, ensure_ascii=False).encode(), good)

    async def _store_reachable(self) -> bool:
        async with self._asking:
            if self._clock() - self._asked >= ASK_STORE_EVERY:
                queue = self.service.charge_queue
                try:
                    self._reachable = await queue.run(queue.store.reachable, self.service.clock())
                except StoreUnavailable:
                    self._reachable = False
                self._asked = self._clock()
        return self._reachable


def _run(last: LastRun | None) -> dict[str, Any] | None:
    """The last run of the mornings: a service whose file nobody makes every morning has none."""
    return last and {
        "le": last.day,
        "statut": last.outcome,
        "points_a_voir": last.open,
        "en_retard": last.late,
    }


def _instant(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
