"""Page or refusal -> status, headers, body: the only place where the interface's headers are written."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import datetime
from email.utils import format_datetime
from typing import Any, NamedTuple

from ..access.charging import Charge
from ..access.quota_day import reset, seconds_to_reset
from ..dataset.snapshot import Snapshot
from ..refusal import KINDS, RETRY_SECONDS, KnownQuota, Refusal
from . import compression, envelope, problems, telemetry
from .parameters import Search
from .search import Page
from .service import KEY_PAGE, ROUTE, Scope, Service

Headers = list[tuple[bytes, bytes]]
METHODS = "GET, HEAD, OPTIONS"
DAY_SECONDS = 86400

EXPOSED = (
    "X-RateLimit-Limit, X-RateLimit-Remaining, RateLimit-Policy, RateLimit, Retry-After, ETag, Link"
)
_VARY = b"Authorization, X-API-Key, Accept-Encoding"
# By whether answers hold the Host that they were asked at (`Service.reflects_host`).
_COMMON: dict[bool, Headers] = {
    reflects_host: [
        (b"cache-control", b"private, no-cache"),
        (b"vary", _VARY + (b", Host" if reflects_host else b"")),
        (b"access-control-allow-origin", b"*"),
        (b"access-control-expose-headers", EXPOSED.encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    for reflects_host in (False, True)
}
_JSON = (b"content-type", b"application/json")
_PROBLEM = (b"content-type", b"application/problem+json")
_UNSTORED: Headers = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
_GZIPPED = (b"content-encoding", b"gzip")
_PREFLIGHT: Headers = [
    (b"allow", METHODS.encode()),
    (b"access-control-allow-methods", METHODS.encode()),
    (b"access-control-allow-headers", b"Authorization, X-API-Key, If-None-Match"),
    (b"access-control-max-age", b"86400"),
]


class Reply(NamedTuple):
    """An answer, whole; `body` is empty where the status has none."""

    status: int
    headers: Headers
    body: bytes = b""
    key: int | None = None  # the number of the key it was answered to, for logs


class PreparedPage:
    """A page as it is sent, remembered with its data version: body, gzipped body, ETag, links."""

    __slots__ = ("body", "fixed", "gzipped")

    def __init__(self, body: bytes, fixed: Headers) -> None:
        self.body = body
        self.fixed = fixed
        self.gzipped: bytes | None = None

    @property
    def weight(self) -> int:
        # A gzipped copy, if one is made, is about a sixth of the body.
        return len(self.body) * 7 // 6 + 1000


def policy(limit: int) -> bytes:
    """The quota's rule as `RateLimit-Policy` tells it."""
    return b'"jour";q=%d;w=%d' % (limit, DAY_SECONDS)


def quota_headers(
    service: Service, charge: KnownQuota | None, without_key: bool = False
) -> Headers:
    """The quota as every response under the route tells it.

    To a request `without_key` that is known nothing remains. Where the count itself is not known, both
    numbers are the quota in force and there is no RateLimit: nothing may read as used up.
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
    """Which version of the movements an answer is of, and when one of them changed last; none without data."""
    if snapshot is None:
        return []
    changed = format_datetime(datetime.fromisoformat(snapshot.changed_at), usegmt=True)
    return [
        (b"mouvements-version", snapshot.version.encode()),
        (b"last-modified", changed.encode()),
    ]


def prepared_page(service: Service, search: Search, page: Page, tag: bytes) -> PreparedPage:
    """A page of a search in its envelope, with the headers that never change.

    `tag` is the search's ETag.
    """
    links = ", ".join([*envelope.links(service, search, page.total), service.links])
    return PreparedPage(
        envelope.around(service, search, page),
        [*_COMMON[service.reflects_host], _JSON, (b"link", links.encode()), (b"etag", tag)],
    )


def page(service: Service, prepared: PreparedPage, charge: Charge, gzipped: bool) -> Reply:
    """A page's answer, compressed if the client takes it and it pays."""
    quota = quota_headers(service, charge)
    if not gzipped or len(prepared.body) < compression.LEAST_BYTES:
        length = (b"content-length", b"%d" % len(prepared.body))
        return Reply(200, [*prepared.fixed, *quota, length], prepared.body, charge.key_id)
    if prepared.gzipped is None:
        prepared.gzipped = compression.compress(prepared.body)
    length = (b"content-length", b"%d" % len(prepared.gzipped))
    return Reply(200, [*prepared.fixed, *quota, length, _GZIPPED], prepared.gzipped, charge.key_id)


def document(service: Service, body: bytes, charge: Charge | None) -> Reply:
    """A JSON document of its own (the description, a key's quota), not a page of movements."""
    headers = [
        *_COMMON[service.reflects_host],
        _JSON,
        (b"content-length", b"%d" % len(body)),
        (b"link", service.links.encode()),
        *quota_headers(service, charge),
    ]
    return Reply(200, headers, body, charge.key_id if charge else None)


