"""Several processes on one store: exact counts, one live key, nothing acknowledged is lost."""

from __future__ import annotations

import datetime
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.access.charging import Demand
from datasette_mouvements.access.stores.postgres import PostgresStore
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.access.stores.store import Store

from .conftest import NOON, create
from .gated import PATIENCE
from .postgres_server import PostgresServer
from .processes import CONTEXT, Child, charge_for_ever, charge_many, prepare_all, rotate_once

Place = tuple[str, str]  # what open_store takes


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return "", str(tmp_path / "internal.sqlite3")
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_database(), ""


@pytest.fixture
def store(place: Place) -> Store:
    store: Store = PostgresStore(place[0], PATIENCE) if place[0] else SqliteStore(place[1])
    store.prepare()
    return store


def used(store: Store, digest: bytes) -> int:
    now = datetime.datetime.now(datetime.UTC)
    (looked,) = store.charge([Demand(digest, 0)], now, 1000)
    assert looked is not None
    return looked.used


@pytest.mark.rule("service-quota-exact")
@pytest.mark.parametrize("batch", [1, 10])
def test_four_processes_charge_one_key_exactly(place: Place, store: Store, batch: int) -> None:
    with closing(store):
        digest = create(store, "ada", quota=3900)
        barrier = CONTEXT.Barrier(4)
        children = [Child(charge_many, *place, digest, 1000, batch, barrier) for _ in range(4)]
        granted = [count for child in children for count in child.hear()]
        for child in children:
            child.end()
        assert sorted(granted) == list(range(1, 3901))
        assert used(store, digest) == 3900


def test_a_killed_process_loses_nothing_it_acknowledged(place: Place, store: Store) -> None:
    with closing(store):
        digest = create(store, "ada", quota=1_000_000)
        acknowledged = 0
        for _ in range(3):
            child = Child(charge_for_ever, *place, digest)
            for _ in range(50):
                acknowledged = child.hear()
            child.kill()
            # What it said before it died and was not yet heard counts as acknowledged too.
            while child.pipe.poll():
                try:
                    acknowledged = child.pipe.recv()
                except EOFError:
                    break
            child.pipe.close()
            # At most the one charge that it had no time to acknowledge.
            assert acknowledged <= used(store, digest) <= acknowledged + 1
            acknowledged = used(store, digest)


@pytest.mark.rule("decisions-one-key")
def test_two_rotations_at_once_leave_one_live_key(place: Place, store: Store) -> None:
    with closing(store):
        create(store, "ada")
        barrier = CONTEXT.Barrier(2)
        children = [Child(rotate_once, *place, "ada", barrier) for _ in range(2)]
        digests = [child.hear() for child in children]
        for child in children:
            child.end()
        records = store.show("ada", datetime.datetime.now(datetime.UTC))
        assert [r.ended_why for r in records] == [None, "rotated", "rotated"]
        now = datetime.datetime.now(datetime.UTC)
        charges = store.charge([Demand(d, 1) for d in digests], now, 1000)
        assert sum(charge is not None for charge in charges) == 1


def together(places: list[Place], internal: bool = False) -> None:
    barrier = CONTEXT.Barrier(4)
    children = [Child(prepare_all, places, internal, barrier) for _ in range(4)]
    assert [child.hear() for child in children] == ["done"] * 4
    for child in children:
        child.end()


@pytest.mark.parametrize("internal", [False, True], ids=["own-tables", "with-core's"])
def test_four_processes_prepare_a_fresh_file_sixty_times(tmp_path: Path, internal: bool) -> None:
    paths = [str(tmp_path / str(number) / "internal.sqlite3") for number in range(60)]
    together([("", path) for path in paths], internal)
    for path in paths:
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("pragma journal_mode").fetchone() == ("wal",)
            assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
            tables = {row[0] for row in connection.execute("select name from sqlite_master")}
            assert {"mouvements_keys", "mouvements_quota"} <= tables
            assert ("catalog_tables" in tables) == internal
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600


def test_four_processes_prepare_a_fresh_postgresql_at_once(
    postgres_server: PostgresServer,
) -> None:
    urls = [postgres_server.new_database() for _ in range(5)]
    together([(url, "") for url in urls])
    for url in urls:
        with closing(PostgresStore(url, PATIENCE)) as store:
            assert store.reachable(NOON)
