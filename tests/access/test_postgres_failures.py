"""What PostgreSQL refuses, or the way to it, is told by its kind and never by the driver's words."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import psycopg
import pytest

from datasette_mouvements.access.stores import postgres_connection
from datasette_mouvements.access.stores.postgres import PostgresStore
from datasette_mouvements.access.stores.postgres_connection import as_unavailable, connect
from datasette_mouvements.access.stores.store import StoreUnavailable
from tests.contract.environment import ROOT, command

from .conftest import NOON
from .gated import PATIENCE
from .postgres_server import PostgresServer

LOGIN = "refuses the login: user, password or the place it comes from"
RIGHT = "does not give this user the right to do that"
HOST = "is at a host that is not known"
# user, database -> what is told of them
REFUSED = {
    ("guarded", "postgres"): LOGIN,
    ("asleep", "postgres"): LOGIN,
    ("nobody", "postgres"): LOGIN,
    ("powerless", "nothing"): "has no such database",
    ("powerless", "postgres"): RIGHT,
    ("powerless", "closed"): RIGHT,
    ("crowded", "postgres"): "has too many connections",
    ("postgres", "standby"): "is read-only: a standby, or set so",
}


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server with a user and a database for everything that can be refused."""
    server = PostgresServer()
    rules = server.folder / "data" / "pg_hba.conf"
    rules.write_text("local all guarded scram-sha-256\n" + rules.read_text())
    with psycopg.connect(server.url(), autocommit=True) as connection:
        for statement in (
            "create role guarded login password 'right'",
            "create role asleep nologin",
            "create role powerless login",
            "create role crowded login connection limit 0",
            "create database closed",
            "revoke connect on database closed from public",
            "create database standby",
            "select pg_reload_conf()",
        ):
            connection.execute(statement)
        for database in ("postgres", "standby"):
            with closing(PostgresStore(server.url(database))) as store:
                store.prepare()
        connection.execute("alter database standby set default_transaction_read_only = on")
    yield server
    server.close()


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def told(store: PostgresStore, by: str = "create") -> str:
    with closing(store), pytest.raises(StoreUnavailable) as failed:
        store.prepare() if by == "prepare" else store.create("ada", b"1" * 32, "mvt_1", NOON)
    return str(failed.value)


@pytest.mark.parametrize("by", ["prepare", "create"])
@pytest.mark.parametrize(("user", "database"), REFUSED)
def test_what_the_server_refuses_is_told(
    server: PostgresServer, user: str, database: str, by: str
) -> None:
    url = f"postgresql://{user}:wrong@/{database}?host={server.folder}"
    assert told(PostgresStore(url), by) == f"PostgreSQL {REFUSED[user, database]}"


@pytest.mark.parametrize("by", ["prepare", "create"])
@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("127.0.0.1:1/keys", "cannot be reached"),
        ("/keys?host=/nowhere", "cannot be reached"),
        ("nothing.invalid/keys", HOST),
        (f"{'h' * 64}.invalid/keys", HOST),
    ],
)
def test_a_server_that_is_not_there_is_told_from_one_that_refuses(
    place: str, expected: str, by: str
) -> None:
    store = PostgresStore(f"postgresql://ada:secret@{place}")
    assert told(store, by) == f"PostgreSQL {expected}"


def test_a_server_that_accepts_and_says_nothing_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = PostgresStore(f"postgresql://127.0.0.1:{silent.getsockname()[1]}/keys")
        assert told(store) == "PostgreSQL does not answer in time"


def test_a_standby_is_told_where_the_address_asks_for_another(server: PostgresServer) -> None:
    url = f"{server.url('standby')}&target_session_attrs=read-write"
    assert told(PostgresStore(url)) == f"PostgreSQL {REFUSED['postgres', 'standby']}"


