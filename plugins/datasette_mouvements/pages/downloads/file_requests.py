"""Requests for files: the whole data set, for one charge or for everyone."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS

from ...api import replies
from ...api.replies import Reply
from ...api.service import Scope, Send, account_of
from ...dataset.served import DataVersion
from ...keys.store import Charge
from ...refusal import Refusal, unavailable
from ...turns import client_of
from ..counts import publications
from ..explorer import filters
from ..files import archive
from ..files.file_cache import FAULTS
from ..frame.site import Site
from . import file_headers
from .conditions import NotSatisfiable, ranges, unchanged
from .file_headers import FileOffer
from .sending import SENDS_PARTS, send_file

log = logging.getLogger(__name__)

Offer = Callable[[Site, Request, DataVersion], FileOffer]


async def page(site: Site, request: Request) -> Response:
    """What files and feeds there are, and what they cost."""
    context = {
        "chambers": CHAMBERS,
        "total": site.snapshot().rows,
        "origin": site.origin(request),
        "most": publications.MOST,
        "opened": await site.whole_file_is_open(),
    }
    return await site.page(request, "files", context, indexed=True)


async def everything(site: Site, request: Request, send: Send) -> None:
    """The whole data set; to everyone where `open_whole_file` is set and the table is open."""
    if await site.whole_file_is_open():
        await to_everyone(site, request, send, _offer_all)
    else:
        await to_payer(site, request, send, _offer_all)


def _offer_all(site: Site, request: Request, snapshot: DataVersion) -> FileOffer:
    """The file of all data; Refusal if a parameter is given."""
    filters.of_everything(request)
    return FileOffer(
        name=f"mouvements-{snapshot.edition}.zip",
        kind="application/zip",
        digest=archive.digest(snapshot, site.config, site.title),
        # Stays and lists change on days without a movement.
        modified=datetime.fromisoformat(snapshot.built_at),
        version=snapshot.version,
        write=partial(archive.write, snapshot, site.config, site.title),
        suffix="zip",
        cursor=str(snapshot.cursor),
    )


async def to_payer(site: Site, request: Request, send: Send, offer: Offer) -> None:
    """Send a file to the one who pays for it, once it is ready."""
    service, scope = site.service, request.scope
    try:
        digest = await service.paying_key(scope, account_of(request.actor))
        await service.pay(scope, digest, 0)  # unknown keys get no turn
        async with site.downloads.request(digest.hex()) as turn:
            await turn.take()
            known = await service.pay(scope, digest, 0)
            try:
                offered = offer(site, request, site.snapshot())
            except Refusal as refused:
                refused.quota = known
                raise
            if unchanged(scope, offered.tag, offered.modified):
                headers = file_headers.for_payer(service, known)
                await _not_modified(scope, send, offered, headers)
                return
            # HEAD is free, and so is a part that is not there, unless the file must be made for it.
            there = site.file_cache.has(offered.made_name)

            async def pay(satisfied: bool) -> Charge:
                free = there and not (satisfied and scope["method"] == "GET")
                return await service.pay(scope, digest, 0 if free else 1)

            await _deliver(site, request, send, offered, known, pay)
    except Refusal as refused:
        await _refuse(site, request, send, refused)


async def to_everyone(site: Site, request: Request, send: Send, offer: Offer) -> None:
    """Send a file to everyone; those without a key have download turns of their own."""
    service, scope = site.service, request.scope
    try:
        async with site.open_downloads.request(client_of(scope)) as turn:
            await turn.take()
            if service.version is None:
                raise unavailable()
            offered = offer(site, request, service.version)
            if unchanged(scope, offered.tag, offered.modified):
                headers = file_headers.for_everyone(service)
                await _not_modified(scope, send, offered, headers)
            else:
                await _deliver(site, request, send, offered, None, None)
    except Refusal as refused:
        await _refuse(site, request, send, refused, opened=True)


async def _deliver(
    site: Site,
    request: Request,
    send: Send,
    offered: FileOffer,
    known: Charge | None,
    pay: Callable[[bool], Awaitable[Charge]] | None,
) -> None:
    """Make a file if it is not there, have it paid, and send it; Refusal, at no charge, if that cannot be.

    `pay` is told whether there is something to send; without it the file is for everyone.
    """
    service, scope = site.service, request.scope
    async with AsyncExitStack() as held:
        try:
            making = site.file_cache.hold(offered.made_name, offered.write)
            path = await held.enter_async_context(making)
            size = path.stat().st_size
            parts = ranges(scope, offered.tag, size) if SENDS_PARTS else ""
        except FAULTS as error:
            # To do: see that the disk has room. The request was answered 503, uncharged.
            log.error("a file cannot be made: %s", type(error).__name__)
            raise unavailable(known) from None
        except NotSatisfiable as refused:
            refused.quota = await pay(False) if pay else None
            raise
        if pay:
            headers = file_headers.for_payer(service, await pay(True))
        else:
            headers = file_headers.for_everyone(service)
        headers |= file_headers.of_file(service, scope, offered)
        await send_file(scope, send, path, size, headers, parts)


async def _not_modified(
    scope: Scope, send: Send, offered: FileOffer, headers: dict[str, str]
) -> None:
    """304, without a Link header: a cache would replace that of the 200 by it."""
    told = headers | offered.told
    raw = [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
    await replies.send_reply(Reply(304, raw), scope, send)


async def _refuse(
    site: Site, request: Request, send: Send, refused: Refusal, opened: bool = False
) -> None:
    reply = replies.for_visitor(site.service, request.scope, refused)
    if isinstance(refused, NotSatisfiable):
        size = (b"content-range", b"bytes */%d" % refused.size)
        reply = reply._replace(headers=[*reply.headers, size])
    if opened:
        reply = file_headers.without_quota(reply)
    await replies.send_reply(reply, request.scope, send)


def plain_name(name: str) -> str:
    """A file name of letters, digits and hyphens alone."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)
