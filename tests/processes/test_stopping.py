"""A stop that is asked for comes whatever is under way, and nothing counted is lost."""

from __future__ import annotations

import http.client
import signal
import socket
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from tests.contract import environment

from . import versions
from .server import Server

pytestmark = pytest.mark.process
CHARGES = 5
PARTS = 20
# Pages that take longer than a stop is waited for: one that waits, and one at work in a thread, which
# nothing can cancel. And one of PARTS.
SLOW = """
import asyncio, time
from datasette import Response, hookimpl
from datasette.utils.asgi import AsgiStream

async def waits():
    await asyncio.sleep(600)
    return Response.text("at last")

async def works():
    await asyncio.to_thread(time.sleep, 600)
    return Response.text("at last")

async def streams():
    async def parts(writer):
        for _ in range(20):
            await writer.write("x")
            await asyncio.sleep(0.1)
    return AsgiStream(parts)

@hookimpl
def register_routes():
    return [("^/waits$", waits), ("^/works$", works), ("^/streams$", streams)]
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return versions.build(tmp_path_factory.mktemp("versions"), 1)[0].path


def slow(folder: Path, database: Path, workers: int) -> Server:
    """A service with the SLOW pages."""
    plugins = folder / "plugins"
    plugins.mkdir()
    (plugins / "slow.py").write_text(SLOW, encoding="utf-8")
    internal = folder / "internal.sqlite3"
    return Server(database, internal, workers, "--plugins-dir", str(plugins))


def under_way(server: Server, path: str) -> socket.socket:
    """A connection whose request has arrived: it is sent whole, and the service answers others after."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return connection


@pytest.mark.parametrize("workers", [1, 2])
def test_it_stops_and_keeps_its_counts(tmp_path: Path, database: Path, workers: int) -> None:
    with closing(slow(tmp_path, database, workers)) as server:
        asking = [under_way(server, path) for path in ("/waits", "/works") for _ in range(4)]
        key = {"X-API-Key": environment.issue("lectrice", server.internal)}
        statuses = [server.ask("/v1/mouvements", key).status for _ in range(CHARGES)]
        assert statuses == [200] * CHARGES
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        for connection in asking:
            connection.close()
    with closing(sqlite3.connect(server.internal)) as kept:
        used = kept.execute("select sum(used) from mouvements_quota").fetchone()
    assert used == (CHARGES,)


def test_an_answer_that_has_begun_arrives_whole(tmp_path: Path, database: Path) -> None:
    with closing(slow(tmp_path, database, 1)) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        with closing(connection):
            connection.request("GET", "/streams")
            response = connection.getresponse()
            assert response.read(1)
            server.process.send_signal(signal.SIGTERM)
            assert len(response.read()) == PARTS - 1
        assert server.process.wait(60) == 0
