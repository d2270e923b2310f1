"""One request for a page, an export or a query: judged, read, given its turn, then let through or refused."""

from __future__ import annotations

import re
import time
from functools import partial
from typing import Any

from datasette import Request, TokenInvalid
from datasette.app import Datasette
from datasette.plugins import pm
from datasette.utils import await_me_maybe

from .. import logs
from ..access import keys, payer
from ..access.payer import account_may_pay, account_of
from ..access.places import FairQueue, GiveBack, Queue
from ..api import replies
from ..api.replies import Headers, header, send_reply
from ..api.routes import App, Receive, Send
from ..api.service import KEY_PAGE, Payment, Scope, Service
from ..dataset.schema import TABLES
from ..pages import downloads
from ..refusal import Refusal
from .database import VISITING
from .exports import Access, Exports
from .limits import Answered, Body, check_address, giving_way, until_gone

# Headers of whatever Datasette answers, unless the page sets them itself.
PAGE_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
# Core's static files and those of plugins, which cost next to nothing where they exist.
STATIC = ("/-/static/", "/-/static-plugins/")
STATIC_AT_ONCE = 8
FILES = (downloads.SEARCH, downloads.EVERYTHING)
_PAID = (Access.ACCOUNT, Access.KEY)
# Plugins that cache for ever, as addresses with a digest may be, take whatever lies below a database.
LONGEST_SECONDS = 300
SHORT_LIVED = b"private, no-cache"


class Shared:
    """What the visits of one service share: its addresses, and the places to wait for."""

    def __init__(self, datasette: Datasette, app: App, service: Service) -> None:
        self.datasette = datasette
        self.app = app
        self.service = service
        self.exports = Exports(datasette, service.config.database)
        self.visitors = Queue()
        self.static = Queue(STATIC_AT_ONCE)
        self.accounts = FairQueue()


