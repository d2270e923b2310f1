"""A service that was given no place for keys that lasts: pages for people, a reason for programs, a line in the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from datasette.app import Datasette

from datasette_mouvements.keys import keys
from datasette_mouvements.serving.startup import warn_of_missing_store
from tests.contract import environment
from tests.contract.service import InProcess


@pytest.fixture(scope="module")
def service(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    datasette = Datasette([str(database)], plugins_dir=str(environment.PLUGINS))
    service = InProcess(datasette, tmp_path_factory.mktemp("none") / "none.sqlite3")
    yield service
    service.close()


@pytest.mark.rule("service-temporary-internal", "decisions-quota-headers-unknown")
@pytest.mark.parametrize("key", [None, keys.issue()], ids=["without", "with a key"])
@pytest.mark.parametrize(
    "address",
    [
        *("/v1/mouvements", "/v1/mouvements/mvt_x", "/v1/changements", "/mouvements"),
        *("/v1/quota", "/movements.json", "/fichiers/tout"),
    ],
)
def test_what_a_key_would_pay_for_is_503_and_names_what_is_missing(
    service: InProcess, address: str, key: str | None
) -> None:
    answer = service.ask(address, {"X-API-Key": key} if key else {})
    assert (answer.status, answer.header("Retry-After")) == (503, "5")
    # Nothing reads as used up.
    limits = answer.header("X-RateLimit-Limit"), answer.header("X-RateLimit-Remaining")
    assert (*limits, answer.header("RateLimit")) == ("1000", "1000", None)
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


def told(caplog: pytest.LogCaptureFixture) -> list[int]:
    return [r.levelno for r in caplog.records if "no place" in r.getMessage()]


def test_the_log_says_it_when_a_service_starts(
    database: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    datasette = Datasette([str(database)], plugins_dir=str(environment.PLUGINS))
    service = InProcess(datasette, tmp_path / "none.sqlite3")
    try:
        assert service.ask("/robots.txt").status == 200
        assert told(caplog) == [logging.ERROR]
    finally:
        service.close()


def test_the_log_says_it_again_and_again(caplog: pytest.LogCaptureFixture) -> None:
    async def check() -> None:
        telling = asyncio.create_task(warn_of_missing_store(every=0.0))
        async with asyncio.timeout(10):
            while len(told(caplog)) < 2:
                await asyncio.sleep(0)
        telling.cancel()

    asyncio.run(check())
