"""A server, a clock and a fetcher for the tests of fetching."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from parlement_lists.sources.fetcher import Fetcher
from parlement_lists.sources.hooks import Address, OriginalRefused, Source, StaffList, StaffRow

from .misbehaving import Server


@contextmanager
def running() -> Iterator[Server]:
    """A server that answers until it is left."""
    with Server() as started:
        thread = threading.Thread(target=started.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield started
        finally:
            started.stopping.set()
            started.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as started:
        yield started


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


class LinesSource(Source):
    """A source whose list has a row a line of its original: the member, and who works there."""

    def read(self, originals, members, day):
        (original,) = originals
        if original.body.startswith(b"<"):
            raise OriginalRefused("a page instead of a list")
        rows = [line.split(",") for line in original.body.decode().splitlines()]
        made = [
            StaffRow(member, "Exemple", "Jeanne", "", "", name, "Paul") for member, name in rows
        ]
        return StaffList(made, "essai-lignes")


@pytest.fixture
def source(server: Server) -> Source:
    address = Address("liste.csv", server.url, most_bytes=100_000, seconds=0.5)
    return LinesSource("essai", "senat", {"liste": address})
