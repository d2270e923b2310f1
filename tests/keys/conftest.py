"""The two stores, each real: every test of the contract runs over both."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.keys import keys
from datasette_mouvements.keys.postgres import PostgresStore
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.keys.store import Charge, Store

from .postgres_server import PostgresServer

PATIENCE = 60  # seconds
NOON = datetime.datetime(2024, 5, 14, 10, 0, 30, tzinfo=datetime.UTC)  # 12:00:30 in Paris


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.close()


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each store, on an empty place of its own."""
    if request.param == "sqlite":
        store: Store = SqliteStore(tmp_path / "internal.sqlite3")
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        store = PostgresStore(server.new_database())
    with closing(store):
        store.prepare()
        yield store


def create(store: Store, account: str, quota: int | None = None) -> bytes:
    """A live key for the account; its digest."""
    key = keys.issue()
    store.create(account, keys.digest(key), keys.prefix(key), NOON, quota)
    return keys.digest(key)


def charge(
    store: Store, digest: bytes, amount: int = 1, quota: int = 1000, now: datetime.datetime = NOON
) -> Charge:
    """A charge of one key that is known, or a look."""
    [found] = store.charge([(digest, amount)], now, quota)
    assert found is not None
    return found


def is_known(store: Store, digest: bytes) -> bool:
    return store.charge([(digest, 0)], NOON, 1000) != [None]
