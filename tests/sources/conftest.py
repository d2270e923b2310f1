"""A server, a clock and a fetcher for the tests of fetching."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from datasette_mouvements.sources.fetcher import Fetcher
from datasette_mouvements.sources.hooks import ListSource

from .misbehaving import Server


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.stopping.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def slept() -> list[float]:
    """The pauses that were asked for; nobody waits."""
    return []


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = datetime.datetime(2026, 9, 14, 4, 0, tzinfo=datetime.UTC)

    def __call__(self) -> datetime.datetime:
        return self.now

    def passes(self, **delta: int) -> None:
        self.now += datetime.timedelta(**delta)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fetcher(tmp_path: Path, slept: list[float], clock: Clock) -> Fetcher:
    return Fetcher(tmp_path / "listes", "datasette-mouvements/test", clock, slept.append)


@pytest.fixture
def source(server: Server) -> ListSource:
    return ListSource("essai", "senat", server.url, most_bytes=100_000, seconds=0.5)
