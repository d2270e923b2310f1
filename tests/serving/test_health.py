"""The state of the service, as a load balancer asks for it."""

from __future__ import annotations

import asyncio
import datetime
import os
import time
from pathlib import Path

import pytest

from datasette_mouvements.api.service import Service
from datasette_mouvements.config import Config
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.serving.health import ASK_STORE_EVERY, Health
from parlement_lists.sources import journal
from tests.contract import environment
from tests.contract.service import Answer, InProcess, Start, behind
from tests.disk import leave, small_disk
from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF

from .test_daily import served

ADDRESS = "/-/mouvements/etat"


def test_a_service_that_answers_says_what_it_serves(in_process: Start) -> None:
    service = in_process()
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


async def test_the_store_is_asked_once_a_second_at_most(tmp_path: Path) -> None:
    asked: list[datetime.datetime] = []

    class Asked(SqliteStore):
        def reachable(self, now: datetime.datetime) -> bool:
            asked.append(now)
            return True

    store = Asked(tmp_path / "i.sqlite3")
    service = Service(Config(), served(tmp_path / "movements.db", tmp_path), store)
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


def noon(day: int) -> datetime.datetime:
    return datetime.datetime(2026, 9, day, 12, tzinfo=datetime.UTC)


def test_each_chamber_s_last_list_its_age_and_what_was_refused_since(
    in_process: Start, tmp_path: Path
) -> None:
    folder, path = tmp_path / "lists", tmp_path / "movements.db"
    for day, content in (("01", STAFF), ("12", AFTER), ("13", b"")):
        lists.write(folder, "senat", f"2026-09-{day}", content)
    environment.command("build", path, "--lists", folder, "--source", "suivi")
    service = in_process({"late_days": 3}, path)
    senate = {"premiere_liste": "2026-09-01", "derniere_liste": "2026-09-12"}
    senate |= {"refusee_depuis": "2026-09-13"}
    for day, late in ((12, False), (15, False), (16, True)):
        behind(service).clock = lambda day=day: noon(day)
        answer = service.ask(ADDRESS)
        # Requests are answered all the same: a load balancer must not take the service away.
        assert answer.status == 200
        senate |= {"age_jours": day - 12, "en_retard": late}
        assert answer.json()["chambres"]["senat"].items() >= senate.items()
        assert answer.json()["chambres"]["europarl"]["derniere_liste"] is None


@pytest.mark.parametrize("noted", [False, True])
def test_the_last_run_its_status_and_a_run_that_did_not_come(
    in_process: Start, tmp_path: Path, noted: bool
) -> None:
    path, folder = tmp_path / "movements.db", tmp_path / "lists"
    lists.write(folder, "senat", "2026-09-12", STAFF)
    if noted:
        journal.add(
            folder,
            [
                journal.Line("2026-09-13", "senat", "nouvelle", liste="senat/2026-09-12"),
                journal.Line("2026-09-13", "", "alarme", "points à voir", "2"),
                journal.Line("2026-12-01", "", "alarme", "points à voir", "9"),  # a clock was ahead
            ],
        )
    environment.command("build", path, "--lists", folder, "--source", "suivi")
    service = in_process(database=path)
    run = {"le": "2026-09-13", "statut": "alarme", "points_a_voir": 2}
    for day, late in ((14, False), (15, True)):
        behind(service).clock = lambda day=day: noon(day)
        answer = service.ask(ADDRESS)
        assert answer.status == 200
        told = run | {"en_retard": late} if noted else None
        assert answer.json()["dernier_passage"] == told
