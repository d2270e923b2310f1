"""What all requests of one Datasette instance need: its settings, its data, its queue of charges."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from hashlib import blake2s
from typing import Any, NamedTuple

from parlement_lists.movement import PARIS

from .. import addresses
from ..access import key_refusals, payer
from ..access.charge_queue import ChargeQueue
from ..access.charging import Charge
from ..access.stores.store import Store, StoreUnavailable
from ..config import Config
from ..dataset.coverage import Coverage
from ..dataset.credits import marked, with_credits
from ..dataset.served.live import Live
from ..dataset.served.nights import LastRun, last_run
from ..dataset.served.snapshot import Snapshot
from ..refusal import SITE, no_place_for_keys, unavailable

_HOST = re.compile(rb"[0-9A-Za-z.:\[\]-]{1,255}")
Clock = Callable[[], datetime]
# ASGI's.
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def now() -> datetime:
    return datetime.now(UTC)


class Payment(NamedTuple):
    """The key that a request was charged to, and what it has left."""

    digest: bytes
    charge: Charge


class Freshness(NamedTuple):
    """How old the last list of a chamber is; `age` is None where it has none."""

    lists: Coverage
    age: int | None  # in days
    late: bool


class Service:
    """Everything a request needs; `prefix` is Datasette's base_url without its final slash.

    `config` are the settings in force, `config.attribution` with the sources of the lists that are served.
    With invented data, the attribution says that they are invented, and no source is named.
    """

    def __init__(
        self, config: Config, live: Live, store: Store, prefix: str = "", clock: Clock = now
    ) -> None:
        self._given = config
        self.live = live
        self.clock = clock
        self.prefix = prefix
        # Absolute addresses contain the request's Host: no cache may give them to another Host.
        self.reflects_host = not config.public_url
        self.keeps_keys = store.lasts
        self.charge_queue = ChargeQueue(store, config.quota, lambda: self.clock())
        self.speak_for(live.snapshot)

    def speak_for(self, snapshot: Snapshot | None) -> None:
        """Say in every answer where the lists of `snapshot` come from, or that its people are invented."""
        self.invented = snapshot is not None and snapshot.invented
        attribution = self._given.attribution
        if self.invented:
            attribution = marked(attribution)
        # Of pages, whose footers name the sources with their days.
        self.own_attribution = attribution
        if snapshot is not None and not self.invented:
            attribution = with_credits(attribution, snapshot.coverage)
        self.config = replace(self._given, attribution=attribution)
        # The end of every answer's JSON.
        self.credits = json.dumps(
            {"licence": self.config.licence, "attribution": self.config.attribution},
            ensure_ascii=False,
            separators=(",", ":"),
        )[1:].encode()
        licence_address = self.config.licence_address
        # Those of every answer (RFC 8288), with SITE where the origin of a request comes.
        self.links = ", ".join(
            (
                *((f'<{licence_address}>; rel="license"',) if licence_address else ()),
                f'<{SITE}{addresses.DESCRIPTION}>; rel="service-desc"; type="application/json"',
                f'<{SITE}{addresses.DOCUMENTATION}>; rel="service-doc"; type="text/html"',
            )
        )
        # A part of every ETag, because answers contain these settings.
        self.salt = blake2s(self.credits, digest_size=4).hexdigest()

    @property
    def today(self) -> date:
        """See `today_of`: of the version that is served."""
        return self.today_of(self.live.snapshot)

    def today_of(self, snapshot: Snapshot | None) -> date:
        """The day in Paris; with invented data, which never age, the day after their newest list."""
        if snapshot is not None and snapshot.invented:
            return snapshot.day
        return self.clock().astimezone(PARIS).date()

    def url(self, path: str) -> str:
        """The address of `path`: absolute if `public_url` is set, else a path."""
        return (self.config.public_url or self.prefix) + path

    def below(self, path: str) -> str:
        """The path without base_url, which a proxy may have removed already: core answers both."""
        prefix = self.prefix
        return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path

    def freshness(self) -> dict[str, Freshness]:
        """How old the last list of each chamber is; empty without data."""
        snapshot = self.live.snapshot
        return {} if snapshot is None else self.freshness_of(snapshot)

    def freshness_of(self, snapshot: Snapshot) -> dict[str, Freshness]:
        """The same of one version."""
        today, most = self.today_of(snapshot), self.config.late_days
        return {
            chamber: Freshness(lists, lists.age(today), lists.late(today, most))
            for chamber, lists in snapshot.coverage.items()
        }

    def last_run(self) -> LastRun | None:
        """The last run of the mornings; None where the file tells of none. With invented data none is late."""
        if self.live.snapshot is None:
            return None
        last = last_run(self.live.snapshot.nights, self.today_of(self.live.snapshot))
        return last and last._replace(late=last.late and not self.invented)

    def origin(self, scope: Scope) -> str:
        """The site's address for this request: absolute, unless its Host is not a host's name."""
        if not self.config.public_url:
            host = b""
            for name, value in scope["headers"]:
                if name == b"host":
                    host = value
            # A trusted proxy may hand on any text.
            if _HOST.fullmatch(host) and scope["scheme"] in ("http", "https"):
                return f"{scope['scheme']}://{host.decode()}{self.prefix}"
        return self.url("")

    def address(self, scope: Scope) -> str:
        """The search's address, for an example that clients copy."""
        return self.origin(scope) + addresses.SEARCH

    def links_at(self, origin: str) -> str:
        """The links (RFC 8288) of every answer to a request at `origin`."""
        return self.links.replace(SITE, origin)

    async def paying_key(self, scope: Scope, account: str) -> bytes:
        """The digest of the key that pays for a request: its own, else the live one of `account`.

        Raises Refusal as `payer.payer` does, and where no keys are kept.
        """
        self.require_keys()
        return await payer.payer(
            self.charge_queue,
            scope["headers"],
            account,
            partial(self.address, scope),
            scope["query_string"],
        )

    async def pay(self, scope: Scope, account: str) -> Payment:
        """Charge a request for one of the site's own addresses.

        Raises Refusal: nobody pays, nothing is left, or, at no charge, there is no data or no place
        for keys.
        """
        digest = await self.paying_key(scope, account)
        ready = self.live.snapshot is not None
        charge = await self.charge(scope, digest, 1 if ready else 0)
        if not ready:
            raise unavailable(charge)
        if not charge.granted:
            raise payer.exhausted(charge)
        return Payment(digest, charge)

    def require_keys(self) -> None:
        """Refuse a request that needs a key, on a service that cannot keep keys."""
        if not self.keeps_keys:
            raise no_place_for_keys()

    async def charge(self, scope: Scope, digest: bytes, amount: int) -> Charge:
        """Charge a key `amount` (see `charging.Demand`); the charge may not be granted.

        Raises Refusal: `key_invalid` for a key that is unknown or ended, `unavailable`.
        """
        try:
            charge = await self.charge_queue.charge(digest, amount)
        except StoreUnavailable:
            raise unavailable() from None
        if charge is None:
            raise key_refusals.unknown(self.address(scope))
        return charge

    async def give_back(self, payment: Payment) -> Charge:
        """Undo a charge; what the key has left."""
        return await payer.give_back(self.charge_queue, *payment)

    def close(self) -> None:
        self.charge_queue.close()
        self.live.close()
