"""What a chamber's server answers in place of an original."""

from __future__ import annotations

import json

from tests.sources.misbehaving import drips as slow

from .chambers import ZIP, Answer, Request

__all__ = ["slow"]

_PAGE = b"<!DOCTYPE html><html lang='en'><title>Maintenance</title><p>Back soon.</p></html>"
_CHALLENGE = (
    b"<!DOCTYPE html><html><script src='/challenge.js'></script><noscript>Enable it</noscript>"
)


def _says(status: int, body: bytes = b"", **headers: str) -> Answer:
    def answer(request: Request) -> None:
        request.send(body, request.server.day, status, **headers)

    return answer


not_found = _says(404, b"not here")
broken = _says(500, b"sorry")
busy = _says(429, b"later", retry_after="7200")
empty = _says(200)
a_page = _says(200, _PAGE, content_type="text/html; charset=utf-8")
a_page_called_otherwise = _says(200, _PAGE)
a_challenge = _says(202, _CHALLENGE, content_type="text/html")


def cut(request: Request) -> None:
    """Half of what was promised."""
    body = request.server.now[request.where]
    request.send_response(200)
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body[: len(body) // 2])


def cut_and_whole(request: Request) -> None:
    """Half a file whose length is told as if it were all."""
    body = request.server.now[request.where]
    request.send(body[: len(body) // 2], request.server.day)


def another_type(request: Request) -> None:
    """A zip in the place of whatever was asked for, or a PDF in that of a zip."""
    of = "/senat/par_senateur" if request.where == "/assemblee/zip" else "/assemblee/zip"
    request.send(request.server.now[of], request.server.day, content_type=ZIP)


def moved(request: Request) -> None:
    """The same file, elsewhere."""
    if request.path.endswith("?here"):
        request.serve(request.where)
    else:
        request.send(b"", request.server.day, 301, location=f"{request.path}?here")


def lacks_five(request: Request) -> None:
    """The answer of the API without five of the members."""
    found = json.loads(request.server.now[request.where])
    request.send(json.dumps(found | {"data": found["data"][5:]}).encode(), request.server.day)


def of_days_before(mornings: int) -> Answer:
    """What was there so many mornings before, with its date."""

    def answer(request: Request) -> None:
        past = request.server.past
        day, before = past[-min(mornings, len(past))]
        request.send(before.get(request.where), day)

    return answer


class StandsStill:
    """The original of the first morning again and again, called new by its server."""

    def __init__(self) -> None:
        self.first: dict[str, bytes] = {}

    def __call__(self, request: Request) -> None:
        now = request.server.now
        self.first = self.first or dict(now)
        request.send(self.first.get(request.where), request.server.day)
