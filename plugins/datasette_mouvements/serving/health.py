"""The state of a running service, for a load balancer: /-/mouvements/etat."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ..api import answers, replies
from ..api.service import Service
from ..keys.store import StoreUnavailable
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
        served, version = self.service.served, self.service.version
        store = await self._store_reachable()
        good = version is not None and store
        last, last_run = served.last_refusal, self.service.last_run()
        body: dict[str, Any] = {
            "etat": "disponible" if good else "indisponible",
            "version": version.version if version else None,
            "construite_le": version.built_at if version else None,
            # A service whose file nobody makes every morning has none.
            "dernier_passage": last_run
            and {
                "le": last_run.day,
                "statut": last_run.outcome,
                "points_a_voir": last_run.open,
                "en_retard": last_run.late,
            },
            "dernier_jour": version.latest if version else None,
            "mouvements": version.rows if version else None,
            "depuis": _instant(served.since if version else None),
            "dernier_refus": {"motif": last[0], "le": _instant(last[1])} if last else None,
            "fichier_refuse": served.refused is not None,
            "cles_joignables": store,
            "motif": None if self.service.keeps_keys else NO_PLACE_FOR_KEYS,
            "chambres": {
                chamber: {
                    "premiere_liste": fresh.lists.first or None,
                    "derniere_liste": fresh.lists.last or None,
                    "age_jours": fresh.age,
                    "refusee_depuis": fresh.lists.refused_since or None,
                    "en_retard": fresh.late,
                    "trous": answers.described(fresh.lists)["trous"],
                }
                for chamber, fresh in self.service.freshness(self.service.version).items()
            },
            "licence": self.service.config.licence,
            "attribution": self.service.config.attribution,
        }
        return replies.health(json.dumps(body, ensure_ascii=False).encode(), good)

    async def _store_reachable(self) -> bool:
        async with self._asking:
            if self._clock() - self._asked >= ASK_STORE_EVERY:
                charging = self.service.charging
                try:
                    reachable = charging.store.reachable
                    self._reachable = await charging.call(reachable, self.service.clock())
                except StoreUnavailable:
                    self._reachable = False
                self._asked = self._clock()
        return self._reachable


def _instant(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
