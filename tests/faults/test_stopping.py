"""A stop that is asked for comes whatever is under way, and nothing counted is lost."""

from __future__ import annotations

import http.client
import os
import signal
import socket
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from tests.contract import environment

from . import versions
from .processes import Server

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


def command(folder: Path, database: Path, workers: int) -> list[str]:
    """What starts a service with the SLOW pages."""
    plugins = folder / "plugins"
    plugins.mkdir()
    (plugins / "slow.py").write_text(SLOW, encoding="utf-8")
    serve = environment.serve_command(database, folder / "internal.sqlite3")[:-1]
    return [*serve, "--workers", str(workers), "--plugins-dir", str(plugins)]


def under_way(server: Server, path: str) -> socket.socket:
    """A connection whose request has arrived: it is sent whole, and the service answers others after."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return connection


@pytest.mark.parametrize("workers", [1, 2])
def test_it_stops_and_keeps_its_counts(tmp_path: Path, database: Path, workers: int) -> None:
    internal = tmp_path / "internal.sqlite3"
    slow = command(tmp_path, database, workers)
    with closing(Server(database, internal, command=slow)) as server:
        asking = [under_way(server, path) for path in ("/waits", "/works") for _ in range(4)]
        key = environment.issue("lectrice", internal)
        statuses = [server.ask("/v1/mouvements", key).status for _ in range(CHARGES)]
        assert statuses == [200] * CHARGES
        assert server.stop(signal.SIGTERM) == 0
        for connection in asking:
            connection.close()
    with closing(sqlite3.connect(internal)) as kept:
        used = kept.execute("select sum(used) from mouvements_quota").fetchone()
    assert used == (CHARGES,)


def test_an_answer_that_has_begun_arrives_whole(tmp_path: Path, database: Path) -> None:
    internal = tmp_path / "internal.sqlite3"
    with closing(Server(database, internal, command=command(tmp_path, database, 1))) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        with closing(connection):
            connection.request("GET", "/streams")
            response = connection.getresponse()
            assert response.read(1)
            os.kill(server.process, signal.SIGTERM)
            assert len(response.read()) == PARTS - 1
        assert server.stop(signal.SIGTERM) == 0
