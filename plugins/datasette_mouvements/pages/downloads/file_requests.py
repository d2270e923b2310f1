"""Requests for files: the whole data set, for one charge or for everyone."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from typing import NamedTuple

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS

from ...access import payer
from ...access.charging import Charge
from ...access.payer import account_of
from ...access.slots import subscriber
from ...api import replies
from ...api.replies import Reply
from ...api.service import Payment, Scope, Send, Service
from ...dataset.served.snapshot import Snapshot
from ...refusal import Refusal, unavailable
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

Offer = Callable[[Site, Request, Snapshot], FileOffer]


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


def _offer_all(site: Site, request: Request, snapshot: Snapshot) -> FileOffer:
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
        cursor=str(snapshot.feed.end),
    )


async def to_payer(site: Site, request: Request, send: Send, offer: Offer) -> None:
    """Send a file to the one who pays for it, one at a time for each key."""
    service, scope = site.service, request.scope
    try:
        digest = await service.paying_key(scope, account_of(request.actor))
        await service.charge(scope, digest, 0)  # unknown keys get no slot
        async with site.downloads.slot(digest.hex()):
            await _paid(site, request, send, offer, digest)
    except Refusal as refused:
        await _refuse(site, request, send, refused)


async def _paid(site: Site, request: Request, send: Send, offer: Offer, digest: bytes) -> None:
    service, scope = site.service, request.scope
    known = await service.charge(scope, digest, 0)
    snapshot = service.live.snapshot
    if snapshot is None:
        raise unavailable(known)
    if not known.granted:
        raise payer.exhausted(known)
    try:
        offered = offer(site, request, snapshot)
    except Refusal as refused:
        refused.quota = known
        raise
    if unchanged(scope, offered.tag, offered.modified):
        await _not_modified(scope, send, offered, file_headers.for_payer(service, known))
        return
    payment = Payment(digest, known)
    # HEAD is free, unless the file must be made for it.
    there = site.file_cache.has(offered.made_name)
    charged = scope["method"] == "GET" or not there
    if charged:
        payment = Payment(digest, await service.charge(scope, digest, 1))
        if not payment.charge.granted:
            raise payer.exhausted(payment.charge)
    headers = file_headers.for_payer(service, payment.charge)
    paid = _FilePayment(service, payment, charged, there)
    await _deliver(site, request, send, offered, headers, paid)


class _FilePayment(NamedTuple):
    """What was paid for a file, if it was `charged`, and whether the file was `there` before."""

    service: Service
    payment: Payment
    charged: bool
    there: bool

    async def give_back(self) -> Charge:
        """The charge once it is given back."""
        if not self.charged:
            return self.payment.charge
        return await self.service.give_back(self.payment)

    async def keep_or_give_back(self) -> Charge:
        """The charge where nothing of the file is sent: it stays if the file was made for this request."""
        return await self.give_back() if self.there else self.payment.charge


async def to_everyone(site: Site, request: Request, send: Send, offer: Offer) -> None:
    """Send a file to everyone; those without a key have download slots of their own."""
    service, scope = site.service, request.scope
    try:
        async with site.open_downloads.slot(subscriber(scope.get("client"))):
            snapshot = service.live.snapshot
            if snapshot is None:
                raise unavailable()
            offered, headers = offer(site, request, snapshot), file_headers.for_everyone(service)
            if unchanged(scope, offered.tag, offered.modified):
                await _not_modified(scope, send, offered, headers)
            else:
                await _deliver(site, request, send, offered, headers, None)
    except Refusal as refused:
        await _refuse(site, request, send, refused, opened=True)


async def _deliver(
    site: Site,
    request: Request,
    send: Send,
    offered: FileOffer,
    headers: dict[str, str],
    paid: _FilePayment | None,
) -> None:
    """Make a file if it is not there, and send it; Refusal, and the charge back, if that cannot be."""
    scope = request.scope
    async with AsyncExitStack() as held:
        try:
            making = site.file_cache.hold(offered.made_name, offered.write)
            path = await held.enter_async_context(making)
            size = path.stat().st_size
            parts = ranges(scope, offered.tag, size) if SENDS_PARTS else ""
        except FAULTS as error:
            # To do: see that the disk has room. The request was answered 503, uncharged.
            log.error("a file cannot be made: %s", type(error).__name__)
            raise unavailable(await paid.give_back() if paid else None) from None
        except NotSatisfiable as refused:
            refused.quota = await paid.keep_or_give_back() if paid else None
            raise
        headers = headers | file_headers.of_file(site.service, scope, offered)
        await send_file(scope, send, path, size, headers, parts)


async def _not_modified(
    scope: Scope, send: Send, offered: FileOffer, headers: dict[str, str]
) -> None:
    """304, without a Link header: a cache would replace that of the 200 by it."""
    told = headers | offered.told
    raw = [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
    await replies.send_reply(Reply(304, replies.joined(raw)), scope, send)


async def _refuse(
    site: Site, request: Request, send: Send, refused: Refusal, opened: bool = False
) -> None:
    reply = replies.for_visitor(site.service, request.scope, refused)
    if isinstance(refused, NotSatisfiable):
        size = (b"content-range", b"bytes */%d" % refused.size)
        reply = reply.with_headers([*reply.headers, size])
    if opened:
        reply = file_headers.without_quota(reply)
    await replies.send_reply(reply, request.scope, send)


def plain_name(name: str) -> str:
    """A file name of letters, digits and hyphens alone."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)
