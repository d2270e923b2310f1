"""Page or refusal -> status, headers, body. Files add their headers in `pages/downloads/file_headers`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from datetime import datetime
from email.utils import format_datetime
from http import HTTPStatus
from typing import Any, NamedTuple

from .. import addresses
from ..access.charging import Charge
from ..access.quota_day import reset, seconds_to_reset
from ..dataset.served.snapshot import Snapshot
from ..refusal import KINDS, RETRY_SECONDS, SITE, QuotaState, Refusal
from . import compression, problems
from .listings import MOVEMENTS_LISTING, Listing
from .parameters.parameter_faults import shown
from .service import Scope, Send, Service

Headers = list[tuple[bytes, bytes]]
METHODS = "GET, HEAD, OPTIONS"
DAY_SECONDS = 86400

QUOTA = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit")
EXPOSED = (*QUOTA, "Retry-After", "ETag", "Link", "Mouvements-Version", "Mouvements-Curseur")
# Wrappers of fetch set the others, though nothing here reads them; a refused one fails the whole request.
ALLOWED = ", ".join(
    (
        *("Authorization", "X-API-Key", "If-None-Match", "If-Modified-Since"),
        *("Cache-Control", "Content-Type", "X-Requested-With"),
    )
)
VARY = "Authorization, X-API-Key, Accept-Encoding"


def joined(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Header lines; ValueError for one that would be read as two."""
    lines = [b"%b: %b\r\n" % pair for pair in headers]
    head = b"".join(lines)
    if not head.count(b"\n") == head.count(b"\r") == len(lines):
        raise ValueError("a line break in a header")
    return head


def parted(head: bytes) -> Headers:
    """The headers of header lines."""
    return [
        (name, value) for name, _, value in (x.partition(b": ") for x in head.split(b"\r\n")[:-1])
    ]


_ANY_ORIGIN = (b"access-control-allow-origin", b"*")
# By `Service.reflects_host`: whether answers contain the request's Host.
_COMMON = {
    reflects_host: joined(
        [
            (b"cache-control", b"private, no-cache"),
            (b"vary", (VARY + (", Host" if reflects_host else "")).encode()),
            _ANY_ORIGIN,
            (b"access-control-expose-headers", ", ".join(EXPOSED).encode()),
            (b"x-content-type-options", b"nosniff"),
        ]
    )
    for reflects_host in (False, True)
}
_JSON = b"content-type: application/json\r\n"
_PROBLEM = b"content-type: application/problem+json\r\n"
_HTML = (b"content-type", b"text/html; charset=utf-8")
_UNSTORED = b"cache-control: no-store\r\nx-content-type-options: nosniff\r\n"
_CHALLENGE = b'www-authenticate: Bearer realm="mouvements"'
# What a refusal of a kind needs beside the headers of every refusal (RFC 9110, sections 10.2.1 and 11.6.1).
_OF_KIND = {
    "key_missing": _CHALLENGE + b"\r\n",
    "key_invalid": _CHALLENGE + b', error="invalid_token"\r\n',
    "method": b"allow: %b\r\n" % METHODS.encode(),
}
_PREFLIGHT = joined(
    [
        (b"allow", METHODS.encode()),
        (b"access-control-allow-methods", METHODS.encode()),
        (b"access-control-allow-headers", ALLOWED.encode()),
        (b"access-control-max-age", b"86400"),
    ]
)
_CLOSE = b"connection: close\r\n"
_STATUS_LINES = {s.value: f"HTTP/1.1 {s.value} {s.phrase}\r\n".encode() for s in HTTPStatus}


class Reply(NamedTuple):
    """A whole answer; `head` are its header lines, `body` is empty where the status has none."""

    status: int
    head: bytes
    body: bytes = b""
    key: int | None = None  # the number of the key it was answered to, for the log

    @property
    def headers(self) -> Headers:
        return parted(self.head)

    def with_headers(self, headers: Headers) -> Reply:
        return self._replace(head=joined(headers))


def _with_body(status: int, head: bytes, body: bytes, key: int | None = None) -> Reply:
    return Reply(status, b"%bcontent-length: %d\r\n" % (head, len(body)), body, key)


class PreparedPage:
    """A page as it is sent, cached with its data version: body, gzipped body, fixed headers, links.

    In the links `SITE` stands for the address at which a client reached the site.
    """

    __slots__ = ("_at", "_head", "_links", "body", "gzipped")

    def __init__(self, service: Service, body: bytes, links: Iterable[str], tag: bytes) -> None:
        self.body = body
        self.gzipped: bytes | None = None
        self._head = b"%b%betag: %b\r\n" % (_COMMON[service.reflects_host], _JSON, tag)
        self._links = ", ".join([*links, service.links])
        self._at: tuple[str | None, bytes] = (None, b"")

    def head(self, origin: str) -> bytes:
        """The fixed headers, their links at `origin`, which seldom changes."""
        at, head = self._at
        if at != origin:
            links = self._links.replace(SITE, origin)
            head = b"%blink: %b\r\n" % (self._head, links.encode())
            self._at = origin, head
        return head

    @property
    def weight(self) -> int:
        """Bytes in memory: a gzipped copy, if one is made, is about a sixth of the body."""
        return len(self.body) * 7 // 6 + 2000


