"""What is particular to the store in the internal database."""

from __future__ import annotations

import asyncio
import datetime
import fcntl
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.access import open_store
from datasette_mouvements.access.charging import Demand
from datasette_mouvements.access.stores import internal, sqlite
from datasette_mouvements.access.stores.internal import prepare_internal
from datasette_mouvements.access.stores.sqlite import SqliteStore
from datasette_mouvements.access.stores.store import StoreUnavailable

from .conftest import NOON, create

# The first schema, as released; later ones must bring a file made with it up to date.
FIRST_SCHEMA = """
    create table mouvements_keys (
        id integer primary key,
        account text not null,
        digest blob not null unique,
        prefix text not null,
        quota integer,
        created_at text not null,
        last_used_at text,
        ended_at text,
        ended_why text
    );
    create unique index mouvements_keys_live on mouvements_keys (account)
    where ended_at is null;
    create index mouvements_keys_account on mouvements_keys (account);
    create table mouvements_quota (
        account text not null,
        day text not null,
        used integer not null,
        primary key (account, day)
    ) without rowid;
    create table _sqlite_migrations (
        id integer primary key, migration_set text, name text, applied_at text
    );
    create unique index idx_sets on _sqlite_migrations (migration_set, name);
    insert into _sqlite_migrations (migration_set, name, applied_at)
    values ('datasette_mouvements', '0001_keys_and_quota', '2024-01-01 00:00:00+00:00');
    insert into mouvements_keys (account, digest, prefix, quota, created_at)
    values ('ada', x'00', 'mvt_000000', 7, '2024-01-01T00:00:00Z');
    insert into mouvements_quota values ('ada', '2024-05-14', 3);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "var" / "internal.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(path)) as store:
        store.prepare()
        yield store


def schema(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("select sql from sqlite_master where name like 'mouvements%'")
        return {" ".join(row[0].split()) for row in rows}


def test_a_file_of_the_first_schema_keeps_its_keys_and_counts(path: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite3"
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript(FIRST_SCHEMA)
    with closing(SqliteStore(old)) as store, closing(SqliteStore(path)) as new:
        store.prepare()
        new.prepare()
        (charge,) = store.charge([Demand(b"\0", 1)], NOON, 1000)
        assert charge is not None
        assert (charge.used, charge.limit) == (4, 7)
    assert schema(old) == schema(path)


def test_the_file_and_its_folder_are_made_for_the_owner_alone(store: SqliteStore) -> None:
    create(store, "ada")
    files = list(store.path.parent.iterdir())
    assert {file.name for file in files} >= {"internal.sqlite3", "internal.sqlite3-wal"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_file_that_exists_keeps_its_mode_and_its_tables(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table other (x)")
    path.chmod(0o640)
    with closing(SqliteStore(path)) as store:
        store.prepare()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("select count(*) from other").fetchone() == (0,)


def test_a_store_is_not_made_by_charging(path: Path) -> None:
    with closing(SqliteStore(path)) as store, pytest.raises(StoreUnavailable):
        store.charge([Demand(b"?" * 32, 1)], NOON, 1000)
    assert not path.exists()


def test_a_file_put_in_the_place_of_another_is_charged_from_then_on(
    store: SqliteStore, tmp_path: Path
) -> None:
    old = create(store, "ada")
    with closing(SqliteStore(tmp_path / "var" / "restored.sqlite3")) as other:
        other.prepare()
        new = create(other, "ben")
    aside = tmp_path / "aside"
    aside.mkdir()
    for file in store.path.parent.glob("internal.sqlite3*"):
        file.rename(aside / file.name)
    other.path.rename(store.path)
    store._checked -= 1.001  # as a second later: the file is looked for once a second
    charges = store.charge([Demand(old, 1), Demand(new, 1)], NOON, 1000)
    assert [charge and charge.account for charge in charges] == [None, "ben"]
    with closing(SqliteStore(store.path)) as reopened:
        assert reopened.days("ben", "") == {"2024-05-14": 1}
    with closing(SqliteStore(aside / store.path.name)) as replaced:
        assert replaced.days("ada", "") == {}


def test_a_file_that_was_deleted_is_unavailable_and_is_not_made_again(store: SqliteStore) -> None:
    digest = create(store, "ada")
    store.path.unlink()
    store._checked -= 1.001
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="No such file"):
            store.charge([Demand(digest, 1)], NOON, 1000)
    assert not store.path.exists()


def test_a_batch_that_fails_halfway_is_undone_and_hinders_nobody(store: SqliteStore) -> None:
    digest = create(store, "ada")
    store.charge([Demand(digest, 1)], NOON, 1000)
    with closing(sqlite3.connect(store.path, timeout=0)) as other:
        other.execute(
            "create trigger fail before update on mouvements_keys"
            " begin select raise(abort, 'no room'); end"
        )
        later = NOON + datetime.timedelta(minutes=1)
        with pytest.raises(StoreUnavailable, match="no room"):
            store.charge([Demand(digest, 1)], later, 1000)  # the count was written already
        other.execute("drop trigger fail")
    assert store.days("ada", "") == {"2024-05-14": 1}
    (charge,) = store.charge([Demand(digest, 1)], later, 1000)
    assert charge is not None
    assert charge.used == 2


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable):
        SqliteStore(tmp_path / "file" / "internal.sqlite3").prepare()


def traced(store: SqliteStore, demands: list[Demand]) -> list[str]:
    """The statements that a batch runs on the tables, by their first word."""
    statements: list[str] = []
    connection: Any = store._connected()
    connection.set_trace_callback(lambda statement: statements.append(statement.split()[0]))
    store.charge(demands, NOON, 1000)
    connection.set_trace_callback(None)
    return [word for word in statements if word != "pragma"]


def test_many_charges_of_a_key_are_one_update(store: SqliteStore) -> None:
    digest = create(store, "ada")
    store.charge([Demand(digest, 1)], NOON, 1000)
    assert traced(store, [Demand(digest, 1)]) == ["begin", "select", "update", "commit"]
    assert traced(store, [Demand(digest, 1)] * 16) == ["begin", "select", "update", "commit"]


def test_when_a_key_was_last_used_is_written_once_a_minute(store: SqliteStore) -> None:
    digest = create(store, "ada")
    assert traced(store, [Demand(digest, 1)]).count("update") == 1  # beside the day's first insert
    assert traced(store, [Demand(digest, 1)]).count("update") == 1


def test_looking_takes_no_lock(store: SqliteStore) -> None:
    digest = create(store, "ada")
    assert traced(store, [Demand(digest, 0)] * 3) == ["select"]
    with closing(sqlite3.connect(store.path)) as other:
        other.execute("begin immediate")
        assert store.charge([Demand(digest, 0)], NOON, 1000)[0] is not None


def test_a_lock_held_for_a_moment_or_for_long_is_waited_for(store: SqliteStore) -> None:
    digest = create(store, "ada")
    with closing(SqliteStore(store.path, busy_ms=30_000)) as patient:  # a busy machine lets go late
        for held in (0.0005, 0.1):
            other = sqlite3.connect(store.path, check_same_thread=False, isolation_level=None)
            other.execute("begin immediate")
            release = threading.Timer(held, other.execute, ["commit"])
            release.start()
            assert patient.charge([Demand(digest, 1)], NOON, 1000)[0] is not None
            release.join()
            other.close()
    assert store.show("ada", NOON)[0].used_today == 2


def test_refused_charges_write_nothing(store: SqliteStore) -> None:
    digest = create(store, "ada", quota=1)
    store.charge([Demand(digest, 1)], NOON, 1000)
    assert traced(store, [Demand(digest, 1)]) == ["begin", "select", "commit"]
    assert traced(store, [Demand(b"?" * 32, 1)]) == ["begin", "select", "commit"]


def test_a_fault_nobody_foresaw_leaves_the_file_to_others(store: SqliteStore) -> None:
    digest = create(store, "ada")
    with pytest.raises(TypeError):
        store.charge([Demand(digest, 1), Demand(digest, "one")], NOON, 1000)  # type: ignore[arg-type]
    with closing(SqliteStore(store.path)) as other:
        (charge,) = other.charge([Demand(digest, 1)], NOON, 1000)
    assert charge is not None
    assert charge.used == 1


def test_a_key_is_found_by_index(store: SqliteStore) -> None:
    plan = store._connected().execute(f"explain query plan {sqlite._FIND}", ("", b"")).fetchall()
    steps = [row[3].replace("TABLE ", "") for row in plan]  # as SQLite before 3.36 says it
    assert steps[0].startswith("SEARCH")
    assert "sqlite_autoindex_mouvements_keys_1 (digest=?)" in steps[0]
    assert "PRIMARY KEY (account=? AND day=?)" in steps[1]


def test_datasette_and_the_store_share_the_file(path: Path) -> None:
    prepare_internal(path)
    datasette = Datasette(internal=str(path), memory=True)

    async def start() -> int:
        await datasette.invoke_startup()
        await datasette.refresh_schemas()
        internal = datasette.get_internal_database()
        await internal.execute_write("update mouvements_keys set quota = 5")
        return (await internal.execute("select count(*) from catalog_databases")).first()[0]

    with closing(SqliteStore(path)) as store:
        store.prepare()
        digest = create(store, "ada")
        assert asyncio.run(start()) >= 1
        (charge,) = store.charge([Demand(digest, 1)], NOON, 1000)
        assert charge is not None
        assert charge.limit == 5
    datasette.close()


def test_one_process_prepares_at_a_time(path: Path) -> None:
    path.parent.mkdir()
    preparing = threading.Thread(target=SqliteStore(path).prepare)
    folder = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)  # as another process does while it prepares
    preparing.start()
    preparing.join(0.3)
    assert preparing.is_alive()
    assert not path.exists()
    os.close(folder)
    preparing.join(30)
    assert len(schema(path)) == 8


def test_only_a_lock_is_waited_for(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table _sqlite_migrations (other)")
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        prepare_internal(path)
    assert time.monotonic() - began < internal.PATIENCE_S / 2


def test_preparing_waits_for_datasette_to_finish_its_own_first_start(path: Path) -> None:
    path.parent.mkdir()
    preparing = threading.Thread(target=SqliteStore(path).prepare)
    with closing(sqlite3.connect(path, isolation_level=None)) as core:
        core.execute("begin exclusive")
        core.execute("create table catalog (x)")
        preparing.start()
        preparing.join(0.3)
        assert preparing.is_alive()
        core.execute("commit")
        preparing.join(30)
    assert len(schema(path)) == 8
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("select count(*) from catalog").fetchone() == (0,)


def test_what_is_locked_is_tried_again_and_nothing_else_is(tmp_path: Path) -> None:
    """Another process may be making the file ready."""
    path = tmp_path / "internal.sqlite3"
    prepare_internal(path)
    other = sqlite3.connect(path, check_same_thread=False)
    other.execute("begin exclusive")
    threading.Timer(0.1, other.rollback).start()
    tried = []

    def write() -> None:
        tried.append(1)
        with closing(sqlite3.connect(path, timeout=0)) as db:
            db.execute("begin immediate")

    internal._retry_while_locked(write)
    assert len(tried) > 1
    other.close()
    with (
        pytest.raises(sqlite3.OperationalError, match="no such table"),
        closing(sqlite3.connect(path)) as db,
    ):
        internal._retry_while_locked(lambda: db.execute("select * from absent"))


def test_a_charge_that_a_lock_prevents_names_the_lock(path: Path) -> None:
    with closing(SqliteStore(path, busy_ms=20)) as store:
        store.prepare()
        create(store, "ada")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("begin immediate")
            with pytest.raises(StoreUnavailable, match="locked"):
                store.charge([Demand(b"\0", 1)], NOON, 1000)


def test_without_a_place_a_service_starts_and_every_key_is_unavailable() -> None:
    nowhere = open_store("", None)
    nowhere.prepare()
    assert not nowhere.lasts
    demands = [Demand(b"digest", 1)]
    assert nowhere.charge_at_once(demands, NOON, 1000) is None
    for ask in (lambda: nowhere.charge(demands, NOON, 1000), lambda: nowhere.show("ada", NOON)):
        with pytest.raises(StoreUnavailable, match="no place for keys that lasts"):
            ask()
    nowhere.close()
