"""What is particular to the store in PostgreSQL."""

from __future__ import annotations

import datetime
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import psycopg
import pytest

from datasette_mouvements.access import open_store
from datasette_mouvements.access.charging import Demand
from datasette_mouvements.access.stores import postgres_sql
from datasette_mouvements.access.stores.postgres import PostgresStore
from datasette_mouvements.access.stores.store import StoreUnavailable
from datasette_mouvements.config import ConfigError

from .conftest import NOON, create
from .gated import PATIENCE
from .postgres_server import PostgresServer


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    return postgres_server.new_database()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    with closing(PostgresStore(url)) as store:
        store.prepare()
        yield store


def terminate(url: str) -> None:
    """End every connection of this database's stores, as a server that restarts."""
    with psycopg.connect(url, autocommit=True) as other:
        other.execute(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
            " where application_name = 'datasette-mouvements' and datname = current_database()"
        )


def test_batches_in_opposite_order_never_wait_for_each_other(
    store: PostgresStore, url: str
) -> None:
    digests = [create(store, f"account {number:02}", quota=100_000) for number in range(16)]
    rounds = 100
    failures: list[BaseException] = []

    def machine(order: list[bytes], give_back: bool) -> None:
        try:
            with closing(PostgresStore(url)) as own:
                for _ in range(rounds):
                    own.charge([Demand(digest, 1) for digest in order], NOON, 1000)
                    if give_back:
                        own.charge([Demand(digest, -1) for digest in order], NOON, 1000)
        except BaseException as error:
            failures.append(error)

    orders = [digests, digests[::-1], digests[8:] + digests[:8], digests[::-1]]
    machines = [
        threading.Thread(target=machine, args=(order, number == 3))
        for number, order in enumerate(orders)
    ]
    for one in machines:
        one.start()
    for one in machines:
        one.join(60)
    assert failures == []
    looked = store.charge([Demand(digest, 0) for digest in digests], NOON, 1000)
    assert {charge and charge.used for charge in looked} == {3 * rounds}


def test_a_key_is_found_by_index_though_the_tables_are_small(store: PostgresStore) -> None:
    digest = create(store, "ada")
    named = {"digests": [digest], "wanted": [1], "quota": 9, "day": "2024-05-14", "minute": "x"}
    with store._connection() as connection:
        rows = connection.execute(f"explain {postgres_sql.CHARGE}", named).fetchall()
    plan = "\n".join(row[0] for row in rows)
    assert re.search(r"Index Scan using mouvements_keys_digest_key .*\n.*digest = a\.digest", plan)
    assert "Seq Scan" not in plan


def test_when_a_key_was_last_used_is_written_once_a_minute(store: PostgresStore, url: str) -> None:
    digest = create(store, "ada")
    versions = []
    with psycopg.connect(url, autocommit=True) as looking:
        for seconds in (0, 10, 30):
            store.charge([Demand(digest, 1)], NOON + datetime.timedelta(seconds=seconds), 1000)
            versions.append(looking.execute("select xmin::text from mouvements_keys").fetchone())
    assert versions[0] == versions[1] != versions[2]


def test_a_connection_that_broke_while_nobody_asked_costs_no_answer(
    store: PostgresStore, url: str
) -> None:
    digest = create(store, "ada")
    terminate(url)
    store._used = 0.0  # as after a pause: an idle connection is tried before it is relied on
    (charge,) = store.charge([Demand(digest, 1)], NOON, 1000)
    assert charge is not None
    assert charge.used == 1


def test_a_connection_that_broke_fails_one_call_and_no_other(
    store: PostgresStore, url: str
) -> None:
    digest = create(store, "ada")
    terminate(url)
    with pytest.raises(StoreUnavailable):
        store.charge([Demand(digest, 1)], NOON, 1000)
    for used in (1, 2):
        (charge,) = store.charge([Demand(digest, 1)], NOON, 1000)
        assert charge is not None
        assert charge.used == used


def test_two_changes_of_one_account_wait_for_each_other(store: PostgresStore, url: str) -> None:
    create(store, "ada")
    rotated = threading.Event()

    def rotate() -> None:
        with closing(PostgresStore(url)) as second:
            while not rotated.is_set():
                with suppress(StoreUnavailable):  # it waits for no longer than for any answer
                    second.rotate("ada", b"2" * 32, "mvt_2", NOON)
                    rotated.set()

    changing = threading.Thread(target=rotate)
    waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
    with psycopg.connect(url, autocommit=True) as looking, store._writing("ada"):
        changing.start()
        deadline = time.monotonic() + PATIENCE
        while looking.execute(waiting).fetchone() != (1,):
            assert time.monotonic() < deadline
            assert not rotated.is_set()
    changing.join(PATIENCE)
    assert rotated.is_set()
    assert store.show("ada", NOON)[0].prefix == "mvt_2"


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "datasette_mouvements.access.stores.postgres")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"pip install 'datasette-mouvements\[postgres\]'"):
        open_store("postgresql://localhost/mouvements", "")


def test_a_wrong_address_is_a_wrong_setting_and_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as wrong:
        open_store("postgresql://ada:secret@[", "")
    assert "secret" not in str(wrong.value)
