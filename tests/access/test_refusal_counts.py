"""Refusals are counted in memory and written together, whatever the store does meanwhile."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from datasette_mouvements.access import refusal_counts as module
from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.refusal_counts import RefusalCounts
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.refusal import KINDS

from .conftest import NOON

pytestmark = pytest.mark.asyncio
DAY = "2024-05-14"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "internal.sqlite3"
    SqliteStore(path).prepare()
    return path


@pytest_asyncio.fixture
async def queue(path: Path) -> AsyncIterator[ChargeQueue]:
    queue = ChargeQueue(SqliteStore(path), 1000, lambda: NOON)
    yield queue
    queue.close()


async def stored(queue: ChargeQueue) -> dict[str, dict[str, int]]:
    return await queue.run(queue.store.refusals, "")


async def test_a_flood_of_refusals_writes_nothing_until_then_a_row_for_each_kind(
    queue: ChargeQueue,
) -> None:
    counts = RefusalCounts(queue, lambda: NOON)
    for _ in range(10_000):
        for kind in KINDS.values():
            counts.add(kind.anchor)
    assert await stored(queue) == {}
    await counts.write()
    await counts.write()
    assert await stored(queue) == {DAY: {kind.anchor: 10_000 for kind in KINDS.values()}}


async def test_what_the_store_does_not_take_is_kept_until_it_does(
    queue: ChargeQueue, path: Path
) -> None:
    counts = RefusalCounts(queue, lambda: NOON)
    counts.add("a")
    aside = path.with_name("aside")
    path.rename(aside)
    await counts.write()
    counts.add("a")
    aside.rename(path)
    await counts.write()
    assert await stored(queue) == {DAY: {"a": 2}}


async def test_what_is_refused_while_a_write_fails_is_added_to_what_it_kept(
    queue: ChargeQueue, path: Path
) -> None:
    counts = RefusalCounts(queue, lambda: NOON)
    for kind in "aab":
        counts.add(kind)
    aside = path.with_name("aside")
    path.rename(aside)
    writing = asyncio.ensure_future(counts.write())
    await asyncio.sleep(0)  # it has taken what was counted
    for kind in "acc":
        counts.add(kind)
    await writing
    aside.rename(path)
    await counts.write()
    await counts.write()
    assert await stored(queue) == {DAY: {"a": 3, "b": 1, "c": 2}}


async def test_midnight_in_paris_begins_another_day(queue: ChargeQueue) -> None:
    moments = [NOON.replace(hour=21, minute=59, second=59), NOON.replace(hour=22, minute=0)]
    counts = RefusalCounts(queue, lambda: moments[0])
    counts.add("a")
    moments.pop(0)
    counts.add("a")
    await counts.write()
    assert await stored(queue) == {DAY: {"a": 1}, "2024-05-15": {"a": 1}}


async def test_days_that_nobody_can_ask_for_any_more_are_forgotten(queue: ChargeQueue) -> None:
    now = [NOON]
    counts = RefusalCounts(queue, lambda: now[0])
    for day in (0, 366, 401):
        now[0] = NOON + datetime.timedelta(days=day)
        counts.add("a")
        await counts.write()
    assert list(await stored(queue)) == ["2025-05-15", "2025-06-19"]


async def test_it_writes_by_itself(queue: ChargeQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STORE_EVERY", 0.01)
    counts = RefusalCounts(queue, lambda: NOON)
    watching = asyncio.create_task(counts.watch())
    for expected in (1, 2):
        counts.add("a")
        while (await stored(queue)).get(DAY) != {"a": expected}:
            assert not watching.done()
            await asyncio.sleep(0.005)
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
