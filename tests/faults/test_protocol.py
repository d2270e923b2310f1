"""The bounds on a request's head, over real connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest
import uvicorn

from datasette_mouvements.serving import protocol

from . import versions
from .client import closed
from .processes import Server

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def application(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def running() -> AsyncIterator[int]:
    config = uvicorn.Config(
        application, port=0, http=protocol.BoundedProtocol, lifespan="off", log_config=None
    )
    server = uvicorn.Server(config)
    config.load()
    socket = config.bind_socket()
    serving = asyncio.create_task(server.serve(sockets=[socket]))
    while not server.started:
        await asyncio.sleep(0.001)
    try:
        yield socket.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        socket.close()


async def told(port: int, *pieces: bytes, pause: float = 0.0) -> bytes:
    """What the server says to these bytes before it closes the connection, or in ten seconds."""
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(pause)
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            await closed(writer)


def test_an_ordinary_request_is_answered() -> None:
    async def check() -> None:
        async with running() as port:
            answer = await told(port, REQUEST.replace(b"Host: a", b"Host: a\r\nConnection: close"))
            assert answer.startswith(b"HTTP/1.1 204")

    asyncio.run(check())


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost", REQUEST + b"GET /"])
def test_who_does_not_finish_a_head_is_not_waited_for(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.1)

    async def check() -> None:
        async with running() as port:
            assert (await told(port, sent)).rpartition(b"\r\n\r\n")[2].endswith(b"too slow.")

    asyncio.run(check())


@pytest.mark.parametrize("endless", [b"X-%d: a\r\n", b"a"])
def test_a_head_without_end_is_not_kept(endless: bytes) -> None:
    async def check() -> None:
        async with running() as port:
            piece = endless.replace(b"%d", b"1") * 2000
            pieces = [piece] * (2 * protocol.HEAD_BYTES // len(piece) + 1)
            await told(port, b"GET / HTTP/1.1\r\nX-Long: ", *pieces, pause=0.001)

    asyncio.run(check())


def test_a_body_is_no_head() -> None:
    async def check() -> None:
        async with running() as port:
            body = b"a" * (2 * protocol.HEAD_BYTES)
            head = b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
            answer = await told(port, head % len(body) + body)
            assert answer.startswith(b"HTTP/1.1 204")

    asyncio.run(check())


@pytest.mark.parametrize(
    "sent",
    [
        "GET /v1/mouvements?type=arrivée HTTP/1.1\r\nHost: a\r\n\r\n",
        "FOO / HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
def test_what_is_not_http_is_refused_as_everything_is(server: Server, sent: str) -> None:
    head, _, body = asyncio.run(told(server.port, sent.encode())).partition(b"\r\n\r\n")
    status, *lines = head.decode("ascii").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert status == "HTTP/1.1 400 Bad Request"
    assert headers["content-type"] == "application/problem+json"
    assert (headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]) == ("1000", "0")
    problem = json.loads(body)
    assert len(body) == int(headers["content-length"])
    assert (problem["status"], problem["type"]) == (400, "/documentation#demande-malformee")
    assert "%C3%A9" in problem["detail"]
    assert problem["licence"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("protocol")
    with closing(
        Server(versions.build(folder, 1)[0].path, folder / "internal.sqlite3", workers=1)
    ) as running:
        yield running
