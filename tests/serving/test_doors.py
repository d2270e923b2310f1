"""What stands in front of Datasette: which requests are HTTP at all, and who takes turns."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from datasette import Response, hookimpl

from datasette_mouvements.refusal import Refusal
from datasette_mouvements.serving import doors
from datasette_mouvements.serving.permissions import SHOWING
from datasette_mouvements.turns import Turns, client_of
from tests.contract import environment
from tests.contract.service import InProcess, Start

from .addresses import TABLE
from .conftest import registered, signed_in

HOST = (b"host", b"exemple.fr:8001")


def scope(path: str, *headers: tuple[bytes, bytes], version: str = "1.1") -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": version,
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": list(headers),
        "client": ("192.0.2.1", 50000),
        "server": ("localhost", 80),
    }


def sent(service: InProcess, asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of the answer."""
    messages: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    service.run(service._app(asked, receive, send))
    return messages


@pytest.mark.parametrize(
    ("headers", "version", "told"),
    [
        ([HOST], "1.1", 200),
        ([], "1.1", 400),
        ([], "1.0", 200),
        ([HOST, HOST], "1.1", 400),
        ([(b"host", b"a b")], "1.1", 400),
        ([(b"host", b"a/b")], "1.1", 400),
        ([(b"host", b"a" * 256)], "1.1", 400),
        ([(b"host", b"[2001:db8::1]:80")], "1.1", 200),
        ([(b"host", b"")], "1.1", 200),
    ],
)
def test_a_request_names_one_host(
    here: InProcess, headers: list[tuple[bytes, bytes]], version: str, told: int
) -> None:
    """RFC 9112, section 3.2."""
    for path in ("/v1/openapi.json", "/robots.txt", "/-/mouvements/etat"):
        assert sent(here, scope(path, *headers, version=version))[0]["status"] == told


def test_an_answer_that_is_kept_is_for_the_same_request_alone(
    here: InProcess, account: str
) -> None:
    key = (b"x-api-key", environment.issue(account, here.internal, "--quota", 4).encode())
    other, none = (b"host", b"autre.exemple.fr"), (b"if-none-match", b"")

    def status(*headers: tuple[bytes, bytes], **asked: str) -> int:
        start, body = sent(here, scope("/mouvements", *headers) | asked)
        got = dict(start["headers"])
        if start["status"] == 200:
            assert got[b"link"].count(b"http://" + dict(headers)[b"host"]) == 6
            assert len(body["body"]) == int(got[b"content-length"])
            assert (b"content-encoding" in got) == ((b"accept-encoding", b"gzip") in headers)
        assert (b"canonical" in got[b"link"]) == (start["status"] != 400)
        return int(start["status"])

    assert [status(HOST, key), status(HOST, key), status(other, key)] == [200] * 3
    assert [status(key), status(HOST, HOST, key), status(HOST, key, none, none)] == [400, 400, 200]
    assert [status(HOST), status(HOST, key, key), status(HOST, (b"x-api-key", b"x"))] == [401] * 3
    assert status(HOST, key, method="POST") == 405
    assert status(HOST, key) == 429
    assert status(HOST, key, (b"accept-encoding", b"gzip")) == 429


def test_a_page_that_names_people_is_not_kept_for_long(here: InProcess) -> None:
    kept = {"60": "max-age=60", "300": "max-age=300", "301": "private, no-cache"}
    for seconds, told in kept.items():
        answer = here.ask(f"{TABLE}?_ttl={seconds}")
        assert (answer.status, answer.header("Cache-Control")) == (200, told)


def test_an_export_is_charged_when_datasette_answers(in_process: Start) -> None:
    service = in_process()
    key = {"X-API-Key": environment.issue("lectrice", service.internal, "--quota", 1)}
    assert service.ask(f"{TABLE}.json?_size=x", key).status == 400
    answer = service.ask(f"{TABLE}.json?_size=1", key)
    assert (answer.status, answer.header("Retry-After") is not None) == (429, True)


def test_many_exports_at_once_pass_no_quota(in_process: Start) -> None:
    service = in_process()
    key = {"X-API-Key": environment.issue("lectrice", service.internal, "--quota", 3)}
    answers = service.volley(f"{TABLE}.json?_size=1", key, 8)
    statuses = sorted(answer.status for answer in answers)
    assert statuses == [200] * 3 + [429] * 5
    assert not any(b"mvt_" in answer.body for answer in answers if answer.status == 429)


def test_one_address_has_a_few_pages_at_once_and_then_503(in_process: Start) -> None:
    service = in_process()

    async def crowd() -> list[int]:
        asked = [service.answer("/movements/mouvements", {}, client="192.0.2.7") for _ in range(12)]
        other = service.answer("/robots.txt", {}, client="192.0.2.8")
        answers = await asyncio.gather(*asked, other)
        assert answers[-1].status == 200
        return sorted(answer.status for answer in answers[:-1])

    assert service.run(crowd()) == [200] * 8 + [503] * 4


def test_what_is_kept_accounts_and_the_open_file_wait_for_no_page_that_must_be_made(
    in_process: Start,
) -> None:
    service = in_process({"open_whole_file": True})
    assert service.ask("/elus").status == 200

    async def check() -> None:
        app = service._app.app.asgi.app
        assert isinstance(app, doors.Doors)
        async with app.pages.request("one") as first, app.pages.request("other") as second:
            await first.take()
            await second.take()
            assert (await service.answer("/elus", {})).status == 200
            assert (await service.answer("/fichiers/tout", {})).status == 200
            account = signed_in(service)
            assert (await service.answer("/movements/mouvements", account)).status == 200
            making = asyncio.ensure_future(service.answer("/sources", {}))
            await asyncio.sleep(0.05)
            assert not making.done()
            await first.release()
            assert (await making).status == 200

    service.run(check())


