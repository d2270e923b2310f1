"""One request for a page, an export or a query: judged, read, given its turn, then let through or refused."""

from __future__ import annotations

import asyncio
import re
import time
from functools import partial
from typing import Any
from urllib.parse import unquote

from datasette import PayloadTooLarge, Request, TokenInvalid
from datasette.app import Datasette
from datasette.plugins import pm
from datasette.utils import await_me_maybe

from .. import addresses, logs
from ..access import keys, payer
from ..access.payer import account_may_pay, account_of
from ..access.slots import GiveBack
from ..api import replies
from ..api.replies import Headers, header, send_reply
from ..api.routes import App, Receive, Send
from ..api.service import Payment, Scope, Service
from ..pages.downloads import file_headers
from ..refusal import Refusal
from .database import VISITING
from .exports import Access, Exports, table_of
from .limits import Answered, Body, check_address, giving_way, until_gone
from .page_queues import STATIC, Turns

# Headers of whatever Datasette answers, unless the page sets them itself.
PAGE_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
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
        self.turns = Turns(datasette, self.exports)


class Visit:
    """One request; `path` is its path below base_url as core reads it, undecoded."""

    def __init__(self, shared: Shared, scope: Scope, path: str) -> None:
        self.shared = shared
        self.service = shared.service
        self.scope = scope
        self.headers: Headers = scope["headers"]
        self.path = path
        decoded = unquote(path)
        self.file = decoded if addresses.is_file(decoded) else ""
        self.access = self._access()

    async def answer(self, receive: Receive, send: Send) -> None:
        """Answer the request, whatever comes of it."""
        began = time.perf_counter()
        body = Body(self.headers, receive)
        if self.file:
            send = file_headers.never_shared(self.service, send)
        answered = Answered(send)
        sending: Send = answered.send
        try:
            if self.access in _PAID and self.scope["method"] == "OPTIONS":
                await send_reply(replies.preflight(self.service), self.scope, send)
                return
            if self.file and self.scope["method"] == "OPTIONS":
                reply = file_headers.preflight(self.service, self._opened)
                await send_reply(reply, self.scope, send)
                return
            if self.file and self.scope["method"] not in ("GET", "HEAD"):
                raise replies.method_refused(self.scope)
            if self.access is not Access.EVERYONE:
                sending = _not_kept_long(sending)
            await self._read(body)
            if not body.gone:
                work = giving_way(self._let_through(body, sending))
                await until_gone(body.follow, work, answered)
        except Refusal as refused:
            reply = replies.for_visitor(self.service, self.scope, refused)
            if self._opened:
                reply = file_headers.without_quota(reply)
            if self.access in _PAID and self.service.config.log_requests:
                logs.log_request(self.scope, reply.status, reply.key, began)
            await send_reply(reply, self.scope, send)

    def _access(self) -> Access:
        site = header(self.scope, b"sec-fetch-site")
        query, method = self.scope["query_string"], self.scope["method"]
        return self.shared.exports.access(self.path, query, method, site)

    @property
    def _opened(self) -> bool:
        """Whether everyone may have the file of all data, which this asks for."""
        return self.service.config.open_whole_file and self.file == addresses.WHOLE_FILE

    async def _read(self, body: Body) -> None:
        """Read the body within bounds; what is beyond is left to other plugins, whose accounts may send files."""
        try:
            await body.read()
        except Refusal:
            if not self.shared.turns.takes_more(self.scope["method"], self.path):
                raise

    async def _actor(self, body: Body) -> Any:
        """Who is signed in, as the other plugins find it; core asks them again, and has its own answer."""
        datasette = self.shared.datasette
        most = datasette.setting("max_post_body_bytes")
        request = Request(self.scope, body.look_ahead(), max_post_body_bytes=most)
        actor: Any = None
        found = pm.hook.actor_from_request(datasette=datasette, request=request)
        try:
            for answer in found:
                try:
                    known = await await_me_maybe(answer)
                except (TokenInvalid, Refusal):  # who sends too much may be known otherwise
                    continue
                actor = actor or known
        except PayloadTooLarge:  # core would end in an error
            raise body.too_large() from None
        finally:
            for left in filter(asyncio.iscoroutine, found):
                left.close()  # what nobody awaited any more is no warning
        return actor

    async def _let_through(self, body: Body, send: Send) -> None:
        """Hand the request to Datasette when its turn comes; Refusal if it may not be."""
        actor = None if self.path.startswith(STATIC) else await self._actor(body)
        if body.refused and not actor:
            raise body.refused
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
        elif self.file and (sent or actor or self._opened):
            # They have places of their own, and look at the key first.
            sending = with_page_headers(send)
            scope = {**self.scope, file_headers.SEND: sending}
            await self.shared.app(scope, body.receive, sending)
        else:
            await self._page(actor, body, send)

    async def _check_address(self) -> None:
        datasette, name = self.shared.datasette, self.service.config.database
        table = table_of(self.path)
        facets = (await datasette.table_config(name, table)).get("facets") or []
        configured = [facet for facet in facets if isinstance(facet, str)]
        check_address(self.path.encode(), self.scope["query_string"], configured, table)

    async def _page(self, actor: Any, body: Body, send: Send) -> None:
        """A page, in its turn: that of who is signed in, else of all visitors.

        What still comes, an account's file for another plugin, waits for its likes only.
        """
        VISITING.set(not actor)
        shared, sending = self.shared, with_page_headers(send)
        streamed = body.refused is not None
        async with shared.turns.place(self.path, actor, streamed) as give_back:
            await shared.app(self.scope, body.receive, _once_ready(sending, give_back))

    async def _paid(self, account: str, body: Body, send: Send) -> None:
        """An export or a query: one at a time of each key, for a charge."""
        service = self.service
        service.require_keys()
        address = partial(service.address, self.scope)
        query = self.scope["query_string"]
        digest = await payer.payer(service.charge_queue, self.headers, account, address, query)
        known = await service.charge(self.scope, digest, 0)  # invented keys take no places
        async with self.shared.turns.accounts.place(f"account {known.account}") as give_back:
            payment = await service.pay(self.scope, account)
            sending = _once_ready(_charged(service, self.scope, payment, send), give_back)
            await self.shared.app(self.scope, body.receive, sending)


def _charged(service: Service, scope: Scope, payment: Payment, send: Send) -> Send:
    """`send` for an answer that a key paid for; of a 304, and a failure of Datasette's, the charge is given back."""
    began = time.perf_counter()

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            left, headers = payment.charge, list(message.get("headers", []))
            if message["status"] >= 500 or message["status"] == 304:
                left = await service.give_back(payment)
            if message["status"] == 304:  # core forgets the tag, which it found to be the one sent
                headers.append((b"etag", header(scope, b"if-none-match")))
            headers = replies.export_headers(service, headers, left)
            message = {**message, "headers": headers}
            if service.config.log_requests:
                logs.log_request(scope, message["status"], left.key_id, began)
        await send(message)

    return with_page_headers(sending)


def with_page_headers(send: Send) -> Send:
    """`send`, with the security headers that the page does not set itself.

    How the answer is framed is the server's: core sends `Transfer-Encoding` beside the length of a
    file, which is not HTTP, and which Varnish and later versions of nginx answer with an error.
    """

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            set_already = {name.lower(): value for name, value in headers}
            if b"content-length" in set_already:
                headers = [pair for pair in headers if pair[0].lower() != b"transfer-encoding"]
            if b"frame-ancestors *" in set_already.get(b"content-security-policy", b""):
                set_already[b"x-frame-options"] = b""  # it would say the opposite
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
