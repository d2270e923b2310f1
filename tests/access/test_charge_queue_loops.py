"""A queue of charges that another event loop takes over: nothing of the one before holds it up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

import pytest

from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.charging import Charge

from .conftest import create
from .gated import PATIENCE, Gated, NewQueue, outcome, until

T = TypeVar("T")
pytestmark = pytest.mark.asyncio


class LeftLoop:
    """A loop that stopped with one charge under way and another waiting behind it."""

    def __init__(self, queue: ChargeQueue, digest: bytes, gated: Gated) -> None:
        self.loop = asyncio.new_event_loop()
        self.gated = gated
        self.thread = ThreadPoolExecutor(1)
        gated.open.clear()
        self.tasks = self.run(self._ask(queue, digest))

    async def _ask(self, queue: ChargeQueue, digest: bytes) -> list[asyncio.Task[Charge | None]]:
        tasks = [asyncio.ensure_future(queue.charge(digest))]
        await until(self.gated.entered.is_set)
        tasks.append(asyncio.ensure_future(queue.charge(digest)))
        await asyncio.sleep(0)
        return tasks

    def run(self, ask: Coroutine[None, None, T]) -> T:
        """Take the loop up again for a while, in a thread of its own."""
        return self.thread.submit(self.loop.run_until_complete, ask).result(PATIENCE)

    def close(self) -> None:
        if not self.loop.is_closed():
            for task in self.tasks:
                task.cancel()
            self.run(asyncio.wait(self.tasks))
            self.loop.close()
        self.thread.shutdown()
        self.gated.open.set()


@pytest.mark.parametrize("closed", [False, True])
async def test_another_loop_is_served_whatever_was_left_in_the_one_before(
    gated: Gated, new_queue: NewQueue, closed: bool
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    thread = queue._thread
    with closing(LeftLoop(queue, digest, gated)) as left:
        if closed:
            left.close()
        asked = asyncio.ensure_future(queue.charge(digest))
        await asyncio.sleep(0)
        gated.open.set()
        charge = await asked
        # The one under way is finished, the one behind it dropped.
        assert charge is not None
        assert charge.used == 2
        assert [len(batch) for batch in gated.batches] == [1, 1]
        assert queue._thread is thread


async def test_another_loop_has_its_own_deadlines(gated: Gated, new_queue: NewQueue) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    with closing(LeftLoop(queue, digest, gated)):
        queue._timeout = 0.05
        assert await asyncio.wait_for(outcome(queue.charge(digest)), PATIENCE) == "unavailable"


async def test_a_loop_left_behind_does_not_touch_what_another_has_under_way(
    gated: Gated, new_queue: NewQueue
) -> None:
    digest = create(gated, "ada")
    queue = new_queue(gated)
    with closing(LeftLoop(queue, digest, gated)) as left:
        gated.open.set()
        await queue.run(list)  # after the batch
        gated.open.clear()
        gated.entered.clear()
        asked = [asyncio.ensure_future(queue.charge(digest))]
        await until(gated.entered.is_set)
        await asyncio.to_thread(left.run, asyncio.sleep(0))  # it hears of its batch
        asked += [asyncio.ensure_future(queue.charge(digest)) for _ in range(2)]
        await asyncio.sleep(0)
        asked += [asyncio.ensure_future(queue.charge(digest)) for _ in range(2)]
        await asyncio.sleep(0)
        gated.open.set()
        await asyncio.gather(*asked)
        assert [len(batch) for batch in gated.batches] == [1, 1, 4]
