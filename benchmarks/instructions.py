"""`python -m benchmarks.instructions`: instructions of one answer, counted by valgrind, against their budget.

Timings of a busy machine hide a tenth; instructions do not vary by a hundredth. Connections are those of
the server, without sockets: what the kernel and other threads do is not counted. Nothing that is counted waits for a
clock: under valgrind a hundred answers take seconds, and what is due by then would be taken for theirs. A budget is
in parts of what a bare ASGI application takes for the same bytes and headers of the hot page, through uvicorn's own
protocol: another Python changes both. Who raises a budget says why in the commit.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import uvicorn
import uvloop
from datasette.app import Datasette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from datasette_mouvements.access import charge_queue, keys
from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.stores import sqlite
from datasette_mouvements.api import service as services
from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.serving import startup
from datasette_mouvements.serving.connection.protocol import BoundedProtocol, Times

from .bench import cold_filters, whole_filter
from .invented import data

ROWS = 10_000
CONNECTIONS = 16
WARM, COUNTED = 400, 480  # requests
KEPT_WITHIN = 0.02
PAUSE = 0.002
ROUNDS = 2  # of the loop, in which an answer comes that waits for no thread
NEVER_S = 1_000_000
MOMENT = datetime(2026, 9, 14, 16, 14, 29, tzinfo=UTC)
NOTHING, BARE = "nothing", "bare"
BUDGET = {"hot": 0.759, "304": 0.711, "cold": 2.548, "whole": 1.593}
KINDS = (NOTHING, BARE, *BUDGET)
GOOD = (b"HTTP/1.1 200", b"HTTP/1.1 304")
HEAD = (
    b"GET /v1/mouvements%b HTTP/1.1\r\nHost: 127.0.0.1:8001\r\nAuthorization: Bearer %b\r\n%b\r\n"
)


class SunkTransport(asyncio.Transport):
    """A connection whose answers go nowhere; those that are no refusals are counted."""

    good = 0

    def write(self, data: Any) -> None:
        self.good += data.startswith(GOOD)

    def writelines(self, list_of_data: Any) -> None:
        self.write(list_of_data[0])

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 8001) if name in ("peername", "sockname") else default


def _requests(kind: str, key: bytes, tag: bytes, database: Path) -> Iterator[bytes]:
    """Requests without end."""
    if kind in (NOTHING, BARE, "hot"):
        yield from itertools.repeat(HEAD % (b"", key, b""))
    if kind == "304":
        yield from itertools.repeat(HEAD % (b"", key, b"If-None-Match: %b\r\n" % tag))
    draw, filters = Random(3), cold_filters(database)
    if kind == "whole":
        filters = whole_filter(str(filters))
    lines = [line.split("\t") for line in filters.read_text().splitlines() if line[0] != "*"]
    while True:
        last, query = draw.choice(lines)
        yield HEAD % (f"?{query}offset={draw.randint(0, int(last))}".encode(), key, b"")


async def _serve(folder: Path, count: Callable[[str], None]) -> None:
    """Answer requests of each kind on all connections, and have a part of them counted."""
    database = data(ROWS).database
    datasette = Datasette([str(database)], internal=str(folder / "internal.sqlite3"))
    await datasette.invoke_startup()
    routes = routes_of(datasette)
    assert routes is not None
    key, service = keys.issue(Random(1)), routes.service
    service.clock = lambda: services.now() and MOMENT
    store = service.charge_queue.store
    store.create("bench", keys.digest(key), keys.prefix(key), MOMENT, 10_000_000)
    scope = {"method": "GET", "scheme": "http", "raw_path": b"/v1/mouvements"}
    scope |= {"query_string": b"", "headers": [(b"host", b"a"), (b"x-api-key", key.encode())]}
    answer = routes.answer(scope)
    assert answer is not None
    page = await answer
    headers = page.headers

    async def bare(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": list(headers)})
        await send({"type": "http.response.body", "body": page.body})

    BoundedProtocol.routes = lambda: routes
    BoundedProtocol.direct = lambda: True
    BoundedProtocol.times = Times(request=NEVER_S)
    state = ServerState()
    state.default_headers = [(b"date", b"Mon, 14 Sep 2026 16:14:29 GMT")]
    for kind in KINDS:
        protocol = HttpToolsProtocol if kind == BARE else BoundedProtocol
        config = uvicorn.Config(
            bare, http=protocol, access_log=False, lifespan="off", timeout_keep_alive=NEVER_S
        )
        config.load()
        transports = [SunkTransport() for _ in range(CONNECTIONS)]
        connections = []
        for transport in transports:
            connections.append(protocol(config, state, {}, asyncio.get_running_loop()))
            connections[-1].connection_made(transport)
        # To draw them is not an answer's.
        drawn = _requests(kind, key.encode(), dict(headers)[b"etag"], database)
        asked = COUNTED if kind != NOTHING else 0
        warm, counted = (list(itertools.islice(drawn, n)) for n in (WARM, asked))
        await _ask(connections, warm)
        # A collection of everything, which comes once in many windows, would be a twentieth of one.
        gc.collect()
        gc.freeze()
        count("--instr=on")
        await _ask(connections, counted)
        count("--instr=off")
        count("--dump")
        if sum(one.good for one in transports) != WARM + asked:
            raise SystemExit(f"an answer of {kind} is neither 200 nor 304")
    await startup.stop(datasette)


async def _ask(connections: list[Any], requests: list[bytes]) -> None:
    for first in range(0, len(requests), CONNECTIONS):
        for connection, request in zip(connections, requests[first:], strict=False):
            connection.data_received(request)
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
        while not all(one.cycle.response_complete for one in connections):
            await asyncio.sleep(PAUSE)  # not a busy loop, whose rounds would be counted


def _control(option: str) -> None:
    """Have valgrind count this process, or not, or write down what it counted."""
    command = ["callgrind_control", option, str(os.getpid())]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def instructions() -> dict[str, float]:
    """Instructions of one answer of each kind."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counted")
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes"]
        command += [f"--callgrind-out-file={out}", sys.executable, "-m", "benchmarks.instructions"]
        variables = {**os.environ, "PYTHONHASHSEED": "0"}
        subprocess.run([*command, "--within"], check=True, env=variables, capture_output=True)
        counted = [
            out.with_name(f"{out.name}.{n}-01").read_text() for n in range(1, len(KINDS) + 1)
        ]
    totals = [int(re.findall(r"^totals: (\d+)", text, re.M)[0]) for text in counted]
    # What it takes to begin and end the counting is not an answer's.
    return {k: (t - totals[0]) / COUNTED for k, t in zip(KINDS, totals, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__)
    parser.add_argument("--within", action="store_true", help=argparse.SUPPRESS)
    if parser.parse_args().within:
        # Where the clock says that the loop was held up, the thread charges, and later nobody.
        seldom = patch.object(sqlite, "LOOK_EVERY_S", NEVER_S)
        at_once = patch.object(charge_queue, "AT_ONCE_SECONDS", NEVER_S)
        patient = patch.object(services, "ChargeQueue", partial(ChargeQueue, timeout=NEVER_S))
        with tempfile.TemporaryDirectory() as folder, seldom, at_once, patient:
            uvloop.run(_serve(Path(folder), _control))
        return
    found = instructions()
    print(f"{BARE}: {found[BARE]:,.0f} instructions")
    beyond = []
    for kind, budget in BUDGET.items():
        parts = found[kind] / found[BARE]
        print(f"{kind}: {found[kind]:,.0f} instructions, {parts:.3f} of bare; budget {budget:.3f}")
        if parts > budget * (1 + KEPT_WITHIN):
            beyond.append(kind)
    if beyond:
        raise SystemExit(f"beyond their budget: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
