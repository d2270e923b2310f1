"""The scenarios of `python -m tests.faults`, short."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.contract import environment

from . import crowd, hostile, kills, outages, replacements, siege, spoiled

pytestmark = pytest.mark.process


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    return path


def test_killed_workers_lose_no_charge(tmp_path: Path, database: Path) -> None:
    outcome = kills.run(tmp_path, database, 3)
    outcome.check()


def test_killed_workers_give_no_key_more_than_its_quota(tmp_path: Path, database: Path) -> None:
    outcome = kills.run(tmp_path, database, 2, quota=2_000)
    outcome.check()
    assert outcome.statuses[429]


def test_a_whole_service_killed_loses_no_charge(tmp_path: Path, database: Path) -> None:
    kills.run(tmp_path, database, 1, every_so_often=1).check()
    # What the killed processes had copied is gone: a copy of each worker stays, or of the one that ended last.
    assert 1 <= len(list((tmp_path / "served").iterdir())) <= 2


def test_replaced_files_are_adopted_in_two_seconds_without_a_failed_request(tmp_path: Path) -> None:
    outcome = replacements.run(tmp_path, 8)
    outcome.check()
    assert set(outcome.statuses) == {200}
    assert outcome.longest < replacements.ADOPTED_WITHIN


def test_a_store_that_stops_is_503_in_seconds_and_comes_back(
    tmp_path: Path, database: Path
) -> None:
    outcome = outages.run(tmp_path, database, 2)
    outcome.check()
    assert outcome.statuses[503]


def test_no_spoiled_file_is_served(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "datasette_mouvements")
    spoiled.run(tmp_path, 100).check()


def test_hostile_clients_get_refusals_and_stop_nobody(tmp_path: Path, database: Path) -> None:
    outcome = hostile.run(tmp_path, database, 2_000)
    outcome.check()
    assert outcome.longest < 2.0


def test_visitors_without_a_key_stop_nobody(tmp_path: Path) -> None:
    siege.run(tmp_path, siege.invented(tmp_path, 20_000), 5, busy=0.1).check()


def test_one_address_makes_no_other_wait(tmp_path: Path) -> None:
    database = siege.invented(tmp_path, 5_000)
    crowd.run(tmp_path, database, "explorer", 140, 3, allowed=2.0).check()
