"""A file on its way to a client: whole or in parts, and given up where the client reads too slowly."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from datasette.utils.asgi import asgi_send_file

from ...api.service import Scope, Send

try:
    from starlette.responses import FileResponse
except ModuleNotFoundError:  # loaded with --plugins-dir: files are sent whole
    FileResponse = None  # type: ignore[assignment, misc]

SENDS_PARTS = FileResponse is not None
# Timeout for each chunk, plus its time at 16 kB/s; after it the slot is freed.
PATIENCE_SECONDS = 60.0
LEAST_BYTES_A_SECOND = 16_384


async def send_file(
    scope: Scope,
    send: Send,
    path: Path,
    size: int,
    headers: dict[str, str],
    parts: str,
    seconds: float = PATIENCE_SECONDS,
) -> None:
    """Send the file of `size` bytes with these headers, or the `parts` of it (a Range header); its head alone to HEAD."""
    try:
        async with asyncio.timeout(seconds) as patience:
            await _send(scope, _prolonging(patience, send, seconds), path, headers, parts, size)
    except TimeoutError:
        return  # the server ends the connection: the answer is not whole


def _prolonging(patience: asyncio.Timeout, send: Send, seconds: float) -> Send:
    """`send`; each chunk that the client took prolongs the timeout for the next one."""

    async def sending(message: dict[str, Any]) -> None:
        await send(message)
        until = patience.when()
        if until is not None and not patience.expired():
            most = asyncio.get_running_loop().time() + seconds
            given = len(message.get("body", b"")) / LEAST_BYTES_A_SECOND
            patience.reschedule(min(until, most) + given)

    return sending


async def _send(
    scope: Scope, send: Any, path: Path, headers: dict[str, str], parts: str, size: int
) -> None:
    if FileResponse is not None:
        response = FileResponse(path, headers=headers, media_type=headers["content-type"])
        asked = {"type": "http", "method": scope["method"], "asgi": {"spec_version": "2.4"}}
        asked["headers"] = [(b"range", parts.encode())] if parts else []
        await response(asked, _nothing, send)
    elif scope["method"] == "HEAD":
        told = {**headers, "content-length": str(size), "accept-ranges": "none"}
        raw = [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        await send({"type": "http.response.body", "body": b""})
    else:
        told = {**headers, "accept-ranges": "none"}
        await asgi_send_file(send, path, content_type=told.pop("content-type"), headers=told)


async def _nothing() -> dict[str, str]:
    raise AssertionError("nothing is read of a request for a file")
