"""Whose turn a page is: visitors and accounts, ours and those of other plugins."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from datasette import Request, hookimpl
from datasette.database import Database
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.access import slots
from datasette_mouvements.serving import page_queues, request_body
from datasette_mouvements.serving.page_queues import VisitLimits
from tests.contract.service import Answer, InProcess

from .addresses import TABLE
from .conftest import limited, registered, signed_in
from .elsewhere import Elsewhere, scope

Start = Callable[..., InProcess]
PATIENT = 60.0


@pytest.fixture
def start(in_process: Start) -> Start:
    """Starts services in which pages wait for their slots but for a moment."""

    def started(seconds: float = 0.05) -> InProcess:
        return limited(in_process(), VisitLimits(seconds))

    return started


def test_a_page_of_another_plugin_makes_nobody_wait_but_its_likes(
    elsewhere: Elsewhere, start: Start
) -> None:
    service = start()

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


class Held:
    """A service whose pages, of those that somebody began here, wait in the middle until they go on."""

    def __init__(self, service: InProcess) -> None:
        self.service = service
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        self._targets: set[str] = set()

    async def begin(self, target: str, client: str = "192.0.2.1") -> asyncio.Task[Answer]:
        """Ask for a page, and hold it."""
        self._targets.add(target)
        self.begun.clear()
        task = asyncio.create_task(self.service.answer(target, {}, client=client))
        await asyncio.wait_for(self.begun.wait(), 10)
        return task

    @hookimpl
    def extra_template_vars(self, request: Request | None) -> Any:
        async def waiting() -> dict[str, Any]:
            self.begun.set()
            await self.go_on.wait()
            return {}

        return waiting if request is not None and request.full_path in self._targets else {}


@pytest.fixture
def hold(start: Start) -> Iterator[Callable[..., Held]]:
    with ExitStack() as over:

        def begun(seconds: float = 0.05) -> Held:
            return over.enter_context(registered(Held(start(seconds))))

        yield begun


@pytest.fixture
def held(hold: Callable[..., Held]) -> Held:
    return hold()


def test_a_visitor_waits_for_the_place_and_is_told_when_there_is_none(
    elsewhere: Elsewhere, held: Held
) -> None:
    service = held.service

    async def check() -> None:
        first = await held.begin(TABLE)
        busy = await service.answer("/movements", {})
        assert (busy.status, busy.header("Retry-After")) == (503, "5")
        assert busy.json()["type"].endswith("site-occupe")
        assert (await service.answer(TABLE, {}, client="192.0.2.2")).status == 503
        for apart in ("/robots.txt", "/-/plugins", "/prend"):
            assert (await service.answer(apart, {})).status == 200, apart
        assert (await service.answer("/robots.txt", signed_in(service))).status == 200
        held.go_on.set()
        assert (await first).status == 200
        assert (await service.answer("/movements", {})).status == 200

    service.run(check())


def test_what_is_remembered_or_says_no_waits_for_nothing_that_must_be_made(held: Held) -> None:
    service = held.service

    async def check() -> None:
        assert (await service.answer("/flux?chambre=senat", {})).status == 200
        members = (await service.answer("/elus/senat", {})).body.decode()
        member, other = list(dict.fromkeys(re.findall('"(/elus/senat/[^"?]+)"', members)))[:2]
        first = await held.begin("/recherche?q=ormevalle")
        page = await held.begin(member, client="192.0.2.3")
        for at_once, status in {
            "/flux?chambre=senat": 200,
            "/flux?chambre=lune": 400,
            "/explorer?q=nom": 302,
            "/nulle-part": 404,
            "/groupes/senat/nul": 404,
            "/elus/senat/nul": 404,
            "/collaborateurs/nul": 404,
            "/-/static/app.css": 200,
        }.items():
            assert (await service.answer(at_once, {}, client="192.0.2.2")).status == status, at_once
        assert (
            await service.answer("/flux?chambre=europarl", {}, client="192.0.2.2")
        ).status == 503
        assert (await service.answer(other, {}, client="192.0.2.2")).status == 503
        held.go_on.set()
        assert [(await one).status for one in (first, page)] == [200, 200]

    service.run(check())


def test_one_address_has_a_few_requests_and_then_503_at_once(
    hold: Callable[..., Held],
) -> None:
    held = hold(PATIENT)
    service = held.service

    async def check() -> None:
        networks = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2"]
        waiting = [await held.begin(TABLE, networks[0])]
        for number in range(1, page_queues.OF_ONE_ADDRESS):
            asked = service.answer(TABLE, {}, client=networks[number % 2])
            waiting.append(asyncio.create_task(asked))
        await asyncio.sleep(0.05)
        for target in (TABLE, "/robots.txt", "/documentation"):
            refused = await service.answer(target, {}, client=networks[1])
            assert (refused.status, refused.header("Retry-After")) == (503, "5"), target
        assert (await service.answer("/-/static/app.css", {}, client=networks[1])).status == 200
        for other in ("2001:db8:1:3::1", "192.0.2.1"):
            assert (await service.answer("/documentation", {}, client=other)).status == 200, other
        held.go_on.set()
        assert {(await one).status for one in waiting} == {200}
        assert (await service.answer("/documentation", {}, client=networks[1])).status == 200

    service.run(check())


def test_who_comes_beside_a_siege_is_next_but_one(
    hold: Callable[..., Held],
) -> None:
    held = hold(PATIENT)
    service, order = held.service, []

    async def check() -> None:
        async def ask(client: str) -> None:
            assert (await service.answer(TABLE, {}, client=client)).status == 200
            order.append(client)

        first = await held.begin(TABLE)
        besieging = [asyncio.create_task(ask("192.0.2.1")) for _ in range(4)]
        await asyncio.sleep(0.05)
        another = asyncio.create_task(ask("192.0.2.2"))
        await asyncio.sleep(0.05)
        held.go_on.set()
        await asyncio.gather(first, another, *besieging)
        assert order[:2].count("192.0.2.2") == 1

    service.run(check())


def test_a_proxy_that_does_not_name_its_clients_is_no_address(held: Held) -> None:
    service = held.service

    async def check() -> None:
        proxied = {"X-Forwarded-For": "192.0.2.1"}
        first = await held.begin(TABLE)
        asked = [
            service.answer(TABLE, proxied, client="10.0.0.1")
            for _ in range(page_queues.OF_ONE_ADDRESS)
        ]
        more = service.answer("/documentation", proxied, client="10.0.0.1")
        *_, last = await asyncio.gather(*asked, more)
        assert last.status == 200
        held.go_on.set()
        await first

    service.run(check())


def test_an_account_at_another_plugin_makes_no_account_here_wait(
    elsewhere: Elsewhere, start: Start
) -> None:
    service = start()

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


@pytest.mark.parametrize("size", [100, request_body.BODY_BYTES + 100])
def test_what_an_account_sends_slowly_makes_nobody_wait(
    elsewhere: Elsewhere, start: Start, size: int
) -> None:
    service = start()

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


def test_the_sql_of_another_database_makes_nobody_wait_here(start: Start, tmp_path: Path) -> None:
    other = tmp_path / "autre.db"
    sqlite3.connect(other).close()
    service = start()
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
