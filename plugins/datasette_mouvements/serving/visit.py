"""One request for a page, an export or a query: judged, read, queued, then let through or refused."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import parse_qs, unquote

from datasette import PayloadTooLarge, Request, TokenInvalid
from datasette.app import Datasette
from datasette.plugins import pm
from datasette.utils import await_me_maybe

from .. import addresses, logs
from ..access import keys
from ..access.payer import account_may_pay, account_of
from ..access.slots import TURN, Release, is_inner, subscriber
from ..api import replies
from ..api.replies import Headers, changing_headers, header, send_reply, without
from ..api.service import App, Payment, Receive, Scope, Send, Service
from ..dataset import schema
from ..pages.downloads import file_headers
from ..pages.files.tabular import CSV_TYPE
from ..pages.frame.page_headers import FILE_SECONDS
from ..refusal import Refusal
from .database import BUDGET, QUERY, Budget, QueryRows
from .exports import Access, Exports, table_of
from .limits import ResponseMonitor, check_address, run_in_steps, run_until_gone
from .page_queues import STATIC, PageQueues, VisitLimits
from .permissions import PAYING, SHOWING
from .request_body import Body

# Headers of every answer of Datasette's that does not set them itself.
PAGE_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
CUT = (
    "Cette requête SQL trouve plus de {} lignes, et cette forme ne peut pas dire qu’il en manque : ajoutez"
    " limit et offset à la requête, ou demandez le JSON sans _shape, qui le dit (truncated)."
)
_PAID = (Access.ACCOUNT, Access.KEY)
# Plugins that have addresses with a digest cached for ever do so with all pages below a database.
SHORT_LIVED = b"private, no-cache"


class VisitContext:
    """What the visits of one service share: its application, its addresses, its queues."""

    def __init__(
        self, datasette: Datasette, app: App, service: Service, limits: VisitLimits
    ) -> None:
        self.datasette = datasette
        self.app = app
        self.service = service
        self.exports = Exports(datasette, service.config.database)
        self.limits = limits
        self.queues = PageQueues(datasette, self.exports, limits)


class Visit:
    """One request; `path` is its path below base_url as core reads it, undecoded."""

    def __init__(self, context: VisitContext, scope: Scope, path: str) -> None:
        self.context = context
        self.service = context.service
        self.scope = scope
        self.method: str = scope["method"]
        self.headers: Headers = scope["headers"]
        self.path = path
        decoded = unquote(path)
        self.file = decoded if addresses.is_file(decoded) else ""
        self.access = context.exports.access(
            path, scope["query_string"], self.method, header(scope, b"sec-fetch-site")
        )

    async def answer(self, receive: Receive, send: Send) -> None:
        """Answer the request; a Refusal is an answer too."""
        began = time.perf_counter()
        body = Body(self.headers, receive)
        if self.file:
            send = file_headers.never_shared(self.service, send)
        response = ResponseMonitor(send)
        sending: Send = response.send
        try:
            if self.method == "OPTIONS" and (self.file or self.access in _PAID):
                preflight = replies.preflight(self.service)
                if self.file:
                    preflight = file_headers.preflight(self.service, self._opened)
                await send_reply(preflight, self.scope, send)
                return
            if self.file and self.method not in ("GET", "HEAD"):
                raise replies.method_refused(self.scope)
            if self.access is not Access.EVERYONE:
                sending = changing_headers(sending, _short_lived)
            await self._read(body)
            if not body.gone:
                work = run_in_steps(self._let_through(body, sending))
                await run_until_gone(body.follow, work, response)
        except Refusal as refused:
            reply = replies.for_visitor(self.service, self.scope, refused)
            if self._opened:
                reply = file_headers.without_quota(reply)
            if self.access in _PAID and self.service.config.log_requests:
                logs.log_request(self.scope, reply.status, reply.key, began)
            await send_reply(reply, self.scope, send)

    @property
    def _opened(self) -> bool:
        """Whether this is a request for a file that is open to everyone."""
        whole = self.service.config.open_whole_file and self.file == addresses.WHOLE_FILE
        return whole or self._of_table

    @property
    def _of_table(self) -> bool:
        return addresses.is_table(self.file)

    async def _read(self, body: Body) -> None:
        """Read the body within its limits; a longer one goes on to other plugins, where accounts may send files."""
        try:
            await body.read()
        except Refusal:
            if not self.context.queues.takes_long_bodies(self.method, self.path):
                raise

    async def _actor(self, body: Body) -> Any:
        """Who is signed in, by the other plugins; core asks them again for itself."""
        datasette = self.context.datasette
        most = datasette.setting("max_post_body_bytes")
        request = Request(self.scope, body.look_ahead(), max_post_body_bytes=most)
        actor: Any = None
        answers = pm.hook.actor_from_request(datasette=datasette, request=request)
        try:
            for answer in answers:
                try:
                    candidate = await await_me_maybe(answer)
                except (TokenInvalid, Refusal):  # another plugin may know who sends too much
                    continue
                actor = actor or candidate
        except PayloadTooLarge:  # core would end in an error
            raise body.too_large() from None
        finally:
            for left in filter(asyncio.iscoroutine, answers):
                left.close()  # else Python warns that nobody awaited it
        return actor

    async def _let_through(self, body: Body, send: Send) -> None:
        """Hand the request to Datasette, in its turn; Refusal if the visitor may not have the page."""
        actor = None if self.path.startswith(STATIC) else await self._actor(body)
        if body.refused and not actor:
            raise body.refused
        # Another site's link or image spends no account's quota, and a key pays for itself.
        paying = account_of(actor) if account_may_pay(self.headers) else ""
        has_key = keys.credentials(self.headers) is not None
        SHOWING.set(self.context.queues.shows(self.path))
        access = self.access
        if access is Access.BOUNDED and not actor:
            try:
                await self._check_address()
            except Refusal:
                if not has_key:
                    raise
                access = Access.KEY
        if access is Access.KEY or (access is Access.ACCOUNT and not paying):
            await self._paid(paying, body, send)
        elif self.file and not self._of_table and (has_key or actor or self._opened):
            # `pages/downloads` has queues of its own, and checks the key before a file waits.
            sending = changing_headers(send, page_headers)
            scope = {**self.scope, file_headers.SEND: sending}
            await self.context.app(scope, body.receive, sending)
        else:
            await self._page(actor, body, send)

    async def _check_address(self) -> None:
        datasette, table = self.context.datasette, table_of(self.path)
        settings = await datasette.table_config(self.service.config.database, table)
        facets = [facet for facet in settings.get("facets") or [] if isinstance(facet, str)]
        check_address(self.path.encode(), self.scope["query_string"], facets, table)

    async def _page(self, actor: Any, body: Body, send: Send) -> None:
        """A page, in its turn among those of the signed-in account, else among those of visitors.

        An account's long body for another plugin has a queue of its own, because it is as slow as its client.
        """
        queues, address = self.context.queues, self._address()
        BUDGET.set(None if actor else Budget(self.context.limits.page_milliseconds))
        async with AsyncExitStack() as held:
            if not actor:
                held.enter_context(queues.visit(self.path, address))
            turn, by_itself = queues.turn(self.path, actor, address, body.refused is not None)
            TURN.set(await held.enter_async_context(turn))
            if not by_itself:
                await turn.take()
            sending = _releasing(changing_headers(send, page_headers), turn.release)
            scope = {**self.scope, file_headers.SEND: sending} if self._of_table else self.scope
            await self.context.app(scope, body.receive, sending)

    def _address(self) -> str:
        """Whose request this is, among visitors; of its own where a proxy does not name its clients."""
        client = self.scope.get("client")
        forwarded = header(self.scope, b"x-forwarded-for")
        known = "" if forwarded and is_inner(client) else subscriber(client)
        return known or f"unknown {id(self)}"

    async def _paid(self, account: str, body: Body, send: Send) -> None:
        """An export or a query: one at a time of each key, for a charge."""
        service = self.service
        digest = await service.paying_key(self.scope, account)
        known = await service.charge(self.scope, digest, 0)  # an unknown key gets no slot
        async with self.context.queues.accounts.slot(f"account {known.account}") as release:
            payment = await service.pay(self.scope, account)
            query = QueryRows()
            if table_of(self.path).partition(".")[0] not in schema.TABLES:  # which have pages
                QUERY.set(query)
            most = self.context.datasette.setting("max_returned_rows")
            paid = _charged(service, self.scope, payment, send)
            sending = _releasing(_whole(service, self.scope, query, most, paid), release)
            PAYING.set(True)
            await self.context.app(self.scope, body.receive, sending)


def _charged(service: Service, scope: Scope, payment: Payment, send: Send) -> Send:
    """`send` for an answer that a key paid for; a 304, or a failure of Datasette's, costs nothing."""
    began = time.perf_counter()
    sending_page = changing_headers(send, page_headers)

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            status, left, headers = (
                message["status"],
                payment.charge,
                list(message.get("headers", [])),
            )
            if status >= 500 or status == 304:
                left = await service.give_back(payment)
            if status == 304:  # core does not send the tag of a 304: it is the one that was sent
                headers.append((b"etag", header(scope, b"if-none-match")))
            if scope["path"].endswith(".csv"):  # core says text/plain
                kind = (b"content-type", CSV_TYPE.encode())
                headers = [
                    kind if (pair[0].lower(), pair[1][:10]) == (kind[0], b"text/plain") else pair
                    for pair in headers
                ]
            message = {**message, "headers": replies.export_headers(service, headers, left)}
            if service.config.log_requests:
                logs.log_request(scope, status, left.key_id, began)
        await sending_page(message)

    return sending


