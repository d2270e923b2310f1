"""Every address of Datasette, with each way of starting: who gets in without a key, and who with one."""

from __future__ import annotations

import pytest

from tests.contract.service import Answer, Headers, InProcess, Service, used

from .addresses import CLOSED, PAGES, TABLE
from .conftest import signed_in

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def opened(answer: Answer, address: str) -> bool:
    # Core takes a final slash off.
    moved = answer.status == 302 and answer.header("Location") == address.rstrip("/")
    # A movement has a page of its own.
    movement = answer.status == 301 and (answer.header("Location") or "").startswith("/mouvements/")
    return answer.status == 200 or moved or movement


def test_pages_are_open_to_everyone(service: Service, movement: str) -> None:
    for address in PAGES:
        answer = service.ask(address.format(id=movement), BROWSER)
        assert opened(answer, address), (address, answer.status)


def test_no_server_spells_an_address_otherwise(service: Service, movement: str) -> None:
    open_to_all = [
        address for address in CLOSED if service.ask(address.format(id=movement)).status != 401
    ]
    assert open_to_all == []


@pytest.mark.parametrize("address", CLOSED)
def test_a_key_alone_opens_and_is_charged_one(
    here: Service, reader_here: Headers, movement: str, address: str
) -> None:
    address = address.format(id=movement)
    program = here.ask(address)
    assert program.status == 401
    assert program.header("Content-Type") == "application/problem+json"
    assert program.header("X-RateLimit-Remaining") == "0"
    assert program.header("WWW-Authenticate") == 'Bearer realm="mouvements"'
    assert {"licence", "attribution"} <= program.json().keys()
    assert movement.encode() not in program.body
    # A visitor is shown how to get a key.
    visitor = here.ask(address, BROWSER)
    assert (visitor.status, visitor.header("Location")) == (303, "/-/cle")
    assert visitor.header("Cache-Control") == "no-store"
    before = used(here, reader_here)
    answer = here.ask(address, reader_here)
    assert answer.status not in (401, 429, 503)
    # Core answers 500 to a format it does not know: what fails costs nothing.
    cost = 0 if answer.status == 500 else 1
    assert used(here, reader_here) == before + cost
    assert answer.remaining == 1_000_000 - before - cost
    assert answer.header("Cache-Control") == "private, no-store"


SELECT = "sql=select+id+from+mouvements+limit+1"


@pytest.mark.parametrize(
    "address",
    [
        *(f"{TABLE}.csv", f"/movements/-/query.json?{SELECT}"),
        *(f"/movements/-/query?{SELECT}", f"/movements?{SELECT}"),
    ],
)
def test_a_key_gets_the_data(service: Service, reader: Headers, address: str) -> None:
    for headers in (reader, {**BROWSER, **reader}):
        answer = service.ask(address, headers)
        if answer.status == 302:
            answer = service.ask(answer.header("Location") or "", headers)
        assert answer.status == 200
        assert b"mvt_" in answer.body


def test_a_bad_key_is_refused_as_by_the_interface_and_a_token_by_datasette(
    service: Service,
) -> None:
    for sent in ({"Authorization": "Bearer mvt_" + "a" * 36}, {"X-API-Key": "nothing"}):
        answer, model = service.ask(f"{TABLE}.json", sent), service.ask("/v1/mouvements", sent)
        assert (answer.status, answer.json()) == (401, model.json())
        assert answer.header("WWW-Authenticate") == model.header("WWW-Authenticate")
    token = service.ask(f"{TABLE}.json", {"Authorization": "Bearer dstok_anything"})
    assert (token.status, token.json()["ok"], "licence" in token.json()) == (401, False, False)


def test_no_method_goes_around_the_key(service: Service) -> None:
    for address in (f"{TABLE}.json", "/movements.db", "/movements/-/query.json?sql=select+1"):
        for method in ("HEAD", "POST", "PUT", "PATCH", "DELETE"):
            assert service.ask(address, BROWSER, method).status in (303, 401), method
        preflight = service.ask(address, method="OPTIONS")
        assert (preflight.status, preflight.body) == (204, b"")


WRITES = (
    *("/movements/-/query", "/movements/-/query.json?sql=select+1", "/movements.db"),
    *(TABLE, f"{TABLE}/-/insert"),
)


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("address", WRITES)
def test_nobody_writes_movements(
    here: InProcess, reader_here: Headers, address: str, method: str
) -> None:
    cost = used(here, reader_here)
    for headers in (reader_here, {**signed_in(here), "Accept": "text/html"}):
        answer = here.ask(address, headers, method)
        assert (answer.status, answer.header("Allow")) == (405, "GET, HEAD, OPTIONS")
    # The account has the key: it pays for what it would pay for by GET.
    cost = used(here, reader_here) - cost
    assert cost == (address != TABLE) + ("." in address)
    assert here.ask(f"{TABLE}/-/count", reader_here, "POST").status == 200
    assert here.ask(f"{TABLE}/-/count", reader_here, "PUT").header("Allow") == "GET, HEAD, OPTIONS"
    assert here.ask("/movements/-/queries/store", signed_in(here), "POST").status == 403
    # Core says that there is no such query to change.
    for change in ("edit", "update", "delete"):
        address = f"/movements/une_requete/-/{change}"
        assert here.ask(address, signed_in(here), "POST").status == 404


def test_the_count_of_a_page_is_for_its_own_visitors(service: Service) -> None:
    own = {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost", "Host": "localhost"}
    address = f"{TABLE}/-/count?chambre=senat"
    answer = service.ask(address, own, "POST")
    assert (answer.status, answer.json()["ok"]) == (200, True)
    assert service.ask(address, method="POST").status == 401
    assert service.ask(address, own).status == 401
    assert service.ask(address, {**own, "Sec-Fetch-Site": "none"}, "POST").status == 401
    assert service.ask(f"{address}&_where=1", own, "POST").status == 401


def test_pages_have_security_headers(service: Service) -> None:
    for address in (TABLE, "/", "/nothing-here"):
        answer = service.ask(address)
        assert answer.header("X-Content-Type-Options") == "nosniff"
        assert answer.header("X-Frame-Options") == "SAMEORIGIN"
        assert answer.header("Referrer-Policy")
