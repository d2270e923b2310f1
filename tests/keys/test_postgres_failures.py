"""What PostgreSQL refuses, or the way to it, is told by its class and code and never by the driver's words."""

from __future__ import annotations

import socket
from contextlib import closing

import psycopg
import pytest

from datasette_mouvements.keys.postgres import PostgresStore
from datasette_mouvements.keys.store import StoreUnavailable

from .conftest import NOON
from .postgres_server import PostgresServer


def told(store: PostgresStore) -> str:
    with closing(store), pytest.raises(StoreUnavailable) as failed:
        store.create("ada", b"1" * 32, "mvt_1", NOON)
    return str(failed.value)


def test_what_the_server_refuses_is_told_by_its_code(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    with closing(PostgresStore(url)) as store:
        store.prepare()
        name = url.partition("@/")[2].partition("?")[0]
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"alter database {name} set default_transaction_read_only = on")
    assert told(PostgresStore(url)) == "PostgreSQL: ReadOnlySqlTransaction, 25006"


def test_a_server_that_is_not_there_or_says_nothing_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for place in ("127.0.0.1:1", f"{'h' * 64}.invalid", f"127.0.0.1:{silent.getsockname()[1]}"):
            sentence = told(PostgresStore(f"postgresql://ada:secret@{place}/keys"))
            assert sentence.startswith("PostgreSQL: ")
            assert "secret" not in sentence


def test_an_answer_may_take_a_while(postgres_server: PostgresServer) -> None:
    # psycopg asks every tenth of a second whether to wait on.
    with closing(PostgresStore(postgres_server.url())) as store:
        connection = store._connected()
        assert connection.execute("select 1 from pg_sleep(0.35)").fetchone() == (1,)
