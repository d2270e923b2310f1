"""What a visitor may ask of a page: its address, its body, its SQL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from datasette.database import Database, QueryInterrupted

from datasette_mouvements.refusal import KINDS, Refusal
from datasette_mouvements.serving import database, limits, request_body
from datasette_mouvements.serving.page_queues import VisitLimits
from tests.contract import environment
from tests.contract.service import InProcess

from .addresses import TABLE
from .conftest import limited, signed_in

BROWSER = {"Accept": "text/html"}


COLUMNS = ("elu_nom", "collab_nom", "date_event", "elu_id", "collab_prenom")


def facets(count: int) -> str:
    return "&".join(f"_facet={column}" for column in COLUMNS[:count])


EIGHT = (*COLUMNS, "collab_nom", "fonction", "chambre", "type")[-limits.FILTERS :]


WITHIN = (
    f"{TABLE}?{facets(limits.FACETS)}",
    f"{TABLE}?_facet=chambre&_facet=type&{facets(limits.FACETS)}",  # those it shows by itself
    "/movements/collaborations?_facet=chambre&_facet=elu_groupe&_facet=fin&_facet=debut&_facet=fonction",
    f"{TABLE}?_facet_size={limits.FACET_SIZE}&_size={limits.PAGE_ROWS}",
    f"{TABLE}?elu_nom={'a' * (limits.ADDRESS_BYTES - len(TABLE) - 9)}",
    f"{TABLE}?date_event__gte=2020-01-01&date_event__lte=2030-01-01&_q=nom&_sort=date_event&_size=10",
    f"{TABLE}?{'&'.join(f'{column}__not=a' for column in EIGHT)}",
)


BEYOND = (
    "/movements/listes?_facet=chambre&_facet=nom&_facet=date&_facet=chambre",  # it shows none
    f"{TABLE}?{facets(limits.FACETS + 1)}",
    "/movements/collaborations?_facet=fin&_facet=debut&_facet=fonction&_facet=elu_nom",
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
    f"{TABLE}?id__glob=a*&id__glob=*b&id__contains=c",
    f"{TABLE}?{'&'.join(f'{column}__not=a' for column in (*EIGHT, 'source'))}",
)


@pytest.mark.parametrize("address", WITHIN)
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
    "asked", ["_facet=rowid", "_facet_date=date_event", "_timelimit=100", "id__in=a,b"]
)
def test_what_core_reads_is_read(here: InProcess, asked: str) -> None:
    assert here.ask(f"{TABLE}?{asked}").status == 200


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


def test_a_page_whose_time_is_spent_has_its_rows_and_says_which_facets_it_leaves_out(
    in_process: Callable[..., InProcess], account: str
) -> None:
    here = in_process()
    visitor = {**BROWSER, "cookie": "a=b"}  # who is told nothing that was remembered
    whole = here.ask(TABLE, visitor).body.decode()
    page = limited(here, VisitLimits(page_milliseconds=0)).ask(TABLE, visitor)
    assert page.status == 200
    text = page.body.decode()
    assert "Laissé de côté" in text
    assert "Laissé de côté" not in whole
    assert text.count("<tr") == whole.count("<tr") > 1
    assert "facet-lists" in whole
    assert "facet-lists" not in text
    paid = here.ask(TABLE, {**BROWSER, **signed_in(here, id=account)}).body.decode()
    assert "facet-lists" in paid


NUMBERS = "with recursive c(n) as (select 1 union all select n - -1 from c limit 100)"
SLOW = """with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) from c"""


@pytest.mark.parametrize("signed_in", [False, True])
def test_the_sql_of_a_visitor_ends_sooner(here: InProcess, signed_in: bool) -> None:
    taken = here.run(_timed(here, signed_in))
    most = limits.PAGE_MILLISECONDS / 1000
    # On a busy machine core’s own limit, a second of any clock, may end a visitor’s query first.
    assert taken > most * 2 if signed_in else taken < most * 2


def test_all_statements_of_a_page_have_one_budget(here: InProcess) -> None:
    async def both() -> None:
        bounded = here.datasette.databases["movements"]
        budget = database.Budget()
        database.BUDGET.set(budget)
        for _ in range(2):
            with pytest.raises(QueryInterrupted):
                await bounded.execute(SLOW)
        assert -0.1 < budget.left < 0
        began = time.process_time()
        with pytest.raises(QueryInterrupted):  # a facet, say, for which nothing is left
            await bounded.execute("select 1", custom_time_limit=200)
        assert (await bounded.execute("select 1")).rows[0][0] == 1
        assert time.process_time() - began < 0.1

    here.run(both())


async def _timed(service: InProcess, signed_in: bool) -> float:
    database.BUDGET.set(None if signed_in else database.Budget())
    # Of a visitor the processor's time is bounded, since the machine may be busy with other tests.
    clock = time.monotonic if signed_in else time.process_time
    began = clock()
    with pytest.raises(QueryInterrupted):
        await service.datasette.databases["movements"].execute(SLOW)
    return clock() - began


@pytest.mark.skipif(
    not database.BOUNDS_LENGTH, reason="pysqlite3 cannot bound the length of a value"
)
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
def test_a_query_cannot_take_the_memory_of_the_process(
    here: InProcess, account: str, sql: str
) -> None:
    key = {"X-API-Key": environment.issue(account, here.internal)}
    before = _resident()
    answer = here.ask(f"/movements/-/query.json?sql={sql.replace(' ', '+')}", key)
    assert answer.status == 400
    assert _resident() - before < 600_000_000
    assert here.ask("/v1/mouvements", key).status == 200


@pytest.mark.parametrize(
    "sql", ["select hex(zeroblob(600000))", f"{NUMBERS} select hex(zeroblob(499000)) from c"]
)
def test_nor_can_a_query_of_the_database_in_memory(
    database: Path, tmp_path: Path, sql: str
) -> None:
    """Core makes it with --memory or --crossdb; before the movements are there, they are one too."""
    datasette = environment.datasette(database, tmp_path / "internal.sqlite3")
    memory = Database(datasette, is_mutable=False, is_memory=True)
    datasette.add_database(memory, name="_memory")
    service = InProcess(datasette, tmp_path / "internal.sqlite3")
    try:
        key = {"X-API-Key": environment.issue("lectrice", service.internal)}
        address = "/_memory/-/query.json?sql="
        assert service.ask(f"{address}{sql.replace(' ', '+')}", key).status == 400
        assert service.ask(f"{address}select+1", key).json()["rows"] == [{"1": 1}]
    finally:
        service.close()


def _resident() -> int:
    return database._resident_bytes()


@pytest.mark.parametrize("path", ["/", "/-/cle", TABLE, "/-/logout", "/nulle-part"])
def test_a_body_larger_than_any_form_is_not_read(here: InProcess, path: str) -> None:
    for headers in ({"Content-Length": str(10**9)}, {"Transfer-Encoding": "chunked"}):
        body = b"a" * (request_body.BODY_BYTES + 1)
        answer = here.run(here.answer(path, headers, "POST", body))
        assert answer.status == 413
        # What is not declared comes here in one piece, and was read.
        assert answer.header("Connection") == ("close" if "Content-Length" in headers else None)


def test_a_body_that_does_not_come_is_not_awaited() -> None:
    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.03)
        return {"type": "http.request", "body": b"a", "more_body": True}

    async def check() -> None:
        with pytest.raises(Refusal) as refused:
            await request_body.Body([], receive, seconds=0.05).read()
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
        body = request_body.Body([(b"content-length", b"2")], receive)
        await body.read()
        assert body.complete
        assert [await body.receive() for _ in pieces] == pieces

    asyncio.run(check())
