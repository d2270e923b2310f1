"""Everything, page after page; and every filter counted for the first time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from itertools import product
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlencode

from datasette.utils.sqlite import sqlite3

from datasette_mouvements import addresses
from datasette_mouvements.dataset import schema
from parlement_lists import movement

from . import servers
from .bench import Bench
from .client import Client, pinged
from .invented import DAYS, FIRST_DAY, Data, members
from .servers import settled
from .table import Line, at_most, paired

LIMIT = 500
ENDS = 40  # pages at either end that count as first, and as last
TIMES = 3
SLOWEST_COUNT = 0.2  # seconds that the first count of any filter may take
_ID = re.compile(rb'"id":"(mvt_[0-9a-f]{20})"')
COUNTER = "python -m benchmarks --only"


class Traversal(NamedTuple):
    """The seconds of each page of one traversal, in order."""

    pages: list[float]

    @property
    def seconds(self) -> float:
        return sum(self.pages)


def measure(bench: Bench) -> Iterator[Line]:
    """The last pages against the first, and large traversals against small ones."""
    taken: dict[int, list[Traversal]] = {bench.large.rows: [], bench.small.rows: []}
    with (
        servers.service(bench.large.database, bench.key) as large_server,
        servers.service(bench.small.database, bench.key) as small_server,
    ):
        both = ((large_server, bench.large), (small_server, bench.small))
        for server, _ in both:
            settled(server, bench.key)
        for time in range(TIMES + 1):
            for server, data in both:
                done = _traverse(bench, server.address, data, check=time == 0)
                if time:  # the first one checks, and warms the file
                    taken[data.rows].append(done)
        first, last = _ends(bench, large_server.address, bench.large)
    commands = [large_server.command, small_server.command]
    commands.append(f"{COUNTER} traversal --small {bench.small.rows} --large {bench.large.rows}")
    large, small = ([t.seconds for t in taken[data.rows]] for data in (bench.large, bench.small))
    yield at_most(
        1.3,
        f"last page of a traversal of {bench.large.rows:,}, limit {LIMIT}, against its first",
        f"{last * 1e6:,.0f} µs against {first * 1e6:,.0f} µs",
        last / first,
        [commands[0], commands[2]],
    )
    times = bench.large.rows / bench.small.rows
    yield at_most(
        1.2,
        f"traversal of {bench.large.rows:,} against {times:g} of {bench.small.rows:,}",
        f"{median(large):.2f} s against {times:g} x {median(small):.3f} s",
        paired(large, small) / times,
        commands,
    )


def _ends(bench: Bench, address: str, data: Data) -> tuple[float, float]:
    """The median seconds of the first pages and of the last ones, asked for in turn.

    Within a traversal they lie seconds apart, and whatever the machine did meanwhile would count.
    """
    first, last = [], []
    with Client(address, bench.key.headers) as client:
        for time in range(TIMES):
            for page in range(ENDS):
                # No page that was asked for before: it may have been kept.
                near, far = page * LIMIT + time + 1, data.rows - (page + 1) * LIMIT - time - 1
                first.append(client.good(f"/v1/mouvements?limit={LIMIT}&offset={near}").seconds)
                last.append(client.good(f"/v1/mouvements?limit={LIMIT}&offset={far}").seconds)
    return median(first), median(last)


def _traverse(bench: Bench, address: str, data: Data, check: bool) -> Traversal:
    """Ask for every page as section 4 of the specification says; each is charged once, exactly."""
    pages = []
    identifiers: set[bytes] = set()
    before = bench.key.charged()
    with Client(address, bench.key.headers) as client:
        for offset in range(0, data.rows + LIMIT, LIMIT):  # until offset exceeds total
            answer = client.good(f"/v1/mouvements?limit={LIMIT}&offset={offset}")
            pages.append(answer.seconds)
            if check:
                identifiers.update(_ID.findall(answer.body))
    if check and len(identifiers) != data.rows:
        raise SystemExit(f"a traversal of {data.rows} found {len(identifiers)} movements")
    if bench.key.charged() - before != len(pages):
        raise SystemExit(f"{len(pages)} pages, {bench.key.charged() - before} charges")
    return Traversal(pages[:-1] if data.rows % LIMIT == 0 else pages)


def count(bench: Bench) -> Iterator[Line]:
    """The first request for every kind of filter, on a server that has counted nothing yet."""
    expected = _totals(bench.large.database)
    slowest, slowest_query = 0.0, ""
    with servers.service(bench.large.database, bench.key) as server:
        with (
            Client(server.address, bench.key.headers) as client,
            pinged(server.address, addresses.DESCRIPTION) as stalls,
        ):
            for query, total in expected.items():
                answer = client.good(f"/v1/mouvements?limit=1&{query}")
                found = json.loads(answer.body)["total"]
                if found != total:
                    raise SystemExit(f"{query}: total {found}, there are {total}")
                if answer.seconds > slowest:
                    slowest, slowest_query = answer.seconds, query
        with (
            pinged(server.address, addresses.DESCRIPTION) as quiet,
            Client(server.address) as client,
        ):
            for _ in range(len(expected)):
                client.good("/-/fixed")
    commands = [server.command, f"{COUNTER} counts --large {bench.large.rows}"]
    yield Line(
        f"slowest first count of {len(expected)} filters at {bench.large.rows:,}",
        f"{slowest * 1000:.1f} ms ({slowest_query or 'no filter'})",
        commands,
        f"under {SLOWEST_COUNT * 1000:g} ms",
        slowest / SLOWEST_COUNT,
        slowest < SLOWEST_COUNT,
    )
    yield Line(
        "longest wait for another request meanwhile (event loop)",
        f"{stalls.longest * 1000:.1f} ms of {stalls.pings} (usual {stalls.usual * 1000:.2f});"
        f" with fixed pages only, {quiet.longest * 1000:.1f} ms",
        commands,
    )


def _totals(database: Path) -> dict[str, int]:
    """Query -> total: every chamber, type and source, some members within them, some days within both."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
        rows = db.execute(
            f"select chambre, type, source, elu_id, date_event >= ?, count(*) from {schema.TABLE}"
            " group by 1, 2, 3, 4, 5",
            [_middle()],
        ).fetchall()
    some = {member.identifier for member in members()[:: len(members()) // 20]}
    found: Counter[str] = Counter()
    categories = list(
        product(("", *movement.CHAMBERS), ("", *movement.TYPES), ("", *movement.SOURCES))
    )
    for chambre, type_, source in categories:
        for elu in ("", *some):
            for days in ({}, {"depuis": _middle()}, {"jusqua": _day_before_middle()}):
                found[_query(chambre, type_, source, elu, days)] = 0
    for chambre, type_, source, elu, late, number in rows:
        for parts in product(("", chambre), ("", type_), ("", source)):
            for member in ("", elu) if elu in some else ("",):
                days = {"depuis": _middle()} if late else {"jusqua": _day_before_middle()}
                found[_query(*parts, member, {})] += number
                found[_query(*parts, member, days)] += number
    return dict(found)


def _query(chambre: str, type: str, source: str, elu: str, days: dict[str, str]) -> str:
    given = {"chambre": chambre, "type": type, "source": source, "elu": elu, **days}
    return urlencode({name: value for name, value in given.items() if value})


def _middle() -> str:
    return (FIRST_DAY + timedelta(days=DAYS // 2)).isoformat()


def _day_before_middle() -> str:
    return (FIRST_DAY + timedelta(days=DAYS // 2 - 1)).isoformat()
