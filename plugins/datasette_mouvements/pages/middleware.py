"""The ASGI middleware around Datasette's own pages: their security policy, no indexing of people, gzip."""

from __future__ import annotations

import gzip
from typing import Any

from datasette.app import Datasette

from ..api.compression import accepts_gzip
from ..api.service import App, Receive, Scope, Send
from ..dataset.schema import TABLE, TENURES
from .explorer import table_cache
from .frame.instance import site_of
from .frame.page_headers import STRICT
from .frame.sidebar_tables import TABLES
from .frame.site import Site

# Datasette's own pages, and those of other plugins, need the scripts and styles that stand in them.
LOOSE = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; base-uri 'none'; object-src 'none'; frame-ancestors 'self'"
)
LEVEL = 4  # of gzip: a page of 110 kB takes a millisecond and becomes 9 kB
LEAST = 1000  # bytes from which a page is compressed


class PageMiddleware:
    """An ASGI application around Datasette's, inside the gate."""

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
        # Pages of a row have the table's address before theirs.
        with_rows = {below(site.sidebar_table(name)): name for name in (TABLE, TENURES)}
        tables = {below(site.sidebar_table(name)) for name in TABLES} | {*with_rows}
        tables.add(below(site.table).rpartition("/")[0])  # the page of the database
        of_row = path.startswith(tuple(f"{table}/" for table in with_rows))
        ours = path in ("/-/", *tables) or of_row
        gzipped = accepts_gzip(scope["headers"]) and ours
        if path.startswith(tuple(with_rows)) or path in tables:
            scope = _below(site, scope)
        start: dict[str, Any] = {}

        async def sending(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                start.update(message, headers=_headers(site, ours, message["headers"]))
                return
            if start:
                if gzipped and not message.get("more_body"):
                    message = _compressed(start, message)
                await send(dict(start))
                start.clear()
            await send(message)

        if path in with_rows:
            await table_cache.answer(site, self.app, with_rows[path], scope, receive, sending)
        else:
            await self.app(scope, receive, sending)


def _below(site: Site, scope: Scope) -> Scope:
    """The request without base_url, which core would put twice before its links to facets and pages."""
    changed = scope | {"path": site.service.below(scope["path"])}
    if scope.get("raw_path"):
        changed["raw_path"] = site.service.below(scope["raw_path"].decode("ascii")).encode()
    return changed


def _compressed(start: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """The whole body gzipped; these pages hold no secret that the size could betray."""
    known = {bytes(name).lower(): bytes(value) for name, value in start["headers"]}
    body = message.get("body", b"")
    if len(body) < LEAST or not known.get(b"content-type", b"").startswith(b"text/html"):
        return message
    kept = [pair for pair in start["headers"] if bytes(pair[0]).lower() != b"content-length"]
    start["headers"] = [*kept, (b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
    return {**message, "body": gzip.compress(body, LEVEL, mtime=0)}


def _headers(site: Site, ours: bool, given: list[Any]) -> list[Any]:
    headers = list(given)
    known = {bytes(name).lower(): bytes(value) for name, value in headers}
    kind = known.get(b"content-type", b"")
    html, cores = kind.startswith(b"text/html"), b"content-security-policy" not in known
    # Core makes links of the Host header, whatever `public_url` says.
    if html and (cores or site.service.reflects_host):
        headers.append((b"vary", b"Host"))
    if html and cores:
        headers.append((b"content-security-policy", (STRICT if ours else LOOSE).encode()))
        headers.append((b"x-robots-tag", b"noindex"))
    return headers
