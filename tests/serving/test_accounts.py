"""What signed-in accounts and key holders may open, and what it costs them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.serving import startup
from tests.contract import environment
from tests.contract.service import InProcess

from .addresses import SQL, TABLE
from .conftest import signed_in

BROWSER = {"Accept": "text/html"}
Start = Callable[..., InProcess]


def test_an_account_exports_at_the_price_of_its_key(here: InProcess, account: str) -> None:
    key = environment.issue(account, here.internal, "--quota", 2)
    cookie = signed_in(here, id=account)
    answer = here.ask(f"{TABLE}.csv", {**cookie, **BROWSER})
    assert (answer.status, answer.remaining) == (200, 1)
    assert answer.header("Content-Type") == "text/csv; charset=utf-8"
    assert here.ask(f"{TABLE}.json", {"X-API-Key": key}).remaining == 0
    answer = here.ask(f"{TABLE}.json", cookie)
    assert (answer.status, answer.json()["type"]) == (
        429,
        "http://localhost/documentation#quota-atteint",
    )
    assert answer.header("Retry-After")


def test_an_account_without_a_key_is_shown_how_to_get_one(here: InProcess, account: str) -> None:
    cookie = signed_in(here, id=account)
    answer = here.ask(f"{TABLE}.csv", {**cookie, **BROWSER})
    assert (answer.status, answer.header("Location")) == (303, "/-/cle")
    assert here.ask(f"{TABLE}.csv", cookie).status == 401


def test_an_account_whose_key_was_revoked_exports_nothing(here: InProcess, account: str) -> None:
    environment.issue(account, here.internal)
    environment.done("keys", "revoke", account, "--internal", here.internal)
    assert here.ask(f"{TABLE}.json", signed_in(here, id=account)).status == 401


def test_an_account_writes_sql_at_the_price_of_its_key(here: InProcess, account: str) -> None:
    environment.issue(account, here.internal, "--quota", 2)
    cookie = {**signed_in(here, id=account), **BROWSER}
    for remaining, address in ((1, f"/movements/-/query?{SQL}"), (0, f"{TABLE}?_where=1")):
        answer = here.ask(address, cookie)
        assert (answer.status, answer.remaining) == (200, remaining)
    assert here.ask(f"/movements/-/query?{SQL}", cookie).status == 429
    for free in ("/movements/-/query", f"{TABLE}/-/autocomplete?q=a", "/-/patterns"):
        assert here.ask(free, cookie).status == 200


def test_another_site_spends_nothing_of_an_account(here: InProcess, account: str) -> None:
    key = environment.issue(account, here.internal)
    cookie = signed_in(here, id=account)
    for site in ("cross-site", "same-site"):
        answer = here.ask(f"{TABLE}.csv", {**cookie, **BROWSER, "Sec-Fetch-Site": site})
        assert (answer.status, answer.header("Location")) == (303, "/-/cle")
    assert here.ask("/v1/quota", {"X-API-Key": key}).json()["utilise"] == 0


def test_a_key_holder_writes_sql_for_one(here: InProcess, account: str) -> None:
    key = environment.issue(account, here.internal, "--quota", 2)
    for remaining, address in ((1, "/movements/-/query"), (0, "/movements/-/query.json")):
        answer = here.ask(f"{address}?{SQL}", {"X-API-Key": key})
        assert (answer.status, answer.remaining) == (200, remaining)
    assert here.ask(f"/movements/-/query?{SQL}", {"X-API-Key": key}).status == 429


def test_a_forged_sign_in_opens_nothing(here: InProcess) -> None:
    for cookie in ("ds_actor=eyJhIjp7ImlkIjoicm9vdCJ9fQ.x", "ds_actor=", "ds_actor=%00", "x"):
        assert here.ask(f"/movements/-/query?{SQL}", {"Cookie": cookie}).status == 401


def test_signing_in_changes_nothing_for_the_interface(here: InProcess, account: str) -> None:
    environment.issue(account, here.internal)
    for name in (account, "root"):
        assert here.ask("/v1/mouvements", signed_in(here, id=name)).status == 401


@pytest.mark.parametrize("address", ["/prefixe/movements.json", "/movements.json"])
def test_a_prefix_is_no_way_around(in_process: Start, address: str) -> None:
    service = in_process(base_url="/prefixe/")
    assert service.ask(address).status == 401
    assert service.ask(address, BROWSER).header("Location") == "/prefixe/-/cle"
    assert service.ask(address.replace(".json", "")).status == 200


@pytest.mark.parametrize("raw", [b"/\xff", b"/movements/\xc3\xa9.json", b"/v1\xff", b"/v1/\xff"])
def test_an_address_that_is_not_ascii_is_not_an_error(
    database: Path, tmp_path: Path, raw: bytes
) -> None:
    sent: list[Any] = []

    async def ask() -> None:
        datasette = environment.datasette(database, tmp_path / "internal.sqlite3")
        await datasette.invoke_startup()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b""}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": raw.decode("utf-8", "replace")}
        scope |= {"raw_path": raw, "query_string": b"", "headers": [], "scheme": "http"}
        await datasette.app()(scope, receive, send)
        await startup.stop(datasette)
        datasette.close()

    asyncio.run(ask())
    assert sent[0]["status"] == 404
    assert b"Adresse inconnue" in sent[1]["body"]


@pytest.mark.parametrize("form", [".csv?", ".json?_shape=array&", ".json?_shape=arrayfirst&"])
def test_a_query_whose_rows_were_cut_is_an_error_where_the_form_cannot_say_it(
    here: InProcess, account: str, form: str
) -> None:
    key = {"X-API-Key": environment.issue(account, here.internal)}
    many = (
        "with recursive n(i) as (select 1 union all select i %2B 1 from n limit {}) select i from n"
    )
    address = f"/movements/-/query{form}sql={many.replace(' ', '+')}"
    answer = here.ask(address.format(1001), key)
    assert (answer.status, answer.remaining) == (400, 999)
    assert answer.json()["type"].endswith("#reponse-coupee")
    assert "1000 lignes" in answer.json()["detail"]
    whole = here.ask(address.format(1000), key)
    assert (whole.status, whole.header("Mouvements-Tronque")) == (200, None)
    assert len(whole.body.splitlines()) == 1001 or len(whole.json()) == 1000


def test_a_query_whose_rows_were_cut_says_so_in_a_header(here: InProcess, account: str) -> None:
    key = {"X-API-Key": environment.issue(account, here.internal)}
    many = (
        "with recursive n(i) as (select 1 union all select i %2B 1 from n limit {}) select i from n"
    )
    address = f"/movements/-/query.json?sql={many.replace(' ', '+')}"
    cut, whole = here.ask(address.format(1001), key), here.ask(address.format(1000), key)
    assert (cut.status, cut.header("Mouvements-Tronque")) == (200, "1000")
    assert cut.json()["truncated"]
    assert whole.header("Mouvements-Tronque") is None
    # A table has pages, and its CSV streams.
    for table in (f"{TABLE}.json?_size=max", f"{TABLE}.csv?_stream=1"):
        assert here.ask(table, key).header("Mouvements-Tronque") is None


def test_the_list_of_databases_is_closed_to_visitors(here: InProcess) -> None:
    for address in ("/-/databases.json", "/-/databases", "/-/databases.json?x=1"):
        answer = here.ask(address)
        assert answer.status in (401, 303), address
        assert b".db" not in answer.body