@functools.lru_cache(maxsize=64)
def policy(limit: int) -> bytes:
    """The quota's rule as `RateLimit-Policy` gives it."""
    return b'"jour";q=%d;w=%d' % (limit, DAY_SECONDS)


def quota_head(service: Service, charge: QuotaState | None, without_key: bool = False) -> bytes:
    """The quota headers of every answer under /v1.

    For a request `without_key` that is known, nothing remains. Where the count itself is not known, both
    numbers are the setting's quota and there is no RateLimit: no client may read that it is used up.
    """
    quota = service.config.quota
    unknown = (quota, 0 if without_key else quota)
    limit, remaining = unknown if charge is None else (charge.limit, charge.remaining)
    head = b"x-ratelimit-limit: %d\r\nx-ratelimit-remaining: %d\r\nratelimit-policy: %b\r\n" % (
        limit,
        remaining,
        policy(limit),
    )
    if charge is None and not without_key:
        return head
    seconds = seconds_to_reset(service.clock())
    return b'%bratelimit: "jour";r=%d;t=%d\r\n' % (head, remaining, seconds)


def version_head(snapshot: Snapshot | None, listing: Listing = MOVEMENTS_LISTING) -> bytes:
    """The version of what a listing serves and when one of its rows changed last; empty without data."""
    if snapshot is None:
        return b""
    rows = listing.rows(snapshot)
    return _version_head(rows.version, rows.changed_at)


# To format the instant takes longer than all other headers together.
@functools.lru_cache(maxsize=4)
def _version_head(version: str, changed_at: str) -> bytes:
    changed = format_datetime(datetime.fromisoformat(changed_at), usegmt=True)
    return f"mouvements-version: {version}\r\nlast-modified: {changed}\r\n".encode()


def page(service: Service, prepared: PreparedPage, charge: Charge | None, scope: Scope) -> Reply:
    """A page, gzipped if the client accepts it and the body is long enough."""
    body, encoding = prepared.body, b""
    if len(body) >= compression.LEAST_BYTES and compression.accepts_gzip(scope["headers"]):
        if prepared.gzipped is None:
            prepared.gzipped = compression.compress(body)
        body, encoding = prepared.gzipped, b"content-encoding: gzip\r\n"
    head = prepared.head(service.origin(scope)) + quota_head(service, charge) + encoding
    return _with_body(200, head, body, charge.key_id if charge else None)


def not_modified(service: Service, charge: Charge | None, tag: bytes) -> Reply:
    """304 (RFC 9110, section 15.4.5).

    Without Link: a cache would put it in the place of the 200's, and lose the next page.
    """
    common, quota = _COMMON[service.reflects_host], quota_head(service, charge)
    key = charge.key_id if charge else None
    return Reply(304, b"%betag: %b\r\n%b" % (common, tag, quota), key=key)


def health(body: bytes, good: bool) -> Reply:
    """The state of the service: never kept by a cache."""
    wait = b"" if good else b"retry-after: %d\r\n" % RETRY_SECONDS
    head = _JSON + _UNSTORED + joined([_ANY_ORIGIN]) + wait
    return _with_body(200 if good else 503, head, body)


def redirect(address: str) -> Reply:
    """303, never kept by a cache."""
    return _with_body(303, joined([(b"location", address.encode())]) + _UNSTORED, b"")


def export_headers(service: Service, headers: Headers, charge: Charge) -> Headers:
    """The headers of what Datasette answered to a key, with its quota; for no other client."""
    kept = without(headers, b"cache-control", b"vary")
    caching = [(b"cache-control", b"private, no-store"), (b"vary", site_vary(service))]
    return [*kept, *caching, *parted(quota_head(service, charge))]


def without(headers: Headers, *names: bytes) -> Headers:
    """The headers that have none of these names."""
    return [pair for pair in headers if pair[0].lower() not in names]


def site_vary(service: Service, *more: str) -> bytes:
    """`Vary` of the site's own addresses, which a signed-in account opens too."""
    host = ("Host",) if service.reflects_host else ()
    return ", ".join((VARY, "Cookie", *more, *host)).encode()


