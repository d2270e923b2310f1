"""Page or refusal -> status, headers, body: the only place where the interface's headers are written."""

from __future__ import annotations

import functools
import json
from hashlib import blake2s
from typing import Any, NamedTuple

try:
    from isal import igzip as gzip  # in half to a fifth of the time
except ModuleNotFoundError:  # loaded with --plugins-dir
    import gzip  # type: ignore[no-redef]

from .. import telemetry
from ..access.quota import reset, seconds_to_reset
from ..access.store import Charge
from ..refusal import KINDS, Refusal
from ..service import ROUTE, Service
from .parameters import Search
from .search import Page

Headers = list[tuple[bytes, bytes]]
METHODS = "GET, HEAD, OPTIONS"
# Measured by benchmarks/compression.py: a body a fifth smaller than level 0 gives, in little more time.
GZIP_LEVEL = 1
GZIP_LEAST = 1000
ENVELOPE = ("total", "limit", "offset", "mouvements", "licence", "attribution")
DAY_SECONDS = 86400
# How long to wait after a 503: the data is back by itself within seconds.
RETRY_SECONDS = 5

EXPOSED = (
    "X-RateLimit-Limit, X-RateLimit-Remaining, RateLimit-Policy, RateLimit, Retry-After, ETag, Link"
)
COMMON: Headers = [
    (b"cache-control", b"private, no-cache"),
    (b"vary", b"Authorization, X-API-Key, Accept-Encoding"),
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", EXPOSED.encode()),
    (b"x-content-type-options", b"nosniff"),
]
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


class Ready:
    """A page as it is sent, kept with its data version: body, gzipped body, ETag, links."""

    __slots__ = ("body", "fixed", "gzipped")

    def __init__(self, body: bytes, fixed: Headers) -> None:
        self.body = body
        self.fixed = fixed
        self.gzipped: bytes | None = None

    @property
    def weight(self) -> int:
        # A gzipped copy, if one is made, is about a sixth of the body.
        return len(self.body) * 7 // 6 + 1000


def etag(service: Service, version: str, normalised: str) -> bytes:
    """The weak ETag of an answer: data version, settings shown in it, and the normalised query."""
    token = blake2s(normalised.encode(), digest_size=5).hexdigest()
    return f'W/"{version}-{service.salt}-{token}"'.encode()


def quota_headers(service: Service, charge: Charge | None) -> Headers:
    """The quota as every response under the route tells it; without a known key, nothing remains."""
    limit, remaining = (
        (service.config.quota, 0) if charge is None else (charge.limit, charge.remaining)
    )
    seconds = seconds_to_reset(service.clock())
    return [
        (b"x-ratelimit-limit", b"%d" % limit),
        (b"x-ratelimit-remaining", b"%d" % remaining),
        (b"ratelimit-policy", b'"jour";q=%d;w=%d' % (limit, DAY_SECONDS)),
        (b"ratelimit", b'"jour";r=%d;t=%d' % (remaining, seconds)),
    ]


def ready(service: Service, search: Search, normalised: str, page: Page, tag: bytes) -> Ready:
    """The envelope of the specification (section 2) around a page, with the headers that never change.

    `normalised` is the search's query string, `tag` its ETag.
    """
    head = f'{{"total":{"null" if page.total is None else page.total},"limit":{search.limit},"offset":{search.offset},"mouvements":['
    body = b"".join((head.encode(), page.lines, b"],", service.credits))
    links = ", ".join([*_page_links(service, search, normalised, page), service.links])
    fixed = [*COMMON, _JSON, (b"link", links.encode())]
    if page.total is not None:  # without a total the next answer may say more
        fixed.append((b"etag", tag))
    return Ready(body, fixed)


def page(service: Service, ready: Ready, charge: Charge, gzipped: bool) -> Reply:
    """A page's answer, compressed if the client takes it and it pays."""
    quota = quota_headers(service, charge)
    if not gzipped or len(ready.body) < GZIP_LEAST:
        length = (b"content-length", b"%d" % len(ready.body))
        return Reply(200, [*ready.fixed, *quota, length], ready.body, charge.key_id)
    if ready.gzipped is None:
        ready.gzipped = gzip.compress(ready.body, GZIP_LEVEL, mtime=0)
    length = (b"content-length", b"%d" % len(ready.gzipped))
    return Reply(200, [*ready.fixed, *quota, length, _GZIPPED], ready.gzipped, charge.key_id)


def document(service: Service, body: bytes, charge: Charge | None) -> Reply:
    """A JSON document of its own (the description, a key's quota), not a page of movements."""
    headers = [
        *COMMON,
        _JSON,
        (b"content-length", b"%d" % len(body)),
        (b"link", service.links.encode()),
        *quota_headers(service, charge),
    ]
    return Reply(200, headers, body, _key(charge))


