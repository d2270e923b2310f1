"""Charges of one event loop: many in one transaction, exact, answered after its commit."""

from __future__ import annotations

import asyncio
import datetime
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.keys.charging import Charging
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.keys.store import Charge, Demand, KeyRecord, StoreUnavailable

from .conftest import NOON, create


class Counting(SqliteStore):
    """A store that notes its batches: how many demands each had, and whether it ran on the loop."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, busy_seconds=0.2)
        self.batches: list[tuple[int, bool]] = []

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int, wait: bool = True
    ) -> list[Charge | None]:
        on_loop = threading.current_thread() is threading.main_thread()
        self.batches.append((len(demands), on_loop))
        return super().charge(demands, now, quota, wait)


@pytest.fixture
def counting(tmp_path: Path) -> Counting:
    store = Counting(tmp_path / "internal.sqlite3")
    store.prepare()
    return store


@pytest.fixture
async def charging(counting: Counting) -> AsyncIterator[Charging]:
    charging = Charging(counting, 1000, lambda: NOON)
    yield charging
    charging.close()


async def test_what_comes_in_one_turn_of_the_loop_is_one_transaction(
    charging: Charging, counting: Counting
) -> None:
    ada, ben = create(counting, "ada"), create(counting, "ben", quota=2)
    charges = await asyncio.gather(*(charging.charge(d) for d in (ada, ben, ada, ben, ben, b"?")))
    assert [c and (c.account, c.used, c.granted) for c in charges] == [
        *(("ada", 1, True), ("ben", 1, True), ("ada", 2, True), ("ben", 2, True)),
        *(("ben", 2, False), None),
    ]
    assert counting.batches == [(6, True)]


async def test_a_lock_of_another_process_is_awaited_beside_the_loop(
    charging: Charging, counting: Counting
) -> None:
    digest = create(counting, "ada")
    with closing(sqlite3.connect(counting.path, isolation_level=None)) as other:
        other.execute("begin immediate")
        first = charging.charge(digest)
        while len(counting.batches) < 2:
            await asyncio.sleep(0)
        second = charging.charge(digest)  # it waits for its turn at the store
        other.execute("rollback")
        charges = await asyncio.gather(first, second)
    assert [charge.used for charge in charges] == [1, 2]
    assert counting.batches == [(1, True), (1, False), (1, False)]


async def test_a_lock_that_stays_is_unavailable_and_charges_nothing(
    charging: Charging, counting: Counting, caplog: pytest.LogCaptureFixture
) -> None:
    digest = create(counting, "ada")
    with closing(sqlite3.connect(counting.path, isolation_level=None)) as other:
        other.execute("begin immediate")
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                await charging.charge(digest)
    assert (await charging.charge(digest)).used == 1
    said = [record.getMessage() for record in caplog.records]
    assert [line.partition(":")[0] for line in said] == [
        "the store of keys does not answer",
        "the store of keys answers again",
    ]
    assert "holds its lock" in said[0]


async def test_who_has_gone_is_not_charged(charging: Charging, counting: Counting) -> None:
    digest = create(counting, "ada")
    gone = charging.charge(digest)
    gone.cancel()
    assert (await charging.charge(digest)).used == 1


async def test_who_goes_while_charges_are_made_keeps_nobody_from_an_answer(
    charging: Charging, counting: Counting
) -> None:
    digest = create(counting, "ada")
    with closing(sqlite3.connect(counting.path, isolation_level=None)) as other:
        other.execute("begin immediate")
        gone, stays = charging.charge(digest), charging.charge(digest)
        while len(counting.batches) < 2:
            await asyncio.sleep(0)
        gone.cancel()
        other.execute("rollback")
        async with asyncio.timeout(5):
            assert (await stays).used == 2


async def test_so_many_may_wait_and_the_next_one_is_told_at_once(
    charging: Charging, counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("datasette_mouvements.keys.charging.MOST_WAITING", 2)
    digest = create(counting, "ada")
    first, second, refused = (charging.charge(digest) for _ in range(3))
    assert isinstance(refused.exception(), StoreUnavailable)
    assert [charge.used for charge in await asyncio.gather(first, second)] == [1, 2]


async def test_who_comes_while_a_store_is_away_waits_no_longer_than_the_others(
    tmp_path: Path,
) -> None:
    class Away(Counting):
        at_once = False

        def charge(self, demands: Sequence[Demand], *rest: object) -> list[Charge | None]:
            self.batches.append((len(demands), False))
            ended.wait(30)
            raise StoreUnavailable

    ended, store = threading.Event(), Away(tmp_path / "internal.sqlite3")
    charging = Charging(store, 1000, lambda: NOON)
    early = charging.charge(b"?")
    while not store.batches:
        await asyncio.sleep(0)
    late = charging.charge(b"?")
    ended.set()
    said = await asyncio.gather(early, late, return_exceptions=True)
    assert [type(each) for each in said] == [StoreUnavailable] * 2
    assert store.batches == [(1, False)]
    charging.close()


async def test_a_fault_nobody_foresaw_is_answered_and_the_next_are_tried(
    charging: Charging, counting: Counting
) -> None:
    digest = create(counting, "ada")
    with pytest.raises(StoreUnavailable):
        await charging.charge(digest, "one")  # type: ignore[arg-type]
    assert (await charging.charge(digest)) is not None


async def test_other_calls_and_charges_never_use_the_store_at_once(
    charging: Charging, counting: Counting
) -> None:
    digest = create(counting, "ada")
    free = threading.Event()

    def show() -> list[KeyRecord]:
        free.wait(30)
        return counting.show("ada", NOON)

    showing = asyncio.ensure_future(charging.call(show))
    await asyncio.sleep(0)
    charge = charging.charge(digest)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not charge.done()
    free.set()
    assert (await charge) is not None
    assert len(await showing) == 1
    assert counting.batches[-1] == (1, False)


async def test_at_the_end_who_waits_is_told_and_the_file_closed(
    charging: Charging, counting: Counting
) -> None:
    digest = create(counting, "ada")
    waiting = charging.charge(digest)
    charging.close()
    assert counting._connection is None
    for answer in (waiting, charging.charge(digest)):
        with pytest.raises(StoreUnavailable, match="ends"):
            await answer
