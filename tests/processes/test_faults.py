"""Workers killed, files replaced: every answer stays right, and nothing counted is lost.

Longer with MOUVEMENTS_FAULTS, as `make faults` has it; how long anything takes only the benchmarks judge.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from tests.contract import environment
from tests.contract.service import Answer

from . import versions
from .server import Load, Server, until

pytestmark = pytest.mark.process
TIMES = int(os.environ.get("MOUVEMENTS_FAULTS", "1"))
PLENTY = 10_000_000  # a quota that nothing here reaches
TARGETS = (
    *("/v1/mouvements", "/v1/mouvements?limit=5&offset=3", "/v1/mouvements?chambre=senat"),
    *("/v1/mouvements?limit=0", "/mouvements?type=depart&limit=2", "/v1/changements?limit=3"),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    return path


def judge(target: str, answer: Answer) -> str:
    """A kill breaks connections, it changes no answer."""
    expected = 400 if "limit=0" in target else 200
    if answer.status == 429 and answer.remaining == 0:
        return ""
    return "" if answer.status == expected else f"{answer.status} {answer.body[:200]!r}"


def charged(internal: Path) -> int:
    sql = "select coalesce(sum(used), 0) from mouvements_quota"
    with contextlib.closing(sqlite3.connect(internal)) as db:
        return int(db.execute(sql).fetchone()[0])


@pytest.mark.parametrize("quota", [PLENTY, 2_000])
def test_killed_workers_and_a_killed_service_lose_no_charge_and_give_none_away(
    tmp_path: Path, database: Path, quota: int
) -> None:
    chance = random.Random(1)
    with contextlib.closing(Server(database, tmp_path / "internal.sqlite3")) as server:
        key = environment.issue("charge", server.internal, "--quota", quota)
        with Load(server, TARGETS, {"X-API-Key": key}, judge) as load:
            for number in range(1, 3 * TIMES + 1):
                until(lambda: len(server.workers()) == 2, "a killed worker was not replaced")
                time.sleep(chance.uniform(0, 1.2))
                if number % 3 == 0:
                    server.kill_all()
                    server.start()
                else:
                    server.kill(chance.choice(server.workers()))
                answered = load.statuses.total()
                until(lambda: load.statuses.total() > answered + 100, "it did not come back")  # noqa: B023
            if quota != PLENTY:
                until(lambda: load.statuses[429] > 0, "the quota was not used up")
        # What the killed processes had copied is gone: a copy of each worker stays, or of the one that ended last.
        assert 1 <= len(list((tmp_path / "served").iterdir())) <= 2
    load.check()
    answered = load.statuses[200] + load.statuses[400]
    assert answered <= charged(server.internal) <= min(load.sent, quota)


def moved(path: Path, source: Path) -> None:
    part = path.with_name("part")
    shutil.copyfile(source, part)
    part.replace(path)


def copied_over(path: Path, source: Path) -> None:
    shutil.copyfile(source, path)


WAYS: tuple[Callable[[Path, Path], None], ...] = (moved, copied_over)


def test_replaced_files_are_adopted_and_never_mixed(tmp_path: Path) -> None:
    """By two workers; each second time something bad lay there before."""
    made = versions.build(tmp_path, 4)
    path = tmp_path / "published" / "movements.db"
    path.parent.mkdir()
    moved(path, made[0].path)
    unmixed, chance = versions.Unmixed(made), random.Random(1)
    spoilers = itertools.cycle(versions.SPOILED)
    with contextlib.closing(Server(path, tmp_path / "internal.sqlite3")) as server:
        key = {"X-API-Key": environment.issue("charge", server.internal, "--quota", PLENTY)}
        with Load(server, versions.TARGETS, key, unmixed, clients=4) as load:
            for number in range(1, 8 * TIMES + 1):
                if number % 2 == 0:
                    path.write_bytes(next(spoilers)(made[0].path.read_bytes(), chance))
                    time.sleep(chance.uniform(0.1, 1.2))
                version = made[number % len(made)]
                WAYS[number % len(WAYS)](path, version.path)
                until(lambda: unmixed.seen is version, f"{version.name} was not adopted")  # noqa: B023
    load.check()
    assert set(load.statuses) == {200}
