"""The ASGI middleware in front of Datasette: it answers the interface, and lets pages through."""

from __future__ import annotations

from typing import Any

from datasette.app import Datasette

from ..api import replies
from ..api.replies import send_reply
from ..api.routes import Routes, routes_of
from ..api.service import App, Receive, Scope, Send
from ..refusal import Refusal
from .health import PATH, Health
from .page_queues import VisitLimits
from .request_body import close_if_unread, has_body
from .visit import Visit, VisitContext


class Gate:
    """An ASGI application around Datasette's."""

    def __init__(self, datasette: Datasette, app: App, limits: VisitLimits | None = None) -> None:
        self.datasette = datasette
        self.app = app
        self._limits = limits or VisitLimits()
        self._beside: tuple[Health, VisitContext] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        routes = routes_of(self.datasette) if scope["type"] == "http" else None
        if routes is None:
            await self.app(scope, receive, send)
            return
        if has_body(scope["headers"]):
            # uvicorn adds trailers to this list while the body comes, as if they were headers.
            scope = {**scope, "headers": list(scope["headers"])}
            receive, send = close_if_unread(receive, send)
        answer = routes.answer(scope)
        if answer is not None:
            await send_reply(await answer, scope, send)
        else:
            await self._visit(routes, scope, receive, send)

    async def _visit(self, routes: Routes, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is not the interface: the state, a page, or an export."""
        service = routes.service
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        if not raw.isascii():  # core would end in an error
            refused = Refusal("not_found", "L’adresse doit être en ASCII, le reste échappé par %.")
            await send_reply(replies.refuse(service, refused, service.origin(scope)), scope, send)
            return
        if self._beside is None or self._beside[0].service is not service:
            context = VisitContext(self.datasette, self.app, service, self._limits)
            self._beside = Health(service), context
        health, context = self._beside
        path = service.below(raw.decode("ascii").partition("?")[0])
        if path == PATH:
            await send_reply(await health.reply(), scope, send)
        else:
            await Visit(context, scope, path).answer(receive, send)


def is_outermost(app: Any) -> bool:
    """Whether a gate is the first in Datasette's application that may do something with a request."""
    return isinstance(getattr(getattr(app, "app", None), "asgi", None), Gate)
