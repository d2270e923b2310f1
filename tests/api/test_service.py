"""What a service counts and lets go of, in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest
import pytest_asyncio
from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.api import replies, resources
from datasette_mouvements.api.front import front_of
from datasette_mouvements.api.parameter import shown
from datasette_mouvements.api.service import Service
from datasette_mouvements.dataset.input_files import read
from datasette_mouvements.keys.store import StoreUnavailable
from datasette_mouvements.refusal import Refusal
from datasette_mouvements.serving.startup import stop
from tests.contract import environment
from tests.published import write


@pytest_asyncio.fixture
async def datasette(tmp_path: Path) -> AsyncIterator[Datasette]:
    database = tmp_path / "movements.db"
    write(database, [(str(environment.SAMPLE), read(environment.SAMPLE))])
    made = Datasette([str(database)], internal=str(tmp_path / "internal.sqlite3"))
    await made.invoke_startup()
    yield made
    await stop(made)


def service_of(datasette: Datasette) -> Service:
    routes = front_of(datasette)
    assert routes is not None
    return routes.service


@pytest.mark.asyncio
async def test_a_visitor_is_told_on_a_page_what_is_bounded(datasette: Datasette) -> None:
    scope = {"method": "GET", "headers": [(b"accept", b"text/html")]}
    reply = replies.for_visitor(service_of(datasette), scope, Refusal("bounds", "Trop <de> tout"))
    headers = dict(reply.headers)
    assert headers[b"content-type"] == b"text/html; charset=utf-8"
    assert int(headers[b"content-length"]) == len(reply.body)
    assert b"Trop &lt;de&gt; tout" in reply.body


def test_what_cannot_be_shown_is_one_sign_a_character() -> None:
    assert shown("a\x07b\u202e") == "a\ufffdb\ufffd"


@pytest.mark.asyncio
async def test_a_service_that_ended_charges_nobody_and_serves_nothing(datasette: Datasette) -> None:
    service = service_of(datasette)
    await stop(datasette)
    with pytest.raises(StoreUnavailable):
        await service.charging.charge(b"")
    assert service.version is None


def test_no_row_is_read_to_count_what_is_asked_by_three_categories_or_to_pass_over_it(
    tmp_path: Path,
) -> None:
    database = tmp_path / "movements.db"
    write(database, [(str(environment.SAMPLE), read(environment.SAMPLE))])
    values = {"chambre": "senat", "type": "depart", "source": "suivi", "depuis": "2024-01-01"}
    with closing(sqlite3.connect(database)) as db:
        for number in range(len(values) + 1):
            for names in combinations(values, number):
                where, bound = resources.condition(resources.SEARCH, {n: values[n] for n in names})
                rows = f"from {resources.SEARCH.table} r where {where}"
                for sql in (
                    f"select count(*) {rows}",
                    f"select r.rowid {rows} order by {resources.SEARCH.order} limit 9 offset 9",
                ):
                    [(*_, step)] = db.execute(f"explain query plan {sql}", bound).fetchall()
                    assert "USING COVERING INDEX" in step
                    assert all(
                        f"{name}=?" in step for name in names[: number - ("depuis" in names)]
                    )
