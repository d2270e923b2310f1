"""Page or refusal -> status, headers, body; files add headers of theirs in `pages/downloads/file_headers`."""

from __future__ import annotations

import functools
import json
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from email.utils import format_datetime
from typing import Any, NamedTuple

from .. import addresses
from ..access.charging import Charge
from ..access.quota_day import reset, seconds_to_reset
from ..dataset.served.snapshot import Snapshot
from ..refusal import KINDS, RETRY_SECONDS, SITE, KnownQuota, Refusal
from . import compression, problems, telemetry
from .changes import fresh_starts
from .parameters.parameter_faults import shown
from .service import Scope, Service

Headers = list[tuple[bytes, bytes]]
METHODS = "GET, HEAD, OPTIONS"
DAY_SECONDS = 86400

QUOTA = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit")
EXPOSED = (*QUOTA, "Retry-After", "ETag", "Link", "Mouvements-Version", "Mouvements-Curseur")
ALLOWED = "Authorization, X-API-Key, If-None-Match"
VARY = "Authorization, X-API-Key, Accept-Encoding"
# By whether answers hold the Host that they were asked at (`Service.reflects_host`).
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
_PLACE = SITE.encode()
_JSON = (b"content-type", b"application/json")
_PROBLEM = (b"content-type", b"application/problem+json")
_UNSTORED: Headers = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
_GZIPPED = (b"content-encoding", b"gzip")
_PREFLIGHT: Headers = [
    (b"allow", METHODS.encode()),
    (b"access-control-allow-methods", METHODS.encode()),
    (b"access-control-allow-headers", ALLOWED.encode()),
    (b"access-control-max-age", b"86400"),
]


class Reply(NamedTuple):
    """An answer, whole; `body` is empty where the status has none."""

    status: int
    headers: Headers
    body: bytes = b""
    key: int | None = None  # the number of the key it was answered to, for logs


class PreparedPage:
    """A page as it is sent, remembered with its data version: body, gzipped body, ETag, links.

    `SITE` stands in the links for where who asks reached the site.
    """

    __slots__ = ("body", "fixed", "gzipped", "links")

    def __init__(self, body: bytes, fixed: Headers, links: bytes) -> None:
        self.body = body
        self.fixed = fixed
        self.links = links
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
    return [] if snapshot is None else _version_headers(snapshot.version, snapshot.changed_at)


# An instant takes longer to write than all other headers together.
@functools.lru_cache(maxsize=4)
def _version_headers(version: str, changed_at: str) -> Headers:
    changed = format_datetime(datetime.fromisoformat(changed_at), usegmt=True)
    return [(b"mouvements-version", version.encode()), (b"last-modified", changed.encode())]


def prepared_page(service: Service, body: bytes, links: Iterable[str], tag: bytes) -> PreparedPage:
    """A page and its ETag with the headers that never change; `links` those that it has beside all others."""
    all_links = ", ".join([*links, service.links_at(SITE)])
    fixed = [*_COMMON[service.reflects_host], _JSON, (b"etag", tag)]
    return PreparedPage(body, fixed, all_links.encode())


def page(service: Service, prepared: PreparedPage, charge: Charge, scope: Scope) -> Reply:
    """A page's answer, compressed if the client takes it and it pays."""
    origin = service.origin(scope).encode()
    body = prepared.body
    headers = [
        *prepared.fixed,
        (b"link", prepared.links.replace(_PLACE, origin)),
        *quota_headers(service, charge),
    ]
    if len(body) >= compression.LEAST_BYTES and compression.accepts_gzip(scope["headers"]):
        if prepared.gzipped is None:
            prepared.gzipped = compression.compress(body)
        body = prepared.gzipped
        headers.append(_GZIPPED)
    headers.append((b"content-length", b"%d" % len(body)))
    return Reply(200, headers, body, charge.key_id)


def document(service: Service, body: bytes, charge: Charge | None, scope: Scope) -> Reply:
    """A JSON document of its own (the description, a key's quota), not a page of movements."""
    headers = [
        *_COMMON[service.reflects_host],
        _JSON,
        (b"content-length", b"%d" % len(body)),
        (b"link", service.links_at(service.origin(scope)).encode()),
        *quota_headers(service, charge),
    ]
    return Reply(200, headers, body, charge.key_id if charge else None)


def not_modified(service: Service, charge: Charge, tag: bytes) -> Reply:
    """304: what the client has is still right (RFC 9110, section 15.4.5).

    Without Link: a cache would put it in the place of the 200's, and lose the next page.
    """
    headers = [*_COMMON[service.reflects_host], (b"etag", tag), *quota_headers(service, charge)]
    return Reply(304, headers, key=charge.key_id)


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
    caching = [(b"cache-control", b"private, no-store"), (b"vary", site_vary(service))]
    return [*kept, *caching, *quota_headers(service, charge)]


def site_vary(service: Service, *more: str) -> bytes:
    """`Vary` of the site's own addresses, which a signed-in account opens too."""
    host = ("Host",) if service.reflects_host else ()
    return ", ".join((VARY, "Cookie", *more, *host)).encode()


def method_refused(scope: Scope, known: KnownQuota | None = None) -> Refusal:
    """The refusal of a method that writes."""
    return Refusal(
        "method",
        f"La méthode {shown(scope['method'])} n’est pas admise : le service est en lecture"
        f" seule et accepte {METHODS}.",
        known=known,
    )


def preflight(service: Service) -> Reply:
    """204: what a browser may send from any origin."""
    return Reply(204, [*_COMMON[service.reflects_host], *_PREFLIGHT, *quota_headers(service, None)])


def refuse(service: Service, refused: Refusal, origin: str) -> Reply:
    """The problem details of a refusal (RFC 9457), with the headers its status asks for; it is counted.

    `origin` is `service.origin` of the request, of which links are made.
    """
    known = refused.known
    kind = KINDS[refused.kind]
    telemetry.refusals.add(1, telemetry.BY_KIND[refused.kind])
    service.refusal_counts.add(kind.anchor)
    text = problems.details(service, refused)
    links = [service.links_at(origin)]
    if refused.kind == "cursor_gone":
        links = [*fresh_starts(origin), *links]
    headers = [
        *_COMMON[service.reflects_host],
        _PROBLEM,
        (b"content-length", b"%d" % len(text)),
        (b"link", ", ".join(links).encode()),
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


def canonical(service: Service, reply: Reply, scope: Scope) -> Reply:
    """The same answer given at the alias: it says where the reference path is, but for a 304, which has no Link."""
    if reply.status == 304:
        return reply
    link = (b"link", f'<{service.origin(scope)}{addresses.SEARCH}>; rel="canonical"'.encode())
    return reply._replace(headers=[*reply.headers, link])


def quota(service: Service, charge: Charge, scope: Scope) -> Reply:
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
    return document(service, text, charge, scope)


def for_visitor(service: Service, scope: Scope, refused: Refusal) -> Reply:
    """A refusal at one of the site's own addresses: people without a key are shown how to get one."""
    wants_page = b"text/html" in header(scope, b"accept") and scope["method"] in ("GET", "HEAD")
    if refused.kind == "key_missing" and wants_page:
        reply = redirect(service.prefix + addresses.KEY_PAGE)
    else:
        reply = refuse(service, refused, service.origin(scope))
    kept = [pair for pair in reply.headers if pair[0] != b"vary"]
    reply = reply._replace(headers=[*kept, (b"vary", site_vary(service, "Accept"))])
    if reply.body and wants_page and KINDS[refused.kind].pages:
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
