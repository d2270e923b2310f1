"""What one charge costs, beside a bare upsert in a loop: `python -m benchmarks.charges [postgresql://...]`.

Absolute figures move from machine to machine; the last column, a charge as a multiple of the bare
upsert of the same run, is what to compare. PostgreSQL is measured where its address is given: an
empty database, whose tables this leaves behind.
"""

from __future__ import annotations

import asyncio
import datetime
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.keys import keys, open_store
from datasette_mouvements.keys.charging import Charging
from datasette_mouvements.keys.store import Demand, Store

TOGETHER = 16
SECONDS = 1.0


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def rate(action: Callable[[], object], each: int = 1) -> float:
    """Charges a second, `each` of them an action, over about a second after a warm-up."""
    for _ in range(20):
        action()
    done = 0
    began = time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        action()
        done += each
    return done / (time.perf_counter() - began)


def line(what: str, charges: float, bare: float) -> None:
    print(f"  {what:<44} {charges:>9,.0f}/s {1e6 / charges:>8.1f} µs {bare / charges:>7.2f} x")


def accounts(store: Store) -> list[Demand]:
    """One charge of each of as many new keys as go together."""
    demands = []
    for _ in range(TOGETHER):
        key = keys.issue()
        store.create(key[4:12], keys.digest(key), keys.prefix(key), now(), 10_000_000)
        demands.append((keys.digest(key), 1))
    return demands


async def counted(store: Store, demands: list[Demand], clients: int) -> float:
    """Charges a second through the loop of a service, by so many clients at once."""
    charging = Charging(store, 1000, now)
    deadline = time.perf_counter() + SECONDS

    async def client(demand: Demand) -> int:
        done = 0
        while time.perf_counter() < deadline:
            await charging.charge(*demand)
            done += 1
        return done

    began = time.perf_counter()
    done = await asyncio.gather(*(client(demand) for demand in demands[:clients]))
    charges = sum(done) / (time.perf_counter() - began)
    charging.close()
    return charges


def measure(name: str, open_one: Callable[[], Store], bare: float) -> None:
    print(name)
    line("a bare upsert", bare, bare)
    with closing(open_one()) as store:
        store.prepare()
        demands = accounts(store)
        single, same = demands[:1], demands[:1] * TOGETHER
        line("one charge", rate(lambda: store.charge(single, now(), 1000)), bare)
        together = rate(lambda: store.charge(same, now(), 1000), TOGETHER)
        line(f"each of {TOGETHER} of one key in a batch", together, bare)
        together = rate(lambda: store.charge(demands, now(), 1000), TOGETHER)
        line(f"each of {TOGETHER} keys in a batch", together, bare)
        line("a look", rate(lambda: store.charge([(single[0][0], 0)], now(), 1000)), bare)
    for clients in (1, TOGETHER):
        asked: Awaitable[float] = counted(open_one(), demands, clients)
        line(f"on a loop, {clients} at once", asyncio.run(asked), bare)  # type: ignore[arg-type]


def bare_sqlite(path: Path) -> float:
    """The least that an exact count can cost: one statement, in WAL mode, one connection."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        connection.execute(
            "create table counts (account text, day text, used integer,"
            " primary key (account, day)) without rowid"
        )
        upsert = "insert into counts values (?, ?, 1) on conflict do update set used = used + 1"
        return rate(lambda: connection.execute(upsert, ("ada", "2024-05-14")))


def bare_postgres(url: str) -> float:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "create table if not exists counts (account text, day text, used integer,"
            " primary key (account, day))"
        )
        upsert = (
            "insert into counts values (%s, %s, 1)"
            " on conflict (account, day) do update set used = counts.used + 1"
        )
        return rate(lambda: connection.execute(upsert, ("ada", "2024-05-14")))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        internal = Path(folder) / "internal.sqlite3"
        bare = bare_sqlite(Path(folder) / "bare.sqlite3")
        measure("SQLite", lambda: open_store("", internal), bare)
    for url in sys.argv[1:]:
        measure("PostgreSQL", lambda url=url: open_store(url, ""), bare_postgres(url))  # type: ignore[misc]
    key = keys.issue().encode()
    headers = [(b"host", b"localhost"), (b"user-agent", b"x"), (b"authorization", b"Bearer " + key)]
    print(f"keys.verify: {1e6 / rate(lambda: keys.verify(headers, str)):.1f} µs")


if __name__ == "__main__":
    main()
