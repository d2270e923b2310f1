"""What a visitor may ask of a page: its address, its body, its SQL, and how many pages at once."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote_plus

import pytest
from datasette import Request, Response, hookimpl
from datasette.database import QueryInterrupted
from datasette.plugins import pm

from datasette_mouvements.access import places
from datasette_mouvements.pages import tabular
from datasette_mouvements.refusal import KINDS, Refusal
from datasette_mouvements.serving import database, limits
from tests.contract import environment
from tests.contract.service import InProcess

from .addresses import TABLE

BROWSER = {"Accept": "text/html"}
Start = Callable[..., InProcess]
COLUMNS = ("elu_nom", "collab_nom", "date_event", "elu_id", "collab_prenom")


def facets(count: int) -> str:
    return "&".join(f"_facet={column}" for column in COLUMNS[:count])


WITHIN = (
    f"{TABLE}?{facets(limits.FACETS)}",
    f"{TABLE}?_facet=chambre&_facet=type&{facets(limits.FACETS)}",  # those it shows by itself
    f"{TABLE}?_facet_size={limits.FACET_SIZE}&_size={limits.PAGE_ROWS}",
    f"{TABLE}?elu_nom={'a' * (limits.ADDRESS_BYTES - len(TABLE) - 9)}",
)
BEYOND = (
    f"{TABLE}?{facets(limits.FACETS + 1)}",
    f"{TABLE}?_facet_date=date_event&{facets(limits.FACETS)}",
    f"{TABLE}?_facet_size={limits.FACET_SIZE + 1}",
    f"{TABLE}?_facet_size=max",
    f"{TABLE}?%5Fsize=max",
    f"{TABLE}?_size={limits.PAGE_ROWS + 1}",
    f"{TABLE}?_size=10&_size=1000",
    f"{TABLE}?_size=1_000",
    f"{TABLE}?_size=%2B1000",
    f"{TABLE}?_size=%201000",
    f"{TABLE}?{'&'.join(['_facet=elu_nom'] * (limits.FACETS + 1))}",
    f"{TABLE}?{'&'.join(['_facet=chambre'] * (limits.FACETS + 2))}",
    f"{TABLE}?elu_nom={'a' * (limits.ADDRESS_BYTES - len(TABLE) - 8)}",
)


@pytest.mark.parametrize("address", WITHIN)
def test_a_visitor_explores_within_the_bounds(in_process: Start, address: str) -> None:
    assert in_process().ask(address, BROWSER).status == 200


@pytest.mark.parametrize("address", BEYOND)
def test_beyond_the_bounds_a_visitor_is_told_which(in_process: Start, address: str) -> None:
    service = in_process()
    page, program = service.ask(address, BROWSER), service.ask(address)
    assert (page.status, program.status) == (400, 400)
    assert page.header("Content-Type") == "text/html; charset=utf-8"
    assert program.json()["type"].endswith(KINDS["bounds"].anchor)
    assert "Sans compte" in page.body.decode()
    assert "/-/cle" in page.body.decode()


@pytest.mark.parametrize("address", BEYOND)
def test_an_account_and_a_key_go_further(in_process: Start, address: str) -> None:
    service = in_process()
    cookie = service.datasette.client.actor_cookie({"id": "lectrice"})
    assert service.ask(address, {**BROWSER, "Cookie": f"ds_actor={cookie}"}).status == 200
    key = environment.issue("lectrice", service.internal, "--quota", 1)
    answer = service.ask(address, {**BROWSER, "X-API-Key": key})
    assert (answer.status, answer.remaining) == (200, 0)
    assert service.ask(address, {**BROWSER, "X-API-Key": key}).status == 429


SLOW = """with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) from c"""


@pytest.mark.parametrize("signed_in", [False, True])
def test_the_sql_of_a_visitor_ends_sooner(in_process: Start, signed_in: bool) -> None:
    service = in_process()
    taken = service.run(_timed(service, signed_in))
    most = limits.SQL_MILLISECONDS / 1000
    assert taken > most * 2 if signed_in else most * 0.9 < taken < most * 2


async def _timed(service: InProcess, signed_in: bool) -> float:
    database.VISITING.set(not signed_in)
    began = time.monotonic()
    with pytest.raises(QueryInterrupted):
        await service.datasette.databases["movements"].execute(SLOW)
    return time.monotonic() - began


@pytest.mark.parametrize(
    "sql",
    [
        "select replace(hex(zeroblob(100000)), '00', hex(zeroblob(4000)))",
        "select hex(zeroblob(600000))",
        "select json_group_array(hex(zeroblob(400000))) from mouvements a, mouvements b",
        "select hex(zeroblob(499000)) from mouvements a, mouvements b, mouvements c",
        "select hex(zeroblob(499000)) from mouvements limit 100",
    ],
)
def test_a_query_cannot_take_the_memory_of_the_process(in_process: Start, sql: str) -> None:
    service = in_process()
    key = environment.issue("lectrice", service.internal)
    before = _resident()
    answer = service.ask(f"/movements/-/query.json?sql={sql.replace(' ', '+')}", {"X-API-Key": key})
    assert answer.status == 400
    assert _resident() - before < 600_000_000
    assert service.ask("/v1/mouvements", {"X-API-Key": key}).status == 200


def _resident() -> int:
    return database._resident_bytes()


@pytest.mark.parametrize("path", ["/", "/-/cle", TABLE, "/-/logout", "/nulle-part"])
def test_a_body_larger_than_any_form_is_not_read(in_process: Start, path: str) -> None:
    service = in_process()
    for headers in ({"Content-Length": str(10**9)}, {}):
        body = b"a" * (limits.BODY_BYTES + 1)
        answer = service.run(service.answer(path, headers, "POST", body))
        assert answer.status == 413
        assert answer.header("Connection") == "close"


def test_a_body_that_does_not_come_is_not_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.05)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.03)
        return {"type": "http.request", "body": b"a", "more_body": True}

    async def check() -> None:
        with pytest.raises(Refusal) as refused:
            await limits.Body([], receive).read()
        assert refused.value.status == 408

    asyncio.run(check())


def test_a_body_that_was_read_is_read_again_as_it_came() -> None:
    pieces = [{"type": "http.request", "body": b"a", "more_body": True}]
    pieces += [{"type": "http.request", "body": b"b", "more_body": False}]
    pieces += [{"type": "http.disconnect"}]
    sent = iter(pieces)

    async def receive() -> dict[str, Any]:
        return next(sent)

    async def check() -> None:
        body = limits.Body([(b"content-length", b"2")], receive)
        await body.read()
        assert body.complete
        assert [await body.receive() for _ in pieces] == pieces

    asyncio.run(check())


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

        await limits.until_gone(receive, work(), limits.Answered(_nowhere))
        assert ended == ["work"]

    asyncio.run(check())


async def _nowhere(message: dict[str, Any]) -> None:
    """An answer that nobody gets."""


def test_what_is_done_after_the_answer_is_done_to_its_end() -> None:
    async def check() -> None:
        ended: list[str] = []
        answered = limits.Answered(_nowhere)

        async def receive() -> dict[str, Any]:  # as a server says once the answer is out
            while not answered.whole:
                await asyncio.sleep(0)
            return {"type": "http.disconnect"}

        async def work() -> None:
            await answered.send({"type": "http.response.body", "body": b""})
            await asyncio.sleep(0.01)
            ended.append("log")

        await limits.until_gone(receive, work(), answered)
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
            await limits.until_gone(receive, work(), limits.Answered(_nowhere))

    asyncio.run(check())


def test_places_are_given_in_turn_and_refused_when_too_many_wait() -> None:
    async def check() -> None:
        queue = places.Queue(at_once=1, waiting=2, seconds=5)
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


def test_nobody_waits_longer_than_said() -> None:
    async def check() -> None:
        queue = places.Queue(at_once=1, seconds=0.02)
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
        fair = places.FairQueue(at_once=2)
        order: list[str] = []

        async def ask(who: str) -> None:
            async with fair.place(who):
                order.append(who)
                await asyncio.sleep(0.01)

        await asyncio.gather(*(ask(who) for who in ("a", "a", "a", "b")))
        assert order == ["a", "b", "a", "a"]
        assert not fair._own

    asyncio.run(check())


class Slow:
    """A plugin with a page that waits, and one that takes whatever it is sent."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.seen: list[str] = []

    @hookimpl
    def register_routes(self) -> list[tuple[str, Any]]:
        async def waits(request: Request) -> Response:
            self.seen.append("began")
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.seen.append("given up")
                raise
            return Response.text("done")

        async def takes(request: Request) -> Response:
            return Response.text(str(len(await request.post_body())))

        return [("^/lent$", waits), ("^/prend$", takes)]


