"""What one Datasette instance serves with: its settings, its data, its queue of charges."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from hashlib import blake2s
from typing import Any, NamedTuple

from parlement_lists.movement import PARIS

from .. import addresses
from ..access import payer
from ..access.charge_queue import ChargeQueue
from ..access.charging import Charge
from ..access.refusal_counts import RefusalCounts
from ..access.stores.store import Store
from ..config import Config
from ..dataset.coverage import Coverage
from ..dataset.invented import marked
from ..dataset.served.live import Live
from ..dataset.served.snapshot import Snapshot
from ..refusal import no_place_for_keys, unavailable
from . import telemetry

_HOST = re.compile(rb"[0-9A-Za-z.:\[\]-]{1,255}")
Clock = Callable[[], datetime]
Scope = dict[str, Any]


def now() -> datetime:
    return datetime.now(UTC)


class Payment(NamedTuple):
    """A request that was paid for: by which key, and what that key has left."""

    digest: bytes
    charge: Charge


class Freshness(NamedTuple):
    """How fresh the movements of a chamber are today; None where no list tells."""

    lists: Coverage
    age: int | None  # in days
    late: bool


class Service:
    """Everything a request needs, gathered once at startup; `prefix` is Datasette's base_url without its final slash.

    `config` are the settings in force: what is served may be a copy of another service, and then speaks
    with its licence and attribution; and of invented data every credit says so.
    """

    def __init__(
        self, config: Config, live: Live, store: Store, prefix: str = "", clock: Clock = now
    ) -> None:
        self._given = config
        self.live = live
        self.clock = clock
        self.prefix = prefix
        # Absolute addresses are made of the request's Host: no cache may give them to another one.
        self.reflects_host = not config.public_url
        self.keeps_keys = store.lasts
        self.charge_queue = ChargeQueue(store, config.quota, clock)
        self.refusal_counts = RefusalCounts(self.charge_queue, clock)
        self.speak_for(live.snapshot)

    def speak_for(self, snapshot: Snapshot | None) -> None:
        """Answer with the credits of the service that `snapshot` is a copy of, where the settings give none."""
        own, default = self._given, Config()
        licence, attribution = own.licence, own.attribution
        if snapshot is not None and licence == default.licence:
            licence = snapshot.licence or licence
        if snapshot is not None and attribution == default.attribution:
            attribution = snapshot.attribution or attribution
        self.invented = snapshot is not None and snapshot.invented
        if self.invented:
            attribution = marked(attribution)
        self.config = replace(own, licence=licence, attribution=attribution)
        # The end of every envelope.
        self.credits = json.dumps(
            {"licence": self.config.licence, "attribution": self.config.attribution},
            ensure_ascii=False,
            separators=(",", ":"),
        )[1:].encode()
        # The settings that answers hold are part of every ETag.
        self.salt = blake2s(self.credits, digest_size=4).hexdigest()

    @property
    def today(self) -> date:
        """The day in Paris; of invented data, which never age, the one after their newest list."""
        snapshot = self.live.snapshot
        if snapshot is not None and snapshot.invented:
            return snapshot.day
        return self.clock().astimezone(PARIS).date()

    def url(self, path: str) -> str:
        """Where `path` of this service is: absolute if the public address is known, else a path."""
        return (self.config.public_url or self.prefix) + path

    def below(self, path: str) -> str:
        """The path without base_url, which a proxy may have taken off already: core answers both."""
        prefix = self.prefix
        return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path

    def freshness(self) -> dict[str, Freshness]:
        """How fresh the movements of each chamber are; empty without data."""
        if self.live.snapshot is None:
            return {}
        today, most = self.today, self.config.late_days
        return {
            chamber: Freshness(one, one.age(today), one.late(today, most))
            for chamber, one in self.live.snapshot.coverage.items()
        }

    def origin(self, scope: Scope) -> str:
        """Where this site begins, as this request reached it: absolute unless its Host cannot be."""
        if not self.config.public_url:
            host = dict(scope["headers"]).get(b"host", b"")
            # A proxy that is believed may hand on any word.
            if _HOST.fullmatch(host) and scope["scheme"] in ("http", "https"):
                return f"{scope['scheme']}://{host.decode()}{self.prefix}"
        return self.url("")

    def address(self, scope: Scope) -> str:
        """The route's address for an example to copy, as this request reached it."""
        return self.origin(scope) + addresses.SEARCH

    def links_at(self, origin: str) -> str:
        """The links (RFC 8288) of every answer, to one who reached the site at `origin`."""
        licence = self.config.licence_address
        return ", ".join(
            (
                *((f'<{licence}>; rel="license"',) if licence else ()),
                f'<{origin}{addresses.DESCRIPTION}>; rel="service-desc"; type="application/json"',
                f'<{origin}{addresses.DOCUMENTATION}>; rel="service-doc"; type="text/html"',
            )
        )

    async def pay(self, scope: Scope, account: str, amount: int = 1) -> Payment:
        """Charge a request for one of the site's own addresses to its key, or to `account`'s.

        `amount` 0 only looks. Raises Refusal: nobody pays, nothing is left, or, at no charge, there
        is no data or no place for keys.
        """
        self.require_keys()
        address = partial(self.address, scope)
        digest = await payer.payer(
            self.charge_queue, scope["headers"], account, address, scope["query_string"]
        )
        ready = self.live.snapshot is not None
        charge = await self.charge(scope, digest, amount if ready else 0)
        if not ready:
            raise unavailable(charge)
        if not charge.granted:
            raise payer.exhausted(charge)
        return Payment(digest, charge)

    def require_keys(self) -> None:
        """Refuse what a key would pay for where none can be kept, before a key is asked for."""
        if not self.keeps_keys:
            raise no_place_for_keys()

    async def charge(self, scope: Scope, digest: bytes, amount: int) -> Charge:
        """Charge a key; see `payer.charge`."""
        charge = await payer.charge(self.charge_queue, digest, amount, partial(self.address, scope))
        if amount and charge.granted:
            telemetry.charges.add(1)
        return charge

    async def give_back(self, payment: Payment) -> Charge:
        """Undo the charge of a request that failed here; what the key has left."""
        return await payer.give_back(self.charge_queue, *payment)

    def close(self) -> None:
        self.charge_queue.close()
        self.live.close()
