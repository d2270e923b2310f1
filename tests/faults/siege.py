"""Visitors without a key who ask the dearest pages for all they are worth, while a key holder is served.

The key holder asks before, in quiet, and then under siege: what is compared are those two.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

from tests.contract import environment

from .client import Response, closed, load
from .outcome import Outcome
from .processes import Server

VISITORS = 12
HOLDERS = 4
SLOWER = 10  # times the quiet 99th percentile
LARGER = 1.5  # times the quiet memory
TABLE = "/movements/mouvements"
# Each is asked with a number that makes it new, so that no page remembered answers it.
DEAREST = (
    f"{TABLE}?_facet=elu_nom&_facet=collab_nom&_facet=date_event&_size=100&elu_nom__contains=",
    f"{TABLE}?_facet=elu_nom&_facet=elu_id&_facet=elu_groupe&_sort=elu_nom&collab_nom__not=",
    f"{TABLE}?_size=max&_facet=elu_nom&_facet_size=max&a=",
    f"{TABLE}?_q=",
    "/recherche?q=NOM",
    "/flux?elu=",
    "/?a=",
    "/movements?a=",
    "/-/patterns?a=",
    "/documentation?a=",
    "/collaborateurs/nom-",
    "/-/jump?q=",
)
ASKED = "/v1/mouvements?chambre=senat&limit=20"
PATIENCE = 20.0


def invented(folder: Path, rows: int) -> Path:
    """A database of so many invented movements."""
    database = folder / "movements.db"
    make = (
        "import pathlib; from benchmarks.invented import write_csv;"
        f" write_csv(pathlib.Path({str(folder / 'invented.csv')!r}), {rows})"
    )
    subprocess.run([sys.executable, "-c", make], check=True, cwd=environment.ROOT)
    environment.done("build", database, "--movements", folder / "invented.csv")
    return database


def run(folder: Path, database: Path, seconds: float, workers: int = 1) -> Outcome:
    """The siege; wrong is any answer of /v1 but 200, and memory beyond LARGER."""
    outcome, quiet, under = besiege(folder, database, seconds, workers)
    if under.p99 > SLOWER * quiet.p99:
        outcome.slow.append(f"p99 {under.p99 / quiet.p99:.1f} times the quiet one")
    if under.memory > LARGER * quiet.memory:
        outcome.wrong.append(f"memory {under.memory / quiet.memory:.2f} times the quiet one")
    return outcome


def besiege(
    folder: Path,
    database: Path,
    seconds: float,
    workers: int = 1,
) -> tuple[Outcome, Watch, Watch]:
    """What happened, and what the key holder met in quiet and under siege."""
    outcome = Outcome(f"{VISITORS} visitors, {workers} worker{'s' * (workers > 1)}")
    server = Server(database, folder / "internal.sqlite3", workers=workers)
    try:
        key = environment.issue("siege", server.internal, "--quota", 10_000_000)
        for address in DEAREST:  # what a first page costs is no siege
            server.ask(address)
        quiet, under = asyncio.run(_besiege(server, key, seconds, outcome))
    finally:
        server.close()
    outcome.tried = VISITORS
    return outcome, quiet, under


async def _besiege(
    server: Server, key: str, seconds: float, outcome: Outcome
) -> tuple[Watch, Watch]:
    quiet = Watch(server, outcome)
    async with quiet.watching(key):
        await asyncio.sleep(max(2.0, seconds / 3))
    under = Watch(server, outcome)
    numbers = itertools.count()
    async with under.watching(key):
        visitors = [
            asyncio.create_task(_visit(server.port, numbers, n % 3 == 0)) for n in range(VISITORS)
        ]
        visitors += [asyncio.create_task(_hold(server.port)) for _ in range(HOLDERS)]
        await asyncio.sleep(seconds)
        for task in visitors:
            task.cancel()
        await asyncio.gather(*visitors, return_exceptions=True)
    outcome.note = (
        f"p50 {quiet.p50 * 1e3:.1f} -> {under.p50 * 1e3:.1f} ms, p99 {quiet.p99 * 1e3:.1f} ->"
        f" {under.p99 * 1e3:.1f} ms, memory {quiet.memory / 1e6:.0f} -> {under.memory / 1e6:.0f} MB,"
        f" {next(numbers):,} pages asked"
    )
    return quiet, under


class Watch:
    """What the key holder meets, and the server's memory at its largest, for a while."""

    def __init__(self, server: Server, outcome: Outcome) -> None:
        self.server = server
        self.outcome = outcome
        self.seconds: list[float] = []
        self.memory = 0

    @property
    def p50(self) -> float:
        return statistics.median(self.seconds)

    @property
    def p99(self) -> float:
        return statistics.quantiles(self.seconds, n=100)[98]

    @contextlib.asynccontextmanager
    async def watching(self, key: str) -> AsyncIterator[None]:
        weighing = asyncio.create_task(self._weigh())
        try:
            async with load(
                lambda: self.server.port, lambda: ASKED, key, self.outcome, self._judge, clients=2
            ):
                yield
        finally:
            weighing.cancel()

    def _judge(self, target: str, got: Response) -> str:
        self.seconds.append(got.seconds)
        return "" if got.status == 200 else f"{got.status} {got.body[:200]!r}"

    async def _weigh(self) -> None:
        while True:
            self.memory = max(self.memory, self.server.memory())
            await asyncio.sleep(0.1)


async def _visit(port: int, numbers: itertools.count[int], impatient: bool) -> None:
    """One page after the other on new connections; who is impatient hangs up at once."""
    while True:
        number = next(numbers)
        address = f"{DEAREST[number % len(DEAREST)]}{number}"
        with contextlib.suppress(ConnectionError, TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                head = f"GET {address} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                writer.write(head.encode())
                async with asyncio.timeout(0.05 if impatient else PATIENCE):
                    await reader.read()  # wait_for may lose a cancellation
            finally:
                await closed(writer)


async def _hold(port: int) -> None:
    """A body that is announced, begun, and then comes a byte at a time."""
    while True:
        with contextlib.suppress(ConnectionError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(b"POST /-/cle HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
                writer.write(b"a" * 50_000)
                began = time.monotonic()
                while time.monotonic() - began < PATIENCE:
                    writer.write(b"a")
                    await writer.drain()
                    await asyncio.sleep(0.1)
            finally:
                await closed(writer)
