"""The bounds on a request and on who reads its answer, over real connections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest
import uvicorn

from datasette_mouvements.serving.connection import protocol
from datasette_mouvements.serving.connection.protocol import Times

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


async def at_once(scope: Any, receive: Any, send: Any) -> None:
    """Answers without a look at the body."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def running(
    app: Any = application, times: Times = protocol.BoundedProtocol.times
) -> AsyncIterator[int]:
    bounded = type("Bounded", (protocol.BoundedProtocol,), {"times": times})
    config = uvicorn.Config(app, port=0, http=bounded, lifespan="off", log_config=None)
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
def test_who_does_not_finish_a_head_is_not_waited_for(sent: bytes) -> None:

    async def check() -> None:
        async with running(times=Times(request=0.1)) as port:
            assert (await told(port, sent)).rpartition(b"\r\n\r\n")[2].endswith(b"trop lente.")

    asyncio.run(check())


HEAD = b"POST / HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n"
CHUNKED = HEAD % b"Transfer-Encoding: chunked"
DRIPS = {
    "body": (HEAD % b"Content-Length: 9999", b"a"),
    "chunks": (CHUNKED, b"1\r\na\r\n"),
    "one chunk": (CHUNKED + b"ffff\r\n", b"a"),
    "trailers": (CHUNKED + b"0\r\n", b"A: b\r\n"),
    "empty lines after an answer": (REQUEST, b"\r\n"),
    "the body of an answered request": (b"X" + HEAD % b"Content-Length: 9999", b"a"),
}


@pytest.mark.parametrize("drip", DRIPS)
def test_no_connection_is_held_by_a_drip(drip: str) -> None:
    first, each = DRIPS[drip]

    async def check() -> None:
        async with running(times=Times(request=0.2, linger=0.2)) as port:
            await told(port, first.removeprefix(b"X"), *[each] * 500, pause=0.02)

    asyncio.run(check())


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose time a test moves forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


def test_a_body_that_comes_fast_enough_has_more_time() -> None:
    length, pieces, received = 500, 20, asyncio.Queue[int]()
    times = Times(request=10, body_bytes=length // 10)

    async def reading(scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            more = message.get("more_body", False)
            received.put_nowait(len(message.get("body", b"")))
        await at_once(scope, receive, send)

    async def check() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Clock)
        async with running(reading, times) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HEAD % b"Connection: close\r\nContent-Length: %d" % (pieces * length))
            for _ in range(pieces):
                writer.write(b"a" * length)
                left = length
                while left > 0:
                    left -= await asyncio.wait_for(received.get(), times.request)
                loop.ahead += times.request
                await asyncio.sleep(0)
            answer = await asyncio.wait_for(reader.read(), times.request)
            await closed(writer)
        assert answer.startswith(b"HTTP/1.1 204")

    with asyncio.Runner(loop_factory=Clock) as runner:
        runner.run(check())


def test_the_rest_of_an_answered_request_is_not_read_for_long() -> None:

    async def check() -> None:
        async with running(at_once, times=Times(linger=0.1)) as port, asyncio.timeout(10):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HEAD % b"Content-Length: 9999" + b"a")
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 204")
            await reader.read()  # until the end
            await closed(writer)

    asyncio.run(check())


@pytest.mark.parametrize("behind", [b"", REQUEST])
def test_a_connection_that_an_answer_ends_lets_the_rest_of_its_request_come(behind: bytes) -> None:
    """Closed at once it would be reset, and the answer might be lost."""
    asked: list[str] = []

    async def ending(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["method"])
        headers = [(b"connection", b"close")]
        await send({"type": "http.response.start", "status": 204, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def check() -> None:
        async with running(ending) as port, asyncio.timeout(Times().linger):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HEAD % b"Content-Length: 9999" + b"a")
            answer = await reader.readuntil(b"\r\n\r\n")
            assert b"connection: close" in answer
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(), 0.1)
            writer.write(b"a" * 9998 + behind)
            assert await reader.read() == b""
            await closed(writer)
        assert asked == ["POST"]

    asyncio.run(check())


def test_a_request_behind_another_is_not_taken_for_its_rest() -> None:
    async def check() -> None:
        async with running() as port:
            body = HEAD % b"Connection: close\r\nContent-Length: 2" + b"a"
            answers = await told(port, REQUEST + body, b"b", pause=0.1)
            assert answers.count(b"HTTP/1.1 204") == 2

    asyncio.run(check())


