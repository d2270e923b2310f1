"""Another plugin, whose pages wait, or take whatever they are sent."""

from __future__ import annotations

import asyncio
from typing import Any

from datasette import Request, Response, hookimpl


class Elsewhere:
    """The plugin; its page /lent waits for `go_on`."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.seen: list[str] = []

    @hookimpl
    def register_routes(self) -> list[tuple[str, Any]]:
        async def waits(request: Request) -> Response:
            self.seen.append("began")
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.seen.append("given up")
                raise
            return Response.text("done")

        async def takes(request: Request) -> Response:
            self.seen.append("takes")
            return Response.text(str(len(await request.post_body())))

        async def knows(request: Request) -> Response:
            return Response.text(request.actor["id"] if request.actor else "")

        return [("^/lent$", waits), ("^/prend$", takes), ("^/qui$", knows)]


def scope(path: str, headers: dict[str, str], method: str = "GET") -> dict[str, Any]:
    """A request as an ASGI server hands it over."""
    return {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }


async def nowhere(message: dict[str, Any]) -> None:
    """An answer that nobody gets."""
