"""What answers which path and method: one request's way through /v1.

The routes are ASGI, in front of Datasette's own: core then never reads the credentials of a /v1
request (it would answer a bad `Bearer dstok_...` itself, in its own form), never answers an
unknown /v1 path with HTML, and a request is spared the work that core does for pages.
"""

from __future__ import annotations

import functools
import logging
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote

from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from .. import addresses, logs
from ..access import key_refusals, payer
from ..access.charging import Charge
from ..dataset.served.snapshot import NotServable, Snapshot
from ..refusal import KINDS, Refusal, unavailable
from . import openapi, questions, replies, telemetry
from .parameters.search_parameters import read
from .questions import Question
from .replies import PreparedPage, Reply
from .service import Payment, Scope, Service

log = logging.getLogger(__name__)
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# Of one version of the data, or none, which is the one that the answer names.
Operation = Callable[[Scope, Snapshot | None], Awaitable[Reply]]

ALIAS = "/mouvements"
# An identifier is opaque, and a maintainer's file may bring its own.
_ONE_MOVEMENT = re.compile(rf"{addresses.SEARCH}/(?!\.{{1,2}}$)([^/]+)")
_ATTRIBUTE = "_mouvements_routes"


class Routes:
    """The interface of one service, as a function of a request's ASGI scope."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._known = {
            addresses.SEARCH: self._search,
            ALIAS: self._alias,
            addresses.CHANGES: self._changes,
            addresses.DESCRIPTION: self._openapi,
            addresses.QUOTA: self._quota,
        }
        self._by_raw_path = {
            (service.prefix + path).encode(): answer for path, answer in self._known.items()
        }
        self._described = ("", b"")  # by the credits, which the file served may change

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
        if b"%2f" not in raw.lower():
            if path in self._known:
                return self._known[path]
            if one := _ONE_MOVEMENT.fullmatch(path):
                return functools.partial(self._movement, one[1])
        if path == "/v1" or path.startswith("/v1/"):
            return self._not_found
        return None

    async def __call__(self, operation: Operation, scope: Scope, send: Send) -> None:
        """Answer the request with what `find` gave for it."""
        began = time.perf_counter()
        snapshot = self.service.live.snapshot
        reply = await self._answer(operation, scope, snapshot)
        reply.headers.extend(replies.version_headers(snapshot))
        telemetry.requests.add(1, telemetry.BY_STATUS[reply.status])
        if self.service.config.log_requests:
            logs.log_request(scope, reply.status, reply.key, began)
        await replies.send_reply(reply, scope, send)

    async def _answer(self, operation: Operation, scope: Scope, snapshot: Snapshot | None) -> Reply:
        try:
            return await operation(scope, snapshot)
        except Refusal as refused:
            return replies.refuse(self.service, refused, self.service.origin(scope))

    def malformed(self) -> bytes:
        """The whole response to what is not HTTP, where no route is known: the connection ends."""
        refused = Refusal("malformed", KINDS["malformed"].meaning)
        reply = replies.refuse(self.service, refused, self.service.url(""))  # no Host is known
        telemetry.requests.add(1, telemetry.BY_STATUS[reply.status])
        lines = [b"%s: %s\r\n" % pair for pair in [*reply.headers, (b"connection", b"close")]]
        return b"HTTP/1.1 400 Bad Request\r\n%s\r\n%s" % (b"".join(lines), reply.body)

    async def _alias(self, scope: Scope, snapshot: Snapshot | None) -> Reply:
        reply = await self._answer(self._search, scope, snapshot)
        return replies.canonical(self.service, reply, scope)

    async def _search(self, scope: Scope, snapshot: Snapshot | None) -> Reply:
        return await self._ask(questions.search, scope, snapshot)

    async def _changes(self, scope: Scope, snapshot: Snapshot | None) -> Reply:
        return await self._ask(questions.following, scope, snapshot)

    async def _movement(self, id: str, scope: Scope, snapshot: Snapshot | None) -> Reply:
        return await self._ask(functools.partial(questions.naming, id), scope, snapshot)

    async def _ask(
        self, read: Callable[[bytes], Question], scope: Scope, snapshot: Snapshot | None
    ) -> Reply:
        """What is asked of the movements by a query string, which `read` understands."""
        method = scope["method"]
        if method != "GET" and method != "HEAD":
            return await self._method_not_allowed(scope)
        service = self.service
        digest = self._key(scope)
        asked = _read(read, scope["query_string"])
        tag = b""
        amount = 0  # a 503 and a 304 only look at the key
        if snapshot is not None:
            amount = 1
            given = replies.header(scope, b"if-none-match")
            if given and not isinstance(asked, Refusal):
                tag = asked.held(service, snapshot, given)
                if tag:
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
            prepared = await self._page(snapshot, asked)
        except Refusal as refused:
            refused.known = charge
            if refused.status == 503:
                refused.known = await service.give_back(Payment(digest, charge))
            raise
        except (sqlite3.Error, NotServable) as error:
            # To do: look at the disk if it is said once; replace the file if it is said again.
            # The search was answered 503, uncharged.
            log.error("movements cannot be read: %s", type(error).__name__)
            raise unavailable(await service.give_back(Payment(digest, charge))) from None
        return replies.page(service, prepared, charge, scope)

    def _key(self, scope: Scope) -> bytes:
        """The digest of the request's key; Refusal if it has none, one that cannot be, or none can."""
        self.service.require_keys()
        address = functools.partial(self.service.address, scope)
        return key_refusals.verify(scope["headers"], address, scope["query_string"])

    async def _page(self, snapshot: Snapshot, asked: Question) -> PreparedPage:
        known: PreparedPage | None = snapshot.pages.get(asked)
        if known is not None:
            telemetry.pages.add(1, telemetry.FROM_MEMORY)
            return known
        began = time.perf_counter()
        span = telemetry.tracer.start_span("mouvements.search")
        try:
            prepared = await asked.prepare(self.service, snapshot)
        finally:
            span.end()
        telemetry.pages.add(1, telemetry.FROM_SEARCH)
        telemetry.search_time.record(time.perf_counter() - began)
        snapshot.pages.put(asked, prepared, prepared.weight)
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
        raise replies.method_refused(scope, await self._charge_known_key(scope))

    async def _not_found(self, scope: Scope, snapshot: Snapshot | None) -> Reply:
        if scope["method"] == "OPTIONS":
            return replies.preflight(self.service)
        raise Refusal(
            "not_found",
            f"Rien ne répond à cette adresse ; les mouvements sont à {self.service.url(addresses.SEARCH)},"
            f" la documentation à {self.service.url(addresses.DOCUMENTATION)}.",
            known=await self._charge_known_key(scope),
        )

    async def _quota(self, scope: Scope, snapshot: Snapshot | None) -> Reply:
        """What the key has left; costs nothing, nor does a parameter, which it has none of."""
        if scope["method"] not in ("GET", "HEAD"):
            return await self._method_not_allowed(scope)
        charge = await self.service.charge(scope, self._key(scope), 0)
        try:
            read(scope["query_string"], {})
        except Refusal as refused:
            refused.known = charge
            raise
        return replies.quota(self.service, charge, scope)

    async def _openapi(self, scope: Scope, snapshot: Snapshot | None) -> Reply:
        """The description of the interface; needs no key and costs nothing."""
        if scope["method"] not in ("GET", "HEAD"):
            return await self._method_not_allowed(scope)
        if self._described[0] != self.service.salt:
            self._described = self.service.salt, openapi.document(self.service)
        text = openapi.at(self._described[1], self.service.origin(scope))
        return replies.document(self.service, text, None, scope)


def routes_of(datasette: Datasette) -> Routes | None:
    """The instance's interface; None before startup, or where no movements are served."""
    return getattr(datasette, _ATTRIBUTE, None)


def attach(datasette: Datasette, service: Service) -> None:
    """Make the service's interface that of the instance, which `routes_of` then finds."""
    setattr(datasette, _ATTRIBUTE, Routes(service))


def _read(read: Callable[[bytes], Question], query: bytes) -> Question | Refusal:
    """What is asked, or what is wrong with it."""
    try:
        return read(query)
    except Refusal as refused:
        return refused
