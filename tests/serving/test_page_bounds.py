"""What a visitor may ask of a page: its address, its body, its SQL."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest

from datasette_mouvements.refusal import KINDS
from datasette_mouvements.serving import bounds
from tests.contract import environment
from tests.contract.service import InProcess, Start

from .addresses import TABLE
from .conftest import signed_in

BROWSER = {"Accept": "text/html"}
COLUMNS = ("elu_nom", "collab_nom", "date_event", "elu_id", "collab_prenom")


def facets(count: int) -> str:
    return "&".join(f"_facet={column}" for column in COLUMNS[:count])


EIGHT = (*COLUMNS, "collab_nom", "fonction", "chambre", "type")[-bounds.FILTERS :]


WITHIN = (
    f"{TABLE}?{facets(bounds.FACETS)}",
    f"{TABLE}?_facet=chambre&_facet=type&{facets(bounds.FACETS)}",  # those it shows by itself
    "/movements/collaborations?_facet=chambre&_facet=elu_groupe&_facet=fin&_facet=debut&_facet=fonction",
    f"{TABLE}?_facet_size={bounds.FACET_SIZE}&_size={bounds.PAGE_ROWS}",
    f"{TABLE}?elu_nom={'a' * (bounds.ADDRESS_BYTES - len(TABLE) - 9)}",
    f"{TABLE}?date_event__gte=2020-01-01&date_event__lte=2030-01-01&_q=nom&_sort=date_event&_size=10",
    f"{TABLE}?{'&'.join(f'{column}__not=a' for column in EIGHT)}",
)


BEYOND = (
    "/movements/listes?_facet=chambre&_facet=nom&_facet=date&_facet=chambre",  # it shows none
    f"{TABLE}?{facets(bounds.FACETS + 1)}",
    "/movements/collaborations?_facet=fin&_facet=debut&_facet=fonction&_facet=elu_nom",
    f"{TABLE}?_facet_date=date_event&{facets(bounds.FACETS)}",
    f"{TABLE}?_facet_size={bounds.FACET_SIZE + 1}",
    f"{TABLE}?_facet_size=max",
    f"{TABLE}?%5Fsize=max",
    f"{TABLE}?_size={bounds.PAGE_ROWS + 1}",
    f"{TABLE}?_size=10&_size=1000",
    f"{TABLE}?_size=%2B1_000",
    f"{TABLE}?{'&'.join(['_facet=elu_nom'] * (bounds.FACETS + 1))}",
    f"{TABLE}?{'&'.join(['_facet=chambre'] * (bounds.FACETS + 2))}",
    f"{TABLE}?elu_nom={'a' * (bounds.ADDRESS_BYTES - len(TABLE) - 8)}",
    f"{TABLE}?id__glob=a*&id__glob=*b&id__contains=c",
    f"{TABLE}?{'&'.join(f'{column}__not=a' for column in (*EIGHT, 'source'))}",
    f"{TABLE}?{'&'.join(f'{column}__not=a' for column in EIGHT)}&_q=nom",
)


@pytest.mark.parametrize(
    "address", [*WITHIN, *(f"{TABLE}?{asked}" for asked in ("_facet=rowid", "id__in=a,b"))]
)
def test_a_visitor_explores_within_the_bounds(here: InProcess, address: str) -> None:
    assert here.ask(address, BROWSER).status == 200


@pytest.mark.parametrize("address", BEYOND)
def test_beyond_the_bounds_a_visitor_is_told_which_and_who_pays_goes_on(
    here: InProcess, account: str, address: str
) -> None:
    page, program = here.ask(address, BROWSER), here.ask(address)
    assert (page.status, program.status) == (400, 400)
    assert page.header("Content-Type") == "text/html; charset=utf-8"
    assert program.json()["type"].endswith(KINDS["bounds"].anchor)
    assert "Sans compte" in page.body.decode()
    assert "/-/cle" in page.body.decode()
    assert here.ask(address, {**BROWSER, **signed_in(here, id=account)}).status == 200
    key = environment.issue(account, here.internal, "--quota", 1)
    answer = here.ask(address, {**BROWSER, "X-API-Key": key})
    assert (answer.status, answer.remaining) == (200, 0)
    assert here.ask(address, {**BROWSER, "X-API-Key": key}).status == 429


@pytest.mark.parametrize(
    "asked",
    [
        *("_facet=nope", "_facet=%00", "_facet_date=nope", "_facet_array=elu_nom", "_through={}"),
        *("_timelimit=zz", "_timelimit=", "id__in=[1", "id__notin=[1"),
    ],
)
def test_what_core_cannot_read_is_told_and_is_no_error_of_the_server(
    here: InProcess, asked: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for table in (TABLE, "/movements/listes"):
        answer = here.ask(f"{table}?{asked}")
        assert answer.status == 400
        assert answer.json()["type"].endswith(KINDS["parameter"].anchor)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("elu_nom__contains=a&elu_nom__not=b&elu_nom=c", "2 filtres d’une même colonne (elu_nom)"),
        ("a<b=1&a<b=2&a<b=3", "2 filtres d’une même colonne."),
        ("&".join(f"{letter}=1" for letter in "abcdefghi"), "8 filtres."),
    ],
)
def test_what_is_too_much_is_named(here: InProcess, asked: str, told: str) -> None:
    assert told in here.ask(f"{TABLE}?{asked.replace('<', '%3C')}").json()["detail"]


SLOW = """with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) from c"""


def test_what_takes_too_long_says_so_and_a_key_pays_for_it(in_process: Start) -> None:
    here = in_process(sql_time_limit_ms=50)
    key = {"X-API-Key": environment.issue("lectrice", here.internal, "--quota", 2)}
    answer = here.ask(f"{TABLE}?_where={quote_plus(f'({SLOW}) > 0')}", key)
    assert (answer.status, answer.remaining) == (400, 1)
    assert "resserrez-la" in answer.body.decode()


def test_no_value_of_a_query_is_longer_than_its_bound(here: InProcess, account: str) -> None:
    key = {"X-API-Key": environment.issue(account, here.internal)}
    answer = here.ask("/movements/-/query.json?sql=select+hex(zeroblob(600000))", key)
    assert answer.status == 400
