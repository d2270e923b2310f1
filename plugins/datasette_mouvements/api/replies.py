"""Page or refusal -> status, headers, body. The file of everything adds its headers in `pages/files`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from datetime import datetime
from email.utils import format_datetime
from hashlib import blake2s
from typing import Any, NamedTuple

from .. import addresses
from ..dataset.schema import Resource
from ..dataset.served import DataVersion
from ..keys.quota_day import reset, seconds_of_day, seconds_to_reset
from ..keys.store import Charge
from ..refusal import KINDS, RETRY_SECONDS, SITE, QuotaState, Refusal
from . import compression, problems
from .faults import shown
from .service import Scope, Send, Service

Headers = list[tuple[bytes, bytes]]
METHODS = "GET, HEAD, OPTIONS"

QUOTA = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit")
EXPOSED = (*QUOTA, "Retry-After", "ETag", "Link", "Mouvements-Version", "Mouvements-Curseur")
# The file of everything has parts. Wrappers of fetch set the others, though nothing here reads them; a refused one
# fails the whole request.
ALLOWED = ", ".join(
    (
        *("Authorization", "X-API-Key", "If-None-Match", "If-Modified-Since", "Range", "If-Range"),
        *("Cache-Control", "Content-Type", "X-Requested-With"),
    )
)
VARY = "Authorization, X-API-Key, Accept-Encoding"
_ANY_ORIGIN = (b"access-control-allow-origin", b"*")
# By `Service.reflects_host`: whether answers contain the request's Host.
_COMMON: dict[bool, Headers] = {
    reflects_host: [
        (b"cache-control", b"private, no-cache"),
        (b"vary", (VARY + (", Host" if reflects_host else "")).encode()),
        _ANY_ORIGIN,
        (b"access-control-expose-headers", ", ".join(EXPOSED).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    for reflects_host in (False, True)
}
_JSON = (b"content-type", b"application/json")
_PROBLEM = (b"content-type", b"application/problem+json")
_HTML = (b"content-type", b"text/html; charset=utf-8")
_GZIP = (b"content-encoding", b"gzip")
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


class Answer:
    """An answer as it is sent, kept with its data version: body, gzipped body, headers.

    In the links `SITE` stands for the address at which a client reached the site.
    """

    __slots__ = ("_at", "_headers", "_links", "body", "gzipped")

    def __init__(self, service: Service, body: bytes, links: Iterable[str], tag: bytes) -> None:
        self.body = body
        self.gzipped: bytes | None = None
        self._headers = [*_COMMON[service.reflects_host], _JSON, (b"etag", tag)]
        self._links = ", ".join([*links, service.links])
        self._at: tuple[str | None, Headers] = (None, [])

    def headers(self, origin: str) -> Headers:
        """The headers that do not depend on the key, their links at `origin`, which seldom changes."""
        at, headers = self._at
        if at != origin:
            links = self._links.replace(SITE, origin).encode()
            headers = [*self._headers, (b"link", links)]
            self._at = origin, headers
        return headers

    @property
    def weight(self) -> int:
        """Bytes in memory: a gzipped copy, if one is made, is about a sixth of the body."""
        return len(self.body) * 7 // 6 + 2000


def quota_headers(
    service: Service, charge: QuotaState | None, without_key: bool = False
) -> Headers:
    """The quota headers of every answer under /v1.

    For a request `without_key` that is known, nothing remains. Where the count itself is not known, both
    numbers are the setting's quota and there is no RateLimit: no client may read that it is used up.
    """
    quota, now = service.config.quota, service.clock()
    unknown = (quota, 0 if without_key else quota)
    limit, remaining = unknown if charge is None else (charge.limit, charge.remaining)
    headers = [
        (b"x-ratelimit-limit", b"%d" % limit),
        (b"x-ratelimit-remaining", b"%d" % remaining),
        (b"ratelimit-policy", b'"jour";q=%d;w=%d' % (limit, seconds_of_day(now))),
    ]
    if charge is not None or without_key:
        left = b'"jour";r=%d;t=%d' % (remaining, seconds_to_reset(now))
        headers.append((b"ratelimit", left))
    return headers


# To format the instant takes longer than all other headers together.
@functools.lru_cache(maxsize=8)
def _version_headers(version: str, changed_at: str) -> Headers:
    changed = format_datetime(datetime.fromisoformat(changed_at), usegmt=True)
    return [(b"mouvements-version", version.encode()), (b"last-modified", changed.encode())]


def version_headers(version: DataVersion | None, rows: Resource) -> Headers:
    """The version of what is answered, and when a row of it changed last; none without data."""
    if version is None:
        return []
    return _version_headers(version.of(rows), version.changed_at[rows])


def answer(service: Service, kept: Answer, charge: Charge | None, scope: Scope) -> Reply:
    """A 200, gzipped if the client accepts it and the body is long enough."""
    body = kept.body
    headers = kept.headers(service.origin(scope)) + quota_headers(service, charge)
    if len(body) >= compression.LEAST_BYTES and compression.accepts_gzip(scope["headers"]):
        if kept.gzipped is None:
            kept.gzipped = compression.compress(body)
        body = kept.gzipped
        headers.append(_GZIP)
    return _with_body(200, headers, body, charge.key_id if charge else None)


def not_modified(service: Service, charge: Charge | None, tag: bytes) -> Reply:
    """304 (RFC 9110, section 15.4.5).

    Without Link: a cache would put it in the place of the 200's, and lose the next page.
    """
    quota = quota_headers(service, charge)
    headers = [*_COMMON[service.reflects_host], (b"etag", tag), *quota]
    return Reply(304, headers, key=charge.key_id if charge else None)


def etag(version: str, salt: str, question: str) -> bytes:
    """The weak ETag of an answer: data version, settings shown in it, and the question in normal form."""
    token = blake2s(question.encode(), digest_size=5).hexdigest()
    return f'W/"{version}-{salt}-{token}"'.encode()


def tag_of(body: bytes) -> bytes:
    """The weak ETag of an answer that depends on no movement."""
    return b'W/"%b"' % blake2s(body, digest_size=10).hexdigest().encode()


def matches(if_none_match: bytes, tag: bytes) -> bool:
    """Whether If-None-Match holds this tag, compared weakly (RFC 9110, section 13.1.2).

    An empty tag stands for no answer: not even `*` matches it.
    """
    if not if_none_match or not tag:
        return False
    opaque = tag.removeprefix(b"W/")
    candidates = (candidate.strip() for candidate in if_none_match.split(b","))
    return any(one == b"*" or one.removeprefix(b"W/") == opaque for one in candidates)


def health(body: bytes, good: bool) -> Reply:
    """The state of the service: never kept by a cache."""
    wait = [] if good else [(b"retry-after", b"%d" % RETRY_SECONDS)]
    return _with_body(200 if good else 503, [_JSON, *_UNSTORED, _ANY_ORIGIN, *wait], body)


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
    common = _COMMON[service.reflects_host]
    return Reply(204, [*common, *_PREFLIGHT, *quota_headers(service, None)])


def refuse(service: Service, refused: Refusal, origin: str) -> Reply:
    """Problem details (RFC 9457), with the headers that the status needs.

    `origin` is `service.origin` of the request, the beginning of its links.
    """
    left, kind = refused.quota, KINDS[refused.kind]
    instead = [link.replace(SITE, origin) for link in refused.links]
    keys = [f'<{origin}{addresses.KEY_PAGE}>; rel="create-form"'] if kind.status == 401 else []
    links = ", ".join([*instead, *keys, service.links_at(origin)])
    headers = [
        *_COMMON[service.reflects_host],
        _PROBLEM,
        (b"link", links.encode()),
        *quota_headers(service, left, without_key=kind.status == 401),
        *_OF_KIND.get(refused.kind, []),
    ]
    if kind.status in (429, 503):
        wait = RETRY_SECONDS if kind.status == 503 else seconds_to_reset(service.clock())
        headers.append((b"retry-after", b"%d" % wait))
    body = problems.details(service, refused, origin)
    return _with_body(kind.status, headers, body, left.key_id if left else None)


def canonical(service: Service, reply: Reply, scope: Scope, query: str = "") -> Reply:
    """The answer at the alias: its one Link leads to the reference path, too; a 304 has no Link."""
    address = f"{service.origin(scope)}{addresses.SEARCH}{'?' if query else ''}{query}"
    link = f', <{address}>; rel="canonical"'.encode()
    headers = [(k, value + link if k == b"link" else value) for k, value in reply.headers]
    return reply._replace(headers=headers)


def quota(service: Service, charge: Charge, scope: Scope) -> Reply:
    """What a key has left today, and when that changes."""
    body = json.dumps(quota_body(service, charge, service.clock()), ensure_ascii=False)
    links = (b"link", service.links_at(service.origin(scope)).encode())
    headers = [*_COMMON[service.reflects_host], _JSON, links, *quota_headers(service, charge)]
    return _with_body(200, headers, body.encode(), charge.key_id)


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
        if wants_page:
            detail = problems.detail(service, refused, service.url(""))
            html = problems.notice(refused.kind, detail, service.prefix)
            headers = without(reply.headers, b"content-type", b"content-length")
            reply = _with_body(reply.status, [*headers, _HTML], html, reply.key)
    vary = (b"vary", site_vary(service, "Accept"))
    return reply._replace(headers=[*without(reply.headers, b"vary"), vary])


def header(scope: Scope, name: bytes) -> bytes:
    """A request's header, its values joined by commas; empty if it has none."""
    return b",".join([value for key, value in scope["headers"] if key == name])


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