def not_modified(service: Service, charge: Charge, tag: bytes) -> Reply:
    """304: what the client has is still right (RFC 9110, section 15.4.5)."""
    return Reply(
        304,
        [
            *_COMMON[service.reflects_host],
            (b"etag", tag),
            (b"link", service.links.encode()),
            *quota_headers(service, charge),
        ],
        key=charge.key_id,
    )


def health(body: bytes, good: bool) -> Reply:
    """The state of the service, for machines that watch it: never kept by a cache."""
    length = (b"content-length", b"%d" % len(body))
    wait = [] if good else [(b"retry-after", b"%d" % RETRY_SECONDS)]
    return Reply(200 if good else 503, [_JSON, length, *_UNSTORED, *wait], body)


def redirect(address: str) -> Reply:
    """A redirection to another page (303), which no cache remembers."""
    return Reply(303, [(b"location", address.encode()), (b"content-length", b"0"), *_UNSTORED])


def export_headers(service: Service, headers: Headers, charge: Charge) -> Headers:
    """The headers of what Datasette itself answered to a key: its quota, and for nobody else."""
    kept = [pair for pair in headers if pair[0].lower() not in (b"cache-control", b"vary")]
    vary = (b"vary", _VARY + b", Cookie" + (b", Host" if service.reflects_host else b""))
    return [*kept, (b"cache-control", b"private, no-store"), vary, *quota_headers(service, charge)]


def preflight(service: Service) -> Reply:
    """204: what a browser may send from any origin."""
    return Reply(204, [*_COMMON[service.reflects_host], *_PREFLIGHT, *quota_headers(service, None)])


def refuse(service: Service, refused: Refusal) -> Reply:
    """The problem details of a refusal (RFC 9457), with the headers its status asks for; it is counted."""
    known = refused.known
    kind = KINDS[refused.kind]
    telemetry.refusals.add(1, telemetry.BY_KIND[refused.kind])
    service.refusal_counts.add(kind.anchor)
    text = problems.details(service, refused)
    headers = [
        *_COMMON[service.reflects_host],
        _PROBLEM,
        (b"content-length", b"%d" % len(text)),
        (b"link", service.links.encode()),
        *quota_headers(service, known, without_key=kind.status == 401),
    ]
    if refused.kind == "key_missing":
        headers.append((b"www-authenticate", b'Bearer realm="mouvements"'))
    elif refused.kind == "key_invalid":
        headers.append((b"www-authenticate", b'Bearer realm="mouvements", error="invalid_token"'))
    elif refused.kind == "method":
        headers.append((b"allow", METHODS.encode()))
    elif refused.kind == "quota":
        headers.append((b"retry-after", b"%d" % seconds_to_reset(service.clock())))
    elif kind.status == 503:
        headers.append((b"retry-after", b"%d" % RETRY_SECONDS))
    return Reply(kind.status, headers, text, known.key_id if known else None)


def canonical(service: Service, reply: Reply) -> Reply:
    """The same answer given at the alias: it says where the reference path is."""
    link = (b"link", f'<{service.url(ROUTE)}>; rel="canonical"'.encode())
    return reply._replace(headers=[*reply.headers, link])


def quota(service: Service, charge: Charge) -> Reply:
    """What a key has left today, and when that changes."""
    body = {
        "limite": charge.limit,
        "utilise": charge.used,
        "reste": charge.remaining,
        "jour": charge.day,
        "retour_a": reset(service.clock()).isoformat(),
        "retour_dans": seconds_to_reset(service.clock()),
        "licence": service.config.licence,
        "attribution": service.config.attribution,
    }
    text = json.dumps(body, ensure_ascii=False).encode()
    return document(service, text, charge)


def for_visitor(service: Service, scope: Scope, refused: Refusal) -> Reply:
    """A refusal at one of the site's own addresses: people without a key are shown how to get one."""
    wants_page = b"text/html" in header(scope, b"accept") and scope["method"] in ("GET", "HEAD")
    if refused.kind == "key_missing" and wants_page:
        return redirect(service.prefix + KEY_PAGE)
    reply = refuse(service, refused)
    if wants_page and KINDS[refused.kind].pages:
        text = problems.notice(refused.kind, problems.detail(service, refused), service.prefix)
        told = (b"content-type", b"content-length")
        headers = [pair for pair in reply.headers if pair[0] not in told]
        headers += [(b"content-type", b"text/html; charset=utf-8")]
        headers += [(b"content-length", b"%d" % len(text))]
        return reply._replace(headers=headers, body=text)
    return reply


def header(scope: Scope, name: bytes) -> bytes:
    """A request's header, its values joined by commas; empty if it has none."""
    return b",".join(value for key, value in scope["headers"] if key == name)


async def send_reply(
    reply: Reply, scope: Scope, send: Callable[[dict[str, Any]], Awaitable[None]]
) -> None:
    """Send the answer; without its body to HEAD."""
    await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
    body = b"" if scope["method"] == "HEAD" else reply.body
    await send({"type": "http.response.body", "body": body})
