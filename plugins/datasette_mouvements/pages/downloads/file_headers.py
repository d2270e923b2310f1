"""The headers of files, and of every other answer at their addresses."""

from __future__ import annotations

from datetime import datetime
from email.utils import format_datetime
from typing import Any, NamedTuple

from ... import addresses
from ...access.charging import Charge
from ...api import replies
from ...api.replies import Headers, Reply
from ...api.routes import Send
from ...api.service import Scope, Service
from ..files.file_cache import Write
from ..frame.page_headers import public

# Where everyone may have the file, caches may give it for so many seconds without asking.
PUBLIC_SECONDS = 300
# In a request's scope: the way past core, which gives whatever came with a key or a cookie to no cache at
# all; clients could not ask then whether a file has changed.
SEND = "mouvements.send"
_ALLOWED = f"{replies.ALLOWED}, If-Modified-Since, Range, If-Range"
_EXPOSED = (
    *(*replies.EXPOSED, "Last-Modified"),
    *("Accept-Ranges", "Content-Range", "Content-Disposition"),
)
# What is known of nobody's key is told to nobody.
_OF_KEYS = tuple(name.lower().encode() for name in replies.QUOTA)


class Offered(NamedTuple):
    """A file as it would be sent: what it is called, what tells it from another, how it is made."""

    name: str
    kind: str
    digest: str
    modified: datetime
    version: str
    write: Write
    suffix: str
    gzipped: bool = False
    cursor: str = ""

    @property
    def tag(self) -> bytes:
        """Its strong ETag: of this very form and coding."""
        return f'"{self.digest}"'.encode()

    @property
    def made_name(self) -> str:
        """What the made file is called on disk."""
        return f"{self.digest}.{self.suffix}"

    @property
    def told(self) -> dict[str, str]:
        """What every answer about it says, a 304 too."""
        cursor = {"mouvements-curseur": self.cursor} if self.cursor else {}
        return {
            "etag": self.tag.decode(),
            "last-modified": format_datetime(self.modified, usegmt=True),
            "mouvements-version": self.version,
            **cursor,
        }


def of_file(service: Service, scope: Scope, offered: Offered) -> dict[str, str]:
    """The headers of a file that is sent, beside those of who may have it."""
    origin = service.origin(scope)
    name = f"donnees-inventees-{offered.name}" if service.invented else offered.name
    described = f'<{origin}{addresses.DOCUMENTATION}#champs>; rel="describedby"; type="text/html"'
    return {
        **offered.told,
        "content-type": offered.kind,
        "content-disposition": f'attachment; filename="{name}"',
        "x-robots-tag": "noindex",
        "link": f"{service.links_at(origin)}, {described}",
        **({"content-encoding": "gzip"} if offered.gzipped else {}),
    }


def for_payer(service: Service, charge: Charge) -> dict[str, str]:
    """The headers of what one key may have: no cache gives it to another."""
    quota = {
        name.decode(): value.decode() for name, value in replies.quota_headers(service, charge)
    }
    return {
        "cache-control": "private, no-cache",
        "vary": _vary(service).decode(),
        **_across_origins(),
        **quota,
    }


def for_everyone(service: Service) -> dict[str, str]:
    """The headers of what everyone may have."""
    vary = {"vary": "Host"} if service.reflects_host else {}
    return {"cache-control": public(PUBLIC_SECONDS), **vary, **_across_origins()}


def preflight(service: Service, opened: bool) -> Reply:
    """204: what a browser may send for a file, from any origin."""
    reply = replies.preflight(service)
    headers = _without(
        reply.headers, b"access-control-allow-headers", *(_OF_KEYS if opened else ())
    )
    return reply._replace(headers=[*headers, (b"access-control-allow-headers", _ALLOWED.encode())])


def without_quota(reply: Reply) -> Reply:
    """A refusal where no key is asked for."""
    return reply._replace(headers=_without(reply.headers, *_OF_KEYS))


def never_shared(service: Service, send: Send) -> Send:
    """`send`, for an address of files: no cache keeps a refusal, Datasette's own neither."""

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start" and message["status"] not in (200, 206, 304):
            kept = _without(message.get("headers", []), b"cache-control", b"vary")
            vary = (b"vary", _vary(service))
            headers = [*kept, vary, (b"cache-control", b"private, no-store")]
            message = {**message, "headers": headers}
        await send(message)

    return sending


def _vary(service: Service) -> bytes:
    """Whatever opens a file, or makes its answer another one."""
    return replies.site_vary(service, "Sec-Fetch-Site", "Accept")


def _across_origins() -> dict[str, str]:
    return {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": ", ".join(_EXPOSED),
        "x-content-type-options": "nosniff",
    }


def _without(headers: Headers, *names: bytes) -> Headers:
    return [pair for pair in headers if pair[0].lower() not in names]
