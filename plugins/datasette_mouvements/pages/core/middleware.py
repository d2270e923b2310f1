"""The ASGI middleware around Datasette's own pages: their policy, no indexing of people, gzip, those that are kept."""

from __future__ import annotations

import gzip
from typing import Any
from urllib.parse import unquote

from datasette.app import Datasette
from datasette.utils import tilde_decode
from datasette.utils.asgi import Request, Response

from ...api.compression import accepts_gzip
from ...api.replies import Headers, changing_headers, without
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
LEVEL = 4  # of gzip: a page of 110 kB takes a millisecond and becomes 9 kB
LEAST = 1000  # bytes from which a page is compressed
# Where the request of a page holds its answer: the template says there what the page lacks.
ANSWER = "mouvements.page"
_SIGNED = (b"cookie", b"authorization", b"x-api-key")


class CorePage:
    """Datasette's answer to the request for one of its pages."""

    def __init__(self) -> None:
        self.whole = True
        self.status = 0
        self.headers: Headers = []
        self.body = b""

    async def receive(self, message: dict[str, Any]) -> None:
        """Take one message of the answer; an ASGI `send`."""
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", []))
        self.body += message.get("body", b"")

    @property
    def may_be_kept(self) -> bool:
        """Whether another visitor may have it: whole, no error, no cookie in it."""
        cookies = any(name.lower() == b"set-cookie" for name, _ in self.headers)
        return self.whole and self.status == 200 and not cookies

    async def answer(self, site: Site, scope: Scope, send: Send) -> None:
        """Send the page as this request can read it; it holds no secret that its size gzipped could betray."""
        headers, body = _headers(site, self.headers, STRICT), self.body
        if accepts_gzip(scope["headers"]) and len(body) >= LEAST and _is_html(headers):
            body = gzip.compress(body, LEVEL, mtime=0)
            headers = without(headers, b"content-length")
            headers += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


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
        tables = {below(site.table(name)): name for name in (TABLE, *TABLES)}
        database = below(site.table()).rpartition("/")[0]
        table, _, key = path.removeprefix(f"{database}/").partition("/")
        if tables.get(f"{database}/{table}") == TABLE and key and not {"/", "."} & {*key}:
            # The page of a movement stands elsewhere.
            moved = Response.redirect(site.movement(unquote(tilde_decode(key))), status=301)
            await moved.asgi_send(send)
            return
        of_row = f"{database}/{table}" in tables and bool(key)
        if path == database or path.startswith(tuple(tables)):
            scope = _below(site, scope)
        if path in (database, *tables) or of_row:
            page = await self._page(site, tables.get(path, ""), scope, receive)
            await page.answer(site, scope, send)
            return
        sending = changing_headers(send, lambda status, headers: _headers(site, headers, LOOSE))
        await self.app(scope, receive, sending)

    async def _page(self, site: Site, table: str, scope: Scope, receive: Receive) -> CorePage:
        """The page of `table`, "" for another page of core's: as kept of this version, else as core answers."""
        key = await _key(site, table, scope) if table else ()
        page: CorePage | None = site.cache.get(key) if key else None
        if page is None:
            page = CorePage()
            await self.app({**scope, ANSWER: page}, receive, page.receive)
            if key and page.may_be_kept:
                site.cache.put(key, page, len(page.body))
        return page


async def _key(site: Site, table: str, scope: Scope) -> tuple[str, ...]:
    """What the page of a table depends on; empty where it may be another for each visitor."""
    version = site.service.version
    if version is None or scope["method"] != "GET":
        return ()
    if any(name in _SIGNED for name, _ in scope["headers"]):
        return ()
    # Datasette writes the Host that was asked for, also where the site has an address of its own.
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    origin = f"{scope['scheme']}://{host.decode('latin-1')}{site.service.prefix}"
    if origin != site.service.origin(scope) or not await site.may_view(None, table):
        return ()
    query = scope["query_string"].decode("latin-1")
    return ("table", table, version.build, origin, query, site.today.isoformat())


def not_whole(request: Request) -> str:
    """Note that Datasette had no time to count all that a page shows; nothing to write in its place."""
    page = request.scope.get(ANSWER)
    if page is not None:
        page.whole = False
    return ""


def _below(site: Site, scope: Scope) -> Scope:
    """The request without base_url, which core would put twice before its links to facets and pages."""
    changed = scope | {"path": site.service.below(scope["path"])}
    if scope.get("raw_path"):
        changed["raw_path"] = site.service.below(scope["raw_path"].decode("ascii")).encode()
    return changed


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


FILTERS = {"not_whole": not_whole}
