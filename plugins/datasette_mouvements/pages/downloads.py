"""Files: a search as CSV or NDJSON, and the whole data set, each for one charge."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from functools import partial

from datasette.utils.asgi import Request, Response
from datasette.utils.sqlite import sqlite3

from ..access import payer
from ..access.charging import Charge
from ..access.payer import account_of
from ..api import replies
from ..api.routes import Send
from ..api.service import Payment
from ..dataset.snapshot import Snapshot
from ..movement import CHAMBERS
from ..refusal import Refusal, unavailable
from . import archive, entries, explorer, facts, feeds, filters, tabular
from .page_headers import PRIVATE
from .site import Site

Download = Callable[[Site, Request, Send], Awaitable[Response | None]]

SEARCH = "/fichiers/recherche"
EVERYTHING = "/fichiers/tout"
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
        "most": entries.MOST,
    }
    return await site.page(request, "files", context, indexed=True)


async def search(site: Site, request: Request, send: Send) -> Response | None:
    """The file of a search, written while it is sent."""
    form = request.args.get("format") or "csv"
    if form not in tabular.FORMS:
        raise Refusal(
            "parameter",
            f"Le paramètre « format » accepte {', '.join(tabular.FORMS)}, par exemple format=csv.",
            "format",
        )
    asked = filters.parse_filters(request, ("format",))
    snapshot = site.snapshot()
    where, values = filters.conditions(asked)
    name = "-".join(["mouvements", *(value for value in asked[:6] if value), snapshot.version[:8]])
    kind, suffix = tabular.FORMS[form]
    payment = await _pay(site, request)
    headers = _headers(site, payment.charge, kind, f"{_plain(name)}.{suffix}")
    async with aclosing(_pieces(snapshot, form, where, values)) as pieces:
        try:
            first = await anext(pieces)
        except sqlite3.Error:
            return await _given_back(site, request, payment)
        await _stream(send, headers, first, pieces, request.method == "HEAD")
    return None


async def everything(site: Site, request: Request, send: Send) -> Response | None:
    """The whole data set: made once per version, in a thread, then sent as it is."""
    snapshot = site.snapshot()
    payment = await _pay(site, request)
    try:
        path = await site.archive.file(snapshot)
        file = path.open("rb")
    except (sqlite3.Error, OSError):
        return await _given_back(site, request, payment)
    headers = _headers(site, payment.charge, "application/zip", archive.name(snapshot.edition))
    with file:
        headers.append((b"content-length", b"%d" % os.fstat(file.fileno()).st_size))

        async def pieces() -> AsyncIterator[bytes]:
            while piece := await asyncio.to_thread(file.read, PIECE):
                yield piece

        await _stream(send, headers, b"", pieces(), request.method == "HEAD")
    return None


async def in_turn(site: Site, request: Request, send: Send, download: Download) -> Response | None:
    """A download, when there is a place for it: one at a time of each key."""
    service, scope = site.service, request.scope
    try:
        service.require_keys()
        address = partial(service.address, scope)
        account = account_of(request.actor)
        digest = await payer.payer(service.charge_queue, scope["headers"], account, address)
        await service.charge(scope, digest, 0)  # keys that nobody was given take no places
        async with site.downloads.place(digest.hex()):
            return await download(site, request, send)
    except Refusal as refused:
        return _refused(site, request, refused)


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
) -> AsyncGenerator[bytes, None]:
    """The file of a search, newest movement first, a few thousand at a time."""
    db = await asyncio.to_thread(facts.connect, snapshot.path)
    pieces: Iterator[bytes] = tabular.write(db, form, where, values, CHUNK)
    reading: asyncio.Future[bytes | None] | None = None
    try:
        while True:
            reading = asyncio.ensure_future(asyncio.to_thread(next, pieces, None))
            # The thread goes on though its request is cancelled.
            piece = await asyncio.shield(reading)
            if piece is None:
                return
            yield piece
    finally:
        if reading is None or reading.done():
            db.close()
        else:
            # SQLite crashes when a connection is closed in the middle of a thread's query.
            db.interrupt()
            reading.add_done_callback(lambda read: (read.exception(), db.close()))


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
