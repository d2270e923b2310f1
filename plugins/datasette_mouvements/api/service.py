"""What all requests of one Datasette instance need: its settings, its data, its charges."""

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

from .. import addresses, logs
from ..config import Config
from ..dataset.coverage import Coverage, marked, with_credits
from ..dataset.nights import LastRun, last_run
from ..dataset.served import DataVersion, Served
from ..keys import keys
from ..keys.charging import Charging
from ..keys.store import Charge, Store, StoreUnavailable
from ..refusal import NO_PLACE_FOR_KEYS, SITE, Refusal, unavailable

# A host's name or address with a port (RFC 9110, section 7.2), without the marks that no name has; no longer than one
# may be, because each kept answer holds it.
HOST = re.compile(rb"(?:[0-9A-Za-z._~-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{0,5})?")
Clock = Callable[[], datetime]
# ASGI's.
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def now() -> datetime:
    return datetime.now(UTC)


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
        self, config: Config, served: Served, store: Store, prefix: str = "", clock: Clock = now
    ) -> None:
        self._given = config
        self.served = served
        self.clock = clock
        self.prefix = prefix
        # Absolute addresses contain the request's Host: no cache may give them to another Host.
        self.reflects_host = not config.public_url
        self.keeps_keys = store.lasts
        self.charging = Charging(store, config.quota, lambda: self.clock())
        self.speak_for(served.version)

    @property
    def version(self) -> DataVersion | None:
        """The version served now."""
        return self.served.version

    def speak_for(self, version: DataVersion | None) -> None:
        """Say in every answer where the lists of a version come from, or that its people are invented."""
        self.invented = version is not None and version.invented
        attribution = self._given.attribution
        if self.invented:
            attribution = marked(attribution)
        # Of pages, whose footers name the sources with their days.
        self.own_attribution = attribution
        if version is not None and not self.invented:
            attribution = with_credits(attribution, version.coverage)
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
        """The day in Paris; with invented data, which never age, the day after their newest list."""
        version = self.version
        if version is not None and version.invented:
            return version.day
        return self.clock().astimezone(PARIS).date()

    def url(self, path: str) -> str:
        """The address of `path`: absolute if `public_url` is set, else a path."""
        return (self.config.public_url or self.prefix) + path

    def below(self, path: str) -> str:
        """The path without base_url, which a proxy may have removed already: core answers both."""
        prefix = self.prefix
        return path.removeprefix(prefix) if path.startswith(f"{prefix}/") else path

    def freshness(self, version: DataVersion | None) -> dict[str, Freshness]:
        """How old the last list of each chamber is, in a version; empty without data."""
        if version is None:
            return {}
        today, most = self.today, self.config.late_days
        return {
            chamber: Freshness(lists, lists.age(today), lists.late(today, most))
            for chamber, lists in version.coverage.items()
        }

    def last_run(self) -> LastRun | None:
        """The last run of the mornings; None where the file tells of none. With invented data none is late."""
        if self.version is None:
            return None
        last = last_run(self.version.nights, self.today)
        return last and last._replace(late=last.late and not self.invented)

    def origin(self, scope: Scope) -> str:
        """The site's address for this request: absolute, unless its Host is not a host's name."""
        if not self.config.public_url:
            host = b""
            for name, value in scope["headers"]:
                if name == b"host":
                    host = value
            # A trusted proxy may hand on any text.
            if HOST.fullmatch(host) and scope["scheme"] in ("http", "https"):
                return f"{scope['scheme']}://{host.decode()}{self.prefix}"
        return self.url("")

    def address(self, scope: Scope) -> str:
        """The search's address, for an example that clients copy."""
        return self.origin(scope) + addresses.SEARCH

    def links_at(self, origin: str) -> str:
        """The links (RFC 8288) of every answer to a request at `origin`."""
        return self.links.replace(SITE, origin)

    async def paying_key(self, scope: Scope, account: str) -> bytes:
        """The digest of the key that pays for a request of the site's own addresses: its own, else that of `account`.

        A key in the headers prevails, even a bad one. Raises Refusal: `key_missing`, whose message depends on the
        query, `key_invalid`, or `unavailable` where no keys are kept or the store does not answer.
        """
        if self.keeps_keys and account and account_may_pay(scope["headers"]):
            try:
                digest = await self.charging.call(self.charging.store.live_digest, account)
            except StoreUnavailable:
                raise unavailable() from None
            if digest is not None:
                return digest
        return self.key_of(scope)

    def key_of(self, scope: Scope) -> bytes:
        """The digest of the request's key; Refusal for none, a malformed one, or a service that keeps none."""
        if not self.keeps_keys:
            raise Refusal("unavailable", NO_PLACE_FOR_KEYS)
        address = partial(self.address, scope)
        return keys.verify(scope["headers"], address, scope["query_string"])

    async def charge(self, scope: Scope, digest: bytes, amount: int) -> Charge:
        """Charge a key `amount` (see `store.Demand`); the charge may not be granted.

        Raises Refusal: `key_invalid` for a key that is unknown or ended, `unavailable`.
        """
        try:
            charge = await self.charging.charge(digest, amount)
        except StoreUnavailable:
            raise unavailable() from None
        if charge is None:
            raise keys.refused("key_invalid", keys.UNKNOWN, self.address(scope))
        return charge

    async def pay(self, scope: Scope, digest: bytes, amount: int = 1) -> Charge:
        """Charge a request for what needs data, or look (0) whether it could be.

        Raises Refusal as `charge`, and where nothing is left or, at no charge, there is no data.
        """
        charge = await self.charge(scope, digest, amount if self.served.version else 0)
        if self.served.version is None:
            raise unavailable(charge)
        if not charge.granted:
            raise Refusal(
                "quota",
                f"Le quota de {charge.limit} demandes par jour de cette clé est atteint. Il revient à"
                " minuit, heure de Paris : attendez le nombre de secondes donné par l’en-tête"
                " Retry-After. Pour moins demander, prenez de plus grandes pages (paramètre limit) et"
                " envoyez If-None-Match : une réponse 304 n’est pas comptée.",
                quota=charge,
            )
        return charge

    def log(self, scope: Scope, status: int, key: int | None, began: float) -> None:
        """Write a line for one answer where the setting `log_requests` asks for it; see `logs.log_request`."""
        if self.config.log_requests:
            logs.log_request(scope, status, key, began)

    def close(self) -> None:
        self.charging.close()
        self.served.close()


def account_of(actor: Any) -> str:
    """The signed-in account; "" for nobody, and for a program that comes with an account's token."""
    if not actor or "token" in actor:
        return ""
    return str(actor.get("id") or "")


def account_may_pay(headers: keys.RequestHeaders) -> bool:
    """Whether a signed-in account may pay for a request with these headers.

    A key in the headers pays instead, and another site's link or image spends no visitor's quota.
    """
    return keys.credentials(headers) is None and not any(
        name == b"sec-fetch-site" and value in (b"cross-site", b"same-site")
        for name, value in headers
    )
