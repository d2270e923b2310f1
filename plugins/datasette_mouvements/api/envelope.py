"""The envelope around a page of movements (specification, "The answer"): body, neighbours, ETag."""

from __future__ import annotations

from hashlib import blake2s

from .. import addresses
from ..refusal import SITE
from .parameters.search_parameters import Search, query_string
from .search import Page
from .service import Service

ENVELOPE = ("total", "limit", "offset", "mouvements", "licence", "attribution")


def around(service: Service, search: Search, page: Page) -> bytes:
    """The body of a search's answer: the members of `ENVELOPE`, the page among them."""
    head = f'{{"total":{page.total},"limit":{search.limit},"offset":{search.offset},"mouvements":['
    return b"".join((head.encode(), page.lines, b"],", service.credits))


def etag(service: Service, version: str, normalised: str) -> bytes:
    """The weak ETag of an answer: data version, settings shown in it, and the normalised query."""
    token = blake2s(normalised.encode(), digest_size=5).hexdigest()
    return f'W/"{version}-{service.salt}-{token}"'.encode()


def links(search: Search, total: int) -> list[str]:
    """The pages beside a page, as the links of RFC 8288."""
    offsets = {"first": 0}
    if search.offset:
        offsets["prev"] = max(0, search.offset - search.limit)
    if search.offset + search.limit < total:
        offsets["next"] = search.offset + search.limit
    if total:
        offsets["last"] = (total - 1) // search.limit * search.limit
    start = query_string(search._replace(offset=0) if search.offset else search)
    address = SITE + addresses.SEARCH + (f"?{start}" if start else "")
    more = address + ("&" if start else "?") + "offset="
    return [
        f'<{f"{more}{offset}" if offset else address}>; rel="{rel}"'
        for rel, offset in offsets.items()
    ]
