"""What answers which path and method: one request's way through /v1/mouvements.

The routes are ASGI, in front of Datasette's own: core then never reads the credentials of a /v1
request (it would answer a bad `Bearer dstok_...` itself, in its own form), never answers an
unknown /v1 path with HTML, and a request is spared the work that core does for pages.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any
from urllib.parse import unquote_to_bytes

from datasette.utils.sqlite import sqlite3

from .. import logs, telemetry
from ..access import keys
from ..access.store import Charge, StoreUnavailable
from ..dataset.snapshot import NotServable, Snapshot
from ..refusal import KINDS, Refusal
from ..service import ROUTE, Service
from . import openapi, replies
from .parameters import Search, parse, query_string, shown
from .replies import Headers, Ready, Reply
from .search import page, page_at_once

log = logging.getLogger(__name__)
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

Operation = Callable[[Scope], Awaitable[Reply]]

ALIAS = "/mouvements"
# Different query strings whose parsing is remembered; clients repeat few.
PARSED_MOST = 2048
# Every parameter at its longest takes less; `&&&...` would only fill the memory.
PARSED_LONGEST = 1024
UNAVAILABLE = (
    "Les données sont momentanément indisponibles ; réessayez dans quelques secondes, par exemple"
    f" après {replies.RETRY_SECONDS} s. Cette demande n’est pas comptée."
)


class Routes:
    """The interface of one service, as a function of a request's ASGI scope."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._known = {
            ROUTE: self._mouvements,
            ALIAS: self._alias,
            "/v1/openapi.json": self._openapi,
            "/v1/quota": self._quota,
        }
        self._by_raw_path = {
            (service.prefix + path).encode(): answer for path, answer in self._known.items()
        }
        self._parsed: dict[bytes, tuple[Search, str] | Refusal] = {}
        self._openapi_of: tuple[str, bytes] = ("", b"")

    def find(self, scope: Scope) -> Operation | None:
        """What answers this path; None if it is not the interface's."""
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        answer = self._by_raw_path.get(raw)
        if answer is None and (raw[:3] == b"/v1" or self.service.prefix or b"%" in raw):
            return self._find_spelled(raw.partition(b"?")[0])
        return answer

    def _find_spelled(self, raw: bytes) -> Operation | None:
        """The same for a path with escapes, a prefix, or nothing there."""
        # A proxy may have taken the prefix off already: core answers both forms, and so does this.
        unprefixed = raw.removeprefix(self.service.prefix.encode())
        path = unquote_to_bytes(unprefixed).decode("utf-8", "replace")
        if b"%2f" not in raw.lower() and path in self._known:
            return self._known[path]
        if path == "/v1" or path.startswith("/v1/"):
            return self._unknown
        return None

    async def __call__(self, operation: Operation, scope: Scope, send: Send) -> None:
        """Answer the request with what `find` gave for it."""
        began = time.perf_counter()
        reply = await self._answered(operation, scope)
        telemetry.requests.add(1, telemetry.BY_STATUS[reply.status])
        if self.service.config.log_requests:
            logs.request(scope, reply.status, reply.key, began)
        await send(
            {"type": "http.response.start", "status": reply.status, "headers": reply.headers}
        )
        body = b"" if scope["method"] == "HEAD" else reply.body
        await send({"type": "http.response.body", "body": body})

    async def _answered(self, operation: Operation, scope: Scope) -> Reply:
        try:
            return await operation(scope)
        except Refusal as refused:
            return replies.refusal(self.service, refused, None)

    def malformed(self) -> bytes:
        """The whole response to what is not HTTP, where no route is known: the connection ends."""
        refused = Refusal("malformed", KINDS["malformed"].meaning)
        reply = replies.refusal(self.service, refused, None)
        telemetry.requests.add(1, telemetry.BY_STATUS[reply.status])
        lines = [b"%s: %s\r\n" % pair for pair in [*reply.headers, (b"connection", b"close")]]
        return b"HTTP/1.1 400 Bad Request\r\n%s\r\n%s" % (b"".join(lines), reply.body)

    async def _alias(self, scope: Scope) -> Reply:
        return replies.canonical(self.service, await self._answered(self._mouvements, scope))

    async def _mouvements(self, scope: Scope) -> Reply:
        method = scope["method"]
        if method != "GET" and method != "HEAD":
            return await self._not_read(scope)
        service = self.service
        headers: Headers = scope["headers"]
        digest = self.key(scope)
        snapshot = service.live.snapshot
        asked = self._parse(scope["query_string"])
        tag = b""
        amount = 0  # a 503 and a 304 only look at the key
        if snapshot is not None:
            amount = 1
            if not isinstance(asked, Refusal):
                tag = replies.etag(service, snapshot.version, asked[1])
                if _matches(headers, tag):
                    amount = 0
        charge = await self.charge(scope, digest, amount)
        if snapshot is None:
            return replies.refusal(service, Refusal("unavailable", UNAVAILABLE), charge)
        if not charge.granted or (amount == 0 and charge.remaining == 0):
            return replies.refusal(service, exhausted(charge), charge)
        if isinstance(asked, Refusal):
            return replies.refusal(service, asked, charge)
        if amount == 0:
            return replies.unchanged(service, charge, tag)
        try:
            ready = await self._page(snapshot, *asked, tag)
        except (sqlite3.Error, NotServable) as error:
            log.error("movements cannot be read: %s", type(error).__name__)
            charge = await self.give_back(digest, charge)
            return replies.refusal(service, Refusal("unavailable", UNAVAILABLE), charge)
        return replies.page(service, ready, charge, _takes_gzip(headers))

    def key(self, scope: Scope) -> bytes:
        """The digest of the request's key; Refusal if it has none, or one that cannot be."""
        return keys.verify(scope["headers"], partial(self.service.address, scope))

    async def charge(self, scope: Scope, digest: bytes, amount: int) -> Charge:
        """Charge the key; Refusal if it is unknown or ended, or if the store does not answer."""
        try:
            charge = await self.service.counter.charge(digest, amount)
        except StoreUnavailable:
            raise Refusal("unavailable", UNAVAILABLE) from None
        if charge is None:
            raise keys.unknown(self.service.address(scope))
        if amount and charge.granted:
            telemetry.charges.add(1)
        return charge

    def _parse(self, query: bytes) -> tuple[Search, str] | Refusal:
        """The search and its normalised query, or what is wrong; remembered."""
        found = self._parsed.get(query)
        if found is None:
            try:
                search = parse(query)
                found = (search, query_string(search))
            except Refusal as refused:
                return refused
            if len(query) <= PARSED_LONGEST:
                if len(self._parsed) >= PARSED_MOST:
                    self._parsed.clear()
                self._parsed[query] = found
        return found

    async def _page(self, snapshot: Snapshot, search: Search, normalised: str, tag: bytes) -> Ready:
        known: Ready | None = snapshot.pages.get(search)
        if known is not None:
            telemetry.pages.add(1, telemetry.FROM_MEMORY)
            return known
        began = time.perf_counter()
        span = telemetry.tracer.start_span("mouvements.search")
        try:
            found = page_at_once(snapshot, search)
            if found is None:
                found = await page(snapshot, search, self.service.config.count_budget_ms / 1000)
        finally:
            span.end()
        telemetry.pages.add(1, telemetry.SEARCHED)
        telemetry.search_time.record(time.perf_counter() - began)
        ready = replies.ready(self.service, search, normalised, found, tag)
        if found.total is not None:
            snapshot.pages.put(search, ready, ready.weight)
        return ready

    async def give_back(self, digest: bytes, charge: Charge) -> Charge:
        """Undo a charge: a 503 costs nothing."""
        try:
            return await self.service.counter.charge(digest, -1, charge.day) or charge
        except StoreUnavailable:
            return charge

    async def _state_of_key(self, scope: Scope) -> Charge | None:
        """Charge a request that routing alone answers, if a known key came with it."""
        try:
            return await self.charge(scope, self.key(scope), 1)
        except Refusal:
            return None

    async def _not_read(self, scope: Scope) -> Reply:
        if scope["method"] == "OPTIONS":
            return replies.preflight(self.service)
        refused = Refusal(
            "method",
            f"La méthode {shown(scope['method'])} n’est pas admise : le service est en lecture"
            f" seule et accepte {replies.METHODS}.",
        )
        return replies.refusal(self.service, refused, await self._state_of_key(scope))

    async def _unknown(self, scope: Scope) -> Reply:
        if scope["method"] == "OPTIONS":
            return replies.preflight(self.service)
        refused = Refusal(
            "not_found",
            f"Rien ne répond à cette adresse ; les mouvements sont à {self.service.url(ROUTE)},"
            f" la documentation à {self.service.url('/documentation')}.",
        )
        return replies.refusal(self.service, refused, await self._state_of_key(scope))

    async def _quota(self, scope: Scope) -> Reply:
        """What the key has left; costs nothing."""
        if scope["method"] not in ("GET", "HEAD"):
            return await self._not_read(scope)
        return replies.quota(self.service, await self.charge(scope, self.key(scope), 0))

    async def _openapi(self, scope: Scope) -> Reply:
        """The description of the interface; needs no key and costs nothing."""
        if scope["method"] not in ("GET", "HEAD"):
            return await self._not_read(scope)
        snapshot = self.service.live.snapshot
        version = snapshot.version if snapshot else ""
        if not self._openapi_of[1] or self._openapi_of[0] != version:
            text = json.dumps(openapi.describe(self.service), ensure_ascii=False, indent=1)
            self._openapi_of = (version, text.encode())
        return replies.document(self.service, self._openapi_of[1], None)


def _matches(headers: Headers, tag: bytes) -> bool:
    """Whether If-None-Match holds the tag, compared weakly (RFC 9110, section 13.1.2)."""
    for name, value in headers:
        if name == b"if-none-match":
            for candidate in value.split(b","):
                candidate = candidate.strip()
                if candidate == b"*" or candidate.removeprefix(b"W/") == tag[2:]:
                    return True
    return False


def _takes_gzip(headers: Headers) -> bool:
    for name, value in headers:
        if name == b"accept-encoding":
            for coding in value.lower().split(b","):
                name, _, parameter = coding.partition(b";")
                if name.strip() in (b"gzip", b"*"):
                    weight = parameter.strip().removeprefix(b"q=").strip()
                    return weight.strip(b"0.") != b"" or weight == b""
    return False


def exhausted(charge: Charge) -> Refusal:
    return Refusal(
        "quota",
        f"Le quota de {charge.limit} demandes par jour de cette clé est atteint. Il revient à"
        " minuit, heure de Paris : attendez le nombre de secondes donné par l’en-tête"
        " Retry-After. Pour moins demander, prenez des pages de 500 mouvements (limit=500) et"
        " envoyez If-None-Match : une réponse 304 n’est pas comptée.",
    )
