"""In front of Datasette: pages are let through in their turn, exports are paid for.

What is open is a list (`exports`); what visitors may ask of a page has bounds (`bounds`).
"""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import nullcontext
from typing import Any
from urllib.parse import parse_qs, unquote, unquote_plus

from datasette import Request, TokenInvalid
from datasette.app import Datasette
from datasette.plugins import pm
from datasette.utils import await_me_maybe

from .. import addresses
from ..api import replies
from ..api.front import front_of
from ..api.replies import Headers, changing_headers, header, send_reply, without
from ..api.service import App, Receive, Scope, Send, Service, account_may_pay, account_of
from ..dataset import schema
from ..keys import keys
from ..keys.store import Charge
from ..pages.files import whole_file
from ..pages.files.whole_file import CSV_TYPE
from ..pages.routes import TAKES_ITS_TURN, routes
from ..pages.runner import FILE_SECONDS
from ..pages.site import site_of
from ..refusal import Refusal
from ..turns import TURN, PageTurn, Turns, client_of
from .bounds import check_address
from .database import PAGED, QUERY, QueryRows
from .exports import Access, access, below, table_of, takes
from .health import PATH, Health
from .permissions import PAYING, SHOWING

# A page keeps one core busy for tens of milliseconds: more at once give no more pages, and make /v1 wait. Two, so
# that one that waits for the network or the disk holds up nobody.
PAGES_AT_ONCE = 2
# SQL of accounts may wait for the disk, and for a second.
EXPORTS_AT_ONCE = 2
# A file that is sent costs next to nothing, but a place: who reads it slowly takes none of pages.
FILES_AT_ONCE = 32
BODY_SECONDS = 10.0
# Characters of control but tabs and ends of lines, and two that are no characters.
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
# Static files of core and of plugins cost next to nothing.
STATIC = ("/-/static/", "/-/static-plugins/")
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
PAID = (Access.ACCOUNT, Access.KEY)
# Plugins that have addresses with a digest cached for ever do so with all pages below a database.
SHORT_LIVED = b"private, no-cache"


