"""The ASGI middleware in front of Datasette: the interface is answered here, pages go on to Datasette."""

from __future__ import annotations

import time
from typing import Any

from datasette import Request, TokenInvalid
from datasette.app import Datasette
from datasette.plugins import pm
from datasette.utils import await_me_maybe

from .. import logs
from ..access import keys
from ..access.payer import account_of, from_another_site
from ..api import replies
from ..api.replies import Headers, Reply, header, send_reply
from ..api.routes import App, Receive, Routes, Send, routes_of
from ..api.service import Payment, Scope, Service
from ..refusal import Refusal
from .exports import Access, Exports
from .health import PATH, Health

# Headers of whatever Datasette answers, unless the page sets them itself.
PAGE_HEADERS: Headers = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Gate:
    """An ASGI application around Datasette's."""

    def __init__(self, datasette: Datasette, app: App) -> None:
        self.datasette = datasette
        self.app = app
        self._made: tuple[Routes, Exports, Health] | None = None

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
        """Answer what is not the interface: the state, a page, or an export that asks for a key."""
        _, exports, health = self._parts(routes)
        service = routes.service
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        if not raw.isascii():  # core would end in an error
            refused = Refusal("not_found", "L’adresse doit être en ASCII, le reste échappé par %.")
            await send_reply(replies.refusal(service, refused), scope, send)
            return
        path = raw.decode("ascii").partition("?")[0]
        if path.removeprefix(service.prefix) == PATH:
            await send_reply(await health.reply(), scope, send)
            return
        if not service.config.open_exports:
            site = header(scope, b"sec-fetch-site")
            access = exports.access(path, scope["query_string"], scope["method"], site)
            if access is not Access.EVERYONE:
                await self._guarded(service, access, scope, receive, send)
                return
        await self.app(scope, receive, _with_page_headers(send))

    def _parts(self, routes: Routes) -> tuple[Routes, Exports, Health]:
        if self._made is None or self._made[0] is not routes:
            service = routes.service
            exports = Exports(service.config.database, service.prefix)
            self._made = (routes, exports, Health(service))
        return self._made

    async def _guarded(
        self, service: Service, access: Access, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer an export or a query if a key or an account opens it."""
        began = time.perf_counter()
        if scope["method"] == "OPTIONS":
            reply: Reply | None = replies.preflight(service)
        else:
            reply = await self._pass(service, access, scope, receive, send)
        if reply is not None:
            if service.config.log_requests:
                logs.log_request(scope, reply.status, reply.key, began)
            await send_reply(reply, scope, send)

    async def _pass(
        self, service: Service, access: Access, scope: Scope, receive: Receive, send: Send
    ) -> Reply | None:
        """Let the request through to Datasette, or the reply that it gets instead."""
        account = ""
        if keys.credentials(scope["headers"]) is None and not from_another_site(scope["headers"]):
            account = await self._account(scope, receive)
        if account and access is Access.ACCOUNT:
            await self.app(scope, receive, _with_page_headers(send))
            return None
        try:
            payment = await service.pay(scope, account)
        except Refusal as refused:
            return replies.for_visitor(service, scope, refused)
        await self.app(scope, receive, _charged(service, scope, payment, send))
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

    return _with_page_headers(sending)


def _with_page_headers(send: Send) -> Send:
    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            set_already = {name.lower() for name, _ in headers}
            headers += [pair for pair in PAGE_HEADERS if pair[0] not in set_already]
            message = {**message, "headers": headers}
        await send(message)

    return sending
