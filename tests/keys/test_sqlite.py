"""What is particular to the store in the internal database."""

from __future__ import annotations

import datetime
import fcntl
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.keys import open_store
from datasette_mouvements.keys import store as statements
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.keys.store import StoreBusy, StoreUnavailable

from .conftest import NOON, charge, create, is_known

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
        charged = charge(store, b"\0")
        assert (charged.used, charged.limit) == (4, 7)
    assert schema(old) == schema(path)


def test_a_new_file_is_its_owner_s_alone_and_one_that_exists_keeps_its_mode_and_tables(
    store: SqliteStore, tmp_path: Path
) -> None:
    create(store, "ada")
    files = list(store.path.parent.iterdir())
    assert {file.name for file in files} >= {"internal.sqlite3", "internal.sqlite3-wal"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    other = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("create table other (x)")
        other.chmod(0o640)
        with closing(SqliteStore(other)) as second:
            second.prepare()
        assert stat.S_IMODE(other.stat().st_mode) == 0o640
        assert connection.execute("select count(*) from other").fetchone() == (0,)


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
    charges = store.charge([(old, 1), (new, 1)], NOON, 1000)
    assert [one and one.account for one in charges] == [None, "ben"]
    with closing(SqliteStore(store.path)) as reopened:
        assert reopened.days("ben", "") == {"2024-05-14": 1}
    with closing(SqliteStore(aside / store.path.name)) as replaced:
        assert replaced.days("ada", "") == {}


def test_a_sqlite_that_returns_no_rows_of_what_it_writes_charges_the_same(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 3.35 `returning` is a wrong statement."""
    monkeypatch.setattr(SqliteStore, "returns", False)
    said: list[str] = []
    store._connected().set_trace_callback(said.append)
    ada, ben = create(store, "ada"), create(store, "ben", quota=1)
    batches = ([(ada, 1)], [(ada, 1)] * 2, [(ben, 1), (ada, 1), (ben, 1)])
    charges = [store.charge(batch, NOON, 1000) for batch in batches]
    assert [[one and (one.used, one.granted) for one in batch] for batch in charges] == [
        [(1, True)],
        [(2, True), (3, True)],
        [(1, True), (4, True), (1, False)],
    ]
    assert [statement for statement in said if "returning" in statement] == []


def test_a_batch_that_fails_halfway_is_undone_and_hinders_nobody(store: SqliteStore) -> None:
    digest = create(store, "ada")
    charge(store, digest)
    with closing(sqlite3.connect(store.path, timeout=0)) as other:
        other.execute(
            "create trigger fail before update on mouvements_keys"
            " begin select raise(abort, 'no room'); end"
        )
        later = NOON + datetime.timedelta(minutes=1)
        with pytest.raises(StoreUnavailable, match="no room"):
            charge(store, digest, now=later)  # the count was written already
        other.execute("drop trigger fail")
    assert store.days("ada", "") == {"2024-05-14": 1}
    assert charge(store, digest, now=later).used == 2


def test_looking_takes_no_lock(store: SqliteStore) -> None:
    digest = create(store, "ada")
    with closing(sqlite3.connect(store.path)) as other:
        other.execute("begin immediate")
        assert is_known(store, digest)


def test_a_key_and_its_count_are_found_by_index(store: SqliteStore) -> None:
    plan = store._connected().execute(f"explain query plan {statements._KEY}", (1, "", b""))
    steps = [step for *_, step in plan]
    assert "sqlite_autoindex_mouvements_keys_1 (digest=?)" in steps[0]
    assert "PRIMARY KEY (account=? AND day=?)" in steps[1]


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


def test_without_a_place_a_service_starts_and_every_key_is_unavailable() -> None:
    nowhere = open_store("", None)
    nowhere.prepare()
    assert not nowhere.lasts
    demands = [(b"digest", 1)]
    for ask in (lambda: nowhere.charge(demands, NOON, 1000), lambda: nowhere.show("ada", NOON)):
        with pytest.raises(StoreUnavailable, match="no place for keys that lasts"):
            ask()
    nowhere.close()


def test_a_first_connection_waits_for_the_lock_of_another_program(tmp_path: Path) -> None:
    """After a crash it is held while the log is read: no fault, and nothing is left open."""
    store = SqliteStore(tmp_path / "i.sqlite3", busy_seconds=0.0)
    store.prepare()
    digest = create(store, "ada")
    store.close()
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("pragma locking_mode = exclusive")
        other.execute("begin exclusive")
        with pytest.raises(StoreBusy):
            charge(store, digest)
    assert charge(store, digest).granted
