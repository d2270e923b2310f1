"""What every HTML answer of Datasette's says of itself: no third party, and no indexing of people."""

from __future__ import annotations

from typing import Any

from datasette.app import Datasette

from ..api.routes import App, Receive, Scope, Send
from .site import STRICT, Site, site_of

# Datasette's own pages, and those of other plugins, have scripts and styles inside.
LOOSE = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; base-uri 'none'; object-src 'none'; frame-ancestors 'self'"
)


class Shield:
    """An ASGI application around Datasette's, inside the door."""

    def __init__(self, datasette: Datasette, app: App) -> None:
        self.datasette = datasette
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        site = site_of(self.datasette) if scope["type"] == "http" else None
        if site is None:
            await self.app(scope, receive, send)
            return
        await site.prepare()

        async def sending(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": _headers(site, scope, message["headers"])}
            await send(message)

        await self.app(scope, receive, sending)


def _headers(site: Site, scope: Scope, given: list[Any]) -> list[Any]:
    headers = list(given)
    known = {bytes(name).lower(): bytes(value) for name, value in headers}
    if not known.get(b"content-type", b"").startswith(b"text/html"):
        return headers
    if b"content-security-policy" not in known:
        # These two are Datasette's pages in our templates.
        ours = scope["path"].startswith((site.table, site.path("/-/logout")))
        headers.append((b"content-security-policy", (STRICT if ours else LOOSE).encode()))
        if not site.config.index_people:
            headers.append((b"x-robots-tag", b"noindex"))
    return headers
