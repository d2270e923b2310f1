"""One request's way through /v1: which operation answers a path and method, and in what order it checks.

It is answered in front of Datasette's own routes. So core never reads the credentials of a /v1 request (it
would answer a bad `Bearer dstok_...` itself, in its own form), never answers an unknown /v1 path with
HTML, and does none of the work that pages need.
"""

from __future__ import annotations

import functools
import logging
import re
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar
from urllib.parse import unquote

from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from .. import addresses, logs
from ..access import key_refusals, payer
from ..access.charging import Charge
from ..dataset.served.snapshot import NotServable, Snapshot
from ..refusal import KINDS, SITE, Refusal, unavailable
from . import coverage, openapi, questions, replies
from .conditional import matches, tag_of
from .listings import MOVEMENTS_LISTING, STAYS_LISTING, Listing
from .parameters.search_parameters import read
from .questions import Question
from .replies import PreparedPage, Reply
from .service import Payment, Scope, Service

log = logging.getLogger(__name__)
# From a request and the version of the data that its answer is of (None without data).
Operation = Callable[[Scope, Snapshot | None], Awaitable[Reply]]
T = TypeVar("T")

ALIAS = "/mouvements"
# An identifier is opaque: a maintainer's file may have its own.
LISTINGS = (MOVEMENTS_LISTING, STAYS_LISTING)
_ONE = {one.address: one for one in LISTINGS}
_BELOW = re.compile(rf"({'|'.join(_ONE)})/(?!\.{{1,2}}$)([^/]+)")
_ATTRIBUTE = "_mouvements_routes"


