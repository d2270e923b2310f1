"""One address that asks for all it can, and what another visitor and a key holder meet beside it.

What the other visitor asks for has been asked before, and is remembered, or is new and must be made.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.contract import environment

from .client import closed
from .outcome import Outcome
from .processes import Server

BESIEGER, OTHER = "127.0.0.9", "127.0.0.1"
CONNECTIONS = (12, 140)
TABLE = "/movements/mouvements"
# What is besieged; the number makes each address new. Downloads are refused without a key, and say so.
TARGETS = {
    "explorer": (
        f"{TABLE}?_facet=elu_nom&_facet=collab_nom&_facet=date_event&_size=100&elu_nom__contains=",
        f"{TABLE}?_facet=elu_nom&_facet=elu_id&_facet=elu_groupe&_sort=elu_nom&collab_nom__not=",
    ),
    "search": ("/recherche?q=le+la+", "/recherche?q=ma+", "/flux?nom=ma+"),
    "downloads": ("/fichiers/tout?a=", "/fichiers?elu="),
}
REMEMBERED = ("/", "/elus/senat", "/groupes", "/classements")
# One of each kind; names that nobody has are 404.
NEW = ("/recherche?q=martin{}", "/collaborateurs?lettre=M&a={}", f"{TABLE}?elu_id=PA{{}}")
ASKED = "/v1/mouvements?chambre=senat&limit=20"
REMEMBERED_WITHIN = 0.5
PATIENCE = 20.0


@dataclass
class Met:
    """The answers of one kind that somebody met: their seconds, their statuses."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.seconds, n=20)[18] if len(self.seconds) > 1 else PATIENCE

    def __str__(self) -> str:
        told = "+".join(f"{count} x {status}" for status, count in sorted(self.statuses.items()))
        return f"{self.p95 * 1e3:.0f} ms ({told})"


def run(
    folder: Path,
    database: Path,
    target: str,
    connections: int,
    seconds: float,
    allowed: float = REMEMBERED_WITHIN,
) -> Outcome:
    """One siege; wrong is an answer to the other visitor's remembered pages but 200, or a p95 beyond `allowed`.

    And any answer of /v1 but 200. New pages are told only: they take turns with those of the siege.
    """
    outcome = Outcome(f"{target}, {connections} connections of one address")
    server = Server(database, folder / "internal.sqlite3", workers=1)
    try:
        key = environment.issue("siege", server.internal, "--quota", 10_000_000)
        for address in (*REMEMBERED, *NEW, *TARGETS[target]):  # what a first page costs is no siege
            server.ask(address)
        time.sleep(1)  # the words of names are counted
        quiet, under = asyncio.run(_besiege(server.port, key, target, connections, seconds))
    finally:
        server.close()
    outcome.tried = connections
    outcome.sent = under["siege"].statuses.total()
    outcome.note = "; ".join(
        f"{what} {quiet[what]} -> {under[what]}" for what in ("remembered", "new", "/v1")
    )
    outcome.note += f"; siege {dict(sorted(under['siege'].statuses.items()))}"
    for what in ("remembered", "/v1"):
        if set(under[what].statuses) != {200}:
            outcome.wrong.append(f"{what}: {dict(under[what].statuses)}")
    if under["remembered"].p95 > allowed:
        outcome.wrong.append(f"remembered pages: p95 {under['remembered'].p95:.2f} s")
    return outcome


async def _besiege(
    port: int, key: str, target: str, connections: int, seconds: float
) -> tuple[dict[str, Met], dict[str, Met]]:
    """What was met in quiet, and under siege."""
    numbers = itertools.count()

    def of(addresses: tuple[str, ...]) -> Callable[[], str]:
        every = itertools.cycle(addresses)
        return lambda: next(every).replace("{}", str(next(numbers)))

    def besieging() -> str:
        number = next(numbers)
        return f"{TARGETS[target][number % len(TARGETS[target])]}{number}"

    watched = {
        "remembered": (of(REMEMBERED), ""),
        "new": (of(NEW), ""),
        "/v1": (lambda: ASKED, f"Authorization: Bearer {key}\r\n"),
    }
    told = []
    for besiegers in (0, connections):
        met = {what: Met() for what in (*watched, "siege")}
        asking = [
            _ask(port, OTHER, targets, headers, met[what], 0.02)
            for what, (targets, headers) in watched.items()
        ]
        asking += [_ask(port, BESIEGER, besieging, "", met["siege"], 0) for _ in range(besiegers)]
        async with _running(asking):
            await asyncio.sleep(seconds if besiegers else max(2.0, seconds / 3))
        told.append(met)
    return told[0], told[1]


@contextlib.asynccontextmanager
async def _running(asking: list[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    tasks = [asyncio.ensure_future(one) for one in asking]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _ask(
    port: int, address: str, targets: Callable[[], str], headers: str, met: Met, pause: float
) -> None:
    """One request after the other from an address of this machine, each on a connection of its own."""
    while True:
        with contextlib.suppress(ConnectionError, TimeoutError):
            began = time.monotonic()
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, local_addr=(address, 0)
            )
            try:
                head = f"GET {targets()} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n{headers}"
                writer.write(f"{head}Connection: close\r\n\r\n".encode())
                async with asyncio.timeout(PATIENCE):  # wait_for may lose a cancellation
                    whole = await reader.read(-1)
                if whole:
                    met.statuses[int(whole.split(b" ", 2)[1])] += 1
                    met.seconds.append(time.monotonic() - began)
            finally:
                await closed(writer)
        await asyncio.sleep(pause)
