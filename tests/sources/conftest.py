"""A server, a clock and a fetch for the tests of fetching."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from parlement_lists.sources.download import Downloads, Source
from parlement_lists.sources.fetch import Result, fetch
from parlement_lists.sources.originals import Address, OriginalRefused, StaffList, StaffRow

from .misbehaving import Behaviour, Server, says


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


GONE = says(b"", status=404)


class Site:
    """What a source finds on this machine: `answers` by path, bodies or behaviours; `asked` are the paths."""

    def __init__(self, server: Server, source: Source, paths: Mapping[str, str]) -> None:
        self.answers: dict[str, bytes | Behaviour] = {}
        self.asked: list[str] = []
        server.answer_with(self.answer)
        base = server.url.removesuffix("/liste.csv")
        self.source = source.at({word: f"{base}/{path}" for word, path in paths.items()})

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        answer = self.answers.get(request.path, GONE)
        page = request.path.startswith("/page/")
        kind = {"content_type": "text/html"} if page else {}
        (says(answer, **kind) if isinstance(answer, bytes) else answer)(request)


class Clock:
    """A clock that stands still until it is set, or slept with."""

    def __init__(self) -> None:
        self.now = datetime.datetime(2026, 9, 14, 4, 0, tzinfo=datetime.UTC)
        self.slept: list[float] = []

    def __call__(self) -> datetime.datetime:
        return self.now

    def passes(self, **delta: float) -> None:
        self.now += datetime.timedelta(**delta)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.passes(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Fetcher:
    """A folder of lists, and the runs that fetch into it."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self.directory, self.clock = directory, clock
        self.faults: list[str] = []

    def fetch(self, *sources: Source) -> list[Result]:
        """The results of a run; what git says of it is in `faults`."""
        agent = "datasette-mouvements/test"
        run = fetch(self.directory, sources, agent, self.clock, self.clock.sleep)
        self.faults = run.faults
        return run.results

    def status(self, source: Source) -> str:
        """What the journal calls the outcome of one more run."""
        (result,) = self.fetch(source)
        return result.line.resultat

    def files(self, chamber: str = "senat") -> list[str]:
        return sorted(path.name for path in (self.directory / chamber).glob("*"))


@pytest.fixture
def fetcher(tmp_path: Path, clock: Clock) -> Fetcher:
    return Fetcher(tmp_path / "listes", clock)


@pytest.fixture
def downloads(tmp_path, clock):
    """The downloads of one run after another, which remember."""
    answers = {}

    def begin():
        deadline = clock() + datetime.timedelta(minutes=30)
        return Downloads(tmp_path, answers, "test", clock, clock.sleep, deadline)

    return begin


# Originals of such a source.
ONE = b"14263U,AUBE\n08061X,BRUN\n"
TWO = b"14263U,AUBE\n08061X,CLAIR\n"
THREE = b"14263U,AUBE\n08061X,DOUX\n"


class LinesSource(Source):
    """A source whose list has a row a line of its original: the member, and who works there."""

    def download(self, downloads):
        return [downloads.get(self.addresses["liste"])]

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
def address(server: Server) -> Address:
    return Address("liste.csv", server.url, most_bytes=100_000, seconds=0.5)


@pytest.fixture
def source(address: Address) -> Source:
    return LinesSource("senat", {"liste": address})
