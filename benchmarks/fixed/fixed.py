"""Routes that do nothing but return the bytes of one file: what the platform can do at all.

MOUVEMENTS_FIXED_BODY names the file. Two ceilings: a view as Datasette plugins have them, and the
same bytes from an ASGI wrapper, in front of everything that Datasette and its plugins do.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from datasette import Response, hookimpl

App = Callable[..., Awaitable[None]]


@functools.cache
def body() -> bytes:
    return Path(os.environ["MOUVEMENTS_FIXED_BODY"]).read_bytes()


async def view() -> Any:
    return Response(body(), content_type="application/json")


@hookimpl  # type: ignore[untyped-decorator]
def register_routes() -> list[Any]:
    return [(r"^/-/fixed$", view)]


# The last wrapper is the outermost.
@hookimpl(trylast=True)  # type: ignore[untyped-decorator]
def asgi_wrapper() -> Callable[[App], App]:
    return _wrapped


def _wrapped(app: App) -> App:
    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
        path = scope.get("path")
        if path == "/-/fixed-asgi" or path == "/-/ping":
            content = body() if path == "/-/fixed-asgi" else b"{}"
            length = (b"content-length", b"%d" % len(content))
            headers = [(b"content-type", b"application/json"), length]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": content})
        else:
            await app(scope, receive, send)

    return answer
