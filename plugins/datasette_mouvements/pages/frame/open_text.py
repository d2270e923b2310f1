"""A text that everyone may have, for programs: with a tag, gzip, and for pages of other sites."""

from __future__ import annotations

from datasette.utils.asgi import Request, Response

from ...api import compression
from ...api.replies import header, matches, tag_of
from ...api.service import Service
from .page_headers import FILE_SECONDS, public


def answer(
    service: Service, request: Request, body: bytes, kind: str, by_host: bool = False
) -> Response:
    """The text, or 304 to who has it already; `by_host` where it holds the site's address."""
    tag = tag_of(body)
    host = ("Host",) if by_host and service.reflects_host else ()
    headers = {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "ETag, Link",
        "cache-control": public(FILE_SECONDS),
        "etag": tag.decode(),
        "vary": ", ".join(("Accept-Encoding", *host)),
        "x-content-type-options": "nosniff",
    }
    if matches(header(request.scope, b"if-none-match"), tag):
        return Response(b"", 304, headers, kind)
    headers["link"] = service.links_at(
        service.origin(request.scope) if by_host else service.url("")
    )
    if len(body) >= compression.LEAST_BYTES and compression.accepts_gzip(request.scope["headers"]):
        headers["content-encoding"] = "gzip"
        body = compression.compress(body)
    headers["content-length"] = str(len(body))
    return Response(body, 200, headers, kind)
