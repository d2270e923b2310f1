"""The state of the service, as a load balancer asks for it."""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path

import pytest

from datasette_mouvements import logs
from datasette_mouvements.access.sqlite import SqliteStore
from tests.contract import environment
from tests.contract.service import InProcess

ADDRESS = "/-/mouvements/etat"


def test_a_service_that_answers_says_what_it_serves(database: Path, tmp_path: Path) -> None:
    service = InProcess(
        environment.datasette(database, tmp_path / "i.sqlite3"), tmp_path / "i.sqlite3"
    )
    try:
        answer = service.ask(ADDRESS)
        assert answer.status == 200
        state = answer.json()
        assert state["etat"] == "disponible"
        assert state["version"]
        assert state["mouvements"] > 0
        assert state["dernier_refus"] is None
        assert state["cles_joignables"] is True
        assert {"construite_le", "dernier_jour", "depuis", "licence", "attribution"} <= state.keys()
        head = service.ask(ADDRESS, method="HEAD")
        assert (head.status, head.body) == (200, b"")
        assert answer.header("Cache-Control") == "no-store"
    finally:
        service.close()


def test_no_movements_is_503_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "movements.db"
    path.write_bytes(b"")
    service = InProcess(environment.datasette(path, tmp_path / "i.sqlite3"), tmp_path / "i.sqlite3")
    try:
        answer = service.ask(ADDRESS)
        assert answer.status == 503
        assert answer.header("Retry-After")
        assert answer.json()["dernier_refus"]["motif"].startswith("no table")
    finally:
        service.close()


def test_the_store_is_asked_once_a_second_at_most(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    reachable = SqliteStore.reachable

    def counted(store: SqliteStore) -> bool:
        asked.append(time.monotonic())
        return reachable(store)

    monkeypatch.setattr(SqliteStore, "reachable", counted)
    service = InProcess(
        environment.datasette(database, tmp_path / "i.sqlite3"), tmp_path / "i.sqlite3"
    )
    try:
        began = time.monotonic()
        answers = service.volley(ADDRESS, {}, 200)
        assert {answer.status for answer in answers} == {200}
        assert len(asked) <= 1 + (time.monotonic() - began)
    finally:
        service.close()


def test_a_store_that_is_gone_is_503(database: Path, tmp_path: Path) -> None:
    internal = tmp_path / "keys" / "i.sqlite3"
    internal.parent.mkdir()
    service = InProcess(environment.datasette(database, internal), internal)
    try:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{internal}{suffix}").unlink(missing_ok=True)
        deadline = time.monotonic() + 30
        while service.ask(ADDRESS).status == 200 and time.monotonic() < deadline:
            os.sched_yield()
        answer = service.ask(ADDRESS)
        assert (answer.status, answer.json()["cles_joignables"]) == (503, False)
    finally:
        service.close()


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("/v1/mouvements?elu=PA1", "/v1/mouvements"),
        ("/v1/mouvements/mvt_secret", "/v1/mouvements/…"),
        ("/mouvements", "/mouvements"),
        ("/movements/mouvements?_search=dupont", "/movements/…"),
        ("/collaborateurs/dupont-jean?a=b", "/collaborateurs/…"),
        ("/dupont", "/…"),
        ("/-/mouvements/etat", "/-/mouvements/etat"),
        ("/?key=mvt_secret", "/"),
    ],
)
def test_an_address_in_a_log_names_nobody(address: str, kept: str) -> None:
    logs.keep_private("movements", "")
    record = logging.LogRecord(
        *("uvicorn.access", logging.INFO, "", 0, '%s - "%s %s HTTP/%s" %d'),
        ("127.0.0.1:1", "GET", address, "1.1", 200),
        None,
    )
    assert all(one.filter(record) for one in logging.getLogger("uvicorn.access").filters)
    assert record.getMessage() == f'127.0.0.1:1 - "GET {kept} HTTP/1.1" 200'


def test_a_request_line_is_json_with_the_number_of_the_key(
    database: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    internal = tmp_path / "i.sqlite3"
    service = InProcess(environment.datasette(database, internal, {"log_requests": True}), internal)
    try:
        key = environment.issue("lectrice", internal)
        with caplog.at_level(logging.INFO, logs.REQUESTS):
            service.ask("/v1/mouvements?elu=PA605036", {"X-API-Key": key})
            service.ask("/movements.json", {"X-API-Key": key})
            service.ask("/v1/mouvements", {"X-API-Key": "mvt_wrong"}, "DELETE")
    finally:
        service.close()
    lines = [json.loads(r.getMessage()) for r in caplog.records if r.name == logs.REQUESTS]
    assert [(line["status"], line["key"]) for line in lines] == [(200, 1), (200, 1), (405, None)]
    assert all(line["ms"] >= 0 and line["at"] for line in lines)
    assert not {"PA605036", key, "lectrice"} & {
        word for line in lines for word in map(str, line.values())
    }
