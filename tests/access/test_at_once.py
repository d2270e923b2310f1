"""What an event loop charges itself, and what it leaves to the thread because it would wait."""

from __future__ import annotations

import asyncio
import datetime
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.access import charge_queue
from datasette_mouvements.access.charging import Charge, Demand
from datasette_mouvements.access.stores.sqlite import COPY_AFTER, LOOK_EVERY_S, SqliteStore
from datasette_mouvements.access.stores.store import StoreUnavailable

from .conftest import NOON, create
from .gated import NewQueue, outcome, until
from .test_outages import locked_file


class WatchedStore(SqliteStore):
    """A store that says who charged, and is as slow as it is told to be."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.threads: list[bool] = []  # whether a thread charged
        self.seconds = 0.0

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        self.threads.append(True)
        return super().charge(demands, now, quota)

    def charge_at_once(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None] | None:
        assert threading.current_thread() is threading.main_thread()
        charges = super().charge_at_once(demands, now, quota)
        if charges is not None:
            self.threads.append(False)
            time.sleep(self.seconds)
        return charges


@pytest.fixture
def watched(tmp_path: Path) -> WatchedStore:
    store = WatchedStore(tmp_path / "internal.sqlite3")
    store.prepare()
    return store


@pytest.mark.asyncio
async def test_the_thread_opens_the_file_and_the_loop_charges(
    watched: WatchedStore, new_queue: NewQueue
) -> None:
    digest = create(watched, "ada")
    watched.close()
    queue = new_queue(watched)
    charges = [await queue.charge(digest) for _ in range(5)]
    assert [charge and charge.used for charge in charges] == [1, 2, 3, 4, 5]
    assert watched.threads[:3] == [True, False, False]
    # After a second the file is looked for, which may take long.
    watched._checked -= LOOK_EVERY_S
    await queue.charge(digest)
    assert watched.threads[-1] is True


@pytest.mark.asyncio
async def test_the_thread_copies_the_log_and_begins_it_anew(
    watched: WatchedStore, new_queue: NewQueue
) -> None:
    digest = create(watched, "ada")
    queue = new_queue(watched)
    for _ in range(2 * COPY_AFTER + 50):
        await queue.charge(digest)
    log = watched.path.with_name(watched.path.name + "-wal")
    assert watched.threads.count(True) >= 2
    # Never copied, it would be twice as long.
    assert log.stat().st_size < (COPY_AFTER + 50) * 3 * 4200
    with closing(sqlite3.connect(watched.path)) as other:
        (used,) = other.execute("select sum(used) from mouvements_quota").fetchone()
    assert used == 2 * COPY_AFTER + 50


@pytest.mark.asyncio
async def test_a_locked_store_does_not_hold_up_the_loop(
    watched: WatchedStore, new_queue: NewQueue
) -> None:
    digest = create(watched, "ada")
    queue = new_queue(watched, timeout=charge_queue.TIMEOUT)
    assert await outcome(queue.charge(digest)) == "granted"
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - began)

    with locked_file(watched.path):
        beating = asyncio.create_task(beat())
        answers = [outcome(queue.charge(digest)) for _ in range(20)]
        assert await asyncio.gather(*answers) == ["unavailable"] * 20
        beating.cancel()
    assert longest < 0.25  # SQLite's own wait is half a second; the machine may have stood still
    await until(lambda: queue.store.reachable(NOON))
    charge = await queue.charge(digest)
    assert charge is not None
    assert charge.used == 2


@pytest.mark.asyncio
async def test_a_slow_store_is_left_to_the_thread_for_a_while(
    watched: WatchedStore, new_queue: NewQueue
) -> None:
    digest = create(watched, "ada")
    queue = new_queue(watched, in_thread_seconds=0.2)
    watched.seconds = 5 * charge_queue.AT_ONCE_SECONDS
    for _ in range(charge_queue.SLOW_TIMES + 3):
        await queue.charge(digest)
    assert watched.threads[-3:] == [True] * 3
    watched.seconds = 0.0
    await asyncio.sleep(0.25)
    await queue.charge(digest)
    assert watched.threads[-1] is False


@pytest.mark.asyncio
async def test_while_the_thread_uses_the_store_the_loop_does_not(
    watched: WatchedStore, new_queue: NewQueue
) -> None:
    digest = create(watched, "ada")
    queue = new_queue(watched)
    await queue.charge(digest)
    held = threading.Event()
    busy = asyncio.ensure_future(queue.run(held.wait, 30))
    await asyncio.sleep(0.02)
    charging = asyncio.ensure_future(outcome(queue.charge(digest)))
    await asyncio.sleep(0.02)
    assert not charging.done()
    held.set()
    assert await charging == "granted"
    assert await busy
    assert watched.threads[-1] is True


@pytest.mark.asyncio
async def test_who_waits_for_nothing_else_is_called_before_the_loop_goes_round(
    watched: WatchedStore, new_queue: NewQueue
) -> None:
    digest = create(watched, "ada")
    queue = new_queue(watched)
    await queue.charge(digest)
    told: list[object] = []
    charge = queue.charge(digest)
    charge.then = lambda: told.append(charge.result())
    failed = queue.charge(b"?" * 32)
    failed.then = lambda: told.append(failed.result())
    await asyncio.sleep(0)
    await until(lambda: len(told) == 2)
    assert told[0] is not None
    assert told[1] is None
    queue.close()
    refused = queue.charge(digest)
    with pytest.raises(StoreUnavailable):
        refused.result()


def test_a_fault_while_it_charges_charges_nobody(watched: WatchedStore) -> None:
    digest = create(watched, "ada")
    demands = [Demand(digest, 1)]
    watched.charge(demands, NOON, 9)
    watched._connection.execute(
        "create temp trigger broken before update on mouvements_quota"
        " begin select raise(abort, 'broken'); end"
    )
    with pytest.raises(StoreUnavailable):
        watched.charge_at_once(demands, NOON, 9)
    (charge,) = watched.charge(demands, NOON, 9)
    assert charge is not None
    assert charge.used == 2
