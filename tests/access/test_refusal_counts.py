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
from datasette_mouvements.access.sqlite import SqliteStore
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
async def counter(path: Path) -> AsyncIterator[ChargeQueue]:
    counter = ChargeQueue(SqliteStore(path), 1000, lambda: NOON)
    yield counter
    counter.close()


async def stored(counter: ChargeQueue) -> dict[str, dict[str, int]]:
    return await counter.run(counter.store.refusals, "")


async def test_a_flood_of_refusals_writes_nothing_until_then_a_row_for_each_kind(
    counter: ChargeQueue,
) -> None:
    tally = RefusalCounts(counter, lambda: NOON)
    for _ in range(10_000):
        for kind in KINDS.values():
            tally.add(kind.anchor)
    assert await stored(counter) == {}
    await tally.write()
    await tally.write()
    assert await stored(counter) == {DAY: {kind.anchor: 10_000 for kind in KINDS.values()}}


async def test_what_the_store_does_not_take_is_kept_until_it_does(
    counter: ChargeQueue, path: Path
) -> None:
    tally = RefusalCounts(counter, lambda: NOON)
    tally.add("a")
    aside = path.with_name("aside")
    path.rename(aside)
    await tally.write()
    tally.add("a")
    aside.rename(path)
    await tally.write()
    assert await stored(counter) == {DAY: {"a": 2}}


async def test_midnight_in_paris_begins_another_day(counter: ChargeQueue) -> None:
    moments = [NOON.replace(hour=21, minute=59, second=59), NOON.replace(hour=22, minute=0)]
    tally = RefusalCounts(counter, lambda: moments[0])
    tally.add("a")
    moments.pop(0)
    tally.add("a")
    await tally.write()
    assert await stored(counter) == {DAY: {"a": 1}, "2024-05-15": {"a": 1}}


async def test_days_that_nobody_can_ask_for_any_more_are_forgotten(counter: ChargeQueue) -> None:
    now = [NOON]
    tally = RefusalCounts(counter, lambda: now[0])
    for day in (0, 366, 401):
        now[0] = NOON + datetime.timedelta(days=day)
        tally.add("a")
        await tally.write()
    assert list(await stored(counter)) == ["2025-05-15", "2025-06-19"]


async def test_it_writes_by_itself(counter: ChargeQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STORE_EVERY", 0.01)
    tally = RefusalCounts(counter, lambda: NOON)
    watching = asyncio.create_task(tally.watch())
    for expected in (1, 2):
        tally.add("a")
        while (await stored(counter)).get(DAY) != {"a": expected}:
            assert not watching.done()
            await asyncio.sleep(0.005)
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