def unchanged(service: Service, charge: Charge, tag: bytes) -> Reply:
    """304: what the client has is still right (RFC 9110, section 15.4.5)."""
    return Reply(
        304,
        [
            *COMMON,
            (b"etag", tag),
            (b"link", service.links.encode()),
            *quota_headers(service, charge),
        ],
        key=charge.key_id,
    )


def state(body: bytes, good: bool) -> Reply:
    """The state of the service, for machines that watch it: never kept by a cache."""
    length = (b"content-length", b"%d" % len(body))
    wait = [] if good else [(b"retry-after", b"%d" % RETRY_SECONDS)]
    return Reply(200 if good else 503, [_JSON, length, *_UNSTORED, *wait], body)


def elsewhere(address: str) -> Reply:
    """The way to another page, for this request alone."""
    return Reply(303, [(b"location", address.encode()), (b"content-length", b"0"), *_UNSTORED])


def exported(service: Service, headers: Headers, charge: Charge) -> Headers:
    """The headers of what Datasette itself answered to a key: its quota, and for nobody else."""
    kept = [pair for pair in headers if pair[0].lower() not in (b"cache-control", b"vary")]
    vary = (b"vary", b"Authorization, X-API-Key, Cookie, Accept-Encoding")
    return [*kept, (b"cache-control", b"private, no-store"), vary, *quota_headers(service, charge)]


def preflight(service: Service) -> Reply:
    """204: what a browser may send from any origin."""
    return Reply(204, [*COMMON, *_PREFLIGHT, *quota_headers(service, None)])


def refusal(service: Service, refused: Refusal, charge: Charge | None) -> Reply:
    """The problem details of a refusal (RFC 9457), with the headers its status asks for."""
    kind = KINDS[refused.kind]
    telemetry.refusals.add(1, telemetry.BY_KIND[refused.kind])
    service.refused.add(kind.anchor)
    text = problem(service, refused)
    headers = [
        *COMMON,
        _PROBLEM,
        (b"content-length", b"%d" % len(text)),
        (b"link", service.links.encode()),
        *quota_headers(service, charge),
    ]
    if refused.kind == "key_missing":
        headers.append((b"www-authenticate", b'Bearer realm="mouvements"'))
    elif refused.kind == "key_invalid":
        headers.append((b"www-authenticate", b'Bearer realm="mouvements", error="invalid_token"'))
    elif refused.kind == "method":
        headers.append((b"allow", METHODS.encode()))
    elif refused.kind == "quota":
        headers.append((b"retry-after", b"%d" % seconds_to_reset(service.clock())))
    elif refused.kind == "unavailable":
        headers.append((b"retry-after", b"%d" % RETRY_SECONDS))
    return Reply(kind.status, headers, text, _key(charge))


def problem(service: Service, refused: Refusal) -> bytes:
    """The body of a refusal, which the description shows too: nothing is refused or counted here."""
    return _problem(
        service.url(f"/documentation#{KINDS[refused.kind].anchor}"),
        refused.kind,
        refused.detail,
        refused.parameters,
        service.credits,
    )


# A flood of wrong keys repeats one refusal: it must cost less than an answer.
@functools.lru_cache(maxsize=64)
def _problem(
    type_: str, kind: str, detail: str, parameters: tuple[str, ...], credits: bytes
) -> bytes:
    body: dict[str, Any] = {
        "type": type_,
        "title": KINDS[kind].title,
        "status": KINDS[kind].status,
        "detail": detail,
    }
    if parameters:
        body["parametre"] = parameters[0]
    if len(parameters) > 1:
        body["parametres"] = list(parameters)
    start = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return start[:-1].encode() + b"," + credits


def canonical(service: Service, reply: Reply) -> Reply:
    """The same answer given at the alias: it says where the reference path is."""
    link = (b"link", f'<{service.url(ROUTE)}>; rel="canonical"'.encode())
    return reply._replace(headers=[*reply.headers, link])


def _key(charge: Charge | None) -> int | None:
    return None if charge is None else charge.key_id


def _page_links(service: Service, search: Search, normalised: str, page: Page) -> list[str]:
    offsets = {"first": 0}
    if search.offset:
        offsets["prev"] = max(0, search.offset - search.limit)
    if page.lines and (page.total is None or search.offset + search.limit < page.total):
        offsets["next"] = search.offset + search.limit
    if page.total:
        offsets["last"] = (page.total - 1) // search.limit * search.limit

    # The last parameter, if it is there at all.
    start = normalised.removesuffix(f"offset={search.offset}").removesuffix("&")
    address = service.url(ROUTE) + (f"?{start}" if start else "")
    more = address + ("&" if start else "?") + "offset="
    return [
        f'<{f"{more}{offset}" if offset else address}>; rel="{rel}"'
        for rel, offset in offsets.items()
    ]


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