@pytest.fixture
def slow() -> Iterator[Slow]:
    plugin = Slow()
    pm.register(plugin)
    yield plugin
    pm.unregister(plugin)


def signed_in(service: InProcess, **actor: str) -> dict[str, str]:
    cookie = service.datasette.client.actor_cookie({"id": "lectrice", **actor})
    return {"Cookie": f"ds_actor={cookie}"}


def test_a_visitor_waits_for_the_place_and_is_told_when_there_is_none(
    slow: Slow, in_process: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places.Queue.__init__, "__defaults__", (1, 64, 0.05))
    service = in_process()

    async def check() -> None:
        first = asyncio.create_task(service.answer("/lent", {}))
        while not slow.seen:
            await asyncio.sleep(0.001)
        busy = await service.answer("/robots.txt", {})
        assert (busy.status, busy.header("Retry-After")) == (503, "5")
        assert busy.json()["type"].endswith("site-occupe")
        # Who is signed in waits for no visitor.
        assert (await service.answer("/robots.txt", signed_in(service))).status == 200
        slow.go_on.set()
        assert (await first).body == b"done"
        assert (await service.answer("/robots.txt", {})).status == 200

    service.run(check())


@pytest.mark.parametrize("account", [False, True])
def test_a_page_that_nobody_waits_for_is_given_up(
    slow: Slow, in_process: Start, account: bool
) -> None:
    service = in_process()
    headers = signed_in(service) if account else {}

    async def check() -> None:
        messages = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            while not slow.seen:
                await asyncio.sleep(0.001)
            return {"type": "http.disconnect"}

        await service._app(_scope("/lent", headers), receive, _nowhere)
        assert slow.seen == ["began", "given up"]

    service.run(check())


