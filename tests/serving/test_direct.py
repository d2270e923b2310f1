"""What the server's protocol answers itself, and what it leaves to the application."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from datasette import hookimpl
from datasette.app import Datasette
from datasette.plugins import pm

from datasette_mouvements.api.replies import Reply
from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.serving.connection.protocol import BoundedProtocol, Times
from datasette_mouvements.serving.gate import is_outermost
from datasette_mouvements.serving.startup import stop

DESCRIPTION = "/v1/openapi.json"


async def teapot(scope: Any, receive: Any, send: Any) -> None:
    headers = [(b"content-length", b"0"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 418, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


@contextlib.asynccontextmanager
async def listening(
    routes: Any,
    direct: bool = True,
    application: Any = teapot,
    times: Times = BoundedProtocol.times,
    **given: Any,
) -> AsyncIterator[int]:
    """A server whose application is no service."""

    class Direct(BoundedProtocol):
        def connection_made(self, transport: Any) -> None:
            # What a client does not read fills the server's buffer soon.
            sending = transport.get_extra_info("socket")
            sending.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            super().connection_made(transport)

    Direct.routes, Direct.direct, Direct.times = (lambda: routes), (lambda: direct), times
    config = uvicorn.Config(
        application,
        port=0,
        http=Direct,
        lifespan="off",
        access_log=False,
        log_config=None,
        **given,
    )
    server = uvicorn.Server(config)
    config.load()
    listener = config.bind_socket()
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.001)
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        listener.close()


async def asked(port: int, target: str, more: str = "", method: str = "GET") -> bytes:
    """Everything that the server says to one request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    close = "" if "Connection" in more else "Connection: close\r\n"
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: a\r\n{close}{more}\r\n".encode())
    async with asyncio.timeout(30):
        told = await reader.read()
    writer.close()
    return told


@pytest.fixture
def served(database: Path, tmp_path: Path) -> Iterator[Datasette]:
    made = Datasette([str(database)], internal=str(tmp_path / "internal.sqlite3"))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("target", "more", "status"),
    [
        (DESCRIPTION, "", 200),
        ("/v1/mouvements", "", 401),
        ("/v1/rien", "", 404),
        ("/", "", 418),
        (f"http://a{DESCRIPTION}", "", 418),
        (DESCRIPTION, "Content-Length: 0\r\n", 418),
        (DESCRIPTION, "Expect: 100-continue\r\n", 418),
    ],
)
def test_the_interface_is_answered_without_the_application(
    served: Datasette, target: str, more: str, status: int
) -> None:
    async def check() -> None:
        await served.invoke_startup()
        for direct in (True, False):
            async with listening(routes_of(served), direct) as port:
                told = await asked(port, target, more)
                assert told.startswith(b"HTTP/1.1 %d " % (status if direct else 418))
        await stop(served)

    asyncio.run(check())


def test_a_fault_nobody_foresaw_is_a_500_that_ends_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fails() -> Reply:
        await asyncio.sleep(0.01)
        raise ZeroDivisionError

    routes = SimpleNamespace(answer=lambda scope: fails())
    caplog.set_level(logging.ERROR)

    async def check() -> None:
        async with listening(routes) as port:
            told = await asked(port, "/", "Connection: keep-alive\r\n")
            head, _, body = told.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
            assert b"connection: close" in head
            assert body == b"Internal Server Error"

    asyncio.run(check())
    assert any(record.exc_info for record in caplog.records)


def test_who_leaves_before_the_answer_is_not_written_to() -> None:
    ready = asyncio.Event()

    async def slow() -> Reply:
        await asyncio.ensure_future(ready.wait())
        return Reply(204, b"")

    routes = SimpleNamespace(answer=lambda scope: slow())

    async def check() -> None:
        async with listening(routes) as port:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await asyncio.sleep(0.05)
            writer.close()
            await asyncio.sleep(0.05)
            ready.set()
            assert (await asked(port, "/")).startswith(b"HTTP/1.1 204 No Content\r\n")

    asyncio.run(check())


def answers_at_once(scope: Any) -> Any:
    """The interface of a service that has one address."""

    async def answer() -> Reply:
        return Reply(204, b"")

    return answer() if scope["raw_path"] == b"/v1" else None


def test_a_slow_page_behind_an_answer_in_one_piece_outlasts_the_keep_alive_time() -> None:
    ended = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await ended.wait()
        await teapot(scope, receive, send)

    async def check() -> None:
        routes = SimpleNamespace(answer=answers_at_once)
        async with listening(routes, application=slow, timeout_keep_alive=0.05) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                b"GET /v1 HTTP/1.1\r\nHost: a\r\n\r\nGET /page HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            asyncio.get_running_loop().call_later(0.3, ended.set)
            async with asyncio.timeout(30):
                told = await reader.read()
            writer.close()
        assert told.startswith(b"HTTP/1.1 204 ")
        assert b"HTTP/1.1 418 " in told

    asyncio.run(check())


def test_who_reads_nothing_of_the_last_answer_is_cut_too() -> None:
    length = 50_000
    body = Reply(200, b"content-length: %d\r\n" % length, bytes(length))

    async def answer() -> Reply:
        return body

    answering = SimpleNamespace(answer=lambda scope: answer())

    async def check() -> None:
        async with listening(answering, times=Times(unread=0.2)) as port:
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                client.connect(("127.0.0.1", port))
                client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                await asyncio.sleep(1)
                client.settimeout(5)
                received = 0
                with contextlib.suppress(ConnectionResetError):
                    while piece := client.recv(65536):
                        received += len(piece)
        assert received < length

    asyncio.run(check())


def test_a_gate_is_outermost_unless_another_plugin_wraps_it(served: Datasette) -> None:
    class Wrapper:
        @hookimpl(trylast=True)
        def asgi_wrapper(self) -> Any:
            return lambda app: lambda scope, receive, send: app(scope, receive, send)

    assert is_outermost(served.app())
    wrapper = Wrapper()
    pm.register(wrapper, name="wrapper")
    try:
        assert not is_outermost(served.app())
    finally:
        pm.unregister(wrapper)
