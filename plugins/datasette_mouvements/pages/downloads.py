"""Files: a search as CSV or NDJSON, and the whole data set, each for one charge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import closing

from datasette.utils.asgi import Request, Response
from datasette.utils.sqlite import sqlite3

from ..access.payer import account_of
from ..access.store import Charge
from ..api import replies
from ..api.routes import Send
from ..api.service import Payment
from ..dataset.snapshot import Snapshot
from ..movement import CHAMBERS
from ..refusal import Refusal, unavailable
from . import archive, explorer, facts, feeds, tabular
from .site import PRIVATE, Site

CHUNK = 2000  # movements written at a time
PIECE = 256 * 1024  # bytes of the archive sent at a time


async def page(site: Site, request: Request) -> Response:
    """What files and feeds there are, and what they cost."""
    given = {
        parameter.name: request.args.get(parameter.name) or "" for parameter in explorer.FILTERS
    }
    context = {
        "chambers": CHAMBERS,
        "filters": explorer.FILTERS,
        "given": given,
        "total": site.snapshot().rows,
        "origin": site.origin(request),
        "most": feeds.MOST,
    }
    return await site.page(request, "files", context, indexed=True)


async def search(site: Site, request: Request, send: Send) -> Response | None:
    """The file of a search, written while it is sent."""
    form = request.args.get("format") or "csv"
    try:
        if form not in tabular.FORMS:
            raise Refusal(
                "parameter",
                f"Le paramètre « format » accepte {', '.join(tabular.FORMS)}, par exemple"
                " format=csv.",
                "format",
            )
        asked = feeds.parse_filters(request, ("format",))
        snapshot = site.snapshot()
        payment = await _pay(site, request)
    except Refusal as refused:
        return _refused(site, request, refused)
    where, values = feeds.conditions(asked)
    name = "-".join(["mouvements", *(value for value in asked[:6] if value), snapshot.version[:8]])
    kind, suffix = tabular.FORMS[form]
    headers = _headers(site, payment.charge, kind, f"{_plain(name)}.{suffix}")
    pieces = _pieces(snapshot, form, where, values)
    try:
        first = await anext(pieces)
    except sqlite3.Error:
        return await _given_back(site, request, payment)
    await _stream(send, headers, first, pieces, request.method == "HEAD")
    return None


async def everything(site: Site, request: Request, send: Send) -> Response | None:
    """The whole data set: made once per version, in a thread, then sent as it is."""
    snapshot = site.snapshot()
    try:
        payment = await _pay(site, request)
    except Refusal as refused:
        return _refused(site, request, refused)
    try:
        path = await site.archive.file(snapshot)
    except (sqlite3.Error, OSError):
        return await _given_back(site, request, payment)
    headers = _headers(site, payment.charge, "application/zip", archive.name(snapshot.version))
    with path.open("rb") as file:
        headers.append((b"content-length", b"%d" % path.stat().st_size))

        async def pieces() -> AsyncIterator[bytes]:
            while piece := await asyncio.to_thread(file.read, PIECE):
                yield piece

        await _stream(send, headers, b"", pieces(), request.method == "HEAD")
    return None


async def _pay(site: Site, request: Request) -> Payment:
    """One charge, to the key sent or the signed-in account's; HEAD only looks."""
    amount = 0 if request.method == "HEAD" else 1
    return await site.service.pay(request.scope, account_of(request.actor), amount)


def _refused(site: Site, request: Request, refused: Refusal) -> Response:
    return feeds.as_response(replies.for_visitor(site.service, request.scope, refused))


async def _given_back(site: Site, request: Request, payment: Payment) -> Response:
    return _refused(site, request, unavailable(await site.service.give_back(payment)))


def _headers(site: Site, charge: Charge, kind: str, name: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-type", kind.encode()),
        (b"content-disposition", f'attachment; filename="{name}"'.encode()),
        (b"cache-control", PRIVATE.encode()),
        (b"x-robots-tag", b"noindex"),
        (b"link", site.service.links.encode()),
        *replies.quota_headers(site.service, charge),
    ]


def _plain(name: str) -> str:
    """A file name of letters, digits and hyphens alone."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)


async def _pieces(
    snapshot: Snapshot, form: str, where: str, values: list[str]
) -> AsyncIterator[bytes]:
    """The file of a search, newest movement first, a few thousand at a time."""
    with closing(await asyncio.to_thread(facts.connect, snapshot.path)) as db:
        pieces: Iterator[bytes] = tabular.write(db, form, where, values, CHUNK)
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            yield piece


async def _stream(
    send: Send,
    headers: list[tuple[bytes, bytes]],
    first: bytes,
    pieces: AsyncIterator[bytes],
    head: bool,
) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    if not head:
        await send({"type": "http.response.body", "body": first, "more_body": True})
        async for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
