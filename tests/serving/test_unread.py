"""An answer that did not wait for the request's body ends the connection."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.contract.service import InProcess, Service

from .addresses import TABLE
from .elsewhere import scope

ANSWERED = [
    ("POST", "/v1/mouvements", 405),
    ("GET", "/v1/mouvements", 401),
    ("OPTIONS", "/v1/mouvements", 204),
    ("POST", "/v1/nulle-part", 404),
    ("POST", "/-/mouvements/etat", 200),
    ("OPTIONS", f"{TABLE}.json", 204),
]
BODIES = ({"Content-Length": "5"}, {"Transfer-Encoding": "chunked"})


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("method", "address", "status"), ANSWERED)
def test_a_body_that_nobody_reads_ends_the_connection(
    service: Service, method: str, address: str, status: int, body: dict[str, str]
) -> None:
    answer = service.ask(address, body, method)
    assert (answer.status, answer.header("Connection")) == (status, "close")


@pytest.mark.parametrize(("method", "address", "status"), ANSWERED)
def test_a_request_without_a_body_leaves_the_connection(
    service: Service, method: str, address: str, status: int
) -> None:
    answer = service.ask(address, {"Content-Length": "0"}, method)
    assert (answer.status, answer.header("Connection")) == (status, None)


def test_a_body_that_was_read_leaves_the_connection(in_process: Callable[..., InProcess]) -> None:
    service = in_process()
    answer = service.run(service.answer("/-/plugins", {"Content-Length": "3"}, "POST", b"a=b"))
    assert (answer.status, answer.header("Connection")) == (405, None)


def test_an_address_that_is_not_ascii_ends_it_too(in_process: Callable[..., InProcess]) -> None:
    service = in_process()
    told: list[dict[str, Any]] = []

    async def check() -> None:
        async def receive() -> dict[str, Any]:
            return await asyncio.Future()

        async def send(message: dict[str, Any]) -> None:
            told.append(message)

        asked = scope("/é", {"Content-Length": "5"}, "POST")
        await service._app(asked, receive, send)

    service.run(check())
    assert told[0]["status"] == 404
    assert (b"connection", b"close") in told[0]["headers"]