class Doors:
    """An ASGI application around Datasette's."""

    def __init__(self, datasette: Datasette, app: App) -> None:
        self.datasette = datasette
        self.app = app
        self.pages = Turns(PAGES_AT_ONCE)
        self.accounts = Turns(EXPORTS_AT_ONCE)
        self.files = Turns(FILES_AT_ONCE, waiting=0)
        self.body_seconds = BODY_SECONDS
        self._health: Health | None = None  # there is no service before startup
        # The pages of other plugins.
        ours = {pattern for pattern, _ in routes(datasette)}
        self._of_plugins = [
            re.compile(pattern)
            for plugin_routes in pm.hook.register_routes(datasette=datasette)
            for pattern, _ in plugin_routes
            if pattern not in ours
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        front = front_of(self.datasette) if scope["type"] == "http" else None
        if front is None:
            await self.app(scope, receive, send)
            return
        path = front.service.below(replies.raw_path(scope).decode("ascii").partition("?")[0])
        if path == PATH:
            self._health = self._health or Health(front.service)
            await send_reply(await self._health.reply(), scope, send)
            return
        visit = Visit(self, front.service, scope, path)
        # In a task of its own: what it notes for core is not for a page that asks for this one.
        await asyncio.create_task(visit.answer(receive, send))

    def shows(self, path: str) -> bool:
        """Whether a page of ours or of core is at `path`, undecoded, and none of another plugin."""
        return not any(route.match(path) for route in self._of_plugins)


class Visit:
    """One request for a page, an export or a query; `path` is its path below base_url as core reads it, undecoded."""

    def __init__(self, doors: Doors, service: Service, scope: Scope, path: str) -> None:
        self.doors = doors
        self.datasette = doors.datasette
        self.service = service
        self.scope = scope
        self.method: str = scope["method"]
        self.path = path
        decoded = unquote(path)
        self.is_file = decoded == addresses.WHOLE_FILE
        self.rest = below(doors.datasette, service.config.database, path)
        site = header(scope, b"sec-fetch-site")
        self.access = access(path, self.rest, scope["query_string"], self.method, site)
        # Of a table that names no staff; the address of a page has no format.
        self.is_export = self.access is Access.BOUNDED and "." in path

    async def answer(self, receive: Receive, send: Send) -> None:
        """Answer the request; a Refusal is an answer too."""
        began = time.perf_counter()
        PAYING.set(False)
        PAGED.set(table_of(self.path))
        SHOWING.set(self.doors.shows(self.path))
        if self.is_file and (site := site_of(self.datasette)):
            send = whole_file.guarded(self.service, send, await site.whole_file_is_open())
        try:
            if self.method == "OPTIONS" and (self.is_file or self.access in PAID or self.is_export):
                reply = replies.with_quota(self.service, replies.preflight(self.service))
                await send_reply(reply, self.scope, send)
                return
            shown = self.path if self.access is Access.EVERYONE else ""
            query = self.scope["query_string"].decode("latin-1")
            # A page would show them, and no file of XML may hold them.
            if UNFIT.search(unquote(shown)) or UNFIT.search(unquote_plus(query)):
                raise Refusal(
                    "parameter", "L’adresse contient un caractère de commande (%00, par exemple)."
                )
            if self.method not in ("GET", "HEAD"):
                most = self.datasette.setting("max_post_body_bytes")
                receive = await _with_body(receive, most, self.doors.body_seconds)
            short = self.access is not Access.EVERYONE
            await self._let_through(
                receive, changing_headers(send, _short_lived) if short else send
            )
        except Refusal as refused:
            reply = replies.for_visitor(self.service, self.scope, refused)
            if self.access in PAID:
                self.service.log(self.scope, reply.status, reply.key, began)
            await send_reply(reply, self.scope, send)

    async def _let_through(self, receive: Receive, send: Send) -> None:
        """Hand the request to Datasette, in its turn; Refusal if the visitor may not have the page."""
        if self.path.startswith(STATIC):
            await self.doors.app(self.scope, receive, changing_headers(send, page_headers))
            return
        actor, of_token = await self._actor(receive)
        # Another site's link or image spends no account's quota, and a key pays for itself.
        paying = account_of(actor) if account_may_pay(self.scope["headers"]) else ""
        has_key = keys.credentials(self.scope["headers"]) is not None and not of_token
        allowed = self.access
        if self.is_export:
            send = changing_headers(send, _open_export)
        if allowed is Access.BOUNDED and not actor:
            table = table_of(self.path)
            settings = await self.datasette.table_config(self.service.config.database, table)
            facets = [facet for facet in settings.get("facets") or [] if isinstance(facet, str)]
            try:
                check_address(self.path.encode(), self.scope["query_string"], facets, table)
            except Refusal:
                if not has_key:
                    raise
                allowed = Access.KEY
        needs_payer = allowed is Access.KEY or (allowed is Access.ACCOUNT and not paying)
        needs_payer = needs_payer and not of_token
        if SHOWING.get() and not takes(self.path, self.rest, self.method):
            charge = None
            if needs_payer:
                digest = await self.service.paying_key(self.scope, paying)
                charge = await self.service.pay(self.scope, digest)
            raise replies.method_refused(self.scope, charge)
        if needs_payer:
            await self._paid(paying, receive, send)
        elif self.is_file:
            async with self.doors.files.request(client_of(self.scope)):
                sending = changing_headers(send, page_headers)
                await self._core({**self.scope, whole_file.SEND: sending}, receive, sending)
        else:
            await self._page(actor, receive, send)

    async def _actor(self, receive: Receive) -> tuple[Any, bool]:
        """Who is signed in, by the other plugins, and whether by a token of theirs, good or bad: then core decides.

        Core asks them again for itself.
        """
        datasette = self.datasette
        request = Request(self.scope, receive)
        actor: Any = None
        of_token = False
        answers = pm.hook.actor_from_request(datasette=datasette, request=request)
        for answer in answers:
            try:
                candidate = await await_me_maybe(answer)
            except TokenInvalid:
                of_token = True
                continue
            actor = actor or candidate
        return actor, of_token or bool(actor and ("token" in actor or self._brings_a_token))

    @property
    def _brings_a_token(self) -> bool:
        """Whether a Bearer that is no key of ours comes without a cookie: who is signed in is so by it."""
        sent = keys.credentials(self.scope["headers"])
        names = {name for name, _ in self.scope["headers"]}
        is_ours = sent is None or sent.startswith(keys.MARK.encode())
        return not is_ours and b"authorization" in names and b"cookie" not in names

    async def _page(self, actor: Any, receive: Receive, send: Send) -> None:
        """A page, in its turn among those of accounts, else of visitors."""
        turns = self.doors.accounts if actor else self.doors.pages
        client = f"account {actor.get('id')}" if actor else client_of(self.scope)
        async with turns.request(client) as turn:
            TURN.set(turn)
            if not any(route.fullmatch(self.path) for route in TAKES_ITS_TURN):
                await turn.take()
            sending = _releasing(changing_headers(send, page_headers), turn)
            await self._core(self.scope, receive, sending)

    async def _core(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What core answers; the version that it reads stays open until the answer is out."""
        version = self.service.version
        with version.read() if version else nullcontext():
            await self.doors.app(scope, receive, send)

    async def _paid(self, account: str, receive: Receive, send: Send) -> None:
        """An export or a query, for a charge once Datasette answers."""
        service = self.service
        digest = await service.paying_key(self.scope, account)
        charge = await service.pay(self.scope, digest, 0)  # an unknown key gets no turn
        async with self.doors.accounts.request(f"account {charge.account}") as turn:
            await turn.take()
            charge = await service.pay(self.scope, digest, 0)
            query = QueryRows()
            if table_of(self.path) not in schema.TABLES:  # which have pages
                QUERY.set(query)
            PAYING.set(True)
            sending = self._charging(digest, query, _releasing(send, turn))
            await self._core(self.scope, receive, sending)

    def _charging(self, digest: bytes, query: QueryRows, send: Send) -> Send:
        """`send` for an answer that a key pays for when it begins; one that it cannot pay for is refused instead.

        A 304 or a failure of Datasette's costs nothing.
        """
        began = time.perf_counter()
        refused = False

        async def sending(message: dict[str, Any]) -> None:
            nonlocal refused
            if refused:
                return
            if message["type"] == "http.response.start":
                status = message["status"]
                is_free = status == 304 or status >= 500
                try:
                    charge = await self.service.pay(self.scope, digest, 0 if is_free else 1)
                    headers = self._paid_headers(status, list(message["headers"]), query, charge)
                except Refusal as refusal:
                    refused = True
                    reply = replies.for_visitor(self.service, self.scope, refusal)
                    self.service.log(self.scope, reply.status, reply.key, began)
                    await send_reply(reply, self.scope, send)
                    return
                self.service.log(self.scope, status, charge.key_id, began)
                message = {**message, "headers": headers}
            await send(message)

        return sending

    def _paid_headers(
        self, status: int, headers: Headers, query: QueryRows, charge: Charge
    ) -> Headers:
        """The headers of what was charged; Refusal("cut") where rows are missing and the answer cannot say it."""
        if status == 304:  # core does not send the tag of a 304: it is the one that was sent
            headers.append((b"etag", header(self.scope, b"if-none-match")))
        if query.cut:
            most = self.datasette.setting("max_returned_rows")
            form = parse_qs(self.scope["query_string"].decode("latin-1")).get("_shape", [""])[0]
            if self.scope["path"].endswith(".csv") or form in ("array", "arrayfirst"):
                raise Refusal("cut", CUT.format(most), quota=charge)
            headers.append((b"mouvements-tronque", str(most).encode()))
        if self.scope["path"].endswith(".csv"):  # core says text/plain
            headers = [_as_csv(pair) for pair in headers]
        return page_headers(status, replies.export_headers(self.service, headers, charge))


async def _with_body(receive: Receive, most: int, seconds: float) -> Receive:
    """`receive` of a request whose body has arrived: who has a turn waits for no client.

    Not more than `most` bytes are read, all where that is 0; what is longer core refuses. Refusal("too_slow") where
    it takes too long, or the client has gone.
    """
    messages: list[dict[str, Any]] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while not messages or (messages[-1].get("more_body") and (not most or size <= most)):
                messages.append(await receive())
                if messages[-1]["type"] == "http.disconnect":
                    raise TimeoutError
                size += len(messages[-1].get("body", b""))
    except TimeoutError:
        raise Refusal("too_slow", f"Le corps doit arriver en {seconds:g} secondes.") from None

    async def replay() -> dict[str, Any]:
        return messages.pop(0) if messages else await receive()

    return replay


def _open_export(status: int, headers: Headers) -> Headers:
    """The headers of an export that everyone may have, from any origin."""
    headers = without([_as_csv(pair) for pair in headers], b"access-control-allow-origin")
    return [*headers, (b"access-control-allow-origin", b"*"), (b"x-robots-tag", b"noindex")]


def _as_csv(pair: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    name, value = pair
    of_text = name.lower() == b"content-type" and value.startswith(b"text/plain")
    return (name, CSV_TYPE.encode()) if of_text else pair


def page_headers(status: int, headers: Headers) -> Headers:
    """The headers of a page, with the security headers that it does not set itself.

    The server frames the answer: core sends `Transfer-Encoding` beside the length of a file, which
    is not HTTP, and which Varnish and later versions of nginx answer with an error.
    """
    present = {name.lower(): value for name, value in headers}
    if b"content-length" in present:
        headers = without(headers, b"transfer-encoding")
    return headers + [pair for pair in PAGE_HEADERS if pair[0] not in present]


def _releasing(send: Send, turn: PageTurn) -> Send:
    """`send`, which lets others have the turn before the answer: a client may read it slowly."""

    async def sending(message: dict[str, Any]) -> None:
        await turn.release()
        await send(message)

    return sending


def _short_lived(status: int, headers: Headers) -> Headers:
    """The headers of a page that names people: what is withdrawn must not stay in caches."""
    return [
        (name, SHORT_LIVED)
        if name.lower() == b"cache-control"
        and (max_age := re.search(rb"max-age=([0-9]+)", value))
        and int(max_age[1]) > FILE_SECONDS
        else (name, value)
        for name, value in headers
    ]