def method_refused(scope: Scope, quota: QuotaState | None = None) -> Refusal:
    """The refusal of a method that writes."""
    return Refusal(
        "method",
        f"La méthode {shown(scope['method'])} n’est pas admise : le service est en lecture"
        f" seule et accepte {METHODS}.",
        quota=quota,
    )


def preflight(service: Service) -> Reply:
    """204: what a browser may send from any origin."""
    common = _COMMON[service.reflects_host]
    return Reply(204, common + _PREFLIGHT + quota_head(service, None))


def refuse(service: Service, refused: Refusal, origin: str) -> Reply:
    """Problem details (RFC 9457), with the headers that the status needs.

    `origin` is `service.origin` of the request, the beginning of its links.
    """
    left, kind = refused.quota, KINDS[refused.kind]
    instead = [link.replace(SITE, origin) for link in refused.links]
    keys = [f'<{origin}{addresses.KEY_PAGE}>; rel="create-form"'] if kind.status == 401 else []
    links = ", ".join([*instead, *keys, service.links_at(origin)])
    head = b"%b%blink: %b\r\n%b%b" % (
        _COMMON[service.reflects_host],
        _PROBLEM,
        links.encode(),
        quota_head(service, left, without_key=kind.status == 401),
        _OF_KIND.get(refused.kind, b""),
    )
    if kind.status in (429, 503):
        wait = RETRY_SECONDS if kind.status == 503 else seconds_to_reset(service.clock())
        head += b"retry-after: %d\r\n" % wait
    body = problems.details(service, refused, origin)
    return _with_body(kind.status, head, body, left.key_id if left else None)


def canonical(service: Service, reply: Reply, scope: Scope) -> Reply:
    """The answer at the alias: its Link leads to the reference path; a 304 has no Link."""
    if reply.status == 304:
        return reply
    link = f'link: <{service.origin(scope)}{addresses.SEARCH}>; rel="canonical"\r\n'
    return reply._replace(head=reply.head + link.encode())


def quota(service: Service, charge: Charge, scope: Scope) -> Reply:
    """What a key has left today, and when that changes."""
    body = json.dumps(quota_body(service, charge, service.clock()), ensure_ascii=False)
    links = b"link: %b\r\n" % service.links_at(service.origin(scope)).encode()
    head = _COMMON[service.reflects_host] + _JSON + links + quota_head(service, charge)
    return _with_body(200, head, body.encode(), charge.key_id)


def quota_body(service: Service, charge: Charge, now: datetime) -> dict[str, str | int]:
    """The members of the answer at /v1/quota."""
    return {
        "limite": charge.limit,
        "utilise": charge.used,
        "reste": charge.remaining,
        "jour": charge.day,
        "retour_a": reset(now).isoformat(),
        "retour_dans": seconds_to_reset(now),
        "licence": service.config.licence,
        "attribution": service.config.attribution,
    }


def for_visitor(service: Service, scope: Scope, refused: Refusal) -> Reply:
    """A refusal at one of the site's own addresses: a browser without a key is led to the page of keys."""
    wants_page = b"text/html" in header(scope, b"accept") and scope["method"] in ("GET", "HEAD")
    if refused.kind == "key_missing" and wants_page:
        reply = redirect(service.prefix + addresses.KEY_PAGE)
    else:
        reply = refuse(service, refused, service.origin(scope))
        if wants_page and KINDS[refused.kind].pages:
            detail = problems.detail(service, refused, service.url(""))
            html = problems.notice(refused.kind, detail, service.prefix)
            headers = without(reply.headers, b"content-type", b"content-length")
            reply = _with_body(reply.status, joined([*headers, _HTML]), html, reply.key)
    vary = (b"vary", site_vary(service, "Accept"))
    return reply.with_headers([*without(reply.headers, b"vary"), vary])


def header(scope: Scope, name: bytes) -> bytes:
    """A request's header, its values joined by commas; empty if it has none."""
    return b",".join([value for key, value in scope["headers"] if key == name])


def http_head(reply: Reply, before: bytes = b"", closing: bool = False) -> bytes:
    """The head of a response of HTTP/1.1, after header lines `before` its own; `closing` if its connection ends."""
    close = _CLOSE if closing else b""
    return b"%b%b%b%b\r\n" % (_STATUS_LINES[reply.status], before, reply.head, close)


async def send_reply(reply: Reply, scope: Scope, send: Send) -> None:
    """Send the answer; without its body to HEAD."""
    await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
    body = b"" if scope["method"] == "HEAD" else reply.body
    await send({"type": "http.response.body", "body": body})


def changing_headers(send: Send, change: Callable[[int, Headers], Headers]) -> Send:
    """`send`, which makes the headers of an answer anew from its status and headers."""

    async def sending(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = change(message["status"], list(message.get("headers", [])))
            message = {**message, "headers": headers}
        await send(message)

    return sending
