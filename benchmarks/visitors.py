"""What visitors without a key cost, page by page, and what a key holder meets while they besiege the service."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from docs.make_reference import OPENS, access
from tests.serving.datasette_addresses import ADDRESSES

from . import machine, servers, siege
from .bench import Bench
from .client import Client
from .table import Line, at_most

ASKED = 20
# The pages of ours, and the dearest that the bounds leave.
PAGES = (
    "/recherche?q=NOM",
    "/explorer",
    "/elus/senat",
    "/documentation",
    "/fichiers",
    "/flux",
    "/movements/mouvements?_size=100",
    "/movements/mouvements?_size=100&_facet=elu_nom&_facet=collab_nom&_facet=date_event",
    "/movements/mouvements?_q=nom",
)


def measure(bench: Bench) -> Iterator[Line]:
    """Processor time of each address as a visitor gets it, then the siege."""
    with servers.service(bench.small.database, bench.key) as server:
        servers.settled(server, bench.key)
        with Client(server.address, {}) as client:
            for address in [*_open_addresses(), *PAGES]:
                yield _page(client, server, address)
    # The server of the siege is a child of this process, and must not share its core.
    os.sched_setaffinity(0, machine.CORES)
    for workers in (1, 2):
        yield _siege(bench, workers)
    machine.pin_this_process()


def _open_addresses() -> list[str]:
    """What is open or bounded for visitors of Datasette's own addresses."""
    return [address for address in ADDRESSES if OPENS[access(address)][0] != "closed"]


def _page(client: Client, server: servers.Running, address: str) -> Line:
    client.get(address)  # what a first page costs alone
    before = machine.cpu_seconds(server.pid)
    statuses = {client.get(address).status for _ in range(ASKED)}
    each = (machine.cpu_seconds(server.pid) - before) / ASKED
    told = ", ".join(map(str, sorted(statuses)))
    return Line(f"processor, `{address}`", f"{each * 1e3:.1f} ms, {told}", [server.command])


def _siege(bench: Bench, workers: int) -> Line:
    with tempfile.TemporaryDirectory() as name:
        quiet, under, pages = siege.besiege(
            Path(name), bench.small.database, 3 * bench.seconds, workers
        )
    before, after = siege.p99(quiet), siege.p99(under)
    what = f"/v1, {siege.VISITORS} visitors, {workers} workers: p99 against the quiet one"
    measured = (
        f"p99 {before * 1e3:.1f} -> {after * 1e3:.1f} ms, {pages:,} pages asked;"
        f" {len(under.wrong)} of {len(under.seconds):,} answers of /v1 not 200"
    )
    told = ["python -m benchmarks visitors"]
    return at_most(siege.SLOWER, what, measured, after / before, told)
