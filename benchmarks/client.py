"""A sequential HTTP client that times each request, and a pinger that finds an event loop's stalls."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import urlsplit

PAUSE = 0.001


class Answer(NamedTuple):
    """One answer, and how long it took from the first byte sent to the last one received."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    seconds: float


class Client:
    """One connection, kept open."""

    def __init__(self, address: str, headers: Mapping[str, str] | None = None) -> None:
        parts = urlsplit(address)
        assert parts.hostname
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        self._headers = {"Accept-Encoding": "identity", **(headers or {})}

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        began = time.perf_counter()
        self._connection.request("GET", path, headers={**self._headers, **(headers or {})})
        response = self._connection.getresponse()
        body = response.read()
        return Answer(response.status, response.headers, body, time.perf_counter() - began)

    def good(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        """The same; anything but 200 ends the run."""
        answer = self.get(path, headers)
        if answer.status != 200:
            raise SystemExit(f"{path} answered {answer.status}: {answer.body[:300]!r}")
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()


class Stalls:
    """What the pinger found: its longest and its usual round trip, in seconds."""

    longest = 0.0
    usual = 0.0
    pings = 0


@contextmanager
def pinged(address: str, path: str, headers: Mapping[str, str] | None = None) -> Iterator[Stalls]:
    """Ask for `path` every millisecond meanwhile; the figures are there when the block ends.

    From a process of its own: in this one, the client's work would count as the server's.
    """
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_ping, args=(there, address, path, headers))
    process.start()
    here.recv()
    stalls = Stalls()
    try:
        yield stalls
        here.send("stop")
        times = sorted(here.recv())
        stalls.longest, stalls.usual = times[-1], times[len(times) // 2]
        stalls.pings = len(times)
    finally:
        process.terminate()
        process.join()


def _ping(pipe: Connection, address: str, path: str, headers: Mapping[str, str] | None) -> None:
    times = []
    with Client(address, headers) as client:
        client.good(path)
        pipe.send("ready")
        while not pipe.poll(PAUSE):
            times.append(client.good(path).seconds)
    pipe.send(times)
