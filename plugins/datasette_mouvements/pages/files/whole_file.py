"""The file of everything: who may have it, what it costs, how it is sent (RFC 9110)."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime, parsedate
from pathlib import Path
from typing import Any

from datasette.app import Datasette
from datasette.utils.asgi import Forbidden, Request, asgi_send_file
from datasette.utils.sqlite import sqlite3

from ... import addresses
from ...api import replies
from ...api.parameters import checked
from ...api.replies import Headers, Reply, header
from ...api.service import Scope, Send, Service, account_of
from ...dataset.served import DataVersion
from ...keys.store import Charge
from ...refusal import Refusal, unavailable
from ..runner import FILE_SECONDS, public
from ..site import Site, site_of
from . import archive

try:
    from starlette.responses import FileResponse
except ModuleNotFoundError:  # loaded with --plugins-dir: the file is sent whole
    FileResponse = None  # type: ignore[assignment, misc]

log = logging.getLogger(__name__)

# The key of a request's scope for the `send` that core does not change: core would forbid every cache
# what was asked with a key or a cookie, and clients could not ask whether the file has changed.
SEND = "mouvements.send"
TYPE, CSV_TYPE = "application/zip", "text/csv; charset=utf-8"
# Who takes longer than so many seconds, and those of the file at so many bytes a second, may go on with a part.
PATIENCE, LEAST_BYTES_A_SECOND = 60.0, 16_384
# The request headers on which the answer depends, beside those of every address of the site.
_OPENS = ("Sec-Fetch-Site", "Accept")
_EXPOSED = (
    *(*replies.EXPOSED, "Last-Modified"),
    *("Accept-Ranges", "Content-Range", "Content-Disposition"),
)


@dataclass(frozen=True)
class WholeFile:
    """The file of a version, as it was made: its strong tag is a digest of its bytes."""

    version: DataVersion
    path: Path
    size: int
    tag: str

    @property
    def modified(self) -> datetime:
        """When it changed last: stays and lists change on days without a movement."""
        return datetime.fromisoformat(self.version.built_at)

    def unchanged(self, scope: Scope) -> bool:
        """Whether the client has this very file (sections 13.1.2 and 13.1.3); where it sends a tag, its day is ignored."""
        if tags := header(scope, b"if-none-match"):
            return replies.matches(tags, self.tag.encode())
        since = parsedate(header(scope, b"if-modified-since").decode("latin-1"))
        return since is not None and self.modified.utctimetuple()[:6] <= since[:6]

    def parts(self, scope: Scope) -> Headers:
        """The Range of a request, if it is of bytes and of this very file: a day (If-Range) is no proof of that."""
        asked, condition = header(scope, b"range"), header(scope, b"if-range")
        fits = asked.lower().startswith(b"bytes=") and condition in (b"", self.tag.encode())
        return [(b"range", asked)] if fits else []


async def everything(datasette: Datasette, request: Request, send: Send) -> None:
    """Send the file of everything: to everyone where `open_whole_file` is set and the table is open, else for a charge.

    A HEAD, a 304 and whatever is refused cost nothing. Raises Forbidden.
    """
    if (site := site_of(datasette)) is None:
        return
    service, scope = site.service, request.scope
    send = scope.get(SEND, send)
    if not await site.may_view(request.actor):
        raise Forbidden("view-table")
    charge: Charge | None = None
    file: WholeFile | None = None
    digest = b""

    async def paying(message: dict[str, Any]) -> None:
        """Send the message; the file, or a part of it, is paid for when its answer begins. Raises Refusal."""
        nonlocal charge
        if message["type"] == "http.response.start":
            if message["status"] >= 400 and file:
                raise Refusal(
                    "range",
                    f"Le fichier a {file.size} octets : une partie demandée ne se lit pas ou n’y est pas.",
                )
            if digest and scope["method"] == "GET" and message["status"] != 304:
                charge = await service.pay(scope, digest)
            if charge:
                quota = replies.quota_headers(service, charge)
                message = {**message, "headers": [*message["headers"], *quota]}
        await send(message)

    try:
        if not await site.whole_file_is_open():
            digest = await service.paying_key(scope, account_of(request.actor))
            charge = await service.pay(scope, digest, 0)
        checked(scope["query_string"])
        file = await _whole_file(site)
        headers = _headers(service, file, opened=not digest)
        if file.unchanged(scope):
            # Without a Link: a cache would replace that of the 200 by it.
            await replies.send_reply(Reply(304, _raw(headers)), scope, paying)
        else:
            headers |= _content_headers(service, scope, file)
            seconds = PATIENCE + file.size / LEAST_BYTES_A_SECOND
            await send_file(scope, paying, file, headers, seconds)
    except Refusal as refused:
        refused.quota = refused.quota or charge
        reply = replies.for_visitor(service, scope, refused)
        if refused.kind == "range" and file:
            size = (b"content-range", b"bytes */%d" % file.size)
            reply = reply._replace(headers=[*reply.headers, size])
        await replies.send_reply(reply, scope, send)


async def _whole_file(site: Site) -> WholeFile:
    """The file of the version served now, made once for all who ask; Refusal if it cannot be made.

    It stands beside the version's copy, and goes with it: nothing stays that was withdrawn.
    """
    version = site.service.version
    if version is None:
        raise unavailable()
    task = version.whole_file
    if task is None or (task.done() and not (task.result() and task.result().path.exists())):
        task = version.whole_file = asyncio.create_task(_make(site, version))
    # The thread goes on when one request is cancelled, because others may wait for the same file.
    file: WholeFile | None = await asyncio.shield(task)
    if file is None:
        raise unavailable()
    return file


async def _make(site: Site, version: DataVersion) -> WholeFile | None:
    """Make the file of a version; None if that cannot be."""
    path = version.archive
    try:
        with version.read():
            notice = await archive.notice(site, version)
            settings = (site.config, site.title, notice)
            digest = await asyncio.to_thread(archive.write, version, *settings, path)
    except (OSError, sqlite3.Error) as error:
        # To do: see that the disk has room. The request was answered 503, uncharged.
        log.error("a file cannot be made: %s", type(error).__name__)
        return None
    return WholeFile(version, path, path.stat().st_size, f'"{digest[:24]}"')


async def send_file(
    scope: Scope, send: Any, file: WholeFile, headers: dict[str, str], seconds: float
) -> None:
    """Send the file with these headers, or the parts of it that GET asks for; its head alone to HEAD.

    Who takes longer than `seconds` gets an answer that is not whole, and frees the place.
    """
    headers = headers | {"accept-ranges": "none" if FileResponse is None else "bytes"}
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            if scope["method"] == "HEAD":
                headers |= {"content-type": TYPE, "content-length": str(file.size)}
                await replies.send_reply(Reply(200, _raw(headers)), scope, send)
            elif FileResponse is None:
                await asgi_send_file(send, file.path, content_type=TYPE, headers=headers)
            else:
                # By that version of ASGI nothing is read of the request.
                asked = {"type": "http", "method": "GET", "asgi": {"spec_version": "2.4"}}
                response = FileResponse(file.path, headers=headers, media_type=TYPE)
                await response({**asked, "headers": file.parts(scope)}, None, send)  # type: ignore[arg-type]


def _headers(service: Service, file: WholeFile, opened: bool) -> dict[str, str]:
    """The headers of every answer about the file, 304 included: for everyone where it is `opened`, or for one key."""
    headers = {
        "etag": file.tag,
        "last-modified": format_datetime(file.modified, usegmt=True),
        "mouvements-version": file.version.version,
        "mouvements-curseur": str(file.version.cursor),
        "access-control-allow-origin": "*",
        "access-control-expose-headers": ", ".join(_EXPOSED),
        "x-content-type-options": "nosniff",
        "cache-control": public(FILE_SECONDS) if opened else "private, no-cache",
    }
    if not opened:
        headers["vary"] = replies.site_vary(service, *_OPENS).decode()
    elif service.reflects_host:
        headers["vary"] = "Host"
    return headers


def _content_headers(service: Service, scope: Scope, file: WholeFile) -> dict[str, str]:
    """The headers of the file itself."""
    origin = service.origin(scope)
    invented = "donnees-inventees-" if service.invented else ""
    name = f"{invented}mouvements-{file.version.edition}.zip"
    described = f'<{origin}{addresses.DOCUMENTATION}#champs>; rel="describedby"; type="text/html"'
    return {
        "content-disposition": f'attachment; filename="{name}"',
        "x-robots-tag": "noindex",
        "link": f"{service.links_at(origin)}, {described}",
    }


def guarded(service: Service, send: Send, opened: bool) -> Send:
    """`send` for the address of the file: no cache keeps a refusal, not even Datasette's own.

    Where the file is open, no answer speaks of keys.
    """
    of_keys = [name.lower().encode() for name in replies.QUOTA] if opened else []

    def change(status: int, headers: Headers) -> Headers:
        if status in (200, 206, 304):
            return headers
        private = [
            (b"vary", replies.site_vary(service, *_OPENS)),
            (b"cache-control", b"private, no-store"),
        ]
        return replies.without(headers, b"cache-control", b"vary", *of_keys) + private

    return replies.changing_headers(send, change)


def _raw(headers: dict[str, str]) -> Headers:
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