async def test_of_a_body_it_is_waited_for_what_core_reads_and_for_nobody_who_goes() -> None:
    for most, read in ((0, 4), (3, 2), (100, 4)):
        parts = [
            {"type": "http.request", "body": b"xx", "more_body": more} for more in (1, 1, 1, 0)
        ]

        async def receive(parts: list[dict[str, Any]] = parts) -> dict[str, Any]:
            return parts.pop(0)

        await doors._with_body(receive, most, 1)
        assert len(parts) == 4 - read

    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    with pytest.raises(Refusal):
        await doors._with_body(gone, 100, 1)


async def test_one_client_has_half_of_the_turns() -> None:
    turns = Turns(4, seconds=0.05)
    async with AsyncExitStack() as asking:
        *first, third, other = [
            await asking.enter_async_context(turns.request(client)) for client in "aaab"
        ]
        for one in first:
            await one.take()
        with pytest.raises(Refusal):
            await third.take()
        await other.take()


async def test_turns_come_in_order_and_not_for_ever() -> None:
    turns = Turns(1, of_one=2, waiting=2, seconds=0.05)
    async with turns.request("a") as first:
        await first.take()
        async with turns.request("a") as second:
            with pytest.raises(Refusal):
                await second.take()
            async with turns.request("b") as third:
                await first.release()
                await third.take()
    async with turns.request("a") as again:
        await again.take()


@pytest.mark.parametrize("address", ["10.0.0.3", "fd00::3"])
def test_a_proxy_that_does_not_name_its_clients_is_no_address(address: str) -> None:
    forwarded = [(b"x-forwarded-for", b"198.51.100.1")]
    asked = [{"client": (address, 1), "headers": forwarded} for _ in range(2)]
    assert client_of(asked[0]) != client_of(asked[1])
    local = {"client": ("127.0.0.1", 1), "headers": forwarded}
    assert client_of(local) == client_of({**local})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
    ],
)
def test_one_subscriber_of_ipv6_has_one_network(one: str, other: str, same: bool) -> None:
    clients = [client_of({"client": (address, 1), "headers": []}) for address in (one, other)]
    assert (clients[0] == clients[1]) is same


def test_who_sends_a_body_slowly_holds_no_turn(in_process: Start) -> None:
    here = in_process()
    here._app.app.asgi.app.body_seconds = 0.05
    sent: list[dict[str, Any]] = []

    async def never() -> dict[str, Any]:
        await asyncio.sleep(3600)
        return {}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    here.run(here._app(scope("/-/login", HOST) | {"method": "POST"}, never, send))
    assert sent[0]["status"] == 408


def test_core_reads_the_body_that_was_waited_for(here: InProcess) -> None:
    parts = [
        {"type": "http.request", "body": b"message=bon", "more_body": True},
        {"type": "http.request", "body": b"jour&message_type=INFO", "more_body": False},
    ]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return parts.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    form = (b"content-type", b"application/x-www-form-urlencoded")
    cookie = (b"cookie", signed_in(here)["Cookie"].encode())
    asked = scope("/-/messages", HOST, cookie, form) | {"method": "POST"}
    here.run(here._app(asked, receive, send))
    assert sent[0]["status"] == 302
    assert any(name == b"set-cookie" for name, _ in sent[0]["headers"])


@pytest.mark.parametrize("address", ["/recherche?q=a{}b", f"{TABLE}?elu_nom=a{{}}b", "/elus/a{}b"])
def test_characters_of_control_and_numbers_too_large_come_into_no_page(
    here: InProcess, address: str
) -> None:
    for sign in ("%00", "%01", "%7F", "%C2%85", "%EF%BF%BE"):
        assert here.ask(address.format(sign)).status == 400, sign
    page = here.ask(address.format("%00"), {"Accept": "text/html"})
    assert (page.status, b"<h1>Param" in page.body) == (400, True)
    for query in ("rowid__gt=9223372036854775808", "elu_nom__gt=1&rowid__lt=-1e40"):
        assert here.ask(f"{TABLE}?{query}").status in (200, 400), query


def test_what_a_key_paid_for_is_not_kept_for_visitors(here: InProcess, account: str) -> None:
    key = {"X-API-Key": environment.issue(account, here.internal)}
    assert here.ask(f"{TABLE}?_where=rowid<9", key).status == 200
    for address in (TABLE, TABLE.replace("/mouvements", "%2Fmouvements")):
        answer = here.ask(f"{address}?_where=rowid<9")
        assert (answer.status, b"_where" in answer.body) != (200, True)


def test_a_page_that_asks_for_another_one_keeps_its_own_permissions(in_process: Start) -> None:
    class Nested:
        @hookimpl
        def register_routes(self) -> list[Any]:
            async def nested(datasette: Any) -> Response:
                await datasette.client.get("/movements/mouvements")
                return Response.json(SHOWING.get())

            return [(r"^/nested$", nested)]

    with registered(Nested()):
        service = in_process()
        assert service.ask("/nested").json() is False
