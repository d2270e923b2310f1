"""Processes that start while the file they should serve is none."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.contract import environment

from . import versions
from .processes import STATE, Server
from .replacements import moved
from .versions import Version

pytestmark = pytest.mark.process
REFUSED_WITHIN = 0.5
PATIENCE = 30.0  # seconds: longer than a busy machine stands still


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Version:
    return versions.build(tmp_path_factory.mktemp("versions"), 1)[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "movements.db"
    path.write_bytes(b"garbage " * 5000)
    return path


def until_good(server: Server, key: str, target: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while (answer := server.ask(target, key)).status != 200:
        assert time.monotonic() < deadline, answer.status
        time.sleep(0.01)


def test_a_service_started_on_garbage_says_so_at_once_and_recovers(
    tmp_path: Path, path: Path, good: Version
) -> None:
    with closing(Server(path, tmp_path / "internal.sqlite3")) as server:
        key = environment.issue("lectrice", server.internal)
        assert server.ask(STATE).status == 503
        times = []
        for _ in range(10):  # the second worker is still starting, on the same cores
            began = time.monotonic()
            answer = server.ask("/v1/mouvements", key)
            times.append(time.monotonic() - began)
            assert (answer.status, answer.headers["X-RateLimit-Remaining"]) == (503, "1000")
            assert answer.headers["Retry-After"]
        assert min(times) < REFUSED_WITHIN
        moved(path, good.path)
        until_good(server, key, "/v1/mouvements")
        # Another worker may answer this one, and adopt a moment later.
        until_good(server, key, "/movements/mouvements")


def test_a_worker_started_over_garbage_serves_what_the_others_serve(
    tmp_path: Path, path: Path, good: Version
) -> None:
    moved(path, good.path)
    with closing(Server(path, tmp_path / "internal.sqlite3", workers=1)) as server:
        key = environment.issue("lectrice", server.internal)
        assert server.ask("/v1/mouvements", key).status == 200
        path.write_bytes(b"garbage")
        server.kill_all()
        server.start()
        assert server.ask("/v1/mouvements", key).status == 200
        assert server.ask(STATE).status == 200
