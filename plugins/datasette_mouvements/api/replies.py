"""Page or refusal -> status, headers, body. Files add their headers in `pages/downloads/file_headers`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from datetime import datetime
from email.utils import format_datetime
from typing import Any, NamedTuple

from .. import addresses
from ..access.charging import Charge
from ..access.quota_day import reset, seconds_to_reset
from ..dataset.served.snapshot import Snapshot
from ..refusal import KINDS, RETRY_SECONDS, SITE, QuotaState, Refusal
from . import compression, problems, telemetry
from .changes import fresh_starts
from .parameters.parameter_faults import shown
from .service import Scope, Send, Service

Headers = list[tuple[bytes, bytes]]
METHODS = "GET, HEAD, OPTIONS"
DAY_SECONDS = 86400

QUOTA = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit")
EXPOSED = (*QUOTA, "Retry-After", "ETag", "Link", "Mouvements-Version", "Mouvements-Curseur")
ALLOWED = "Authorization, X-API-Key, If-None-Match"
VARY = "Authorization, X-API-Key, Accept-Encoding"
# By `Service.reflects_host`: whether answers contain the request's Host.
_COMMON: dict[bool, Headers] = {
    reflects_host: [
        (b"cache-control", b"private, no-cache"),
        (b"vary", (VARY + (", Host" if reflects_host else "")).encode()),
        (b"access-control-allow-origin", b"*"),
        (b"access-control-expose-headers", ", ".join(EXPOSED).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    for reflects_host in (False, True)
}
_SITE = SITE.encode()
_JSON = (b"content-type", b"application/json")
_PROBLEM = (b"content-type", b"application/problem+json")
_UNSTORED: Headers = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
_CHALLENGE = b'Bearer realm="mouvements"'
# What a refusal of a kind needs beside the headers of every refusal (RFC 9110, sections 10.2.1 and 11.6.1).
_OF_KIND: dict[str, Headers] = {
    "key_missing": [(b"www-authenticate", _CHALLENGE)],
    "key_invalid": [(b"www-authenticate", _CHALLENGE + b', error="invalid_token"')],
    "method": [(b"allow", METHODS.encode())],
}
_PREFLIGHT: Headers = [
    (b"allow", METHODS.encode()),
    (b"access-control-allow-methods", METHODS.encode()),
    (b"access-control-allow-headers", ALLOWED.encode()),
    (b"access-control-max-age", b"86400"),
]


class Reply(NamedTuple):
    """A whole answer; `body` is empty where the status has none."""

    status: int
    headers: Headers
    body: bytes = b""
    key: int | None = None  # the number of the key it was answered to, for the log


def _with_body(status: int, headers: Headers, body: bytes, key: int | None = None) -> Reply:
    return Reply(status, [*headers, (b"content-length", b"%d" % len(body))], body, key)


class PreparedPage:
    """A page as it is sent, cached with its data version: body, gzipped body, fixed headers, links.

    In the links `SITE` stands for the address at which a client reached the site.
    """

    __slots__ = ("body", "gzipped", "headers", "links")

    def __init__(self, service: Service, body: bytes, links: Iterable[str], tag: bytes) -> None:
        self.body = body
        self.headers = [*_COMMON[service.reflects_host], _JSON, (b"etag", tag)]
        self.links = ", ".join([*links, service.links_at(SITE)]).encode()
        self.gzipped: bytes | None = None

    @property
    def weight(self) -> int:
        """Bytes in memory: a gzipped copy, if one is made, is about a sixth of the body."""
        return len(self.body) * 7 // 6 + 1000


def policy(limit: int) -> bytes:
    """The quota's rule as `RateLimit-Policy` gives it."""
    return b'"jour";q=%d;w=%d' % (limit, DAY_SECONDS)


def quota_headers(
    service: Service, charge: QuotaState | None, without_key: bool = False
) -> Headers:
    """The quota headers of every answer under /v1.

    For a request `without_key` that is known, nothing remains. Where the count itself is not known, both
    numbers are the setting's quota and there is no RateLimit: no client may read that it is used up.
    """
    quota = service.config.quota
    unknown = (quota, 0 if without_key else quota)
    limit, remaining = unknown if charge is None else (charge.limit, charge.remaining)
    headers: Headers = [
        (b"x-ratelimit-limit", b"%d" % limit),
        (b"x-ratelimit-remaining", b"%d" % remaining),
        (b"ratelimit-policy", policy(limit)),
    ]
    if charge is not None or without_key:
        seconds = seconds_to_reset(service.clock())
        headers.append((b"ratelimit", b'"jour";r=%d;t=%d' % (remaining, seconds)))
    return headers


def version_headers(snapshot: Snapshot | None) -> Headers:
    """The version of the movements and when one of them changed last; empty without data."""
    return [] if snapshot is None else _version_headers(snapshot.version, snapshot.changed_at)


