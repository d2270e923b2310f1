"""A service that was given no place for keys that lasts: pages for people, a reason for programs, a line in the log."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from datasette.app import Datasette

from datasette_mouvements.serving import startup
from tests.contract import environment
from tests.contract.service import InProcess


@pytest.fixture
def service(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InProcess]:
    monkeypatch.setattr(startup, "TELL_EVERY", 0.01)
    datasette = Datasette([str(database)], plugins_dir=str(environment.PLUGINS))
    service = InProcess(datasette, tmp_path / "none.sqlite3")
    yield service
    service.close()


@pytest.mark.parametrize("key", [None, "mvt_" + "a" * 32])
@pytest.mark.parametrize(
    "address", ["/v1/mouvements", "/mouvements", "/v1/quota", "/movements.json", "/fichiers/tout"]
)
def test_what_a_key_would_pay_for_is_503_and_names_what_is_missing(
    service: InProcess, address: str, key: str | None
) -> None:
    answer = service.ask(address, {"X-API-Key": key} if key else {})
    assert (answer.status, answer.header("Retry-After")) == (503, "5")
    assert {"--internal", "MOUVEMENTS_STORE"} <= {
        word.strip("().,") for word in answer.json()["detail"].split()
    }


def test_the_page_of_keys_says_so_to_everyone(service: InProcess) -> None:
    for method in ("GET", "POST"):
        answer = service.ask("/-/cle", method=method)
        assert answer.status == 503
        assert "n’a pas de lieu durable" in answer.body.decode()


def test_the_state_is_503(service: InProcess) -> None:
    answer = service.ask("/-/mouvements/etat")
    assert (answer.status, answer.json()["cles_joignables"]) == (503, False)
    assert "--internal" in answer.json()["motif"]


def test_pages_and_what_costs_nothing_are_answered(service: InProcess) -> None:
    for address in ("/", "/recherche?q=a", "/documentation", "/v1/openapi.json", "/fichiers"):
        assert service.ask(address).status == 200, address
    assert service.ask("/v1/autre").status == 404


def test_the_log_says_it_again_and_again(
    service: InProcess, caplog: pytest.LogCaptureFixture
) -> None:
    deadline = time.monotonic() + 30
    while len(said := [r for r in caplog.records if "no place" in r.getMessage()]) < 2:
        assert time.monotonic() < deadline
        os.sched_yield()
    assert {record.levelno for record in said} == {logging.ERROR}
