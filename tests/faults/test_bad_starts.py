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
PATIENCE = 30.0  # seconds: longer than a busy machine stands still


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Version:
    return versions.build(tmp_path_factory.mktemp("versions"), 1)[0]


def test_a_service_started_on_garbage_says_so_and_recovers(tmp_path: Path, good: Version) -> None:
    path = tmp_path / "movements.db"
    path.write_bytes(b"garbage " * 5000)
    with closing(Server(path, tmp_path / "internal.sqlite3")) as server:
        key = environment.issue("lectrice", server.internal)
        assert server.ask(STATE).status == 503
        answer = server.ask("/v1/mouvements", key)
        assert (answer.status, answer.headers["X-RateLimit-Remaining"]) == (503, "1000")
        assert answer.headers["Retry-After"]
        moved(path, good.path)
        deadline = time.monotonic() + PATIENCE
        # Another worker may answer the page, and adopt a moment later.
        for target in ("/v1/mouvements", "/movements/mouvements"):
            while (answer := server.ask(target, key)).status != 200:
                assert time.monotonic() < deadline, answer.status
                time.sleep(0.01)


def test_a_worker_started_over_garbage_serves_what_the_others_serve(
    tmp_path: Path, good: Version
) -> None:
    path = tmp_path / "movements.db"
    moved(path, good.path)
    with closing(Server(path, tmp_path / "internal.sqlite3", workers=1)) as server:
        key = environment.issue("lectrice", server.internal)
        assert server.ask("/v1/mouvements", key).status == 200
        path.write_bytes(b"garbage")
        server.kill_all()
        server.start()
        assert server.ask("/v1/mouvements", key).status == 200
        assert server.ask(STATE).status == 200
