"""Page or refusal -> status, headers, body. The file of everything adds its headers in `pages/files`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from datetime import datetime
from email.utils import format_datetime
from hashlib import blake2s
from html import escape
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import quote

from .. import addresses
from ..dataset.schema import Resource
from ..dataset.served import DataVersion
from ..keys.quota_day import quota_day
from ..keys.store import Charge
from ..refusal import DATABASE, KINDS, RETRY_SECONDS, SITE, Refusal
from . import compression
from .parameter import shown
from .service import Scope, Send, Service

Headers = list[tuple[bytes, bytes]]
METHODS = "GET, HEAD, OPTIONS"

QUOTA = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "RateLimit-Policy", "RateLimit")
EXPOSED = (*QUOTA, "Retry-After", "ETag", "Link", "Mouvements-Version", "Mouvements-Curseur")
# The file of everything has parts. Wrappers of fetch set the others, though nothing here reads them; a refused one
# fails the whole request.
ALLOWED = (
    "Authorization, X-API-Key, If-None-Match, If-Modified-Since, Range, If-Range,"
    " Cache-Control, Content-Type, X-Requested-With"
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
    charge: Charge | None = None  # of the key it was answered to

    @property
    def key(self) -> int | None:
        """The number of that key, for the log."""
        return self.charge.key_id if self.charge else None


def _with_body(status: int, headers: Headers, body: bytes, charge: Charge | None = None) -> Reply:
    return Reply(status, [*headers, (b"content-length", b"%d" % len(body))], body, charge)


# What the kept answer to a request depends on, beside its version: path, query, scheme, Host, whether gzip is
# accepted, If-None-Match.
Head = tuple[bytes, bytes, str, bytes, bool, bytes]
# All of a request that may bear on its head and its key: method, path, query, scheme, headers.
Asked = tuple[str, bytes, bytes, str, tuple[tuple[bytes, bytes], ...]]
HEAD_BYTES = 2000  # of a head with the headers of its answer, in memory, about


def size(head: Head, reply: Reply) -> int:
    """How many bytes a kept answer has in memory, about."""
    path, query, _, host, _, tags = head
    # The host is in each of its links.
    return HEAD_BYTES + len(path) + len(query) + 8 * len(host) + len(tags) + len(reply.body)


def size_asked(asked: Asked) -> int:
    """How many bytes a request has in memory, about."""
    _, path, query, _, headers = asked
    return HEAD_BYTES + len(path) + len(query) + sum(map(len, chain(*headers)))


def asked_of(scope: Scope) -> Asked:
    """What a request asks, by which its head and key are found again."""
    path, query = raw_path(scope), scope["query_string"]
    # Servers may give each header as a list.
    return scope["method"], path, query, scope["scheme"], tuple(map(tuple, scope["headers"]))


def raw_path(scope: Scope) -> bytes:
    """The undecoded path, where the server gives it."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw


def head_of(scope: Scope) -> Head | None:
    """The head of a request whose answer may be kept; None where a header is repeated, or a Host is wanting."""
    headers = dict(scope["headers"])
    host = headers.get(b"host")
    if not host or len(headers) != len(scope["headers"]) or scope["method"] not in ("GET", "HEAD"):
        return None
    return (
        raw_path(scope),
        scope["query_string"],
        scope["scheme"],
        host,
        compression.accepts_gzip(scope["headers"]),
        headers.get(b"if-none-match", b""),
    )


def quota_headers(service: Service, charge: Charge | None, without_key: bool = False) -> Headers:
    """The quota headers of every answer under /v1.

    For a request `without_key` that is known, nothing remains. Where the count itself is not known, both
    numbers are the setting's quota and there is no RateLimit: no client may read that it is used up.
    """
    if charge is not None:
        limit, remaining = charge.limit, charge.remaining
        window, resets_in = charge.window, charge.resets_in
    else:
        now, limit = service.clock(), service.config.quota
        remaining = 0 if without_key else limit
        window, resets_in = quota_day(now).seconds, quota_day(now).seconds_left(now)
    headers = [*_limits(limit, window), (b"x-ratelimit-remaining", b"%d" % remaining)]
    if charge is not None or without_key:
        headers.append((b"ratelimit", b'"jour";r=%d;t=%d' % (remaining, resets_in)))
    return headers


@functools.lru_cache(maxsize=64)
def _limits(limit: int, window: int) -> Headers:
    """The quota headers that are the same all day."""
    policy = b'"jour";q=%d;w=%d' % (limit, window)
    return [(b"x-ratelimit-limit", b"%d" % limit), (b"ratelimit-policy", policy)]


def with_quota(service: Service, reply: Reply, charge: Charge | None = None) -> Reply:
    """An answer with the quota headers of `charge`, else of its own charge: a kept answer has no charge."""
    charge = charge or reply.charge
    headers = reply.headers + quota_headers(service, charge, reply.status == 401)
    return Reply(reply.status, headers, reply.body, charge)


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


def answer(
    service: Service,
    body: bytes,
    tag: bytes,
    scope: Scope,
    links: Iterable[str] = (),
) -> Reply:
    """A 200 without its quota, gzipped if the client accepts it and the body is long enough.

    In the links `SITE` stands for the address at which the client reached the site.
    """
    link = ", ".join([*links, service.links]).replace(SITE, service.origin(scope))
    headers = [
        *_COMMON[service.reflects_host],
        _JSON,
        (b"etag", tag),
        (b"link", link.encode()),
    ]
    if len(body) >= compression.LEAST_BYTES and compression.accepts_gzip(scope["headers"]):
        body = compression.compress(body)
        headers.append(_GZIP)
    return _with_body(200, headers, body)


