"""A start that was not given what lasts, a place for keys: for pages a reason, for the log a line."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from datasette.app import Datasette
from datasette.utils import StartupError

from datasette_mouvements.keys import keys
from tests.contract import environment
from tests.contract.service import InProcess


@pytest.fixture(scope="module")
def service(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    datasette = Datasette([str(database)], plugins_dir=str(environment.PLUGINS))
    service = InProcess(datasette, tmp_path_factory.mktemp("none") / "none.sqlite3")
    yield service
    service.close()


@pytest.mark.rule("service-temporary-internal", "decisions-quota-headers-unknown")
@pytest.mark.parametrize(
    "address", ["/v1/mouvements", "/mouvements", "/v1/quota", "/movements.json", "/fichiers/tout"]
)
def test_what_a_key_would_pay_for_is_503_and_names_what_is_missing(
    service: InProcess, address: str
) -> None:
    for headers in ({}, {"X-API-Key": keys.issue()}):
        answer = service.ask(address, headers)
        assert (answer.status, answer.header("Retry-After")) == (503, "5")
        # Nothing reads as used up.
        limits = answer.header("X-RateLimit-Limit"), answer.header("X-RateLimit-Remaining")
        assert (*limits, answer.header("RateLimit")) == ("1000", "1000", None)
        for name in ("--internal", "MOUVEMENTS_STORE"):
            assert name in answer.json()["detail"]


def test_pages_are_answered_and_those_of_keys_and_of_the_state_say_so(service: InProcess) -> None:
    for address in ("/", "/recherche?q=a", "/documentation", "/v1/openapi.json", "/fichiers"):
        assert service.ask(address).status == 200, address
    for method in ("GET", "POST"):
        answer = service.ask("/-/cle", method=method)
        assert (answer.status, "n’a pas de lieu durable" in answer.body.decode()) == (503, True)
    state = service.ask("/-/mouvements/etat")
    assert (state.status, state.json()["cles_joignables"]) == (503, False)
    assert "--internal" in state.json()["motif"]


def test_the_log_says_it_when_a_service_starts(
    database: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    datasette = Datasette([str(database)], plugins_dir=str(environment.PLUGINS))
    InProcess(datasette, tmp_path / "none.sqlite3").close()
    told = [r.levelno for r in caplog.records if "no place" in r.getMessage()]
    assert told == [logging.ERROR]


def test_copies_are_not_kept_in_a_folder_that_another_user_may_have_made(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / f"datasette-mouvements-{os.getuid()}").symlink_to(tmp_path)
    datasette = Datasette([str(database)], plugins_dir=str(environment.PLUGINS))
    with pytest.raises(StartupError, match="belongs to another user"):
        InProcess(datasette, tmp_path / "none.sqlite3")
