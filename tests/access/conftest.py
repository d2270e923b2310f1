"""The two stores, each real: every test of the contract runs over both."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.access import keys
from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.stores.postgres import PostgresStore
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.access.stores.store import Store

from .gated import PATIENCE, Gated, NewQueue
from .postgres_server import PostgresServer

NOON = datetime.datetime(2024, 5, 14, 10, 0, 30, tzinfo=datetime.UTC)  # 12:00:30 in Paris


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgres"])
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Makes a store on the same empty place as often as it is called; nothing prepared or closed."""
    if request.param == "sqlite":
        return partial(SqliteStore, tmp_path / "internal.sqlite3")
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return partial(PostgresStore, server.new_database())


@pytest.fixture
def opener(new_store: Callable[[], Store]) -> Iterator[Callable[[], Store]]:
    """Opens the same prepared store as often as it is called, as so many processes would."""
    opened: list[Store] = []

    def open_one() -> Store:
        opened.append(new_store())
        return opened[-1]

    open_one().prepare()
    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Callable[[], Store]) -> Store:
    return opener()


def create(store: Store, account: str, quota: int | None = None) -> bytes:
    """A live key for the account; its digest."""
    key = keys.issue()
    store.create(account, keys.digest(key), keys.prefix(key), NOON, quota)
    return keys.digest(key)


@pytest.fixture
def gated(tmp_path: Path) -> Iterator[Gated]:
    store = Gated(tmp_path / "internal.sqlite3")
    store.prepare()
    yield store
    store.open.set()  # or its thread fails a minute later, in another test


@pytest.fixture
def new_queue() -> Iterator[NewQueue]:
    made: list[ChargeQueue] = []

    def new(store: Store, quota: int = 1000, timeout: float = PATIENCE, **more: Any) -> ChargeQueue:
        queue = ChargeQueue(store, quota, lambda: NOON, timeout, **more)
        made.append(queue)
        return queue

    yield new
    for queue in made:
        queue.close()
