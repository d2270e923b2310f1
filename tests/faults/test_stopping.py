"""A stop that is asked for: within five seconds whatever is under way, and nothing counted is lost."""

from __future__ import annotations

import os
import signal
import socket
import time
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from tests.contract import environment

from . import versions
from .processes import Server

pytestmark = pytest.mark.process
STOPPED_WITHIN = 5.0
CHARGES = 5
# A page that takes a minute: one that waits, and one at work in a thread, which nothing can cancel.
SLOW = """
import asyncio, time
from datasette import Response, hookimpl

async def waits():
    await asyncio.sleep(60)
    return Response.text("at last")

async def works():
    await asyncio.to_thread(time.sleep, 60)
    return Response.text("at last")

@hookimpl
def register_routes():
    return [("^/waits$", waits), ("^/works$", works)]
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return versions.build(tmp_path_factory.mktemp("versions"), 1)[0].path


def under_way(server: Server, path: str, times: int) -> list[socket.socket]:
    """Connections whose request has arrived: each sends it whole, and the service answers others after."""
    asking = []
    for _ in range(times):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        asking.append(connection)
    return asking


@pytest.mark.parametrize("gone", [False, True], ids=["waiting", "gone"])
@pytest.mark.parametrize("path", ["/waits", "/works"])
@pytest.mark.parametrize("workers", [1, 2])
def test_it_stops_in_time_and_keeps_its_counts(
    tmp_path: Path, database: Path, workers: int, path: str, gone: bool
) -> None:
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    (plugins / "slow.py").write_text(SLOW, encoding="utf-8")
    internal = tmp_path / "internal.sqlite3"
    command = environment.serve_command(database, internal)[:-1]
    command += ["--workers", str(workers), "--plugins-dir", str(plugins)]
    with closing(Server(database, internal, command=command)) as server:
        asking = under_way(server, path, 4)
        key = environment.issue("lectrice", internal)
        statuses = [server.ask("/v1/mouvements", key).status for _ in range(CHARGES)]
        assert statuses == [200] * CHARGES
        if gone:
            for connection in asking:
                connection.close()
        began = time.monotonic()
        assert server.stop(signal.SIGTERM) == 0
        assert time.monotonic() - began < STOPPED_WITHIN
        for connection in asking:
            connection.close()
    with closing(sqlite3.connect(internal)) as kept:
        used = kept.execute("select sum(used) from mouvements_quota").fetchone()
    assert used == (CHARGES,)


def test_a_worker_that_does_not_hear_of_it_is_ended_with_the_others(
    tmp_path: Path, database: Path
) -> None:
    with closing(Server(database, tmp_path / "internal.sqlite3", workers=2)) as server:
        deaf, other = server.workers()
        os.kill(deaf, signal.SIGSTOP)
        began = time.monotonic()
        assert server.stop(signal.SIGTERM) == 0
        assert time.monotonic() - began < STOPPED_WITHIN
        # The system may still be taking down what was killed.
        while any(map(_runs, (deaf, other))):
            assert time.monotonic() - began < STOPPED_WITHIN
            time.sleep(0.01)


def _runs(process: int) -> bool:
    """Whether it is there; one that has ended may wait for somebody to ask how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
