"""The charges of one service: exact under concurrency, in order, never waiting long."""

from __future__ import annotations

import asyncio
import datetime
import threading
import time
from collections.abc import Callable

import pytest

from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.charging import Demand
from datasette_mouvements.access.stores.store import Store, StoreUnavailable

from .conftest import NOON, create
from .gated import PATIENCE, Gated, NewQueue, outcome, until

pytestmark = pytest.mark.asyncio


async def test_1200_requests_at_once_get_exactly_1000(
    opener: Callable[[], Store], new_queue: NewQueue
) -> None:
    digest = create(opener(), "ada")
    queue = new_queue(opener())
    charges = await asyncio.gather(*(queue.charge(digest) for _ in range(1200)))
    granted = [c.remaining for c in charges if c is not None and c.granted]
    refused = [c.remaining for c in charges if c is not None and not c.granted]
    assert granted == list(range(999, -1, -1))  # in the order in which they asked
    assert refused == [0] * 200


async def test_two_services_on_one_store_share_the_quota(
    opener: Callable[[], Store], new_queue: NewQueue
) -> None:
    digest = create(opener(), "ada")
    queues = [new_queue(opener()) for _ in range(2)]
    charges = await asyncio.gather(*(queues[n % 2].charge(digest) for n in range(1200)))
    granted = [c.used for c in charges if c is not None and c.granted]
    assert sorted(granted) == list(range(1, 1001))


