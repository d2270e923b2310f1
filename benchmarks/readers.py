"""What a reader's page costs at 100,000 movements that come of lists: bytes, processor time, and the first time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.pages.calendar.week import week_name
from parlement_lists import movement
from parlement_lists.movement import slug_of

from . import lists, machine, servers
from .bench import Bench
from .client import Client, pinged
from .table import Line, at_most

HTML_KB, PROCESSOR_MS, FIRST_S = 60, 60, 1
AT_REST = 0.05  # seconds of processor in a second
DRAWN = 40
LARGEST = 5
API = "/v1/mouvements?chambre=senat&limit=20"


class Cost(NamedTuple):
    """One page: its address, bytes of HTML, and seconds of the server's processor."""

    address: str
    bytes: int
    processor: float


def measure(bench: Bench) -> Iterator[Line]:
    """Each kind of page, also as the first of all, then a key holder's waits beside readers."""
    database = lists.database(bench.small_rows)
    pages = addresses(database)
    with servers.service(database, bench.key) as server:
        _at_rest(server)
        costs = {kind: _costs(server, asked) for kind, asked in pages.items()}
    for kind, found in costs.items():
        yield from _lines(kind, found, [server.command])
    for kind, asked in pages.items():
        with (
            servers.service(database, bench.key) as server,
            Client(server.address) as client,
        ):
            seconds = client.good(asked[0]).seconds
        what, told = f"{kind}, first page after a start", f"{seconds:.2f} s, `{asked[0]}`"
        yield at_most(1, what, told, seconds / FIRST_S, [server.command])
    yield _waits(bench, database, pages)


def addresses(database: Path) -> dict[str, list[str]]:
    """Addresses of every kind: some drawn by lot, and those of the largest offices and longest careers."""
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as db:
        members = [f"/elus/{chamber}/{member}" for chamber, member in _most(db, "chambre, elu_id")]
        people = [
            f"/collaborateurs/{slug_of(*name)}" for name in _most(db, "collab_nom, collab_prenom")
        ]
        groups = db.execute("select chambre, code from _groupes order by 1, 2").fetchall()
        days = db.execute("select distinct date_event from mouvements order by 1").fetchall()
    named = sorted({week_name(day) for (day,) in days})
    draw = Random(60)
    return {
        "member": members[:LARGEST] + draw.sample(members[LARGEST:], DRAWN),
        "name": people[:LARGEST] + draw.sample(people[LARGEST:], DRAWN),
        "group": [f"/groupes/{chamber}/{code}" for chamber, code in groups],
        "chamber": [f"/elus/{chamber}" for chamber in movement.CHAMBERS],
        "week": [f"/semaine/{week}" for week in draw.sample(named, DRAWN)],
        "home": ["/"],
    }


def _most(db: sqlite3.Connection, columns: str) -> list[tuple[str, str]]:
    """The pairs of values of two columns, those with most stays first."""
    counted = (
        f"select {columns} from collaborations group by {columns} order by count(*) desc, 1, 2"
    )
    return [(first, second) for first, second in db.execute(counted)]


def _at_rest(server: servers.Running) -> None:
    """Wait until the copy of the file is examined."""
    used = -1.0
    while used + AT_REST < (used := machine.processor_seconds(server.pid)):
        time.sleep(1)


def _costs(server: servers.Running, addresses: list[str]) -> list[Cost]:
    """All but the first, which is asked before: templates are read once."""
    with Client(server.address) as client:
        client.good(addresses[0])
        return [_cost(server, client, address) for address in addresses[1:] or addresses]


def _cost(server: servers.Running, client: Client, address: str) -> Cost:
    """A page that nobody has asked yet."""
    before = machine.processor_seconds(server.pid)
    answer = client.good(address)
    used = machine.processor_seconds(server.pid) - before
    return Cost(address, len(answer.body), used)


def _lines(kind: str, costs: list[Cost], commands: list[str]) -> Iterator[Line]:
    heaviest, dearest = max(costs, key=lambda c: c.bytes), max(costs, key=lambda c: c.processor)
    told = f"{heaviest.bytes / 1e3:.1f} kB at most of {len(costs)}, `{heaviest.address}`"
    yield at_most(
        1, f"{kind}, HTML of {HTML_KB} kB", told, heaviest.bytes / 1e3 / HTML_KB, commands
    )
    used = [one.processor * 1e3 for one in costs]
    told = f"{mean(used):.1f} ms, {median(used):.1f} the median, {max(used):.1f} at most, `{dearest.address}`"
    ratio = max(used) / PROCESSOR_MS
    yield at_most(1, f"{kind}, {PROCESSOR_MS} ms of processor, not kept", told, ratio, commands)


def _waits(bench: Bench, database: Path, pages: Mapping[str, list[str]]) -> Line:
    """A key holder who asks all the time, alone, then while a reader opens page after page."""
    with servers.service(database, bench.key) as server:
        _at_rest(server)
        opened = [address for asked in pages.values() for address in asked]
        with Client(server.address) as client:
            for address in opened[::2]:
                client.good(address)  # whatever is done once, is done now
            with pinged(server.address, API, bench.key.headers) as quiet:
                for _ in opened[1::2]:
                    client.good("/robots.txt")
            with pinged(server.address, API, bench.key.headers) as beside:
                for address in opened[1::2]:
                    client.good(address)
    told = (
        f"median {quiet.usual * 1e3:.2f} -> {beside.usual * 1e3:.2f} ms,"
        f" longest {quiet.longest * 1e3:.1f} -> {beside.longest * 1e3:.1f} ms"
    )
    what = "/v1, median wait while a reader opens page after page, against alone"
    return Line(what, told, [server.command], ratio=beside.usual / quiet.usual)
