"""The two stores, each real: every test of the contract runs over both."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from datasette_mouvements.access import keys
from datasette_mouvements.access.sqlite import SqliteStore
from datasette_mouvements.access.store import Store

NOON = datetime.datetime(2024, 5, 14, 10, 0, 30, tzinfo=datetime.UTC)  # 12:00:30 in Paris


@pytest.fixture(params=["sqlite"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same store as often as it is called, as so many processes would."""
    opened: list[Store] = []

    def open_one() -> Store:
        store = SqliteStore(tmp_path / "internal.sqlite3")
        opened.append(store)
        return store

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
