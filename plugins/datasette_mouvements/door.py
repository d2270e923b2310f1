"""The way in, in front of Datasette: the interface is answered here, pages go on to Datasette."""

from __future__ import annotations

from datasette.app import Datasette

from .api.routes import App, Receive, Scope, Send
from .startup import routes_of


class Door:
    """An ASGI application around Datasette's."""

    def __init__(self, datasette: Datasette, app: App) -> None:
        self.datasette = datasette
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            routes = routes_of(self.datasette)
            operation = routes.find(scope) if routes else None
            if routes and operation:
                await routes(operation, scope, send)
                return
        await self.app(scope, receive, send)