def test_a_connection_has_few_requests_wait() -> None:
    held = asyncio.Event()
    begun: list[str] = []

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        begun.append(scope["path"])
        await held.wait()
        await at_once(scope, receive, send)

    async def check() -> None:
        async with running(waiting) as port, asyncio.timeout(10):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(REQUEST * (protocol.PIPELINED + 3))
            await reader.read()  # until the end
            await closed(writer)
            held.set()
        assert len(begun) == 1

    asyncio.run(check())


def test_a_head_of_many_headers_is_refused() -> None:
    async def check() -> None:
        async with running() as port:
            head = REQUEST[:-2] + b"a:\r\n" * (protocol.HEADERS + 1) + b"\r\n"
            assert (await told(port, head)).startswith(b"HTTP/1.1 400")

    asyncio.run(check())


@pytest.mark.parametrize("pieces", [1, 60])
def test_who_reads_slowly_is_not_cut_off(pieces: int) -> None:
    size = 15_000_000

    async def large(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-length", b"%d" % size), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number in range(pieces):
            more = number < pieces - 1
            body = b"a" * (size // pieces)
            await send({"type": "http.response.body", "body": body, "more_body": more})

    async def check() -> None:
        async with running(large, times=Times(unread=0.5)) as port, asyncio.timeout(20):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=50_000)
            writer.write(REQUEST)
            head = await reader.readuntil(b"\r\n\r\n")
            read = 0
            while read < size and (piece := await reader.read(200_000)):
                read += len(piece)
                await asyncio.sleep(0.02)
            assert (b"200" in head, read) == (True, size)
            await closed(writer)

    asyncio.run(check())


def test_who_reads_nothing_is_cut_off() -> None:
    ended = asyncio.Event()

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while (await _message(receive)) != "http.disconnect":
            await send({"type": "http.response.body", "body": b"a" * 65536, "more_body": True})
        ended.set()

    async def check() -> None:
        async with running(endless, times=Times(unread=0.1)) as port, asyncio.timeout(10):
            _, writer = await asyncio.open_connection("127.0.0.1", port, limit=2)
            writer.write(REQUEST)
            await ended.wait()
            await closed(writer)

    asyncio.run(check())


async def _message(receive: Any) -> str:
    """What there is to receive at once, "" if nothing."""
    try:
        async with asyncio.timeout(0.001):
            return str((await receive())["type"])
    except TimeoutError:
        return ""


@pytest.mark.parametrize("endless", [b"X-%d: a\r\n", b"a"])
def test_a_head_without_end_is_not_kept(endless: bytes) -> None:
    async def check() -> None:
        async with running() as port:
            piece = endless.replace(b"%d", b"1") * 2000
            pieces = [piece] * (2 * protocol.HEAD_BYTES // len(piece) + 1)
            await told(port, b"GET / HTTP/1.1\r\nX-Long: ", *pieces, pause=0.001)

    asyncio.run(check())


CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"


@pytest.mark.parametrize("endless", [b"X-1: a\r\n", b"a"])
@pytest.mark.parametrize("app", [application, at_once])
def test_trailers_without_end_are_not_kept(endless: bytes, app: Any) -> None:
    """Neither before the answer nor after it, when what still comes is let come for a while."""

    async def check() -> None:
        async with running(app) as port:
            piece = endless * 2000
            pieces = [piece] * (2 * protocol.HEAD_BYTES // len(piece) + 1)
            async with asyncio.timeout(Times().linger * 0.9):
                answer = await told(port, CHUNKED, b"X-Long: ", *pieces, pause=0.001)
            assert not answer.startswith(b"HTTP/1.1 204") or app is at_once

    asyncio.run(check())


@pytest.mark.parametrize("pause", [0.0, 0.01])
def test_a_trailer_is_no_header(pause: float) -> None:
    """A proxy in front has set the headers that it vouches for; trailers it may hand on as they come."""
    headers = []

    async def keeping(scope: Any, receive: Any, send: Any) -> None:
        await application(scope, receive, send)
        headers.append({bytes(name) for name, _ in scope["headers"]})

    async def check() -> None:
        async with running(keeping) as port:
            end = b"X-Actor: root\r\nConnection: close\r\n\r\n"
            await told(
                port, CHUNKED.replace(b"Host: a", b"Host: a\r\nConnection: close"), end, pause=pause
            )
        assert headers == [{b"host", b"connection", b"transfer-encoding"}]

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
    assert (headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]) == ("1000", "1000")
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
