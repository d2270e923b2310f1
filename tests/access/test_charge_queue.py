"""The charges of one service: exact under concurrency, in order, never waiting long."""

from __future__ import annotations

import asyncio
import datetime
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.sqlite import SqliteStore
from datasette_mouvements.access.store import Charge, Demand, Store, StoreUnavailable

from .conftest import NOON, PATIENCE, create

NewQueue = Callable[..., ChargeQueue]
pytestmark = pytest.mark.asyncio


class Gated(SqliteStore):
    """A store that is slow when asked to be, and counts what it is asked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.open = threading.Event()
        self.open.set()
        self.entered = threading.Event()
        self.batches: list[list[Demand]] = []
        self.fault: BaseException | None = None

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        self.batches.append(list(demands))
        self.entered.set()
        assert self.open.wait(2 * PATIENCE)
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        return super().charge(demands, now, quota)


@pytest.fixture
def gated(tmp_path: Path) -> Gated:
    store = Gated(tmp_path / "internal.sqlite3")
    store.prepare()
    return store


@pytest.fixture
def new_queue() -> Iterator[NewQueue]:
    made: list[ChargeQueue] = []

    def new(store: Store, quota: int = 1000, timeout: float = PATIENCE, **more: int) -> ChargeQueue:
        queue = ChargeQueue(store, quota, lambda: NOON, timeout, **more)
        made.append(queue)
        return queue

    yield new
    for queue in made:
        queue.close()


async def outcome(asked: Awaitable[Charge | None]) -> str:
    try:
        charge = await asked
    except StoreUnavailable:
        return "unavailable"
    return "unknown" if charge is None else "granted" if charge.granted else "refused"


async def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


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


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_fault_nobody_foresaw_is_unavailable_and_passes(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    gated.fault = ZeroDivisionError()
    assert await outcome(queue.charge(digest)) == "unavailable"
    await until(lambda: not queue._thread.is_alive())
    assert await outcome(queue.charge(digest)) == "granted"


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
    assert await outcome(queue.charge(digest)) == "unavailable"
    with pytest.raises(StoreUnavailable):
        await queue.run(gated.reachable)
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


@contextmanager
def left_loop(queue: ChargeQueue, digest: bytes, gated: Gated) -> Iterator[None]:
    """A loop that stopped for good with one charge under way and another waiting behind it."""
    gated.open.clear()
    loop = asyncio.new_event_loop()

    async def ask() -> list[asyncio.Task[Charge | None]]:
        tasks = [asyncio.ensure_future(queue.charge(digest))]
        await until(gated.entered.is_set)
        tasks.append(asyncio.ensure_future(queue.charge(digest)))
        await asyncio.sleep(0)
        return tasks

    with ThreadPoolExecutor(1) as thread:
        tasks = thread.submit(loop.run_until_complete, ask()).result(PATIENCE)
        try:
            yield
        finally:
            gated.open.set()
            for task in tasks:
                task.cancel()
            thread.submit(loop.run_until_complete, asyncio.wait(tasks)).result(PATIENCE)
            loop.close()


async def test_another_loop_is_served_whatever_was_left_in_the_one_before(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    with left_loop(queue, digest, gated):
        asked = asyncio.ensure_future(queue.charge(digest))
        await asyncio.sleep(0)
        gated.open.set()
        charge = await asked
        # The one under way is finished, the one behind it dropped.
        assert charge is not None
        assert charge.used == 2
        assert [len(batch) for batch in gated.batches] == [1, 1]


async def test_another_loop_has_its_own_deadlines(gated: Gated, new_queue: NewQueue) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    with left_loop(queue, digest, gated):
        queue._timeout = 0.05
        assert await asyncio.wait_for(outcome(queue.charge(digest)), PATIENCE) == "unavailable"