@pytest.mark.parametrize("actor", [{}, {"token": "other"}])
def test_what_other_plugins_take_from_those_they_know_is_theirs(
    slow: Slow, in_process: Start, actor: dict[str, str]
) -> None:
    service = in_process()
    body = b"a" * (limits.BODY_BYTES + 1)
    headers = signed_in(service, **actor)
    answer = service.run(service.answer("/prend", headers, "POST", body))
    assert (answer.status, answer.body) == (200, str(len(body)).encode())
    assert service.run(service.answer("/prend", {}, "POST", body)).status == 413


def test_a_page_whose_sql_takes_too_long_says_what_is_admitted(
    in_process: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = database.BoundedDatabase.execute

    async def hurried(self: Any, sql: str, *args: Any, **named: Any) -> Any:
        slow = sql.startswith("select id") or "from mouvements where" in sql
        monkeypatch.setattr(database, "SQL_MILLISECONDS", 0.001 if slow else 250)
        return await execute(self, sql, *args, **named)

    monkeypatch.setattr(database.BoundedDatabase, "execute", hurried)
    service = in_process()
    for address in (TABLE, "/flux"):
        answer = service.ask(address, BROWSER)
        assert answer.status == 400, address
        assert "Sans compte" in answer.body.decode()
        assert service.ask(address, {**BROWSER, **signed_in(service)}).status == 200


def test_sql_that_takes_too_long_is_paid_for(in_process: Start) -> None:
    service = in_process()
    key = environment.issue("lectrice", service.internal, "--quota", 2)
    endless = quote_plus(f"({SLOW}) > 0")
    answer = service.ask(f"{TABLE}?_where={endless}", {"X-API-Key": key})
    assert (answer.status, answer.remaining) == (400, 1)
    assert "resserrez-la" in answer.body.decode()


def test_a_download_that_is_given_up_in_the_middle_of_a_query_harms_nobody(
    in_process: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = threading.Event()

    def endless(db: Any, *asked: Any) -> Iterator[bytes]:
        began.set()
        yield db.execute(SLOW).fetchone()

    monkeypatch.setattr(tabular, "write", endless)
    service = in_process()
    key = environment.issue("lectrice", service.internal)

    async def check() -> None:
        messages = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await asyncio.to_thread(began.wait)
            await asyncio.sleep(0.05)
            return {"type": "http.disconnect"}

        scope = _scope("/fichiers/recherche", {"X-API-Key": key})
        async with asyncio.timeout(10):
            await service._app(scope, receive, _nowhere)
        await asyncio.sleep(0.2)  # the thread's query is ended, then its connection is closed
        assert (await service.answer("/v1/mouvements", {"X-API-Key": key})).status == 200

    service.run(check())


def test_a_place_is_given_back_before_the_answer_is_sent(in_process: Start) -> None:
    """A client may read as slowly as it likes."""
    service = in_process()

    async def check() -> None:
        reading, begun = asyncio.Event(), asyncio.Event()

        async def unread(message: dict[str, Any]) -> None:
            begun.set()
            await reading.wait()

        sent = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if sent:
                return sent.pop()
            await asyncio.Event().wait()
            raise AssertionError

        first = asyncio.create_task(service._app(_scope(TABLE, {}), receive, unread))
        await asyncio.wait_for(begun.wait(), 10)
        assert (await service.answer("/robots.txt", {})).status == 200
        reading.set()
        await first

    service.run(check())


def _scope(path: str, headers: dict[str, str]) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }


def test_the_document_has_the_bounds_as_they_are() -> None:
    text = (environment.ROOT / "docs" / "addresses.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]*\|$", text, re.M))
    assert told["facets beside the configured ones, on a page of the movements"] == str(
        limits.FACETS
    )
    assert told["`_facet_size`, `_size`"] == f"{limits.FACET_SIZE}, {limits.PAGE_ROWS}"
    assert told["the address of such a page"] == f"{limits.ADDRESS_BYTES:,} bytes"
    assert told["SQL of a page, each statement"] == f"{limits.SQL_MILLISECONDS} ms"
    body = f"{limits.BODY_BYTES // 1024} KiB in {limits.BODY_SECONDS:.0f} s"
    assert told["a request's body, everywhere"] == body
    queue = (
        f"{places.AT_ONCE} a process; {places.WAITING} wait, {places.WAIT_SECONDS:.0f} s at most"
    )
    assert told["pages at once, for all visitors together"] == queue
    assert f"at most {database.LENGTH_BYTES // 10**6} MB" in text
    assert f"{database.RESULT_BYTES // 10**6} MB" in text


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


async def _driven(work: Any) -> None:
    await limits.giving_way(work)


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
