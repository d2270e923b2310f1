"""A rendered page that is the same for everyone, as it is remembered and sent."""

from __future__ import annotations

import gzip
from typing import NamedTuple

from datasette.utils.asgi import Request, Response

from ...api.compression import accepts_gzip
from ...api.service import Service
from .page_headers import PUBLIC, page_headers


class Rendered(NamedTuple):
    """A rendered page, and the same gzipped."""

    body: bytes
    gzipped: bytes
    status: int
    indexed: bool

    @property
    def weight(self) -> int:
        """The bytes that remembering it takes."""
        return len(self.body) + len(self.gzipped)

    def answer(self, service: Service, request: Request) -> Response:
        """The page as this request can read it."""
        headers = page_headers(service, PUBLIC, self.indexed)
        headers["vary"] = ", ".join(filter(None, ("Accept-Encoding", headers.get("vary"))))
        body = self.body
        if accepts_gzip(request.scope["headers"]):
            headers["content-encoding"] = "gzip"
            body = self.gzipped
        headers["content-length"] = str(len(body))
        return Response(body, self.status, headers, "text/html; charset=utf-8")


def rendered(answer: Response, indexed: bool) -> Rendered:
    """What to remember of the answer that a page was rendered for."""
    body = answer.body.encode()
    return Rendered(body, gzip.compress(body, 6, mtime=0), answer.status, indexed)
