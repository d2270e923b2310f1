"""Places: how many at once, who waits, who is refused."""

from __future__ import annotations

import asyncio

import pytest

from datasette_mouvements.access import slots
from datasette_mouvements.refusal import Refusal


def test_places_are_given_in_turn_and_refused_when_too_many_wait() -> None:
    async def check() -> None:
        queue = slots.Queue(at_once=1, waiting=2, seconds=5)
        order: list[int] = []
        most = 0

        async def ask(number: int) -> None:
            nonlocal most
            async with queue.place():
                order.append(number)
                most = max(most, len(order) - len(done))
                await asyncio.sleep(0)
                done.append(number)

        done: list[int] = []
        asked = await asyncio.gather(*(ask(n) for n in range(4)), return_exceptions=True)
        assert order == [0, 1, 2]
        assert most == 1
        assert isinstance(asked[3], Refusal)
        assert asked[3].kind == "busy"
        assert queue.idle

    asyncio.run(check())


def test_a_place_that_is_given_back_twice_is_one_place() -> None:
    async def check() -> None:
        queue = slots.Queue(at_once=1, waiting=0)
        async with queue.place() as give_back:
            give_back()
            give_back()
        assert queue.idle
        async with queue.place():
            with pytest.raises(Refusal):
                async with queue.place():
                    raise AssertionError

    asyncio.run(check())


def test_nobody_waits_longer_than_said() -> None:
    async def check() -> None:
        queue = slots.Queue(at_once=1, seconds=0.02)
        async with queue.place():
            with pytest.raises(Refusal):
                async with queue.place():
                    raise AssertionError
        async with queue.place():
            pass
        assert queue.idle

    asyncio.run(check())


def test_one_account_does_not_take_the_places_of_another() -> None:
    async def check() -> None:
        fair = slots.FairQueue(at_once=2)
        order: list[str] = []

        async def ask(who: str) -> None:
            async with fair.place(who):
                order.append(who)
                await asyncio.sleep(0.01)

        await asyncio.gather(*(ask(who) for who in ("a", "a", "a", "b")))
        assert order == ["a", "b", "a", "a"]
        assert not fair._own

    asyncio.run(check())
