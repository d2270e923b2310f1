"""What PostgreSQL refuses, or the way to it, is told by its class and code and never by the driver's words."""

from __future__ import annotations

import socket
from contextlib import closing

import psycopg
import pytest

from datasette_mouvements.keys.postgres import PostgresStore
from datasette_mouvements.keys.store import StoreUnavailable
from tests.contract.environment import ROOT

from .conftest import NOON
from .postgres_server import PostgresServer

# user, database -> the code of what is refused
REFUSED = {
    ("asleep", "postgres"): "28000",
    ("powerless", "nothing"): "3D000",
    ("powerless", "postgres"): "42501",
    ("crowded", "postgres"): "53300",
    ("postgres", "standby"): "25006",
}


@pytest.fixture(scope="module")
def server(postgres_server: PostgresServer) -> PostgresServer:
    """A server with a user and a database for everything that can be refused."""
    server = postgres_server
    with psycopg.connect(server.url(), autocommit=True) as connection:
        for statement in (
            "create role asleep nologin",
            "create role powerless login",
            "create role crowded login connection limit 0",
            "create database standby",
        ):
            connection.execute(statement)
        for database in ("postgres", "standby"):
            with closing(PostgresStore(server.url(database))) as store:
                store.prepare()
        connection.execute("alter database standby set default_transaction_read_only = on")
    return server


def told(store: PostgresStore) -> str:
    with closing(store), pytest.raises(StoreUnavailable) as failed:
        store.create("ada", b"1" * 32, "mvt_1", NOON)
    return str(failed.value)


@pytest.mark.parametrize(("user", "database"), REFUSED)
def test_what_the_server_refuses_is_told_by_its_code(
    server: PostgresServer, user: str, database: str
) -> None:
    url = f"postgresql://{user}:secret@/{database}?host={server.folder}"
    sentence = told(PostgresStore(url))
    code = REFUSED[user, database]
    assert sentence.startswith("PostgreSQL: ")
    # libpq gives no code while no connection is open.
    assert sentence.endswith((code, "no SQLSTATE"))
    assert code in (ROOT / "docs/how-to/use-postgresql.md").read_text(encoding="utf-8")


def test_a_server_that_is_not_there_or_says_nothing_is_unavailable(server: PostgresServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for place in ("127.0.0.1:1", f"{'h' * 64}.invalid", f"127.0.0.1:{silent.getsockname()[1]}"):
            sentence = told(PostgresStore(f"postgresql://ada:secret@{place}/keys"))
            assert sentence.startswith("PostgreSQL: ")
            assert "secret" not in sentence


def test_an_answer_may_take_a_while(server: PostgresServer) -> None:
    # psycopg asks every tenth of a second whether to wait on.
    with closing(PostgresStore(server.url())) as store:
        connection = store._connected()
        assert connection.execute("select 1 from pg_sleep(0.35)").fetchone() == (1,)
