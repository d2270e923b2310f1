"""What answers which path and method: one request's way through /v1/mouvements.

The routes are ASGI, in front of Datasette's own: core then never reads the credentials of a /v1
request (it would answer a bad `Bearer dstok_...` itself, in its own form), never answers an
unknown /v1 path with HTML, and a request is spared the work that core does for pages.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote

from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from .. import logs
from ..access import keys, payer
from ..access.charging import Charge
from ..dataset.snapshot import NotServable, Snapshot
from ..refusal import KINDS, Refusal, unavailable
from . import compression, envelope, openapi, replies, telemetry
from .parameters import Search, parse, query_string, shown
from .replies import Headers, PreparedPage, Reply
from .search import find_page, page_at_once
from .service import ROUTE, Payment, Scope, Service

log = logging.getLogger(__name__)
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

Operation = Callable[[Scope], Awaitable[Reply]]

ALIAS = "/mouvements"
# So many query strings are remembered as parsed; clients repeat few.
PARSED_MOST = 2048
# A longer one is not remembered: every parameter at its longest takes less.
PARSED_LONGEST = 1024
DESCRIPTIONS_MOST = 8
_ATTRIBUTE = "_mouvements_routes"


class Routes:
    """The interface of one service, as a function of a request's ASGI scope."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._known = {
            ROUTE: self._search,
            ALIAS: self._alias,
            "/v1/openapi.json": self._openapi,
            "/v1/quota": self._quota,
        }
        self._by_raw_path = {
            (service.prefix + path).encode(): answer for path, answer in self._known.items()
        }
        # The Host that descriptions are made of is the client's to choose: few are remembered.
        self._described = functools.lru_cache(maxsize=DESCRIPTIONS_MOST)(
            functools.partial(openapi.document, service)
        )

    def find(self, scope: Scope) -> Operation | None:
        """What answers this path; None if it is not the interface's."""
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        answer = self._by_raw_path.get(raw)
        if answer is None and (raw[:3] == b"/v1" or self.service.prefix or b"%" in raw):
            return self._find_spelled(raw.partition(b"?")[0])
        return answer

    def _find_spelled(self, raw: bytes) -> Operation | None:
        """The same for a path with escapes, a prefix, or nothing there."""
        path = unquote(self.service.below(raw.decode("latin-1")))
        if b"%2f" not in raw.lower() and path in self._known:
            return self._known[path]
        if path == "/v1" or path.startswith("/v1/"):
            return self._not_found
        return None

    async def __call__(self, operation: Operation, scope: Scope, send: Send) -> None:
        """Answer the request with what `find` gave for it."""
        began = time.perf_counter()
        reply = await self._answer(operation, scope)
        telemetry.requests.add(1, telemetry.BY_STATUS[reply.status])
        if self.service.config.log_requests:
            logs.log_request(scope, reply.status, reply.key, began)
        await replies.send_reply(reply, scope, send)

    async def _answer(self, operation: Operation, scope: Scope) -> Reply:
        try:
            return await operation(scope)
        except Refusal as refused:
            return replies.refuse(self.service, refused)

    def malformed(self) -> bytes:
        """The whole response to what is not HTTP, where no route is known: the connection ends."""
        refused = Refusal("malformed", KINDS["malformed"].meaning)
        reply = replies.refuse(self.service, refused)
        telemetry.requests.add(1, telemetry.BY_STATUS[reply.status])
        lines = [b"%s: %s\r\n" % pair for pair in [*reply.headers, (b"connection", b"close")]]
        return b"HTTP/1.1 400 Bad Request\r\n%s\r\n%s" % (b"".join(lines), reply.body)

    async def _alias(self, scope: Scope) -> Reply:
        return replies.canonical(self.service, await self._answer(self._search, scope))

    async def _search(self, scope: Scope) -> Reply:
        method = scope["method"]
        if method != "GET" and method != "HEAD":
            return await self._method_not_allowed(scope)
        service = self.service
        headers: Headers = scope["headers"]
        digest = self._key(scope)
        snapshot = service.live.snapshot
        asked = _parse(scope["query_string"])
        tag = b""
        amount = 0  # a 503 and a 304 only look at the key
        if snapshot is not None:
            amount = 1
            if not isinstance(asked, Refusal):
                tag = envelope.etag(service, snapshot.version, asked[1])
                if _matches(headers, tag):
                    amount = 0
        charge = await service.charge(scope, digest, amount)
        if snapshot is None:
            raise unavailable(charge)
        if not charge.granted:  # a look too is granted only while something remains
            raise payer.exhausted(charge)
        if isinstance(asked, Refusal):
            asked.known = charge
            raise asked
        if amount == 0:
            return replies.not_modified(service, charge, tag)
        try:
            prepared = await self._page(snapshot, *asked, tag)
        except (sqlite3.Error, NotServable) as error:
            log.error("movements cannot be read: %s", type(error).__name__)
            raise unavailable(await service.give_back(Payment(digest, charge))) from None
        return replies.page(service, prepared, charge, compression.accepts_gzip(headers))

    def _key(self, scope: Scope) -> bytes:
        """The digest of the request's key; Refusal if it has none, one that cannot be, or none can."""
        self.service.require_keys()
        return keys.verify(scope["headers"], functools.partial(self.service.address, scope))

    async def _page(
        self, snapshot: Snapshot, search: Search, normalised: str, tag: bytes
    ) -> PreparedPage:
        known: PreparedPage | None = snapshot.pages.get(search)
        if known is not None:
            telemetry.pages.add(1, telemetry.FROM_MEMORY)
            return known
        began = time.perf_counter()
        span = telemetry.tracer.start_span("mouvements.search")
        try:
            found = page_at_once(snapshot, search) or await find_page(snapshot, search)
        finally:
            span.end()
        telemetry.pages.add(1, telemetry.FROM_SEARCH)
        telemetry.search_time.record(time.perf_counter() - began)
        prepared = replies.prepared_page(self.service, search, found, tag)
        snapshot.pages.put(search, prepared, prepared.weight)
        return prepared

    async def _charge_known_key(self, scope: Scope) -> Charge | None:
        """Charge a request that routing alone answers, if a known key came with it."""
        try:
            return await self.service.charge(scope, self._key(scope), 1)
        except Refusal:
            return None

    async def _method_not_allowed(self, scope: Scope) -> Reply:
        if scope["method"] == "OPTIONS":
            return replies.preflight(self.service)
        raise Refusal(
            "method",
            f"La méthode {shown(scope['method'])} n’est pas admise : le service est en lecture"
            f" seule et accepte {replies.METHODS}.",
            known=await self._charge_known_key(scope),
        )

    async def _not_found(self, scope: Scope) -> Reply:
        if scope["method"] == "OPTIONS":
            return replies.preflight(self.service)
        raise Refusal(
            "not_found",
            f"Rien ne répond à cette adresse ; les mouvements sont à {self.service.url(ROUTE)},"
            f" la documentation à {self.service.url('/documentation')}.",
            known=await self._charge_known_key(scope),
        )

    async def _quota(self, scope: Scope) -> Reply:
        """What the key has left; costs nothing."""
        if scope["method"] not in ("GET", "HEAD"):
            return await self._method_not_allowed(scope)
        charge = await self.service.charge(scope, self._key(scope), 0)
        return replies.quota(self.service, charge)

    async def _openapi(self, scope: Scope) -> Reply:
        """The description of the interface; needs no key and costs nothing."""
        if scope["method"] not in ("GET", "HEAD"):
            return await self._method_not_allowed(scope)
        described = self._described(self.service.origin(scope))
        return replies.document(self.service, described, None)


def routes_of(datasette: Datasette) -> Routes | None:
    """The instance's interface; None before startup, or where no movements are served."""
    return getattr(datasette, _ATTRIBUTE, None)


def attach(datasette: Datasette, service: Service) -> None:
    """Make the service's interface that of the instance, which `routes_of` then finds."""
    setattr(datasette, _ATTRIBUTE, Routes(service))


def _parse(query: bytes) -> tuple[Search, str] | Refusal:
    """The search and its normalised query, or what is wrong with it."""
    try:
        return (_parsed if len(query) <= PARSED_LONGEST else _parsed.__wrapped__)(query)
    except Refusal as refused:
        return refused


@functools.lru_cache(maxsize=PARSED_MOST)
def _parsed(query: bytes) -> tuple[Search, str]:
    search = parse(query)
    return search, query_string(search)


def _matches(headers: Headers, tag: bytes) -> bool:
    """Whether If-None-Match holds the tag, compared weakly (RFC 9110, section 13.1.2)."""
    for name, value in headers:
        if name == b"if-none-match":
            for candidate in value.split(b","):
                candidate = candidate.strip()
                if candidate == b"*" or candidate.removeprefix(b"W/") == tag[2:]:
                    return True
    return False