class Visit:
    """One request; `path` is its path below base_url as core reads it, undecoded."""

    def __init__(self, shared: Shared, scope: Scope, path: str) -> None:
        self.shared = shared
        self.service = shared.service
        self.scope = scope
        self.headers: Headers = scope["headers"]
        self.path = path
        self.access = self._access()

    async def answer(self, receive: Receive, send: Send) -> None:
        """Answer the request, whatever comes of it."""
        began = time.perf_counter()
        body = Body(self.headers, receive)
        answered = Answered(send)
        sending: Send = answered.send
        try:
            if self.access in _PAID and self.scope["method"] == "OPTIONS":
                await send_reply(replies.preflight(self.service), self.scope, send)
                return
            if self.access is not Access.EVERYONE:
                sending = _not_kept_long(sending)
            actor = None if self.path.startswith(STATIC) else await self._actor(receive)
            # Other plugins may let their accounts send files; nothing of ours needs one.
            sends_nothing = self.scope["method"] in ("GET", "HEAD")
            if sends_nothing or not actor or self.access is not Access.EVERYONE or self._is_ours():
                await body.read()
            work = self._let_through(actor, body, sending)
            if body.complete:
                await until_gone(receive, giving_way(work), answered)
            else:
                await work
        except Refusal as refused:
            reply = replies.for_visitor(self.service, self.scope, refused)
            if self.access in _PAID and self.service.config.log_requests:
                logs.log_request(self.scope, reply.status, reply.key, began)
            await send_reply(reply, self.scope, send)

    def _access(self) -> Access:
        if self.service.config.open_exports:
            return Access.EVERYONE
        site = header(self.scope, b"sec-fetch-site")
        query, method = self.scope["query_string"], self.scope["method"]
        return self.shared.exports.access(self.path, query, method, site)

    def _is_ours(self) -> bool:
        return self.path.startswith(KEY_PAGE)

    async def _actor(self, receive: Receive) -> Any:
        """Who is signed in, as the other plugins find it; None for a visitor."""
        datasette = self.shared.datasette
        request = Request(self.scope, receive)
        actor: Any = None
        for found in pm.hook.actor_from_request(datasette=datasette, request=request):
            try:
                known = await await_me_maybe(found)
            except TokenInvalid:
                continue
            actor = actor or known
        return actor

    async def _let_through(self, actor: Any, body: Body, send: Send) -> None:
        """Hand the request to Datasette when its turn comes; Refusal if it may not be."""
        # A link or an image of another site spends nobody's quota, and a key says who pays.
        paying = account_of(actor) if account_may_pay(self.headers) else ""
        sent = keys.credentials(self.headers) is not None
        access = self.access
        if access is Access.BOUNDED and not actor:
            try:
                await self._check_address()
            except Refusal:
                if not sent:
                    raise
                access = Access.KEY
        if access is Access.KEY or (access is Access.ACCOUNT and not paying):
            await self._paid(paying, body, send)
        elif sent and self.path in FILES:
            # They have places of their own, and look at the key first.
            await self.shared.app(self.scope, body.receive, with_page_headers(send))
        else:
            await self._page(actor, body, send)

    async def _check_address(self) -> None:
        datasette, name = self.shared.datasette, self.service.config.database
        configured: set[str] = set()
        for table in TABLES:
            facets = (await datasette.table_config(name, table)).get("facets") or []
            configured |= {facet for facet in facets if isinstance(facet, str)}
        raw: bytes = self.path.encode()
        check_address(raw, self.scope["query_string"], configured)

    async def _page(self, actor: Any, body: Body, send: Send) -> None:
        """A page, in its turn: that of who is signed in, else of all visitors."""
        VISITING.set(not actor)
        shared = self.shared
        if actor:
            place = shared.accounts.place(f"account {actor.get('id')}")
        else:
            place = (shared.static if self.path.startswith(STATIC) else shared.visitors).place()
        async with place as give_back:
            sending = _once_ready(with_page_headers(send), give_back)
            await shared.app(self.scope, body.receive, sending)

    async def _paid(self, account: str, body: Body, send: Send) -> None:
        """An export or a query: one at a time of each key, for a charge."""
        service = self.service
        service.require_keys()
        address = partial(service.address, self.scope)
        digest = await payer.payer(service.charge_queue, self.headers, account, address)
        known = await service.charge(self.scope, digest, 0)  # invented keys take no places
        async with self.shared.accounts.place(f"account {known.account}") as give_back:
            payment = await service.pay(self.scope, account)
            sending = _once_ready(_charged(service, self.scope, payment, send), give_back)
            await self.shared.app(self.scope, body.receive, sending)


def _charged(service: Service, scope: Scope, payment: Payment, send: Send) -> Send:
    """`send` for an answer that a key paid for; a failure of Datasette's is given back."""
    began = time.perf_counter()

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            left = payment.charge
            if message["status"] >= 500:
                left = await service.give_back(payment)
            headers = replies.export_headers(service, list(message.get("headers", [])), left)
            message = {**message, "headers": headers}
            if service.config.log_requests:
                logs.log_request(scope, message["status"], left.key_id, began)
        await send(message)

    return with_page_headers(sending)


def with_page_headers(send: Send) -> Send:
    """`send`, with the security headers that the page does not set itself."""

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            set_already = {name.lower() for name, _ in headers}
            headers += [pair for pair in PAGE_HEADERS if pair[0] not in set_already]
            message = {**message, "headers": headers}
        await send(message)

    return sending


def _once_ready(send: Send, give_back: GiveBack) -> Send:
    """`send`, which gives the place back before the answer: it is sent as slowly as its client reads."""

    async def sending(message: dict[str, Any]) -> None:
        give_back()
        await send(message)

    return sending


def _not_kept_long(send: Send) -> Send:
    """`send`, for a page that names people: what is withdrawn must not live on in caches."""

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = [
                (name, SHORT_LIVED if name.lower() == b"cache-control" and _long(value) else value)
                for name, value in message.get("headers", [])
            ]
            message = {**message, "headers": headers}
        await send(message)

    return sending


def _long(cache_control: bytes) -> bool:
    found = re.search(rb"max-age=([0-9]+)", cache_control)
    return found is not None and int(found[1]) > LONGEST_SECONDS