def _whole(service: Service, scope: Scope, query: QueryRows, most: int, send: Send) -> Send:
    """`send` for the rows of a query, which says where they are not all: by a header, else by an error.

    A CSV or a bare array could not say it.
    """
    form = parse_qs(scope["query_string"].decode("latin-1")).get("_shape", [""])[0]
    bare = scope["path"].endswith(".csv") or form in ("array", "arrayfirst")
    refused = False

    async def sending(message: dict[str, Any]) -> None:
        nonlocal refused
        if refused:
            return
        if message["type"] == "http.response.start" and query.cut:
            if bare:
                refused = True
                reply = replies.for_visitor(service, scope, Refusal("cut", CUT.format(most)))
                await send_reply(file_headers.without_quota(reply), scope, send)
                return
            headers = [*message["headers"], (b"mouvements-tronque", str(most).encode())]
            message = {**message, "headers": headers}
        await send(message)

    return sending


def page_headers(status: int, headers: Headers) -> Headers:
    """The headers of a page, with the security headers that it does not set itself.

    The server frames the answer: core sends `Transfer-Encoding` beside the length of a file, which
    is not HTTP, and which Varnish and later versions of nginx answer with an error.
    """
    present = {name.lower(): value for name, value in headers}
    if b"content-length" in present:
        headers = without(headers, b"transfer-encoding")
    return headers + [pair for pair in PAGE_HEADERS if pair[0] not in present]


def _releasing(send: Send, release: Release) -> Send:
    """`send`, which releases the slot before the answer: a client may read it slowly."""

    async def sending(message: dict[str, Any]) -> None:
        release()
        await send(message)

    return sending


def _short_lived(status: int, headers: Headers) -> Headers:
    """The headers of a page that names people: what is withdrawn must not stay in caches."""
    return [
        (name, SHORT_LIVED if name.lower() == b"cache-control" and _is_long(value) else value)
        for name, value in headers
    ]


def _is_long(cache_control: bytes) -> bool:
    max_age = re.search(rb"max-age=([0-9]+)", cache_control)
    return max_age is not None and int(max_age[1]) > FILE_SECONDS
