"""What becomes of a request for a page: its turn, who waits for it, what it costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus

import pytest
from datasette import hookimpl
from datasette.facets import Facet
from datasette.filters import FilterArguments

from datasette_mouvements.serving import request_body
from datasette_mouvements.serving.page_queues import VisitLimits
from tests.contract import environment
from tests.contract.service import InProcess

from .addresses import TABLE
from .conftest import limited, registered, signed_in
from .elsewhere import Elsewhere, nowhere, scope
from .test_limits import SLOW

BROWSER = {"Accept": "text/html"}
Start = Callable[..., InProcess]
COUNTS = """with recursive c(n) as (select 1 union all select n + 1 from c where n < 400000)
    select max(n) from c"""


@pytest.mark.parametrize("account", [False, True])
def test_a_page_that_nobody_waits_for_is_given_up(
    elsewhere: Elsewhere, in_process: Start, account: bool
) -> None:
    service = in_process()
    headers = signed_in(service) if account else {}

    async def check() -> None:
        messages = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            while not elsewhere.seen:
                await asyncio.sleep(0.001)
            return {"type": "http.disconnect"}

        await service._app(scope("/lent", headers), receive, nowhere)
        assert elsewhere.seen == ["began", "given up"]

    service.run(check())


@pytest.mark.parametrize("actor", [{}, {"token": "other"}])
def test_what_other_plugins_take_from_those_they_know_is_theirs(
    elsewhere: Elsewhere, in_process: Start, actor: dict[str, str]
) -> None:
    service = in_process()
    body = b"a" * (request_body.BODY_BYTES + 1)
    headers = signed_in(service, **actor)
    answer = service.run(service.answer("/prend", headers, "POST", body))
    assert (answer.status, answer.body) == (200, str(len(body)).encode())
    assert service.run(service.answer("/prend", {}, "POST", body)).status == 413
    # What sends nothing has no body that would be theirs.
    assert service.run(service.answer("/prend", headers, "HEAD", body)).status == 413


def test_a_page_that_names_people_is_not_kept_for_long(in_process: Start) -> None:
    service = in_process()
    kept = {"60": "max-age=60", "300": "max-age=300", "301": "private, no-cache"}
    for seconds, told in kept.items():
        answer = service.ask(f"{TABLE}?_ttl={seconds}")
        assert (answer.status, answer.header("Cache-Control")) == (200, told)


class SlowFilter:
    """A plugin by which the rows of a table take a tenth of a second or so to find."""

    @hookimpl
    def filters_from_request(self) -> FilterArguments:
        return FilterArguments([f"({COUNTS}) > 0"])


def test_a_page_whose_sql_takes_too_long_says_what_is_admitted(in_process: Start) -> None:
    service = limited(in_process(), VisitLimits(page_milliseconds=0))
    with registered(SlowFilter()):
        answer = service.ask(TABLE, BROWSER)
        assert answer.status == 400
        assert "Sans compte" in answer.body.decode()
        assert service.ask(TABLE, {**BROWSER, **signed_in(service)}).status == 200


class SlowFacet(Facet):  # type: ignore[misc]
    """A facet whose suggestion takes longer than a page of which nothing is left."""

    async def suggest(self) -> list[Any]:
        await self.ds.execute(self.database, COUNTS)
        return []

    async def facet_results(self) -> tuple[list[Any], list[Any]]:
        return [], []


class Suggesting:
    """A plugin that suggests facets slowly; core suggests its own before."""

    @hookimpl(trylast=True)
    def register_facet_classes(self) -> list[type[Facet]]:
        return [SlowFacet]


def test_suggestions_that_take_too_long_say_what_is_admitted(in_process: Start) -> None:
    """Core expects no interruption there."""
    service = limited(in_process(), VisitLimits(page_milliseconds=0))
    with registered(Suggesting()):
        answer = service.ask(TABLE, BROWSER)
        assert answer.status == 400
        assert "Sans compte" in answer.body.decode()


def test_sql_that_takes_too_long_is_paid_for(in_process: Start) -> None:
    service = in_process()
    key = environment.issue("lectrice", service.internal, "--quota", 2)
    endless = quote_plus(f"({SLOW}) > 0")
    answer = service.ask(f"{TABLE}?_where={endless}", {"X-API-Key": key})
    assert (answer.status, answer.remaining) == (400, 1)
    assert "resserrez-la" in answer.body.decode()


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

        first = asyncio.create_task(service._app(scope(TABLE, {}), receive, unread))
        await asyncio.wait_for(begun.wait(), 10)
        assert (await service.answer("/robots.txt", {})).status == 200
        reading.set()
        await first

    service.run(check())
