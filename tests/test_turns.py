"""A client has so many requests at once, however many it has had before."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from datasette_mouvements.refusal import Refusal
from datasette_mouvements.turns import Turns


async def test_a_request_that_has_ended_gives_back_its_place_and_no_other() -> None:
    turns = Turns(at_once=4, of_one=2, waiting=2)
    for _ in range(3):
        async with turns.request("ada"):
            pass
    async with AsyncExitStack() as stack:
        for client in ("ada", "ada", "bo", "bo", "cy", "cy"):
            await stack.enter_async_context(turns.request(client))
            if client == "ada":
                continue
            with pytest.raises(Refusal):
                await stack.enter_async_context(turns.request("ada"))
        with pytest.raises(Refusal):  # there is room for no other
            await stack.enter_async_context(turns.request("di"))
