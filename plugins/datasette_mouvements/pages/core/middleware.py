"""The ASGI middleware around Datasette's own pages: their policy, no indexing of people, gzip, those that are kept."""

from __future__ import annotations

from typing import Any

from datasette.app import Datasette
from datasette.utils import tilde_encode
from datasette.utils.asgi import Request

from ...api import compression
from ...api.replies import Headers, Reply, changing_headers, send_reply, without
from ...api.service import App, Receive, Scope, Send
from ...dataset.schema import TABLE
from ..runner import STRICT
from ..site import Site, site_of
from .tables import TABLES

# Datasette's own pages, and those of other plugins, need the scripts and styles that stand in them.
LOOSE = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; base-uri 'none'; object-src 'none'; frame-ancestors 'self'"
)
# Where the request of a page holds what the page lacks: the template says it there.
LACKING = "mouvements.lacking"
_SIGNED = (b"cookie", b"authorization", b"x-api-key")


class PageMiddleware:
    """An ASGI application around Datasette's, inside the doors."""

    def __init__(self, datasette: Datasette, app: App) -> None:
        self.datasette = datasette
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        site = site_of(self.datasette) if scope["type"] == "http" else None
        if site is None:
            await self.app(scope, receive, send)
            return
        await site.read_title()
        below = site.service.below
        # Undecoded, as the doors and core read it.
        raw = scope.get("raw_path") or scope["path"].encode()
        path = below(raw.decode("latin-1").partition("?")[0])
        database, table, row = (*path[1:].split("/", 2), "", "")[:3]
        if database == tilde_encode(site.config.database):
            # Core would put base_url twice before its links to facets and pages.
            scope = scope | {"path": below(scope["path"])}
            if scope.get("raw_path"):
                scope["raw_path"] = below(raw.decode("ascii")).encode()
            if table in ("", TABLE, *TABLES):
                page = await self._page(site, "" if row else table, scope, receive)
                await send_reply(_as_read(site, page, scope), scope, send)
                return
        sending = changing_headers(send, lambda status, headers: _headers(site, headers, LOOSE))
        await self.app(scope, receive, sending)

    async def _page(self, site: Site, table: str, scope: Scope, receive: Receive) -> Reply:
        """The page of `table`, "" for another page of core's: as kept of this version, else as core answers."""
        key = await _key(site, table, scope)
        page: Reply | None = site.cache.get(key) if key else None
        if page is not None:
            return page
        messages: list[dict[str, Any]] = []

        async def collect(message: dict[str, Any]) -> None:
            messages.append(message)

        lacking: list[str] = []
        await self.app({**scope, LACKING: lacking}, receive, collect)
        headers = list(messages[0].get("headers", []))
        body = b"".join(message.get("body", b"") for message in messages)
        page = Reply(messages[0]["status"], headers, body)
        secret = any(name.lower() == b"set-cookie" for name, _ in headers)
        if key and page.status == 200 and not (secret or lacking):
            site.cache.put(key, page, len(body))
        return page


async def _key(site: Site, table: str, scope: Scope) -> tuple[str, ...]:
    """What the page of a table depends on; empty where it may be another for each visitor."""
    version = site.service.version
    signed = any(name in _SIGNED for name, _ in scope["headers"])
    if not table or version is None or signed or scope["method"] != "GET":
        return ()
    if not await site.may_view(None, table):
        return ()
    # Core writes the Host that was asked for, also where the site has an address of its own.
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    asked = (scope["scheme"], host.decode("latin-1"), scope["query_string"].decode("latin-1"))
    return ("table", table, version.build, site.today.isoformat(), *asked)


def _as_read(site: Site, page: Reply, scope: Scope) -> Reply:
    """The page as this request can read it; it holds no secret that its size gzipped could betray."""
    headers = _headers(site, page.headers, STRICT)
    long = len(page.body) >= compression.LEAST_BYTES
    if not (long and _is_html(headers) and compression.accepts_gzip(scope["headers"])):
        return page._replace(headers=headers)
    headers = without(headers, b"content-length")
    headers += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
    return page._replace(headers=headers, body=compression.compress(page.body))


def not_whole(request: Request) -> str:
    """Note that Datasette had no time to count all that a page shows; nothing to write in its place."""
    request.scope.get(LACKING, []).append("counts")
    return ""


def _is_html(headers: Headers) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/html")
        for name, value in headers
    )


def _headers(site: Site, headers: Headers, policy: str) -> Headers:
    """The headers of an answer; pages of core's get this policy, and stay out of search engines."""
    if not _is_html(headers):
        return headers
    cores = all(name.lower() != b"content-security-policy" for name, _ in headers)
    # Core makes links of the Host header, whatever `public_url` says.
    if cores or site.service.reflects_host:
        headers = [*headers, (b"vary", b"Host")]
    if cores:
        headers += [(b"content-security-policy", policy.encode()), (b"x-robots-tag", b"noindex")]
    return headers