@pytest.mark.parametrize(
    ("end", "expected"),
    [("terminate", "is starting, stopping or recovering"), ("crash", "cut the connection")],
)
def test_a_connection_that_breaks_is_told(server: PostgresServer, end: str, expected: str) -> None:
    store = PostgresStore(server.url())
    assert store.list(NOON) == []
    if end == "crash":
        server.stop()
        server.start()
    else:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute(
                "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
                " where application_name = 'datasette-mouvements'"
            )
    assert told(store) == f"PostgreSQL {expected}"


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (("28P01", "28000"), LOGIN),
        (("3D000",), REFUSED["powerless", "nothing"]),
        (("42501",), RIGHT),
        (("25006",), REFUSED["postgres", "standby"]),
        (("53300",), REFUSED["crowded", "postgres"]),
        (("57P01", "57P02", "57P03"), "is starting, stopping or recovering"),
        (("57014",), "does not answer in time"),
    ],
)
def test_a_code_prevails_over_the_words(codes: tuple[str, ...], expected: str) -> None:
    for code in codes:
        with pytest.raises(StoreUnavailable, match=f"^PostgreSQL {expected}$"), as_unavailable():
            raise psycopg.errors.lookup(code)("Connection refused")


def test_every_sentence_is_in_the_documentation() -> None:
    page = (ROOT / "docs" / "how-to" / "use-postgresql.md").read_text(encoding="utf-8")
    for _, _, meaning in postgres_connection._FAILURES:
        assert f"`{meaning}`" in page


def test_what_has_no_sentence_of_its_own_is_told_by_its_class_and_code(
    server: PostgresServer,
) -> None:
    unprepared = PostgresStore(server.new_database())
    assert told(unprepared) == "PostgreSQL: UndefinedTable 42P01"


def refuses(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return True
    return False


def test_a_server_that_stops_is_told(server: PostgresServer) -> None:
    assert server._process is not None
    with psycopg.connect(server.url()):  # it waits for this one, and accepts no other
        server._process.send_signal(signal.SIGTERM)
        until(lambda: refuses(server.url()))
        expected = "PostgreSQL is starting, stopping or recovering"
        assert told(PostgresStore(server.url())) == expected
    server._process.wait(PATIENCE)
    server.start()


def test_an_answer_may_take_a_while(server: PostgresServer) -> None:
    # psycopg asks every tenth of a second whether to wait on.
    connection = connect(server.new_database())
    with closing(connection):
        assert connection.execute("select 1 from pg_sleep(0.35)").fetchone() == (1,)


def test_a_server_that_hangs_fails_each_call_and_answers_the_next(server: PostgresServer) -> None:
    with closing(PostgresStore(f"{server.url()}")) as store:
        server.freeze()
        try:
            assert told(store) == "PostgreSQL does not answer in time"
        finally:
            server.thaw()
        assert store.list(NOON) == []


def test_a_connection_that_cannot_be_set_up_is_closed(server: PostgresServer) -> None:
    url = server.new_database()
    with psycopg.connect(url, autocommit=True) as looking:
        looking.execute("create role settled login")
        looking.execute("revoke execute on function set_config from public")
        with closing(PostgresStore(url.replace("postgres@", "settled@"))) as store:
            with pytest.raises(StoreUnavailable, match=RIGHT) as failed:
                store.list(NOON)
            assert failed.value.__cause__ is not None  # it holds what failed, and all it used
            open_still = "select count(*) from pg_stat_activity where usename = 'settled'"
            until(lambda: looking.execute(open_still).fetchone() == (0,))


@pytest.mark.parametrize(
    ("place", "expected"),
    [("127.0.0.1:1/keys", "cannot be reached"), ("/keys?host={folder}", LOGIN)],
)
def test_a_command_says_it_in_one_line_without_the_address(
    server: PostgresServer, place: str, expected: str
) -> None:
    url = "postgresql://guarded:secret@" + place.format(folder=server.folder)
    result = command("keys", "list", "--store", url)
    assert (result.exit_code, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    assert line.endswith(f"PostgreSQL {expected}")
    assert not any(part in line for part in ("secret", "guarded", "127.0.0.1", str(server.folder)))
