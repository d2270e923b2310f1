"""A store that is locked, stopped, frozen or gone: requests are answered in under a second, and it recovers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.keys.postgres import PostgresStore
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.keys.store import Store, StoreUnavailable

from .conftest import NOON, PATIENCE, charge, create
from .postgres_server import PostgresServer

Outage = Callable[[], AbstractContextManager[None]]


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Another connection holds the file as a whole."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin exclusive")
        yield


@contextmanager
def moved_file(path: Path) -> Iterator[None]:
    """The file is not where it was, though still open; then it is back."""
    aside = path.with_name("aside")
    path.rename(aside)
    yield
    assert not path.exists()  # it is not made again
    aside.rename(path)


@contextmanager
def stopped(server: PostgresServer) -> Iterator[None]:
    server.stop()
    yield
    server.start()


@contextmanager
def frozen(server: PostgresServer) -> Iterator[None]:
    server.freeze()
    yield
    server.thaw()


@contextmanager
def locked_table(url: str) -> Iterator[None]:
    with psycopg.connect(url) as connection:
        connection.execute("lock table mouvements_quota in access exclusive mode")
        yield


@pytest.fixture(params=["locked-file", "moved-file", "stopped", "frozen", "locked-table"])
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Outage]]:
    """A prepared store and what breaks it for a while."""
    store: Store
    if request.param.endswith("file"):
        path = tmp_path / "internal.sqlite3"
        store, ways = SqliteStore(path), {"locked-file": locked_file, "moved-file": moved_file}
        outage = partial(ways[request.param], path)
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.new_database()
        store = PostgresStore(url)
        outages = {"stopped": partial(stopped, server), "frozen": partial(frozen, server)}
        outage = outages.get(request.param, partial(locked_table, url))
    store.prepare()
    with closing(store):
        yield store, outage


def recovers(store: Store, digest: bytes) -> int:
    """What is used once the store charges again, which it must by itself."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return charge(store, digest).used
        except StoreUnavailable:
            assert time.monotonic() < deadline


def test_a_broken_store_says_so_and_recovers(broken: tuple[Store, Outage]) -> None:
    store, outage = broken
    digest = create(store, "ada")
    used = recovers(store, digest)
    if isinstance(store, SqliteStore):
        store._checked = 0.0  # as a second later: the file is looked for once a second
    with outage():
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                charge(store, digest)
        assert not store.reachable(NOON)
    # A server that froze at work on a charge finishes it afterwards.
    more = recovers(store, digest) - used
    assert more in ((1, 2) if isinstance(store, PostgresStore) else (1,))
    assert store.reachable(NOON)


def test_a_file_that_is_no_store_or_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "internal.sqlite3"
    for content in (b"", b"not a database at all" * 1000):
        path.write_bytes(content)
        with closing(SqliteStore(path)) as store:
            with pytest.raises(StoreUnavailable):
                charge(store, b"?" * 32)
            assert not store.reachable(NOON)
    with pytest.raises(StoreUnavailable):
        SqliteStore(path / "internal.sqlite3").prepare()