# To format the instant takes longer than all other headers together.
@functools.lru_cache(maxsize=4)
def _version_headers(version: str, changed_at: str) -> Headers:
    changed = format_datetime(datetime.fromisoformat(changed_at), usegmt=True)
    return [(b"mouvements-version", version.encode()), (b"last-modified", changed.encode())]


def page(service: Service, prepared: PreparedPage, charge: Charge, scope: Scope) -> Reply:
    """A page, gzipped if the client accepts it and the body is long enough."""
    body = prepared.body
    links = prepared.links.replace(_SITE, service.origin(scope).encode())
    headers = [*prepared.headers, (b"link", links), *quota_headers(service, charge)]
    if len(body) >= compression.LEAST_BYTES and compression.accepts_gzip(scope["headers"]):
        if prepared.gzipped is None:
            prepared.gzipped = compression.compress(body)
        body = prepared.gzipped
        headers.append((b"content-encoding", b"gzip"))
    return _with_body(200, headers, body, charge.key_id)


def document(service: Service, body: bytes, charge: Charge | None, scope: Scope) -> Reply:
    """The description, or a key's quota: JSON that depends on no movement."""
    links = (b"link", service.links_at(service.origin(scope)).encode())
    headers = [*_COMMON[service.reflects_host], _JSON, links, *quota_headers(service, charge)]
    return _with_body(200, headers, body, charge.key_id if charge else None)


def not_modified(service: Service, charge: Charge, tag: bytes) -> Reply:
    """304 (RFC 9110, section 15.4.5).

    Without Link: a cache would put it in the place of the 200's, and lose the next page.
    """
    headers = [*_COMMON[service.reflects_host], (b"etag", tag), *quota_headers(service, charge)]
    return Reply(304, headers, key=charge.key_id)


def health(body: bytes, good: bool) -> Reply:
    """The state of the service: never kept by a cache."""
    wait = [] if good else [(b"retry-after", b"%d" % RETRY_SECONDS)]
    return _with_body(200 if good else 503, [_JSON, *_UNSTORED, *wait], body)


def redirect(address: str) -> Reply:
    """303, never kept by a cache."""
    return _with_body(303, [(b"location", address.encode()), *_UNSTORED], b"")


def export_headers(service: Service, headers: Headers, charge: Charge) -> Headers:
    """The headers of what Datasette answered to a key, with its quota; for no other client."""
    kept = without(headers, b"cache-control", b"vary")
    caching = [(b"cache-control", b"private, no-store"), (b"vary", site_vary(service))]
    return [*kept, *caching, *quota_headers(service, charge)]


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
    return Reply(204, [*_COMMON[service.reflects_host], *_PREFLIGHT, *quota_headers(service, None)])


def refuse(service: Service, refused: Refusal, origin: str) -> Reply:
    """Problem details (RFC 9457), with the headers that the status needs; the refusal is counted.

    `origin` is `service.origin` of the request, the beginning of its links.
    """
    left, kind = refused.quota, KINDS[refused.kind]
    telemetry.refusals.add(1, telemetry.BY_KIND[refused.kind])
    service.refusal_counts.add(kind.anchor)
    links = fresh_starts(origin) if refused.kind == "cursor_gone" else []
    headers = [
        *_COMMON[service.reflects_host],
        _PROBLEM,
        (b"link", ", ".join([*links, service.links_at(origin)]).encode()),
        *quota_headers(service, left, without_key=kind.status == 401),
        *_OF_KIND.get(refused.kind, []),
    ]
    if kind.status in (429, 503):
        wait = RETRY_SECONDS if kind.status == 503 else seconds_to_reset(service.clock())
        headers.append((b"retry-after", b"%d" % wait))
    body = problems.details(service, refused)
    return _with_body(kind.status, headers, body, left.key_id if left else None)


def canonical(service: Service, reply: Reply, scope: Scope) -> Reply:
    """The answer at the alias: its Link leads to the reference path; a 304 has no Link."""
    if reply.status == 304:
        return reply
    link = (b"link", f'<{service.origin(scope)}{addresses.SEARCH}>; rel="canonical"'.encode())
    return reply._replace(headers=[*reply.headers, link])


def quota(service: Service, charge: Charge, scope: Scope) -> Reply:
    """What a key has left today, and when that changes."""
    body = json.dumps(quota_body(service, charge, service.clock()), ensure_ascii=False)
    return document(service, body.encode(), charge, scope)


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
            html = problems.notice(refused.kind, problems.detail(service, refused), service.prefix)
            headers = without(reply.headers, b"content-type", b"content-length")
            headers += [(b"content-type", b"text/html; charset=utf-8")]
            reply = _with_body(reply.status, headers, html, reply.key)
    headers = [*without(reply.headers, b"vary"), (b"vary", site_vary(service, "Accept"))]
    return reply._replace(headers=headers)


def header(scope: Scope, name: bytes) -> bytes:
    """A request's header, its values joined by commas; empty if it has none."""
    return b",".join(value for key, value in scope["headers"] if key == name)


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
