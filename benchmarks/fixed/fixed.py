"""Routes that do nothing but return the bytes of one file: what the platform can do at all.

MOUVEMENTS_FIXED_BODY names the file. Two ceilings: a view as Datasette plugins have them, and the
same bytes from an ASGI wrapper, in front of everything that Datasette does for a view.
"""

import functools
import os
from pathlib import Path

from datasette import Response, hookimpl


@functools.cache
def _body():
    return Path(os.environ["MOUVEMENTS_FIXED_BODY"]).read_bytes()


@functools.cache
def _headers(length):
    return [(b"content-type", b"application/json"), (b"content-length", b"%d" % length)]


async def view():
    return Response(_body(), content_type="application/json")


@hookimpl
def register_routes():
    return [(r"^/-/fixed$", view)]


@hookimpl
def asgi_wrapper():
    def wrap(app):
        async def answer(scope, receive, send):
            path = scope.get("path")
            if path == "/-/fixed-asgi" or path == "/-/ping":
                body = _body() if path == "/-/fixed-asgi" else b"{}"
                start = {"type": "http.response.start", "status": 200}
                await send({**start, "headers": _headers(len(body))})
                await send({"type": "http.response.body", "body": body})
            else:
                await app(scope, receive, send)

        return answer

    return wrap