class Routes:
    """The interface of one service, as a function from a request to its answer.

    Of the request's ASGI scope it reads `method`, `scheme`, `raw_path`, `query_string` and `headers`.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        of_movements: dict[str, Operation] = {
            addresses.SEARCH: self._asking(questions.of_page, MOVEMENTS_LISTING),
            ALIAS: self._alias,
            addresses.CHANGES: self._asking(questions.of_feed, MOVEMENTS_LISTING),
            addresses.DESCRIPTION: self._openapi,
            addresses.QUOTA: functools.partial(self._look, self._quota),
        }
        # Their answers change with stays, lists and members too.
        of_stays: dict[str, Operation] = {
            addresses.STAYS: self._asking(questions.of_stays, service),
            addresses.STAY_CHANGES: self._asking(questions.of_feed, STAYS_LISTING),
            addresses.MEMBERS: self._asking(questions.of_members, service),
            addresses.COVERAGE: functools.partial(self._look, self._coverage),
        }
        self._operations: dict[str, tuple[Operation, Listing]] = {
            path: (operation, listing)
            for listing, some in ((MOVEMENTS_LISTING, of_movements), (STAYS_LISTING, of_stays))
            for path, operation in some.items()
        }
        self._by_raw_path = {
            (service.prefix + path).encode(): found for path, found in self._operations.items()
        }
        answered = [path for path in self._operations if path != ALIAS]
        self._there_is = ", ".join([*answered, *(f"{one.address}/ID" for one in LISTINGS)])
        self._described = ("", b"")  # by `service.salt`: a new file may change the credits

    def _asking(self, read: Callable[..., Question], *given: object) -> Operation:
        """The operation that answers the question which `read` makes of these and of the query string."""
        return functools.partial(self._ask, functools.partial(read, *given))

    def answer(self, scope: Scope) -> Coroutine[Any, Any, Reply] | None:
        """The whole answer to a request, to be awaited; None if its path is none of the interface's."""
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        found = self._by_raw_path.get(raw)
        if found is None and (raw[:3] == b"/v1" or self.service.prefix or b"%" in raw):
            found = self._find_decoded(raw.partition(b"?")[0])
        return None if found is None else self._answer(*found, scope)

    def _find_decoded(self, raw: bytes) -> tuple[Operation, Listing] | None:
        """The operation of a path with escapes or a prefix, of one movement, or unknown."""
        path = unquote(self.service.below(raw.decode("latin-1")))
        if b"%2f" not in raw.lower():
            if path in self._operations:
                return self._operations[path]
            if below := _BELOW.fullmatch(path):
                listing = _ONE[below[1]]
                return self._asking(questions.of_one, listing, below[2]), listing
        if path == "/v1" or path.startswith("/v1/"):
            return self._not_found, MOVEMENTS_LISTING
        return None

    async def _answer(self, operation: Operation, listing: Listing, scope: Scope) -> Reply:
        log_requests = self.service.config.log_requests
        began = time.perf_counter() if log_requests else 0.0
        snapshot = self.service.live.snapshot
        try:
            reply = await operation(scope, snapshot)
        except Refusal as refused:
            reply = replies.refuse(self.service, refused, self.service.origin(scope))
        status, head, body, key = reply
        reply = Reply(status, head + replies.version_head(snapshot, listing), body, key)
        if log_requests:
            logs.log_request(scope, reply.status, reply.key, began)
        return reply

    def malformed(self) -> bytes:
        """The whole response to what is not HTTP; the connection ends after it."""
        refused = Refusal("malformed", KINDS["malformed"].meaning)
        reply = replies.refuse(self.service, refused, self.service.url(""))  # no Host is known
        return replies.http_head(reply, closing=True) + reply.body

    async def _alias(self, scope: Scope, snapshot: Snapshot | None) -> Reply:
        try:
            reply = await self._operations[addresses.SEARCH][0](scope, snapshot)
        except Refusal as refused:
            reply = replies.refuse(self.service, refused, self.service.origin(scope))
        return replies.canonical(self.service, reply, scope)

    async def _ask(
        self, read: Callable[[bytes], Question], scope: Scope, snapshot: Snapshot | None
    ) -> Reply:
        """Answer the question that `read` makes of the query string."""
        method = scope["method"]
        if method != "GET" and method != "HEAD":
            return await self._method_not_allowed(scope)
        service = self.service
        digest = self._key(scope)
        # Wrong parameters are told after the charge.
        fault: Refusal | None = None
        try:
            question = read(scope["query_string"])
        except Refusal as refused:
            fault = refused
        tag = b""
        given = replies.header(scope, b"if-none-match")
        if given and snapshot is not None and fault is None:
            tag = _tag_held(service, snapshot, question, given)
        # A 503 and a 304 only look at the key.
        charge = await service.charge(scope, digest, 0 if snapshot is None or tag else 1)
        if snapshot is None:
            raise unavailable(charge)
        if not charge.granted:  # a look too is granted only while something remains
            raise payer.exhausted(charge)
        if fault is not None:
            fault.quota = charge
            raise fault
        if tag:
            return replies.not_modified(service, charge, tag)
        prepared = _in_memory(snapshot, question)
        if prepared is None:
            work = self.page(snapshot, question)
            prepared = await self.paid_for(Payment(digest, charge), work)
        return replies.page(service, prepared, charge, scope)

    async def paid_for(self, payment: Payment, work: Awaitable[T]) -> T:
        """What `work` finds for a charge, which a 503 gives back; Refusal likewise."""
        try:
            return await work
        except Refusal as refused:
            refused.quota = payment.charge
            if refused.status == 503:
                refused.quota = await self.service.give_back(payment)
            raise
        except (sqlite3.Error, NotServable) as error:
            # To do: look at the disk if it is said once; replace the file if it is said again.
            # The search was answered 503, uncharged.
            log.error("movements cannot be read: %s", type(error).__name__)
            raise unavailable(await self.service.give_back(payment)) from None

    def _key(self, scope: Scope) -> bytes:
        """The digest of the request's key; Refusal for none, a malformed one, or a service that keeps none."""
        self.service.require_keys()
        address = functools.partial(self.service.address, scope)
        return key_refusals.verify(scope["headers"], address, scope["query_string"])

    async def page(self, snapshot: Snapshot, question: Question) -> PreparedPage:
        """The answer to a question, from memory if it is there; raises as `Question.answer`."""
        if cached := _in_memory(snapshot, question):
            return cached
        body, links = await question.answer(self.service, snapshot)
        tag = question.etag(self.service, snapshot)
        prepared = PreparedPage(self.service, body, links, tag)
        snapshot.pages.put(question, prepared, prepared.weight)
        return prepared

    async def _charge_known_key(self, scope: Scope) -> Charge | None:
        """Charge a 404 or a 405 to the key that came with it, if it is a known one."""
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
            f"Rien ne répond à cette adresse. Il y a {self._there_is} ; la documentation est à"
            f" {SITE}{addresses.DOCUMENTATION}.",
            quota=await self._charge_known_key(scope),
        )

    async def _look(
        self,
        answer: Callable[[Charge, Scope, Snapshot | None], Reply],
        scope: Scope,
        snapshot: Snapshot | None,
    ) -> Reply:
        """Answer a key what costs nothing and takes no parameter; a 400 is not charged either."""
        if scope["method"] not in ("GET", "HEAD"):
            return await self._method_not_allowed(scope)
        charge = await self.service.charge(scope, self._key(scope), 0)
        try:
            read(scope["query_string"], {})
        except Refusal as refused:
            refused.quota = charge
            raise
        return answer(charge, scope, snapshot)

    def _quota(self, charge: Charge, scope: Scope, _: Snapshot | None) -> Reply:
        """What the key has left."""
        return replies.quota(self.service, charge, scope)

    def _coverage(self, charge: Charge, scope: Scope, snapshot: Snapshot | None) -> Reply:
        """What lists there are of each chamber in `snapshot`: another may be served since the charge."""
        if snapshot is None:
            raise unavailable(charge)
        # A list is late by the day.
        asked = f"{addresses.COVERAGE} {self.service.today_of(snapshot)}"
        body = snapshot.pages.get(asked)
        if body is None:
            freshness = self.service.freshness_of(snapshot)
            body = coverage.body(self.service, freshness, snapshot.invented)
            snapshot.pages.put(asked, body, len(body))
        return self._settled(body, charge, scope)

    async def _openapi(self, scope: Scope, snapshot: Snapshot | None) -> Reply:
        """The description of the interface; it needs no key and costs nothing."""
        if scope["method"] not in ("GET", "HEAD"):
            return await self._method_not_allowed(scope)
        if self._described[0] != self.service.salt:
            self._described = self.service.salt, openapi.document(self.service)
        text = openapi.at(self._described[1], self.service.origin(scope))
        return self._settled(text, None, scope)

    def _settled(self, body: bytes, charge: Charge | None, scope: Scope) -> Reply:
        """An answer that needs no search, or that it is the one which the client has."""
        tag = tag_of(body)
        if matches(replies.header(scope, b"if-none-match"), tag):
            return replies.not_modified(self.service, charge, tag)
        return replies.page(self.service, PreparedPage(self.service, body, [], tag), charge, scope)


def routes_of(datasette: Datasette) -> Routes | None:
    """The instance's routes; None before startup, or where no movements are served."""
    return getattr(datasette, _ATTRIBUTE, None)


def attach(datasette: Datasette, service: Service) -> None:
    """Give the instance the routes that `routes_of` finds."""
    setattr(datasette, _ATTRIBUTE, Routes(service))


def _in_memory(snapshot: Snapshot, question: Question) -> PreparedPage | None:
    found: PreparedPage | None = snapshot.pages.get(question)
    return found


def _tag_held(
    service: Service, snapshot: Snapshot, question: Question, if_none_match: bytes
) -> bytes:
    """The ETag of the answer if it is a 200 that the client has, else empty."""
    tag = question.etag(service, snapshot)
    return tag if matches(if_none_match, tag) and question.has_answer(snapshot) else b""
