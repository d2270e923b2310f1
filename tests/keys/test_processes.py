"""Several processes on one store: exact counts, one live key, nothing acknowledged is lost."""

from __future__ import annotations

import datetime
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.keys.postgres import PostgresStore
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.keys.store import Store

from .conftest import charge, create, is_known
from .postgres_server import PostgresServer
from .processes import CONTEXT, Child, charge_for_ever, charge_many, rotate_once

Place = tuple[str, str]  # what open_store takes


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return "", str(tmp_path / "internal.sqlite3")
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_database(), ""


@pytest.fixture
def store(place: Place) -> Store:
    store: Store = PostgresStore(place[0]) if place[0] else SqliteStore(place[1])
    store.prepare()
    return store


def used(store: Store, digest: bytes) -> int:
    return charge(store, digest, 0, now=datetime.datetime.now(datetime.UTC)).used


@pytest.mark.rule("service-quota-exact")
def test_four_processes_charge_one_key_exactly(place: Place, store: Store) -> None:
    with closing(store):
        digest = create(store, "ada", quota=3900)
        barrier = CONTEXT.Barrier(4)
        children = [Child(charge_many, *place, digest, 1000, 10, barrier) for _ in range(4)]
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
        assert sum(is_known(store, digest) for digest in digests) == 1
