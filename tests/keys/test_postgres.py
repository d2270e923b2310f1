"""What is particular to the store in PostgreSQL."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from datasette_mouvements.config import ConfigError
from datasette_mouvements.keys import open_store, postgres
from datasette_mouvements.keys.postgres import LOCKS, PostgresStore
from datasette_mouvements.keys.store import StoreUnavailable

from .conftest import NOON, charge, create
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
    rounds = 10
    failures: list[BaseException] = []

    def machine(order: list[bytes]) -> None:
        try:
            with closing(PostgresStore(url)) as own:
                for _ in range(rounds):
                    own.charge([(digest, 1) for digest in order], NOON, 1000)
        except BaseException as error:
            failures.append(error)

    orders = [digests, digests[::-1]]
    machines = [threading.Thread(target=machine, args=(order,)) for order in orders]
    for one in machines:
        one.start()
    for one in machines:
        one.join(60)
    assert failures == []
    assert {charge(store, digest, 0).used for digest in digests} == {2 * rounds}


def test_a_connection_that_broke_fails_one_call_or_none_if_nobody_asked_for_a_while(
    store: PostgresStore, url: str
) -> None:
    digest = create(store, "ada")
    terminate(url)
    store._used = 0.0  # as after a pause: another connection is made
    assert charge(store, digest).used == 1
    terminate(url)
    with pytest.raises(StoreUnavailable):
        charge(store, digest)
    assert [charge(store, digest).used for _ in range(2)] == [2, 3]


def test_one_machine_prepares_at_a_time(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine may take longer to give the lock back than a request may wait.
    monkeypatch.setattr(postgres, "CLIENT_S", 30.0)
    preparing = threading.Thread(target=PostgresStore(url).prepare)
    with psycopg.connect(url) as other:
        other.execute("select pg_advisory_xact_lock(%s, 0)", (LOCKS + 1,))
        preparing.start()
        preparing.join(0.3)
        assert preparing.is_alive()
    preparing.join(30)
    with closing(PostgresStore(url)) as store:
        assert store.reachable(NOON)


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "datasette_mouvements.keys.postgres")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"pip install 'datasette-mouvements\[postgres\]'"):
        open_store("postgresql://localhost/mouvements", "")


def test_a_wrong_address_is_a_wrong_setting_and_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as wrong:
        open_store("postgresql://ada:secret@[", "")
    assert "secret" not in str(wrong.value)
