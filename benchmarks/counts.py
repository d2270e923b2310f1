"""Every filter counted for the first time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

from datasette.utils.sqlite import sqlite3

from datasette_mouvements import addresses
from datasette_mouvements.dataset import schema
from parlement_lists import movement

from . import servers
from .bench import Bench
from .client import Client, pinged
from .invented import DAYS, FIRST_DAY, members
from .table import Line

SLOWEST_COUNT = 0.2  # seconds that the first count of any filter may take


def measure(bench: Bench) -> Iterator[Line]:
    """The first request for every kind of filter, on a server that has counted nothing yet."""
    expected = _totals(bench.large.database)
    slowest, slowest_query = 0.0, ""
    with (
        servers.service(bench.large.database, bench.key) as server,
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
    commands = [server.command, f"python -m benchmarks --only counts --large {bench.large.rows}"]
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
        f"{stalls.longest * 1000:.1f} ms of {stalls.pings} (usual {stalls.usual * 1000:.2f})",
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
