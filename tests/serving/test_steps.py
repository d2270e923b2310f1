"""How the work of a page is done: in steps that let others have their turns, for as long as its client waits."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from datasette_mouvements.access import slots
from datasette_mouvements.serving import limits

from .elsewhere import nowhere


def test_what_a_client_no_longer_waits_for_is_not_done() -> None:
    async def check() -> None:
        gone = asyncio.Event()
        ended: list[str] = []

        async def receive() -> dict[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def work() -> None:
            try:
                gone.set()
                await asyncio.sleep(60)
            finally:
                ended.append("work")

        await limits.run_until_gone(receive, work(), limits.ResponseMonitor(nowhere))
        assert ended == ["work"]

    asyncio.run(check())


def test_what_is_done_after_the_answer_is_done_to_its_end() -> None:
    async def check() -> None:
        ended: list[str] = []
        answered = limits.ResponseMonitor(nowhere)
        sent = asyncio.Event()

        async def receive() -> dict[str, Any]:  # as a server says once the answer is out
            await sent.wait()
            return {"type": "http.disconnect"}

        async def work() -> None:
            await answered.send({"type": "http.response.body", "body": b""})
            sent.set()
            await asyncio.sleep(0.01)
            ended.append("log")

        await limits.run_until_gone(receive, work(), answered)
        assert ended == ["log"]

    asyncio.run(check())


def test_what_fails_fails_though_its_client_is_watched() -> None:
    async def check() -> None:
        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()
            raise AssertionError

        async def work() -> None:
            raise ValueError("seen")

        with pytest.raises(ValueError, match="seen"):
            await limits.run_until_gone(receive, work(), limits.ResponseMonitor(nowhere))

    asyncio.run(check())


@pytest.mark.parametrize("step", [0.0, limits.STEP_SECONDS * 2])
def test_work_that_gives_way_is_the_same_work(step: float) -> None:
    async def check() -> None:
        heard: list[str] = []

        async def work() -> None:
            for sent in ("a", "b"):
                time.sleep(step)
                heard.append(await asyncio.to_thread(lambda sent=sent: sent))
            await asyncio.sleep(0)
            with pytest.raises(ZeroDivisionError):
                await asyncio.to_thread(lambda: 1 / 0)
            time.sleep(step)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                heard.append("cancelled")
                raise

        task = asyncio.create_task(_driven(work()))
        while len(heard) < 2:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.wait((task,))
        assert task.cancelled()
        assert heard == ["a", "b", "cancelled"]
        with pytest.raises(ValueError, match="seen"):
            await _driven(_failing(step))

    asyncio.run(check())


def test_a_cancellation_before_the_rest_leaves_the_slots_as_many() -> None:
    """Thrown into a wait that was not asked yet, it would make a slot of nothing."""

    async def check() -> None:
        queue = slots.SlotQueue()

        async def work() -> None:
            time.sleep(2 * limits.STEP_SECONDS)
            async with queue.slot():
                raise AssertionError("the slot is taken")

        async with queue.slot():
            for turns in range(1, 4):
                task = asyncio.create_task(_driven(work()))
                for _ in range(turns):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait((task,))
                assert task.cancelled()
        inside = 0
        most = 0

        async def visit() -> None:
            nonlocal inside, most
            async with queue.slot():
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.001)
                inside -= 1

        await asyncio.gather(*(visit() for _ in range(5)))
        assert most == 1

    asyncio.run(check())


async def _driven(work: Any) -> None:
    await limits.run_in_steps(work)


async def _failing(step: float) -> None:
    time.sleep(step)
    await asyncio.sleep(0)
    raise ValueError("seen")


def test_others_have_their_turns_between_long_steps() -> None:
    async def turns(drive: Any) -> int:
        counted = 0

        async def other() -> None:
            nonlocal counted
            while True:
                counted += 1
                await asyncio.sleep(0)

        async def page() -> None:
            for _ in range(5):
                time.sleep(limits.STEP_SECONDS * 2)
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        await asyncio.create_task(drive(page()))
        task.cancel()
        return counted

    async def as_it_is(work: Any) -> None:
        await work

    assert asyncio.run(turns(_driven)) > 5 * asyncio.run(turns(as_it_is))
