"""The internal database's file: how it is made, migrated and opened."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from datasette.utils.internal_db import internal_migrations
from datasette.utils.sqlite import sqlite3
from sqlite_utils import Database, Migrations

from ...dataset.schema import TABLE
from .store import StoreUnavailable

PATIENCE_S: Final = 30.0
PATIENT_BUSY_MS: Final = 5000  # a command can wait for a lock

migrations = Migrations("datasette_mouvements")
# What each table holds; the reference (docs/reference/tables.md) is made from it.
ABOUT = {
    "mouvements_keys": "Keys by account: the digest and first characters of each, when it was made, last used, ended.",
    "mouvements_quota": "Requests charged to each account, by day in Paris.",
    "mouvements_refusals": "Refused requests by day and kind, as version 2 counted them; nothing is added.",
    "mouvements_months": "Charges by month, as version 2 summed them; nothing is added.",
    "mouvements_last": "When daily work was last done.",
}


@migrations(name="0001_keys_and_quota")  # type: ignore[untyped-decorator]
def _keys_and_quota(db: Database) -> None:
    # Statement by statement: executescript would commit the transaction around it.
    for statement in (
        """
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
        )
        """,
        """
        create unique index mouvements_keys_live on mouvements_keys (account)
        where ended_at is null
        """,
        "create index mouvements_keys_account on mouvements_keys (account)",
        # By account, not by key: a new key does not bring a new quota.
        """
        create table mouvements_quota (
            account text not null,
            day text not null,
            used integer not null,
            primary key (account, day)
        ) without rowid
        """,
    ):
        db.execute(statement)


@migrations(name="0002_refusals")  # type: ignore[untyped-decorator]
def _refusals(db: Database) -> None:
    db.execute(
        """
        create table mouvements_refusals (
            day text not null,
            kind text not null,
            times integer not null,
            primary key (day, kind)
        ) without rowid
        """
    )


@migrations(name="0003_months")  # type: ignore[untyped-decorator]
def _months(db: Database) -> None:
    for statement in (
        "create index mouvements_quota_day on mouvements_quota (day)",
        "create table mouvements_months (month text primary key, used integer not null) without rowid",
        "create table mouvements_last (what text primary key, at text not null) without rowid",
    ):
        db.execute(statement)


def prepare_internal(path: str | os.PathLike[str]) -> None:
    """Create the file if absent (readable by its owner only), and bring its tables up to date.

    Datasette's tables too: its own first start on a fresh file fails when others start at that moment.
    """
    file = Path(path)
    with as_unavailable(), _one_process(file), contextlib.closing(_open_wal(file)) as connection:
        db = Database(connection, execute_plugins=False)
        _retry_while_locked(lambda: internal_migrations.apply(db))
        # Under the write lock: only one process does it.
        if migrations.pending(db):
            with transaction(connection):
                migrations.apply(db)


@contextlib.contextmanager
def transaction(connection: Any) -> Iterator[None]:
    """Hold the file's write lock; all is written or nothing."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    finally:
        if connection.in_transaction:
            connection.execute("rollback")


def connect(path: Path, busy_ms: int) -> Any:
    """A connection to a file that exists."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=busy_ms / 1000,
    )
    # WAL and NORMAL: a commit survives the death of the process, and costs no disk flush.
    connection.execute("pragma synchronous = normal")
    return connection


def _open_wal(path: Path) -> Any:
    """A patient connection to the file, created if absent and put in WAL mode."""
    # Opened here only if it did not exist: to close a descriptor of a database file drops the locks
    # that SQLite has on it in this process.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = connect(path, PATIENT_BUSY_MS)
    try:
        _refuse_movements(connection, path)
        # SQLite does not wait for this lock where Datasette has the file open in rollback mode.
        _retry_while_locked(lambda: connection.execute("pragma journal_mode = wal"))
    except (sqlite3.Error, StoreUnavailable):
        connection.close()
        raise
    return connection


def _refuse_movements(connection: Any, path: Path) -> None:
    """Refuse the movements' file before anything is written: its keys would be published."""
    if connection.execute("select 1 from sqlite_master where name = ?", (TABLE,)).fetchone():
        raise StoreUnavailable(
            f"{path.name} holds the movements, which are served to everyone: give keys another file"
        )


def _retry_while_locked(action: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            action()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


@contextlib.contextmanager
def _one_process(path: Path) -> Iterator[None]:
    """Lock out other processes; the lock is on the folder, so that no lock file is left behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextlib.contextmanager
def as_unavailable(close: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Raise StoreUnavailable for whatever SQLite or the file system refuses, after `close`."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        close()
        raise StoreUnavailable(f"internal database: {error}") from error
