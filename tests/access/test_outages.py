"""A store that is locked, stopped, frozen or gone: requests are answered in under a second, and it recovers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio

from datasette_mouvements.access.charge_queue import ChargeQueue
from datasette_mouvements.access.charging import Demand
from datasette_mouvements.access.stores.postgres import PostgresStore
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.access.stores.store import Store, StoreUnavailable

from .conftest import NOON, create
from .gated import PATIENCE
from .postgres_server import PostgresServer
from .processes import Child, hold

Outage = Callable[[], AbstractContextManager[None]]
# A time that is kept is kept in one of these; one that is not is kept in none, however busy the machine.
ATTEMPTS = 4


@contextmanager
def locked_file(path: Path) -> Iterator[None]:
    """Another process holds the file as a whole."""
    child = Child(hold, path, "exclusive")
    assert child.hear() == "held"
    yield
    child.pipe.send("let go")
    assert child.hear() == "let go"
    child.end()


@contextmanager
def moved_file(path: Path) -> Iterator[None]:
    """The file is not where it was, though still open; then it is back."""
    aside = path.with_name("aside")
    path.rename(aside)
    yield
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
    if request.param.endswith("file"):
        path = tmp_path / "internal.sqlite3"
        ways = {"locked-file": locked_file, "moved-file": moved_file}
        store: Store = SqliteStore(path)
        outage = lambda: ways[request.param](path)  # noqa: E731
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.new_database()
        store = PostgresStore(url)
        if request.param == "locked-table":
            outage = lambda: locked_table(url)  # noqa: E731
        else:
            outage = lambda: {"stopped": stopped, "frozen": frozen}[request.param](server)  # noqa: E731
    store.prepare()
    with closing(store):
        yield store, outage


def recovers(store: Store, digest: bytes) -> int:
    """What is used once the store charges again, which it must by itself."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            (charge,) = store.charge([Demand(digest, 1)], NOON, 1000)
        except StoreUnavailable:
            assert time.monotonic() < deadline
        else:
            assert charge is not None
            return charge.used


def test_a_broken_store_says_so_and_recovers(broken: tuple[Store, Outage]) -> None:
    store, outage = broken
    most = 0.8 if isinstance(store, SqliteStore) else 3  # a new connection waits for two seconds
    digest = create(store, "ada")

    def slowest_refusal() -> float:
        used = recovers(store, digest)
        slowest = 0.0
        if isinstance(store, SqliteStore):
            store._checked = 0.0  # as a second later: the file is looked for once a second
        with outage():
            for _ in range(3):
                began = time.monotonic()
                with pytest.raises(StoreUnavailable):
                    store.charge([Demand(digest, 1)], NOON, 1000)
                slowest = max(slowest, time.monotonic() - began)
            assert not store.reachable(NOON)
        # A server that froze at work on a charge finishes it afterwards.
        more = recovers(store, digest) - used
        assert more in ((1, 2) if isinstance(store, PostgresStore) else (1,))
        assert store.reachable(NOON)
        return slowest

    assert any(slowest_refusal() < most for _ in range(ATTEMPTS))


@pytest_asyncio.fixture
async def queue(broken: tuple[Store, Outage]) -> AsyncIterator[ChargeQueue]:
    queue = ChargeQueue(broken[0], 1000, lambda: NOON)
    yield queue
    queue.close()


@pytest.mark.asyncio
async def test_a_service_answers_in_under_a_second_while_its_store_is_broken(
    broken: tuple[Store, Outage], queue: ChargeQueue
) -> None:
    store, outage = broken
    digest = create(store, "ada")
    granted = 0

    async def ask() -> float:
        nonlocal granted
        began = time.monotonic()
        with suppress(StoreUnavailable):
            charge = await queue.charge(digest)
            assert charge is not None
            granted += charge.granted
        return time.monotonic() - began

    async def until_granted() -> None:
        before, deadline = granted, time.monotonic() + PATIENCE
        while granted == before:
            assert time.monotonic() < deadline
            await ask()

    async def slowest_answer() -> float:
        await until_granted()
        before = granted
        if isinstance(store, SqliteStore):
            store._checked = 0.0
        context = outage()
        await asyncio.to_thread(context.__enter__)
        asked = []
        for _ in range(10):
            asked += [asyncio.ensure_future(ask()) for _ in range(5)]
            await asyncio.sleep(0.1)
        slowest = max(await asyncio.gather(*asked))
        assert granted == before
        await asyncio.to_thread(context.__exit__, None, None, None)
        await until_granted()
        return slowest

    attempts = 1
    while await slowest_answer() >= 1:
        attempts += 1
        assert attempts <= ATTEMPTS
    days = await queue.run(store.days, "ada", "")
    # A server that froze at work on a batch finishes it afterwards: never fewer than were answered.
    finished = 5 * attempts if isinstance(store, PostgresStore) else 0
    assert granted <= days["2024-05-14"] <= granted + finished


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 1000])
def test_a_file_that_is_no_store_is_unavailable(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "internal.sqlite3"
    path.write_bytes(content)
    with closing(SqliteStore(path)) as store:
        with pytest.raises(StoreUnavailable):
            store.charge([Demand(b"?" * 32, 1)], NOON, 1000)
        assert not store.reachable(NOON)