def not_modified(service: Service, tag: bytes) -> Reply:
    """304 (RFC 9110, section 15.4.5), without its quota.

    Without Link: a cache would put it in the place of the 200's, and lose the next page.
    """
    return Reply(304, [*_COMMON[service.reflects_host], (b"etag", tag)])


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
    candidates = [candidate.strip() for candidate in if_none_match.split(b",")]
    return b"*" in candidates or opaque in [each.removeprefix(b"W/") for each in candidates]


def health(body: bytes, good: bool) -> Reply:
    """The state of the service: never kept by a cache."""
    wait = [] if good else [(b"retry-after", b"%d" % RETRY_SECONDS)]
    return _with_body(200 if good else 503, [_JSON, *_UNSTORED, _ANY_ORIGIN, *wait], body)


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


def method_refused(scope: Scope, quota: Charge | None = None) -> Refusal:
    """The refusal of a method that writes."""
    return Refusal(
        "method",
        f"La méthode {shown(scope['method'])} n’est pas admise : le service est en lecture"
        f" seule et accepte {METHODS}.",
        quota=quota,
    )


def preflight(service: Service) -> Reply:
    """204: what a browser may send from any origin; without the quota."""
    return Reply(204, [*_COMMON[service.reflects_host], *_PREFLIGHT])


def refuse(service: Service, refused: Refusal, origin: str) -> Reply:
    """Problem details (RFC 9457), with the headers that the status needs but for its quota.

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
        *_OF_KIND.get(refused.kind, []),
    ]
    if kind.status in (429, 503):
        wait = left.resets_in if kind.status == 429 and left else RETRY_SECONDS
        headers.append((b"retry-after", b"%d" % wait))
    body = _details(
        f"{origin}{addresses.DOCUMENTATION}#{kind.anchor}",
        refused.kind,
        _detail(service, refused, origin),
        refused.parameters,
        service.credits,
    )
    return _with_body(kind.status, headers, body, left)


def _detail(service: Service, refused: Refusal, origin: str) -> str:
    """The refusal's sentence, with the addresses that begin with `origin` in it."""
    database = f"{origin}/{quote(service.config.database)}"
    return refused.detail.replace(SITE, origin).replace(DATABASE, database)


# A flood of wrong keys repeats one refusal, which must cost less than an answer.
@functools.lru_cache(maxsize=64)
def _details(
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


def canonical(service: Service, reply: Reply, scope: Scope, query: str = "") -> Reply:
    """The answer at the alias: its one Link leads to the reference path, too; a 304 has no Link."""
    address = f"{service.origin(scope)}{addresses.SEARCH}{'?' if query else ''}{query}"
    link = f', <{address}>; rel="canonical"'.encode()
    headers = [(k, value + link if k == b"link" else value) for k, value in reply.headers]
    return reply._replace(headers=headers)


def quota(service: Service, charge: Charge, scope: Scope) -> Reply:
    """What a key has left today, and when that changes; its headers beside."""
    body = {
        "limite": charge.limit,
        "utilise": charge.used,
        "reste": charge.remaining,
        "jour": charge.day,
        "retour_a": quota_day(service.clock()).reset.isoformat(),
        "retour_dans": charge.resets_in,
    }
    links = (b"link", service.links_at(service.origin(scope)).encode())
    headers = [*_COMMON[service.reflects_host], _JSON, links]
    return _with_body(200, headers, json.dumps(body).encode()[:-1] + b"," + service.credits, charge)


def for_visitor(service: Service, scope: Scope, refused: Refusal) -> Reply:
    """A refusal at one of the site's own addresses: a browser without a key is led to the page of keys."""
    wants_page = b"text/html" in header(scope, b"accept") and scope["method"] in ("GET", "HEAD")
    if refused.kind == "key_missing" and wants_page:
        to = (b"location", (service.prefix + addresses.KEY_PAGE).encode())
        reply = _with_body(303, [to, *_UNSTORED], b"")
    else:
        reply = with_quota(service, refuse(service, refused, service.origin(scope)))
        if wants_page:
            detail = _detail(service, refused, service.url(""))
            html = _notice(refused.kind, detail, service.prefix)
            headers = without(reply.headers, b"content-type", b"content-length")
            reply = _with_body(reply.status, [*headers, _HTML], html, reply.charge)
    vary = (b"vary", site_vary(service, "Accept"))
    return reply._replace(headers=[*without(reply.headers, b"vary"), vary])


# Not a template: in a flood a refused page must cost next to nothing.
@functools.lru_cache(maxsize=64)
def _notice(kind: str, detail: str, prefix: str) -> bytes:
    """A refusal as a page of HTML."""
    title, text = escape(KINDS[kind].title), escape(detail)
    return (
        f'<!doctype html><html lang="fr"><meta charset="utf-8"><title>{title}</title>'
        f'<h1>{title}</h1><p>{text}</p><p><a href="{prefix}/">Revenir à l’accueil</a> ·'
        f' <a href="{prefix}{addresses.KEY_PAGE}">Votre clé</a></p></html>\n'
    ).encode()


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
