"""Whose turn a page is: visitors and accounts, ours and those of other plugins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from datasette.database import Database
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.access import slots
from datasette_mouvements.serving import database, limits, page_queues
from tests.contract.service import InProcess

from .addresses import TABLE
from .conftest import signed_in
from .elsewhere import Elsewhere, scope

Start = Callable[..., InProcess]


@pytest.fixture(autouse=True)
def one_place_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots.Queue.__init__, "__defaults__", (1, 64, 0.05))
    monkeypatch.setattr(page_queues, "OF_OTHERS_AT_ONCE", 1)


def test_a_page_of_another_plugin_makes_nobody_wait_but_its_likes(
    elsewhere: Elsewhere, in_process: Start
) -> None:
    service = in_process()

    async def check() -> None:
        first = asyncio.create_task(service.answer("/lent", {}))
        while not elsewhere.seen:
            await asyncio.sleep(0.001)
        assert (await service.answer("/prend", {})).status == 503
        for ours_or_core in ("/robots.txt", "/-/plugins", "/-/static/app.css"):
            assert (await service.answer(ours_or_core, {})).status == 200
        # Who is signed in waits for no visitor.
        assert (await service.answer("/prend", signed_in(service))).status == 200
        elsewhere.go_on.set()
        assert (await first).body == b"done"
        assert (await service.answer("/prend", {})).status == 200

    service.run(check())


def test_a_visitor_waits_for_the_place_and_is_told_when_there_is_none(
    elsewhere: Elsewhere, in_process: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute, begun, go_on = database.BoundedDatabase.execute, asyncio.Event(), asyncio.Event()

    async def waiting(self: Any, *args: Any, **named: Any) -> Any:
        begun.set()
        await go_on.wait()
        return await execute(self, *args, **named)

    service = in_process()
    monkeypatch.setattr(database.BoundedDatabase, "execute", waiting)

    async def check() -> None:
        first = asyncio.create_task(service.answer(TABLE, {}))
        await asyncio.wait_for(begun.wait(), 10)
        busy = await service.answer("/robots.txt", {})
        assert (busy.status, busy.header("Retry-After")) == (503, "5")
        assert busy.json()["type"].endswith("site-occupe")
        assert (await service.answer("/-/plugins", {})).status == 503
        assert (await service.answer("/prend", {})).status == 200
        assert (await service.answer("/robots.txt", signed_in(service))).status == 200
        go_on.set()
        assert (await first).status == 200
        assert (await service.answer("/robots.txt", {})).status == 200

    service.run(check())


def test_an_account_at_another_plugin_makes_no_account_here_wait(
    elsewhere: Elsewhere, in_process: Start
) -> None:
    service = in_process()

    async def check() -> None:
        waiting = [
            asyncio.create_task(service.answer("/lent", signed_in(service, id=str(number))))
            for number in range(slots.AT_ONCE_OF_ACCOUNTS + 1)
        ]
        while not elsewhere.seen:
            await asyncio.sleep(0.001)
        assert (await service.answer("/robots.txt", signed_in(service, id="0"))).status == 200
        elsewhere.go_on.set()
        await asyncio.gather(*waiting)

    service.run(check())


@pytest.mark.parametrize("size", [100, limits.BODY_BYTES + 100])
def test_what_an_account_sends_slowly_makes_nobody_wait(
    elsewhere: Elsewhere, in_process: Start, size: int
) -> None:
    service = in_process()

    async def check() -> None:
        rest = asyncio.Event()
        answers: list[bytes] = []

        async def upload(who: str) -> None:
            messages = [b"a", b"a" * (size - 1)]
            headers = {**signed_in(service, id=who), "Content-Length": str(size)}

            async def receive() -> dict[str, Any]:
                if len(messages) == 1:
                    await rest.wait()
                if not messages:
                    await asyncio.Event().wait()
                return {
                    "type": "http.request",
                    "body": messages.pop(0),
                    "more_body": bool(messages),
                }

            async def send(message: dict[str, Any]) -> None:
                answers.append(message.get("body", b""))

            await service._app(scope("/prend", headers, "POST"), receive, send)

        uploads = [asyncio.create_task(upload(str(number))) for number in range(3)]
        await asyncio.sleep(0.02)
        for who in ("0", "another"):  # of the others, and of the same account
            assert (await service.answer("/prend", signed_in(service, id=who))).status == 200
            assert (await service.answer("/robots.txt", signed_in(service, id=who))).status == 200
        rest.set()
        async with asyncio.timeout(10):
            await asyncio.gather(*uploads)
        assert answers.count(str(size).encode()) == len(uploads)

    service.run(check())


def test_the_sql_of_another_database_makes_nobody_wait_here(
    in_process: Start, tmp_path: Path
) -> None:
    other = tmp_path / "autre.db"
    sqlite3.connect(other).close()
    service = in_process()
    another = service.datasette.add_database(
        Database(service.datasette, str(other), is_mutable=False)
    )
    begun, go_on = asyncio.Event(), asyncio.Event()
    execute = another.execute

    async def waiting(*args: Any, **named: Any) -> Any:
        begun.set()
        await go_on.wait()
        return await execute(*args, **named)

    another.execute = waiting

    async def check() -> None:
        asked = asyncio.create_task(service.answer("/autre/-/query?sql=select+1", {}))
        await asyncio.wait_for(begun.wait(), 10)
        assert (await service.answer("/autre", {})).status == 503
        for ours in ("/robots.txt", TABLE, "/_memory"):
            assert (await service.answer(ours, {})).status in (200, 404), ours
        go_on.set()
        assert (await asked).status == 200

    service.run(check())