async def test_demands_that_wait_are_handed_over_together(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    gated.open.clear()
    first = asyncio.ensure_future(queue.charge(digest))
    await until(gated.entered.is_set)
    others = [asyncio.ensure_future(queue.charge(digest)) for _ in range(50)]
    await asyncio.sleep(0)
    gated.open.set()
    charges = await asyncio.gather(first, *others)
    assert [c and c.used for c in charges] == list(range(1, 52))
    assert [len(batch) for batch in gated.batches] == [1, 50]


async def test_who_went_away_before_the_store_was_asked_is_not_charged(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    gated.open.clear()
    first = asyncio.ensure_future(queue.charge(digest))
    await until(gated.entered.is_set)
    gone, stays = (asyncio.ensure_future(queue.charge(digest)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    gated.open.set()
    assert await first is not None
    charge = await stays
    assert charge is not None
    assert charge.used == 2


async def test_who_goes_away_while_the_store_is_asked_is_charged(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    gated.open.clear()
    gone = asyncio.ensure_future(queue.charge(digest))
    await until(gated.entered.is_set)
    gone.cancel()
    await until(gone.done)
    gated.open.set()
    await queue.run(list)  # after the batch
    charge = await queue.charge(digest)
    assert charge is not None
    assert charge.used == 2
    assert [[demand.amount for demand in batch] for batch in gated.batches] == [[1], [1]]


async def test_a_store_that_hangs_is_unavailable_in_time_and_charges_nobody_later(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated, timeout=0.2)
    gated.open.clear()
    began = time.monotonic()
    at_work = asyncio.ensure_future(outcome(queue.charge(digest)))
    await until(gated.entered.is_set)
    waiting = [asyncio.ensure_future(outcome(queue.charge(digest))) for _ in range(20)]
    assert await asyncio.gather(at_work, *waiting) == ["unavailable"] * 21
    assert await outcome(queue.charge(digest)) == "unavailable"
    # One after the other they would have waited for twice as long.
    assert 0.35 < time.monotonic() - began < 2.2
    queue._timeout = PATIENCE
    gated.open.set()
    # The one that the store was at work on is given back before the next is charged.
    await until(lambda: any(d.amount < 0 for batch in gated.batches for d in batch))
    charge = await queue.charge(digest)
    assert charge is not None
    assert charge.used == 1
    assert sum(d.amount > 0 for batch in gated.batches for d in batch) == 2


async def test_only_so_many_wait_and_the_rest_hear_at_once(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated, most_waiting=5)
    gated.open.clear()
    first = asyncio.ensure_future(outcome(queue.charge(digest)))
    await until(gated.entered.is_set)
    waiting = [asyncio.ensure_future(outcome(queue.charge(digest))) for _ in range(5)]
    await asyncio.sleep(0)
    began = time.monotonic()
    assert await outcome(queue.charge(digest)) == "unavailable"
    assert time.monotonic() - began < PATIENCE / 2  # not when those before have waited in vain
    gated.open.set()
    assert await asyncio.gather(first, *waiting) == ["granted"] * 6


async def test_those_who_gave_up_leave_room_for_others(gated: Gated, new_queue: NewQueue) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated, most_waiting=3, timeout=0.1)
    gated.open.clear()
    demands = [queue.charge(digest) for _ in range(4)]
    assert await asyncio.gather(*map(outcome, demands)) == ["unavailable"] * 4
    queue._timeout = PATIENCE
    fresh = asyncio.ensure_future(outcome(queue.charge(digest)))
    await asyncio.sleep(0)
    gated.open.set()
    assert await fresh == "granted"


async def test_a_store_that_fails_fails_that_batch_only(gated: Gated, new_queue: NewQueue) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    gated.fault = StoreUnavailable("down")
    with pytest.raises(StoreUnavailable, match="down"):
        await queue.charge(digest)
    assert await outcome(queue.charge(digest)) == "granted"


@pytest.mark.parametrize("fault", [ZeroDivisionError(), SystemExit()])
async def test_a_fault_nobody_foresaw_is_unavailable_and_holds_up_nobody(
    gated: Gated, new_queue: NewQueue, caplog: pytest.LogCaptureFixture, fault: BaseException
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    thread = queue._thread
    gated.fault = fault
    gated.open.clear()
    first = asyncio.ensure_future(outcome(queue.charge(digest)))
    await until(gated.entered.is_set)
    others = [asyncio.ensure_future(outcome(queue.charge(digest))) for _ in range(3)]
    behind = asyncio.ensure_future(queue.run(threading.current_thread))
    await asyncio.sleep(0)
    gated.open.set()
    assert await first == "unavailable"
    assert await behind is thread
    assert await asyncio.gather(*others) == ["granted"] * 3
    logged = [record.exc_info[1] for record in caplog.records if record.exc_info]
    assert logged == [fault]


async def test_a_charge_that_could_not_be_given_back_is_not_given_back_twice(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated, timeout=0.05)
    gated.open.clear()
    assert await outcome(queue.charge(digest)) == "unavailable"
    queue._timeout = PATIENCE
    gated.fault_at = 2
    gated.open.set()
    await until(lambda: len(gated.batches) == 2)
    charges = [await queue.charge(digest) for _ in range(2)]
    assert [c and c.used for c in charges] == [2, 3]
    assert [[d.amount for d in batch] for batch in gated.batches] == [[1], [-1], [1], [1]]


async def test_other_calls_of_the_store_run_in_its_thread_and_in_turn(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    await queue.charge(digest)
    (record,) = await queue.run(gated.show, "ada", NOON)
    assert record.used_today == 1
    thread = await queue.run(threading.current_thread)
    assert thread is not threading.current_thread()
    assert await queue.run(threading.current_thread) is thread
    with pytest.raises(ZeroDivisionError):
        await queue.run(lambda: 1 // 0)


async def test_another_call_is_not_made_any_more_once_it_was_given_up(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated, timeout=0.1)
    gated.open.clear()
    stuck = asyncio.ensure_future(outcome(queue.charge(digest)))
    await until(gated.entered.is_set)
    with pytest.raises(StoreUnavailable):
        await queue.run(gated.revoke, "ada", NOON)
    assert await stuck == "unavailable"
    queue._timeout = PATIENCE
    gated.open.set()
    assert await outcome(queue.charge(digest)) == "granted"


async def test_a_closed_queue_is_unavailable(gated: Gated, new_queue: NewQueue) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    queue.close()
    queue.close()
    with pytest.raises(StoreUnavailable, match="closed"):  # at once, not when its time is up
        await queue.charge(digest)
    with pytest.raises(StoreUnavailable):
        await queue.run(gated.reachable, NOON)
    assert not queue._thread.is_alive()


async def test_closing_answers_those_who_wait(gated: Gated, new_queue: NewQueue) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    gated.open.clear()
    at_work = asyncio.ensure_future(outcome(queue.charge(digest)))
    await until(gated.entered.is_set)
    waiting = asyncio.ensure_future(outcome(queue.charge(digest)))
    await asyncio.sleep(0)
    gated.open.set()
    queue.close()
    assert await waiting == "unavailable"
    assert await at_work == "granted"
    assert gated.days("ada", "") == {"2024-05-14": 1}
    gated.close()


async def test_the_day_changes_under_a_running_service(gated: Gated) -> None:
    digest = create(gated, "ada")
    moments = iter(
        datetime.datetime(2024, 10, 27, 22, 59, 59, tzinfo=datetime.UTC)
        + datetime.timedelta(seconds=seconds)
        for seconds in (0, 0, 1)
    )
    queue = ChargeQueue(gated, 1, lambda: next(moments))
    charges = [await queue.charge(digest) for _ in range(3)]
    queue.close()
    assert [c and (c.day, c.granted) for c in charges] == [
        ("2024-10-27", True),
        ("2024-10-27", False),
        ("2024-10-28", True),
    ]


@pytest.mark.parametrize(("amount", "used"), [(1, 1), (0, 1), (-1, 0)])
async def test_only_a_charge_that_was_granted_is_given_back(
    gated: Gated, new_queue: NewQueue, amount: int, used: int
) -> None:
    digest = create(gated, "ada")
    gated.charge([Demand(digest, 1)], NOON, 1)
    queue = new_queue(gated, quota=1, timeout=0.05)
    gated.open.clear()
    assert await outcome(queue.charge(digest, amount)) == "unavailable"
    queue._timeout = PATIENCE
    gated.open.set()
    await queue.run(list)  # after the batch, whose answer comes too late
    looked = await queue.charge(digest, 0)
    assert looked is not None
    assert looked.used == used


async def test_a_charge_is_given_back_to_its_own_day(gated: Gated) -> None:
    digest = create(gated, "ada")
    moments = iter(NOON + datetime.timedelta(days=days) for days in (0, 1, 1))
    queue = ChargeQueue(gated, 9, lambda: next(moments), 0.05)
    gated.open.clear()
    assert await outcome(queue.charge(digest)) == "unavailable"
    queue._timeout = PATIENCE
    gated.open.set()
    await queue.run(list)
    assert await outcome(queue.charge(digest)) == "granted"
    assert await queue.run(gated.days, "ada", "") == {"2024-05-15": 1}
    queue.close()


async def test_each_is_answered_at_its_own_deadline(gated: Gated, new_queue: NewQueue) -> None:
    digest = create(gated, "ada")

    async def late(queue: ChargeQueue) -> float:
        """How long after its deadline the second of two was answered."""
        first = asyncio.ensure_future(outcome(queue.charge(digest)))
        await asyncio.sleep(0.02)
        began = time.monotonic()
        assert await outcome(queue.charge(digest)) == "unavailable"
        assert await first == "unavailable"
        return time.monotonic() - began - 0.1

    gated.open.clear()
    queue = new_queue(gated, timeout=0.1)
    # A busy machine may be late once, not each time.
    assert min([await late(queue) for _ in range(4)]) < 0.5


async def test_an_outage_is_logged_when_it_begins_and_when_it_ends(
    gated: Gated, new_queue: NewQueue, caplog: pytest.LogCaptureFixture
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    for fault in (None, StoreUnavailable("down"), StoreUnavailable("still"), None, None):
        gated.fault = fault
        await outcome(queue.charge(digest))
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("ERROR", "the store of keys does not answer: down"),
        ("WARNING", "the store of keys answers again"),
    ]
