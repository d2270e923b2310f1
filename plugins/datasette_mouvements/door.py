"""The way in, in front of Datasette: the interface is answered here, pages go on to Datasette."""

from __future__ import annotations

import time
from typing import Any

from datasette import Request, TokenInvalid
from datasette.app import Datasette
from datasette.plugins import pm
from datasette.utils import await_me_maybe

from . import logs
from .access import keys
from .access.store import Charge, StoreUnavailable
from .api import replies
from .api.replies import Headers, Reply
from .api.routes import UNAVAILABLE, App, Receive, Routes, Scope, Send, exhausted
from .exports import Access, Exports
from .pages.files import account_of
from .refusal import Refusal
from .startup import routes_of
from .state import PATH, State

KEY_PAGE = "/-/cle"
# On whatever Datasette answers, unless the page says otherwise itself.
PAGE_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Door:
    """An ASGI application around Datasette's."""

    def __init__(self, datasette: Datasette, app: App) -> None:
        self.datasette = datasette
        self.app = app
        self._made: tuple[Routes, Exports, State] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        routes = routes_of(self.datasette) if scope["type"] == "http" else None
        if routes is None:
            await self.app(scope, receive, send)
            return
        operation = routes.find(scope)
        if operation:
            await routes(operation, scope, send)
        else:
            await self._beside(routes, scope, receive, send)

    async def _beside(self, routes: Routes, scope: Scope, receive: Receive, send: Send) -> None:
        """Whatever is not the interface: the state, a page, or an export that asks for a key."""
        _, exports, state = self._of(routes)
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        if not raw.isascii():  # core would end in an error
            refused = Refusal("not_found", "L’adresse doit être en ASCII, le reste échappé par %.")
            await _answer(replies.refusal(routes.service, refused, None), scope, send)
            return
        path = raw.decode("ascii").partition("?")[0]
        if path.removeprefix(routes.service.prefix) == PATH:
            await _answer(await state.reply(), scope, send)
            return
        if not routes.service.config.open_exports:
            site = _header(scope, b"sec-fetch-site")
            wanted = exports.access(path, scope["query_string"], scope["method"], site)
            if wanted is not Access.EVERYONE:
                await self._guarded(routes, wanted, scope, receive, send)
                return
        await self.app(scope, receive, _with_headers(send))

    def _of(self, routes: Routes) -> tuple[Routes, Exports, State]:
        if self._made is None or self._made[0] is not routes:
            service = routes.service
            exports = Exports(service.config.database, service.prefix)
            self._made = (routes, exports, State(service))
        return self._made

    async def _guarded(
        self, routes: Routes, wanted: Access, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """An export or a query: for whom the key or the account allows it."""
        began = time.perf_counter()
        if scope["method"] == "OPTIONS":
            reply: Reply | None = replies.preflight(routes.service)
        else:
            reply = await self._opened(routes, wanted, scope, receive, send)
        if reply is not None:
            if routes.service.config.log_requests:
                logs.request(scope, reply.status, reply.key, began)
            await _answer(reply, scope, send)

    async def _opened(
        self, routes: Routes, wanted: Access, scope: Scope, receive: Receive, send: Send
    ) -> Reply | None:
        """Let the request through to Datasette, or the reply that it gets instead."""
        service = routes.service
        try:
            if keys.credentials(scope["headers"]) is not None:
                digest = routes.key(scope)
            else:
                account = await self._account(scope, receive)
                # Another site's link or image must not spend a visitor's quota.
                if _header(scope, b"sec-fetch-site") in (b"cross-site", b"same-site"):
                    account = ""
                if account and wanted is Access.ACCOUNT:
                    await self.app(scope, receive, _with_headers(send))
                    return None
                charged_to = await _key_of(routes, account)
                if charged_to is None:
                    return _no_key(routes, scope)
                digest = charged_to
            ready = service.live.snapshot is not None
            charge = await routes.charge(scope, digest, 1 if ready else 0)
        except Refusal as refused:
            return replies.refusal(service, refused, None)
        if not ready:
            return replies.refusal(service, Refusal("unavailable", UNAVAILABLE), charge)
        if not charge.granted:
            return replies.refusal(service, exhausted(charge), charge)
        await self.app(scope, receive, _charged(routes, scope, digest, charge, send))
        return None

    async def _account(self, scope: Scope, receive: Receive) -> str:
        """The signed-in account as the other plugins tell it, "" if there is none."""
        request = Request(scope, receive)
        actor: Any = None
        for found in pm.hook.actor_from_request(datasette=self.datasette, request=request):
            try:
                told = await await_me_maybe(found)
            except TokenInvalid:
                continue
            actor = actor or told
        return account_of(actor)


async def _key_of(routes: Routes, account: str) -> bytes | None:
    """The digest of the account's live key, which its exports are charged to."""
    if not account:
        return None
    counter = routes.service.counter
    try:
        return await counter.run(counter.store.live_digest, account)
    except StoreUnavailable:
        raise Refusal("unavailable", UNAVAILABLE) from None


def _no_key(routes: Routes, scope: Scope) -> Reply:
    """People are shown how to get a key, programs are told."""
    service = routes.service
    if scope["method"] in ("GET", "HEAD") and b"text/html" in _header(scope, b"accept"):
        return replies.elsewhere(service.prefix + KEY_PAGE)
    return replies.refusal(service, keys.missing(service.address(scope)), None)


def _charged(routes: Routes, scope: Scope, digest: bytes, charge: Charge, send: Send) -> Send:
    """`send` for an answer that a key paid for; a failure of Datasette's is given back."""
    began = time.perf_counter()

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            left = charge
            if message["status"] >= 500:
                left = await routes.give_back(digest, charge)
            headers = replies.exported(routes.service, list(message.get("headers", [])), left)
            message = {**message, "headers": headers}
            if routes.service.config.log_requests:
                logs.request(scope, message["status"], charge.key_id, began)
        await send(message)

    return _with_headers(sending)


def _with_headers(send: Send) -> Send:
    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            set_already = {name.lower() for name, _ in headers}
            headers += [pair for pair in PAGE_HEADERS if pair[0] not in set_already]
            message = {**message, "headers": headers}
        await send(message)

    return sending


async def _answer(reply: Reply, scope: Scope, send: Send) -> None:
    await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
    body = b"" if scope["method"] == "HEAD" else reply.body
    await send({"type": "http.response.body", "body": body})


def _header(scope: Scope, name: bytes) -> bytes:
    return b",".join(value for key, value in scope["headers"] if key == name)
