"""The state of the service, as a load balancer asks for it."""

from __future__ import annotations

import asyncio
import datetime
import json
import logging
import os
import time
from pathlib import Path

import pytest

from datasette_mouvements import logs
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.api.routes import routes_of
from datasette_mouvements.api.service import Service
from datasette_mouvements.config import Config
from datasette_mouvements.dataset.served.live import Live
from datasette_mouvements.serving.health import ASK_STORE_EVERY, Health
from parlement_lists.sources import journal
from tests.contract import environment
from tests.contract.service import Answer, InProcess
from tests.tracking import lists
from tests.tracking.disk import leave, small_disk
from tests.tracking.lists import AFTER, STAFF

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
        assert answer.header("Access-Control-Allow-Origin") == "*"
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


@pytest.mark.asyncio
async def test_the_store_is_asked_once_a_second_at_most(tmp_path: Path) -> None:
    asked: list[datetime.datetime] = []

    class Asked(SqliteStore):
        def reachable(self, now: datetime.datetime) -> bool:
            asked.append(now)
            return True

    store = Asked(tmp_path / "i.sqlite3")
    service = Service(Config(), Live(tmp_path / "movements.db", tmp_path / "served"), store)
    seconds = [0.0]
    health = Health(service, lambda: seconds[-1])
    for moment, times in ((0.0, 1), (ASK_STORE_EVERY - 0.1, 1), (ASK_STORE_EVERY, 2)):
        seconds.append(moment)
        await asyncio.gather(*(health.reply() for _ in range(20)))
        assert len(asked) == times
    service.close()


def until(service: InProcess, status: int, cause: str) -> Answer:
    """The state once it has this status; it is asked of the store once a second."""
    deadline = time.monotonic() + 30
    while (answer := service.ask(ADDRESS)).status != status:
        assert time.monotonic() < deadline, cause
        os.sched_yield()
    return answer


def test_a_full_disk_is_503_as_every_request_is_until_there_is_room(
    database: Path, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "small", "8m") as small:
        internal = small / "i.sqlite3"
        service = InProcess(environment.datasette(database, internal), internal)
        try:
            reader = {"X-API-Key": environment.issue("lectrice", internal)}
            assert service.ask("/v1/quota", reader).status == 200
            assert until(service, 200, "the disk has room").json()["cles_joignables"] is True
            leave(small, 0)
            deadline = time.monotonic() + 30
            # What is left of the last page of the log of charges takes some more.
            while service.ask("/v1/mouvements", reader).status == 200:
                assert time.monotonic() < deadline
            answer = until(service, 503, "the disk is full")
            assert answer.json()["etat"] == "indisponible"
            assert answer.json()["cles_joignables"] is False
            assert answer.json()["version"]
            leave(small, 1_000_000)
            until(service, 200, "the disk has room again")
            assert service.ask("/v1/mouvements", reader).status == 200
        finally:
            service.close()


def test_each_chamber_s_last_list_its_age_and_what_was_refused_since(tmp_path: Path) -> None:
    folder, path = tmp_path / "lists", tmp_path / "movements.db"
    for day, content in (("01", STAFF), ("12", AFTER), ("13", b"")):
        lists.write(folder, "senat", f"2026-09-{day}", content)
    environment.command("build", path, "--lists", folder, "--source", "suivi")
    internal = tmp_path / "i.sqlite3"
    service = InProcess(environment.datasette(path, internal, {"late_days": 3}), internal)
    try:
        routes = routes_of(service.datasette)
        assert routes is not None
        routes.service.clock = lambda: datetime.datetime(2026, 9, 15, tzinfo=datetime.UTC)
        answer = service.ask(ADDRESS)
        none = {"derniere_liste": None, "age_jours": None, "refusee_depuis": None}
        none |= {"premiere_liste": None, "trous": []}
        senate = {"derniere_liste": "2026-09-12", "age_jours": 3, "refusee_depuis": "2026-09-13"}
        hole = {"apres": "2026-09-01", "avant": "2026-09-12", "jours": 11}
        senate |= {"premiere_liste": "2026-09-01", "trous": [hole]}
        assert answer.json()["chambres"] == {
            "assemblee": {**none, "en_retard": False},
            "senat": {**senate, "en_retard": False},
            "europarl": {**none, "en_retard": False},
        }
        routes.service.clock = lambda: datetime.datetime(2026, 9, 16, tzinfo=datetime.UTC)
        late = service.ask(ADDRESS)
        # Requests are answered all the same: a load balancer must not take the service away.
        assert late.status == 200
        assert late.json()["chambres"]["senat"] == {**senate, "age_jours": 4, "en_retard": True}
    finally:
        service.close()


@pytest.mark.parametrize("noted", [False, True])
def test_the_last_run_its_status_and_a_run_that_did_not_come(tmp_path: Path, noted: bool) -> None:
    path, internal, folder = (tmp_path / name for name in ("movements.db", "i.sqlite3", "lists"))
    lists.write(folder, "senat", "2026-09-12", STAFF)
    if noted:
        journal.add(
            folder,
            [
                journal.Line("2026-09-13", "senat", "nouvelle", liste="senat/2026-09-12"),
                journal.Line("2026-09-13", "", "alarme", "points à voir", "2"),
            ],
        )
    environment.command("build", path, "--lists", folder, "--source", "suivi")
    service = InProcess(environment.datasette(path, internal), internal)
    try:
        routes = routes_of(service.datasette)
        assert routes is not None
        for day in (14, 15):
            routes.service.clock = lambda day=day: datetime.datetime(
                2026, 9, day, 12, tzinfo=datetime.UTC
            )
            run = {
                "le": "2026-09-13",
                "statut": "alarme",
                "points_a_voir": 2,
                "en_retard": day == 15,
            }
            answer = service.ask(ADDRESS)
            assert answer.status == 200
            assert answer.json()["dernier_passage"] == (run if noted else None)
    finally:
        service.close()


def test_a_store_that_is_gone_is_503(database: Path, tmp_path: Path) -> None:
    internal = tmp_path / "keys" / "i.sqlite3"
    internal.parent.mkdir()
    service = InProcess(environment.datasette(database, internal), internal)
    try:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{internal}{suffix}").unlink(missing_ok=True)
        answer = until(service, 503, "the file is gone")
        assert answer.json()["cles_joignables"] is False
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
