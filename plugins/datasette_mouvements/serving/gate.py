"""The ASGI middleware in front of Datasette: the interface is answered here, pages go on to Datasette."""

from __future__ import annotations

from datasette.app import Datasette

from ..api import replies
from ..api.replies import send_reply
from ..api.routes import App, Receive, Routes, Send, routes_of
from ..api.service import Scope
from ..refusal import Refusal
from .health import PATH, Health
from .limits import ending_unread, has_body
from .visit import Shared, Visit


class Gate:
    """An ASGI application around Datasette's."""

    def __init__(self, datasette: Datasette, app: App) -> None:
        self.datasette = datasette
        self.app = app
        self._made: tuple[Routes, Health, Shared] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        routes = routes_of(self.datasette) if scope["type"] == "http" else None
        if routes is None:
            await self.app(scope, receive, send)
            return
        if has_body(scope["headers"]):
            # uvicorn adds trailers to the list, while the body comes, as if they were headers.
            scope = {**scope, "headers": list(scope["headers"])}
            receive, send = ending_unread(receive, send)
        operation = routes.find(scope)
        if operation:
            await routes(operation, scope, send)
        else:
            await self._beside(routes, scope, receive, send)

    async def _beside(self, routes: Routes, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is not the interface: the state, a page, or an export that asks for a key."""
        service = routes.service
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        if not raw.isascii():  # core would end in an error
            refused = Refusal("not_found", "L’adresse doit être en ASCII, le reste échappé par %.")
            await send_reply(replies.refuse(service, refused, service.origin(scope)), scope, send)
            return
        if self._made is None or self._made[0] is not routes:
            shared = Shared(self.datasette, self.app, service)
            self._made = (routes, Health(service), shared)
        _, health, shared = self._made
        path = raw.decode("ascii").partition("?")[0]
        below = service.below(path)
        if below == PATH:
            await send_reply(await health.reply(), scope, send)
        else:
            await Visit(shared, scope, below).answer(receive, send)
