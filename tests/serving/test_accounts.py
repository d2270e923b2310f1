"""What signed-in accounts and key holders may open, and what it costs them."""

from __future__ import annotations

import pytest

from tests.contract import environment
from tests.contract.service import InProcess

from .addresses import SQL, TABLE
from .conftest import signed_in
from .test_doors import scope, sent

BROWSER = {"Accept": "text/html"}


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


def test_an_account_without_a_live_key_is_shown_how_to_get_one(
    here: InProcess, account: str
) -> None:
    cookie = signed_in(here, id=account)
    for revoked in (False, True):
        if revoked:
            environment.issue(account, here.internal)
            environment.done("keys", "revoke", account, "--internal", here.internal)
        answer = here.ask(f"{TABLE}.csv", {**cookie, **BROWSER})
        assert (answer.status, answer.header("Location")) == (303, "/-/cle")
        assert here.ask(f"{TABLE}.csv", cookie).status == 401


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


@pytest.mark.parametrize("raw", [b"/\xff", b"/movements/\xc3\xa9.json", b"/v1/\xff"])
def test_an_address_that_is_not_ascii_is_not_an_error(here: InProcess, raw: bytes) -> None:
    asked = scope(raw.decode("utf-8", "replace"), (b"host", b"localhost")) | {"raw_path": raw}
    start, body = sent(here, asked)
    assert start["status"] == 404
    assert b"Adresse inconnue" in body["body"]


MANY = "with recursive n(i) as (select 1 union all select i %2B 1 from n limit {}) select i from n"


@pytest.mark.parametrize("form", ["csv?", "json?_shape=array&", "json?_shape=arrayfirst&", "json?"])
def test_of_rows_that_were_cut_a_header_tells_or_an_error_where_the_form_cannot_say_it(
    here: InProcess, account: str, form: str
) -> None:
    key = {"X-API-Key": environment.issue(account, here.internal)}
    address = f"/movements/-/query.{form}sql={MANY.replace(' ', '+')}"
    cut, whole = here.ask(address.format(1001), key), here.ask(address.format(1000), key)
    if form == "json?":
        assert (cut.status, cut.header("Mouvements-Tronque")) == (200, "1000")
        assert cut.json()["truncated"]
    else:
        assert (cut.status, cut.remaining) == (400, 999)
        assert cut.json()["type"].endswith("#reponse-coupee")
        assert "1000 lignes" in cut.json()["detail"]
        assert len(whole.body.splitlines()) == 1001 or len(whole.json()) == 1000
    assert (whole.status, whole.header("Mouvements-Tronque")) == (200, None)
    table = here.ask(f"{TABLE}.json?_size=max", key)  # a table has pages
    assert (table.status, table.header("Mouvements-Tronque")) == (200, None)
