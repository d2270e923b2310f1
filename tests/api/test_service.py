"""What a service counts and lets go of, in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from datasette.app import Datasette

from datasette_mouvements.access import keys
from datasette_mouvements.access.stores.store import StoreUnavailable
from datasette_mouvements.api import replies
from datasette_mouvements.api.parameters import parameter_faults, search_parameters
from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.api.service import Service
from datasette_mouvements.dataset.input_files import read
from datasette_mouvements.refusal import Refusal
from datasette_mouvements.serving.startup import stop
from tests.contract import environment
from tests.published import write

PATH = "/v1/mouvements"


@pytest_asyncio.fixture
async def datasette(tmp_path: Path) -> AsyncIterator[Datasette]:
    database = tmp_path / "movements.db"
    write(database, [(str(environment.SAMPLE), read(environment.SAMPLE))])
    made = Datasette([str(database)], internal=str(tmp_path / "internal.sqlite3"))
    await made.invoke_startup()
    yield made
    await stop(made)


def service_of(datasette: Datasette) -> Service:
    routes = routes_of(datasette)
    assert routes is not None
    return routes.service


@pytest.mark.asyncio
async def test_a_key_that_is_unknown_and_a_store_that_does_not_answer_are_told_apart(
    datasette: Datasette,
) -> None:
    service = service_of(datasette)
    headers = {"X-API-Key": keys.issue(), "Host": "here.example"}
    unknown = await datasette.client.get(PATH, headers=headers)
    assert unknown.status_code == 401
    assert "http://here.example/v1/mouvements?limit=1" in unknown.json()["detail"]
    service.charge_queue.close()
    assert (await datasette.client.get(PATH, headers=headers)).status_code == 503


@pytest.mark.asyncio
async def test_what_is_no_http_gets_a_whole_response(datasette: Datasette) -> None:
    routes = routes_of(datasette)
    assert routes is not None
    head, _, body = routes.malformed().partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"HTTP/1.1 400 Bad Request"
    headers = dict(line.split(b": ", 1) for line in lines[1:])
    assert int(headers[b"content-length"]) == len(body)
    assert headers[b"connection"] == b"close"


def test_no_cache_keeps_a_redirection_or_the_state() -> None:
    for reply in (replies.redirect("/ailleurs"), replies.health(b"{}", False)):
        assert (b"cache-control", b"no-store") in reply.headers
    assert replies.health(b"{}", False).status == 503
    assert replies.health(b"{}", True).body == b"{}"


@pytest.mark.asyncio
async def test_a_visitor_is_told_on_a_page_what_is_bounded(datasette: Datasette) -> None:
    scope = {"method": "GET", "headers": [(b"accept", b"text/html")]}
    reply = replies.for_visitor(service_of(datasette), scope, Refusal("bounds", "Trop <de> tout"))
    assert [value for name, value in reply.headers if name == b"content-type"] == [
        b"text/html; charset=utf-8"
    ]
    [length] = [value for name, value in reply.headers if name == b"content-length"]
    assert int(length) == len(reply.body)
    assert b"Trop &lt;de&gt; tout" in reply.body


def test_what_cannot_be_shown_is_one_sign_a_character() -> None:
    assert parameter_faults.shown("a\x07b\u202e") == "a\ufffdb\ufffd"


def test_a_member_is_named_in_80_characters() -> None:
    assert search_parameters.parse(b"elu=" + b"a" * 80).elu == "a" * 80
    with pytest.raises(Refusal):
        search_parameters.parse(b"elu=" + b"a" * 81)


@pytest.mark.asyncio
async def test_a_service_that_ended_charges_nobody_and_serves_nothing(datasette: Datasette) -> None:
    service = service_of(datasette)
    await stop(datasette)
    with pytest.raises(StoreUnavailable):
        await service.charge_queue.charge(b"")
    assert service.live.snapshot is None
