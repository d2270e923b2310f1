"""What a service does when a day turns: old use is forgotten once, and late lists are told."""

from __future__ import annotations

import asyncio
import datetime
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.api.service import Service
from datasette_mouvements.config import Config
from datasette_mouvements.dataset.served import Served
from datasette_mouvements.keys import keys
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.keys.store import StoreUnavailable
from datasette_mouvements.serving.daily import DailyWork
from tests.contract import environment
from tests.contract.service import InProcess
from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF

NOON = datetime.datetime(2026, 9, 14, 10, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


def served(database: Path, folder: Path) -> Served:
    return Served(database, folder / "served", lambda version: None, lambda version: None)


@pytest.fixture
def clock() -> list[datetime.datetime]:
    """Of which the last is now."""
    return [NOON]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(tmp_path / "internal.sqlite3")) as store:
        store.prepare()
        yield store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "lists"
    for day, content in (("01", STAFF), ("02", STAFF), ("12", AFTER)):
        lists.write(folder, "senat", f"2026-09-{day}", content)
    return folder


@pytest.fixture
def service(
    tmp_path: Path, folder: Path, store: SqliteStore, clock: list[datetime.datetime]
) -> Iterator[Service]:
    database = tmp_path / "movements.db"
    environment.done("build", database, "--lists", folder, "--source", "suivi")
    service = Service(Config(), served(database, tmp_path), store, clock=lambda: clock[-1])
    asyncio.run(service.served.start())
    yield service
    service.close()


def counts(store: SqliteStore) -> int:
    """How many counts of a day the store has."""
    with closing(sqlite3.connect(store.path)) as db:
        return int(db.execute("select count(*) from mouvements_quota").fetchone()[0])


def charged(store: SqliteStore, accounts: int, day: str) -> None:
    for number in range(accounts):
        key = keys.issue()
        store.create(f"account {day} {number}", keys.digest(key), keys.prefix(key), NOON)
        then = datetime.datetime.fromisoformat(f"{day}T12:00:00+00:00")
        store.charge([(keys.digest(key), 1)], then, 1000)


def test_use_older_than_the_setting_is_forgotten_once_a_day_by_all(
    service: Service, store: SqliteStore, clock: list[datetime.datetime]
) -> None:
    charged(store, 3, "2025-08-13")  # the last day that is no more
    charged(store, 1, "2025-08-14")

    async def days() -> None:
        first, second = (DailyWork(service) for _ in range(2))
        await asyncio.gather(first.look(), second.look())  # two processes
        assert counts(store) == 1
        assert store.days("account 2025-08-14 0", "") == {"2025-08-14": 1}
        charged(store, 1, "2025-08-12")
        await first.look()
        assert counts(store) == 2
        clock.append(NOON + DAY)
        await second.look()
        assert counts(store) == 0
        assert store.days("account 2025-08-14 0", "") == {}

    asyncio.run(days())


def test_a_service_that_runs_does_it(database: Path, store: SqliteStore) -> None:
    charged(store, 1, "2020-01-01")
    service = InProcess(environment.datasette(database, store.path), store.path)
    deadline = time.monotonic() + 30
    while counts(store):
        assert time.monotonic() < deadline
        os.sched_yield()
    service.close()


def test_a_store_that_goes_away_is_asked_again(service: Service, store: SqliteStore) -> None:
    charged(store, 1, "2025-08-13")

    class GoingAway(SqliteStore):
        def forget_days(self, oldest: str) -> None:
            raise StoreUnavailable

    async def days() -> None:
        daily = DailyWork(service)
        service.charging.store = GoingAway(store.path)
        await daily.look()
        assert counts(store) == 1
        service.charging.store = store
        await daily.look()

    asyncio.run(days())
    assert counts(store) == 0


def test_who_is_late_or_refused_stands_in_the_log_once_a_day_and_when_lists_came(
    service: Service,
    store: SqliteStore,
    clock: list[datetime.datetime],
    folder: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    daily = DailyWork(service)

    def told() -> list[str]:
        caplog.clear()
        with caplog.at_level(logging.INFO, "datasette_mouvements.serving.daily"):
            asyncio.run(daily.look())
        return [f"{record.levelname} {record.getMessage()}" for record in caplog.records]

    clock.append(NOON + 8 * DAY)
    assert told() == []
    clock.append(NOON + 9 * DAY)
    assert told() == ["WARNING senat is late: last list of 2026-09-12, age in days: 11"]
    assert told() == []
    lists.write(folder, "senat", "2026-09-20", b"")
    lists.write(folder, "senat", "2026-09-21", b"")
    environment.command("build", service.served.path, "--lists", folder, "--source", "suivi")

    async def adopted() -> None:
        await service.served.look()
        await service.served.look()

    asyncio.run(adopted())
    assert told() == [
        "WARNING senat: lists are refused since 2026-09-20",
        "WARNING senat is late: last list of 2026-09-12, age in days: 11",
    ]


def test_invented_lists_are_never_told_to_be_late(
    tmp_path: Path, folder: Path, store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    lists.write(folder, "assemblee", "2026-08-01", lists.many(40))  # late beside the newest
    environment.done("build", tmp_path / "i.db", "--lists", folder, "--invented")
    live = served(tmp_path / "i.db", tmp_path)
    asyncio.run(live.start())
    service = Service(Config(), live, store)
    assert service.freshness(service.version)["assemblee"].late
    with caplog.at_level(logging.INFO, "datasette_mouvements.serving.daily"):
        asyncio.run(DailyWork(service).look())
    service.close()
    assert caplog.records == []
