"""What is sent slowly, beyond the bounds or not at all: to other plugins, and to hooks that read it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from datasette import Request, hookimpl
from datasette.plugins import pm
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.serving import request_body
from datasette_mouvements.serving.page_queues import VisitLimits
from tests.contract import environment
from tests.contract.service import InProcess

from .conftest import limited, signed_in
from .elsewhere import Elsewhere, scope

Start = Callable[..., InProcess]
BEYOND = request_body.BODY_BYTES + 10


class Client:
    """Who sends these pieces of a body, the last of them too only a part if `more`, and goes when told."""

    def __init__(self, *pieces: bytes, more: bool = True) -> None:
        self._pieces, self._more = list(pieces), more
        self.gone = asyncio.Event()
        self.told: list[dict[str, Any]] = []

    async def receive(self) -> dict[str, Any]:
        if self._pieces:
            body = self._pieces.pop(0)
            more = bool(self._pieces) or self._more
            return {"type": "http.request", "body": body, "more_body": more}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        self.told.append(message)

    async def asks(
        self, service: InProcess, path: str, headers: dict[str, str], declared: int = BEYOND
    ) -> Client:
        headers = {**headers, "Content-Length": str(declared)}
        async with asyncio.timeout(5):
            await service._app(scope(path, headers, "POST"), self.receive, self.send)
        return self

    @property
    def status(self) -> int:
        return int(self.told[0]["status"])

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.told)


async def _until(known: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while not known():
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("sent", [(), (b"a",), (b"a", b"a" * 100)])
def test_a_page_that_reads_no_body_ends_when_its_client_has_gone(
    elsewhere: Elsewhere, in_process: Start, sent: tuple[bytes, ...]
) -> None:
    service = in_process()

    async def check() -> None:
        client = Client(*sent)
        asked = asyncio.create_task(client.asks(service, "/lent", signed_in(service)))
        await _until(lambda: elsewhere.seen)
        client.gone.set()
        await asked
        assert (elsewhere.seen, client.told) == (["began", "given up"], [])

    service.run(check())


def test_what_an_account_never_sends_is_awaited_by_one_page_at_a_time(
    elsewhere: Elsewhere, in_process: Start
) -> None:
    service = limited(in_process(), VisitLimits(wait_seconds=0.05))

    async def check() -> None:
        first = Client()
        asked = asyncio.create_task(first.asks(service, "/lent", signed_in(service)))
        await _until(lambda: elsewhere.seen)
        others = [Client().asks(service, "/lent", signed_in(service)) for _ in range(3)]
        assert {other.status for other in await asyncio.gather(*others)} == {503}
        assert elsewhere.seen == ["began"]
        await Client(b"a" * BEYOND, more=False).asks(
            service, "/prend", signed_in(service, id="another")
        )
        assert elsewhere.seen == ["began", "takes"]
        elsewhere.go_on.set()
        assert (await asked).status == 200

    service.run(check())


def test_a_body_is_read_ahead_no_further_than_its_bounds() -> None:
    async def check() -> None:
        client = Client(*[b"a" * request_body.BODY_BYTES] * 4, more=False)
        body = request_body.Body([(b"content-length", b"1000000")], client.receive)
        following = asyncio.create_task(body.follow())
        await asyncio.sleep(0.01)
        assert len(client._pieces) == 2
        read = [await body.receive() for _ in range(4)]
        assert sum(len(message["body"]) for message in read) == 4 * request_body.BODY_BYTES
        client.gone.set()
        assert await following == await body.receive() == {"type": "http.disconnect"}

    asyncio.run(check())


@pytest.mark.parametrize("path", ["/-/plugins", "/nulle-part", "/-/static/app.css", "/autre/table"])
def test_core_is_sent_no_more_by_an_account_than_by_a_visitor(in_process: Start, path: str) -> None:
    service = in_process()
    asked = Client().asks(service, path, signed_in(service))
    assert service.run(asked).status == 413


def test_what_an_account_writes_into_another_database_may_be_long(
    database: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "autre.db")) as db:
        db.execute("create table t (id integer primary key, a)")
    internal = tmp_path / "internal.sqlite3"
    datasette = environment.datasette(database, internal, beside=[tmp_path / "autre.db"])
    datasette.root_enabled = True  # who may write there is that database's matter
    service = InProcess(datasette, internal)
    try:
        row = json.dumps({"row": {"a": "a" * BEYOND}}).encode()
        headers = {"Content-Type": "application/json", **signed_in(service, id="root")}
        client = Client(row, more=False)
        service.run(client.asks(service, "/autre/t/-/insert", headers, len(row)))
        assert client.status == 201, client.body
    finally:
        service.close()


class Hook:
    """A plugin that knows its users by what they send, and waits for the network where nothing is sent."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @hookimpl
    def actor_from_request(self, request: Request) -> Any:
        async def by_body() -> Any:
            body = await request.post_body()
            return {"id": f"programme {len(body)}"} if body.startswith(b"signed") else None

        async def by_network() -> Any:
            self.seen.append("began")
            try:
                await asyncio.Event().wait()
            finally:
                self.seen.append("given up")

        if request.path == "/reseau":
            return by_network
        return by_body if request.method == "POST" else None


@pytest.fixture
def hook() -> Iterator[Hook]:
    plugin = Hook()
    pm.register(plugin)
    yield plugin
    pm.unregister(plugin)


def test_what_a_plugin_reads_to_know_its_user_is_there_for_core(
    elsewhere: Elsewhere, hook: Hook, in_process: Start
) -> None:
    service = in_process()
    client = Client(b"sign", b"ed with", more=False)
    assert service.run(client.asks(service, "/qui", {}, 11)).body == b"programme 11"


@pytest.mark.parametrize("declared", [BEYOND, 3_000_000])
def test_a_hook_awaits_nothing_beyond_the_bounds(
    elsewhere: Elsewhere, hook: Hook, in_process: Start, declared: int
) -> None:
    service = in_process()
    assert service.run(Client(b"signed").asks(service, "/qui", {}, declared)).status == 413


def test_who_is_known_otherwise_sends_more_than_a_hook_reads(
    elsewhere: Elsewhere, hook: Hook, in_process: Start
) -> None:
    service = in_process()
    client = Client(b"signed".ljust(BEYOND), more=False)
    answered = service.run(client.asks(service, "/qui", signed_in(service)))
    assert answered.status == 200


@pytest.mark.parametrize("declared", [20, 0])
def test_who_goes_while_sending_is_answered_nothing(
    elsewhere: Elsewhere, hook: Hook, in_process: Start, declared: int
) -> None:
    service = in_process()
    client = Client(b"sign")
    client.gone.set()
    assert service.run(client.asks(service, "/qui", {}, declared)).told == []


def test_a_hook_that_waits_is_given_up_when_its_client_has_gone(
    hook: Hook, in_process: Start
) -> None:
    service = in_process()

    async def check() -> None:
        client = Client(b"", more=False)
        asked = asyncio.create_task(client.asks(service, "/reseau", {}, 0))
        await _until(lambda: hook.seen)
        client.gone.set()
        await asked
        assert (hook.seen, client.told) == (["began", "given up"], [])

    service.run(check())
