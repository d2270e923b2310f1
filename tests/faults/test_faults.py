"""The scenarios of `python -m tests.faults`, short; how long anything takes is judged there alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract import environment

from . import kills, outages, replacements, siege

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    return path


def test_killed_workers_and_a_killed_service_lose_no_charge(tmp_path: Path, database: Path) -> None:
    kills.run(tmp_path, database, 3, every_so_often=3).check()
    # What the killed processes had copied is gone: a copy of each worker stays, or of the one that ended last.
    assert 1 <= len(list((tmp_path / "served").iterdir())) <= 2


def test_killed_workers_give_no_key_more_than_its_quota(tmp_path: Path, database: Path) -> None:
    outcome = kills.run(tmp_path, database, 2, quota=2_000)
    outcome.check()
    assert outcome.statuses[429]


def test_replaced_files_are_adopted_without_a_failed_request(tmp_path: Path) -> None:
    outcome = replacements.run(tmp_path, 8)
    outcome.check()
    assert set(outcome.statuses) == {200}


def test_a_store_that_stops_is_503_and_comes_back(tmp_path: Path, database: Path) -> None:
    outcome = outages.run(tmp_path, database, 2)
    outcome.check()
    assert outcome.statuses[503]


def test_visitors_without_a_key_stop_nobody(tmp_path: Path) -> None:
    siege.run(tmp_path, siege.invented(tmp_path, 20_000), 5).check()
