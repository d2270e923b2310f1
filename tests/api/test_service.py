"""What a service counts and lets go of, in this process."""

from __future__ import annotations

import asyncio
from contextlib import closing
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.api import resources
from datasette_mouvements.api.parameter import shown
from datasette_mouvements.api.replies import asked_of, head_of
from datasette_mouvements.dataset.input_files import read
from datasette_mouvements.keys.keys import issue
from datasette_mouvements.keys.store import StoreUnavailable
from datasette_mouvements.lru import LRUCache
from tests.contract import environment
from tests.contract.service import behind
from tests.published import write

from .conftest import serving


def written(folder: Path) -> Path:
    database = folder / "movements.db"
    write(database, [(str(environment.SAMPLE), read(environment.SAMPLE))])
    return database


def test_what_cannot_be_shown_is_one_sign_a_character() -> None:
    assert shown("a\x07b\u202e") == "a\ufffdb\ufffd"


def test_an_answer_is_kept_for_the_same_request_alone() -> None:
    host = (b"host", b"a")
    request = {"method": "GET", "raw_path": b"/v1/elus", "query_string": b"", "headers": [host]}
    others: list[dict[str, Any]] = [
        *({"scheme": "http"}, {"scheme": "https"}),
        *({"raw_path": b"/v1/mouvements"}, {"query_string": b"limit=1"}),
        {"headers": [(b"host", b"b")]},
        *({"headers": [host, (name, b"gzip")]} for name in (b"accept-encoding", b"if-none-match")),
    ]
    heads = {head_of({"scheme": "http"} | request | other) for other in others}
    assert len(heads - {None}) == len(others)


def test_what_is_remembered_of_a_request_is_all_that_its_answer_hangs_on() -> None:
    request = {"method": "GET", "path": "/v1/elus", "query_string": b"", "scheme": "http"}
    host = (b"host", b"a")
    others: list[dict[str, Any]] = [
        *({"method": "POST"}, {"path": "/v1/mouvements"}, {"query_string": b"limit=1"}),
        *({"scheme": "https"}, {"headers": [host, (b"x-api-key", b"b")]}),
    ]
    asked = asked_of(request | {"headers": [host]})
    assert asked == asked_of(request | {"headers": [[*host]]})  # as some servers give them
    assert len({asked, *(asked_of(request | {"headers": [host]} | other) for other in others)}) == 6


def test_of_a_request_that_nobody_paid_for_nothing_is_kept(tmp_path: Path) -> None:
    with serving(written(tmp_path), tmp_path) as asked:
        version = behind(asked.service).version
        assert version is not None
        asked.find("/v1/mouvements")
        paid = list(version.answers)
        assert asked.service.ask("/v1/mouvements", {"X-API-Key": issue()}).status == 401
        assert list(version.answers) == paid
        asked.find("/v1/mouvements")
        assert len(list(version.answers)) == len(paid) + 1


def test_a_service_that_ended_charges_nobody_and_serves_nothing(tmp_path: Path) -> None:
    with serving(written(tmp_path), tmp_path) as asked:
        service = behind(asked.service)
        assert service.version is not None
    assert service.version is None

    async def charge() -> None:
        await service.charging.charge(b"")

    with pytest.raises(StoreUnavailable):
        asyncio.run(charge())


def test_no_row_is_read_to_count_what_is_asked_by_three_categories_or_to_pass_over_it(
    tmp_path: Path,
) -> None:
    values = {"chambre": "senat", "type": "depart", "source": "suivi"}
    executed: list[str] = []
    with closing(sqlite3.connect(written(tmp_path))) as db:
        version: Any = SimpleNamespace(db=db, counts=LRUCache(1000))
        for number in range(len(values) + 1):
            for names in combinations(values, number):
                db.set_trace_callback(executed.append)
                resources.page(version, resources.SEARCH, {name: values[name] for name in names})
                db.set_trace_callback(None)
                for sql in executed:
                    plan = [step for *_, step in db.execute(f"explain query plan {sql}")]
                    (read,) = (step for step in plan if " r USING COVERING INDEX" in step)
                    assert all(f"{name}=?" in read for name in names)
                    assert ("date_event<?" in read) is ("limit" in sql)
                    assert not any("TEMP B-TREE" in step for step in plan)
                assert len(executed) == 2
                executed.clear()
