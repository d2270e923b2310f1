"""What each mechanism saves: the service's own functions beside the plain way to the same result."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.charging import Demand
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.api import replies
from datasette_mouvements.api.conditional import etag
from datasette_mouvements.api.listings import MOVEMENTS_LISTING
from datasette_mouvements.api.parameters.search_parameters import Search, parse, query_string
from datasette_mouvements.api.search import SearchPage, body, links, page_at_once
from datasette_mouvements.api.service import Service
from datasette_mouvements.config import Config
from datasette_mouvements.dataset import schema
from datasette_mouvements.dataset.served.live import Live
from datasette_mouvements.dataset.served.snapshot import Snapshot
from parlement_lists.movement import FIELD_NAMES

from .bench import PAGE_ROWS, Bench
from .load import CONNECTIONS
from .servers import QUOTA
from .table import Line

Call = Callable[[], Any]
REPEATS = 5


def measure(bench: Bench) -> Iterator[Line]:
    """A line for each mechanism: with it, without it."""
    database = bench.small.database
    with (
        contextlib.closing(Snapshot(database)) as snapshot,
        closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db,
        TemporaryDirectory(prefix="mouvements-") as folder,
    ):
        yield from _rows(snapshot, db)
        yield from _lines_kept(snapshot)
        yield from _positions(snapshot, db)
        yield from _totals(snapshot, db)
        yield from _page_cache(snapshot, Path(folder))
        yield from _queries()
        yield from _charges(Path(folder))


def microseconds(call: Call, least: float = 0.1) -> float:
    """The time of one call: the median of several runs of many."""
    call()
    times = 1
    while (taken := _timed(call, times)) < least / REPEATS:
        times = max(times + 1, round(times * min(10.0, least / REPEATS / max(taken, 1e-9))))
    return median(_timed(call, times) for _ in range(REPEATS)) / times * 1e6


def _timed(call: Call, times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        call()
    return time.perf_counter() - began


def _line(what: str, with_it: float, without: float) -> Line:
    return Line(
        f"mechanism: {what}",
        f"{with_it:,.1f} µs with it, {without:,.1f} µs without",
        ["python -m benchmarks --only mechanisms"],
        ratio=without / with_it,
    )


def _same(ours: object, theirs: object, what: str) -> None:
    if ours != theirs:
        raise SystemExit(f"{what}: the plain way gives another result")


def _rows(snapshot: Snapshot, db: sqlite3.Connection) -> Iterator[Line]:
    """Ready-made rows, joined, against JSON made at each request."""
    first, last = snapshot.rows - PAGE_ROWS + 1, snapshot.rows
    sql = (
        f"select {', '.join(FIELD_NAMES)} from {schema.TABLE}"
        " where rowid between ? and ? order by rowid desc"
    )

    def made() -> bytes:
        rows = [
            {name: value for name, value in zip(FIELD_NAMES, row, strict=True) if value is not None}
            for row in db.execute(sql, (first, last))
        ]
        return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()

    def ready() -> bytes:
        return b"".join(snapshot.lines(range(first, last + 1)))

    _same(json.loads(b"[" + ready() + b"]"), json.loads(made()), "ready-made rows")
    yield _line(f"{PAGE_ROWS} rows ready made", microseconds(ready), microseconds(made))


def _lines_kept(snapshot: Snapshot) -> Iterator[Line]:
    """Scattered lines from a file of lines, against the same fetched by SQLite."""
    rowids = snapshot.rowids(schema.Filter("senat", "depart"))
    starts = random.Random(1)

    def scattered(one: Snapshot) -> bytes:
        start = starts.randrange(len(rowids) - PAGE_ROWS)
        return b"".join(one.lines(rowids[start : start + PAGE_ROWS]))

    with closing(Snapshot(snapshot.path, lines_bytes=0)) as without:
        ours, theirs = (b"".join(one.lines(rowids[:PAGE_ROWS])) for one in (snapshot, without))
        _same(ours, theirs, "lines kept")
        yield _line(
            f"{PAGE_ROWS} scattered rows of a file of lines",
            microseconds(lambda: scattered(snapshot)),
            microseconds(lambda: scattered(without)),
        )


def _positions(snapshot: Snapshot, db: sqlite3.Connection) -> Iterator[Line]:
    """Where a far page is known, against SQLite walking to it."""
    offset = snapshot.rows * 9 // 10
    filtered = {"type": "arrivee", "chambre": "senat"}
    for what, filters, far in (("no filter", {}, offset), ("two filters", filtered, offset // 8)):
        search = _search(filters, far)
        where = " and ".join(f"{name} = :{name}" for name in filters) or "1"
        sql = (
            f"select group_concat(json, ',') from (select json from _lignes where rowid in"
            f" (select rowid from {schema.TABLE} where {where}"
            f" order by rowid desc limit {PAGE_ROWS} offset {far}) order by rowid desc)"
        )
        known = _known(snapshot, search)

        def walked(sql: str = sql, filters: dict[str, str] = filters) -> bytes:
            return bytes(db.execute(sql, filters).fetchone()[0], "utf-8")

        def sought(search: Search = search) -> bytes:
            return b"".join(_known(snapshot, search).lines)

        _same(b"".join(known.lines), walked(), "positions")
        yield _line(f"positions, offset {far}, {what}", microseconds(sought), microseconds(walked))


def _search(filters: dict[str, str], offset: int = 0) -> Search:
    return Search(**filters, offset=offset)  # type: ignore[arg-type]


def _known(snapshot: Snapshot, search: Search) -> SearchPage:
    """The page, its positions read first if need be."""
    found = page_at_once(snapshot, search.filter(), search)
    if found is None:
        snapshot.keep(search.filter(), snapshot.rowids(search.filter()))
        found = page_at_once(snapshot, search.filter(), search)
    assert found is not None
    return found


def _totals(snapshot: Snapshot, db: sqlite3.Connection) -> Iterator[Line]:
    """A total at hand, against count(*) with the indexes that the database has."""
    for filters in (
        {},
        {"chambre": "senat"},
        {"chambre": "senat", "type": "depart", "source": "suivi"},
    ):
        search = _search(filters)
        where = " and ".join(f"{name} = :{name}" for name in filters) or "1"
        sql = f"select count(*) from {schema.TABLE} where {where}"

        def counted(sql: str = sql, filters: dict[str, str] = filters) -> int:
            return int(db.execute(sql, filters).fetchone()[0])

        def remembered(search: Search = search) -> int:
            rowids = snapshot.known(search.filter())
            assert rowids is not None
            low, high = snapshot.between(rowids, search.depuis, search.jusqua)
            return high - low

        _same(_known(snapshot, search).total, counted(), "totals")
        what = f"total, {len(filters)} filters"
        yield _line(what, microseconds(remembered), microseconds(counted))


def _page_cache(snapshot: Snapshot, folder: Path) -> Iterator[Line]:
    """A page that was kept, against the same page put together again."""
    store = SqliteStore(folder / "unused.sqlite3")
    service = Service(Config(), Live(snapshot.path, folder), store)
    search = Search(offset=1000)
    normalised = query_string(search)
    tag = etag(service, snapshot.version, normalised)

    def made() -> replies.PreparedPage:
        found = page_at_once(snapshot, search.filter(), search)
        assert found is not None
        text = body(service, MOVEMENTS_LISTING.many, search, found)
        return replies.PreparedPage(
            service, text, links(MOVEMENTS_LISTING.address, search, "", found.total), tag
        )

    page = made()
    snapshot.pages.put(search, page, page.weight)
    with contextlib.closing(service):
        with_it = microseconds(lambda: snapshot.pages.get(search))
        yield _line("page cache", with_it, microseconds(made))


def _queries() -> Iterator[Line]:
    """A query that was read before, against reading and normalising it again."""
    query = b"chambre=senat&type=depart&depuis=2020-01-01&limit=50&offset=1000"

    def made() -> tuple[Search, str]:
        search = parse(query)
        return search, query_string(search)

    kept = {query: made()}
    yield _line("queries kept", microseconds(lambda: kept.get(query)), microseconds(made))


def _charges(folder: Path) -> Iterator[Line]:
    """The charges of requests that arrive together: one transaction, or one each."""
    store = SqliteStore(folder / "charges.sqlite3")
    store.prepare()
    digest = secrets.token_bytes(32)
    store.create("bench", digest, "mvt_bench", datetime.now(UTC), QUOTA)

    async def together(queue: ChargeQueue) -> None:
        await asyncio.gather(*(queue.charge(digest) for _ in range(CONNECTIONS)))

    async def one_by_one(queue: ChargeQueue) -> None:
        for _ in range(CONNECTIONS):
            await queue.charge(digest)

    def directly() -> None:
        for _ in range(CONNECTIONS):
            store.charge([Demand(digest, 1)], datetime.now(UTC), QUOTA)

    queue = ChargeQueue(store, QUOTA, lambda: datetime.now(UTC))
    grouped = asyncio.run(_each(queue, together))
    single = asyncio.run(_each(queue, one_by_one))
    yield _line(f"{CONNECTIONS} charges grouped, each", grouped, single)
    queue.close()
    with contextlib.closing(store):
        direct = microseconds(directly) / CONNECTIONS
    yield Line(
        "mechanism: a charge without a thread, one transaction each",
        f"{direct:.1f} µs each",
        ["python -m benchmarks --only mechanisms"],
    )


async def _each(queue: ChargeQueue, charges: Callable[[ChargeQueue], Awaitable[None]]) -> float:
    await charges(queue)
    times = []
    for _ in range(REPEATS * 20):
        began = time.perf_counter()
        await charges(queue)
        times.append((time.perf_counter() - began) / CONNECTIONS)
    return median(times) * 1e6
