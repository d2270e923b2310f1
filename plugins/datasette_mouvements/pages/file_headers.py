"""The headers of files, and of every other answer at their addresses."""

from __future__ import annotations

from datetime import datetime
from email.utils import format_datetime
from typing import NamedTuple

from .. import addresses
from ..api import replies
from ..api.replies import Headers, Reply
from ..api.service import Scope, Send, Service
from ..keys.store import Charge
from .runner import FILE_SECONDS, public

# The key of a request's scope for the `send` that core does not change: core would forbid every cache
# what was asked with a key or a cookie, and clients could not ask whether a file has changed.
SEND = "mouvements.send"
_ALLOWED = f"{replies.ALLOWED}, Range, If-Range"
_EXPOSED = (
    *(*replies.EXPOSED, "Last-Modified"),
    *("Accept-Ranges", "Content-Range", "Content-Disposition"),
)
# Headers about a key, for answers that need none.
_OF_KEYS = tuple(name.lower().encode() for name in replies.QUOTA)


class FileOffer(NamedTuple):
    """A file that can be sent: its name, its digest, and how it is written."""

    name: str
    kind: str
    digest: str
    modified: datetime
    version: str
    write: object
    suffix: str
    cursor: str = ""

    @property
    def tag(self) -> bytes:
        """Its strong ETag, of this very form and coding."""
        return f'"{self.digest}"'.encode()

    @property
    def made_name(self) -> str:
        """What the made file is called on disk."""
        return f"{self.digest}.{self.suffix}"

    @property
    def told(self) -> dict[str, str]:
        """The headers of every answer about it, 304 included."""
        cursor = {"mouvements-curseur": self.cursor} if self.cursor else {}
        return {
            "etag": self.tag.decode(),
            "last-modified": format_datetime(self.modified, usegmt=True),
            "mouvements-version": self.version,
            **cursor,
        }


def of_file(service: Service, scope: Scope, offered: FileOffer) -> dict[str, str]:
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
    }


def for_payer(service: Service, charge: Charge) -> dict[str, str]:
    """The headers of what one key may have: no cache gives it to another."""
    quota = replies.quota_headers(service, charge)
    return {
        "cache-control": "private, no-cache",
        "vary": _vary(service).decode(),
        **_across_origins(),
        **{name.decode(): value.decode() for name, value in quota},
    }


def for_everyone(service: Service) -> dict[str, str]:
    """The headers of what everyone may have."""
    vary = {"vary": "Host"} if service.reflects_host else {}
    return {"cache-control": public(FILE_SECONDS), **vary, **_across_origins()}


def preflight(service: Service, opened: bool) -> Reply:
    """204: what a browser may send for a file, from any origin."""
    reply = replies.preflight(service)
    headers = replies.without(
        reply.headers, b"access-control-allow-headers", *(_OF_KEYS if opened else ())
    )
    return reply._replace(headers=[*headers, (b"access-control-allow-headers", _ALLOWED.encode())])


def without_quota(reply: Reply) -> Reply:
    """A refusal where no key is asked for."""
    return reply._replace(headers=replies.without(reply.headers, *_OF_KEYS))


def never_shared(service: Service, send: Send) -> Send:
    """`send` for an address of files, by which no cache keeps a refusal, not even Datasette's own."""

    def change(status: int, headers: Headers) -> Headers:
        if status in (200, 206, 304):
            return headers
        private = [(b"vary", _vary(service)), (b"cache-control", b"private, no-store")]
        return replies.without(headers, b"cache-control", b"vary") + private

    return replies.changing_headers(send, change)


def _vary(service: Service) -> bytes:
    """The request headers on which the answer of a file depends."""
    return replies.site_vary(service, "Sec-Fetch-Site", "Accept")


def _across_origins() -> dict[str, str]:
    return {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": ", ".join(_EXPOSED),
        "x-content-type-options": "nosniff",
    }
