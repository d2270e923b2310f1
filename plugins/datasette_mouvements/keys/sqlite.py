"""Keys and quotas in Datasette's internal database, on a connection of our own."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from datasette.utils.internal_db import internal_migrations
from datasette.utils.sqlite import sqlite3
from sqlite_utils import Database, Migrations

from ..dataset.schema import TABLE
from .store import Execute, Store, StoreBusy, StoreUnavailable

BUSY_S = 0.5  # how long a request waits for another process's lock
PATIENT_BUSY_S = 5.0  # a command can wait longer
PREPARE_S = 30.0
# Of the write-ahead log what stays on the disk once SQLite has copied it into the file, as it does after each
# thousand pages.
LOG_BYTES = 4_000_000
# A charge takes a twentieth of a millisecond: another process's lock is mostly gone after a few tries. SQLite's own
# busy_timeout waits longer and longer, so that one of two busy workers never gets the lock.
AT_ONCE_S = 0.0003
LOCK_RETRY_S = 50e-6
LOCK_RETRY_MOST_S = 0.005
LOOK_EVERY_S = 1.0
T = TypeVar("T")

migrations = Migrations("datasette_mouvements")
# What each table holds; the reference (docs/reference/tables.md) is made from it.
ABOUT = {
    "mouvements_keys": "Keys by account: the digest and first characters of each, when it was made, last used, ended.",
    "mouvements_quota": "Requests charged to each account, by day in Paris.",
    "mouvements_refusals": "Refused requests by day and kind, as version 2 counted them; nothing is added.",
    "mouvements_months": "Charges by month, as version 2 summed them; nothing is added.",
    "mouvements_last": "When daily work was last done.",
}


# Never edited once released.
MIGRATIONS = {
    "0001_keys_and_quota": """
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
        ) without rowid""",
    "0002_refusals": """
        create table mouvements_refusals (
            day text not null,
            kind text not null,
            times integer not null,
            primary key (day, kind)
        ) without rowid""",
    "0003_months": """
        create index mouvements_quota_day on mouvements_quota (day);
        create table mouvements_months (month text primary key, used integer not null) without rowid;
        create table mouvements_last (what text primary key, at text not null) without rowid""",
}


def _migrate(statements: str, db: Database) -> None:
    # One by one: executescript would commit the transaction around them.
    for statement in statements.split(";"):
        db.execute(statement)


for _name, _statements in MIGRATIONS.items():
    migrations(name=_name)(functools.partial(_migrate, _statements))


class SqliteStore(Store):
    """The store of one machine: one file in WAL mode, for any number of processes."""

    at_once = True
    returns = sqlite3.sqlite_version_info >= (3, 35)  # published images may have 3.34

    def __init__(self, path: str | os.PathLike[str], busy_seconds: float = BUSY_S) -> None:
        super().__init__()
        self.path = Path(path)
        self._busy_seconds = busy_seconds
        self._connection: Any = None
        self._identity: tuple[int, int] | None = None
        self._checked = 0.0

    def prepare(self) -> None:
        """Create the file if absent (readable by its owner only), and bring its tables up to date.

        Datasette's tables too: its own first start on a fresh file fails when others start at that moment.
        """
        try:
            with _one_process(self.path):
                # Opened here only if it did not exist: to close a descriptor of a database file drops the
                # locks that SQLite has on it in this process.
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                with contextlib.closing(_connect(self.path, PATIENT_BUSY_S)) as connection:
                    self._migrate(connection)
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(f"internal database: {error}") from error

    def _migrate(self, connection: Any) -> None:
        # Before anything is written: keys in the movements' file would be published.
        if connection.execute("select 1 from sqlite_master where name = ?", (TABLE,)).fetchone():
            raise StoreUnavailable(
                f"{self.path.name} holds the movements, which are served to everyone: give keys another file"
            )
        # SQLite does not wait for this lock where Datasette has the file open in rollback mode.
        _until_free(lambda: connection.execute("pragma journal_mode = wal"), PREPARE_S)
        db = Database(connection, execute_plugins=False)
        _until_free(lambda: internal_migrations.apply(db), PREPARE_S)
        # Under the write lock: only one process does it.
        if migrations.pending(db):
            connection.execute("begin immediate")
            migrations.apply(db)
            connection.execute("commit")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextlib.contextmanager
    def _transaction(
        self, account: str = "", reads: bool = False, single: bool = False, wait: bool = True
    ) -> Iterator[Execute]:
        """SQLite locks the whole file for one writer, whatever the account."""
        try:
            seconds = self._busy_seconds if wait else AT_ONCE_S
            # The first one after a crash locks the file while it reads what the log holds.
            connection = _until_free(self._connected, seconds)
            if reads:
                yield connection.execute
                return
            if single:
                yield lambda *arguments: _until_free(
                    lambda: connection.execute(*arguments).fetchall(), seconds
                )
                return
            _until_free(lambda: connection.execute("begin immediate"), seconds)
            try:
                yield connection.execute
                connection.execute("commit")
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise StoreUnavailable(f"internal database: {error}") from error

    def _connected(self) -> Any:
        """The connection, made anew after a fault, or where the path leads to another file."""
        moment = time.monotonic()
        if moment - self._checked > LOOK_EVERY_S or self._connection is None:
            # Charges in a file that was deleted or replaced would be lost.
            status = os.stat(self.path)
            if self._identity != (status.st_dev, status.st_ino):
                self.close()
                self._identity = (status.st_dev, status.st_ino)
            self._checked = moment
        if self._connection is None:
            self._connection = _connect(self.path)
        return self._connection


class NoStore(SqliteStore):
    """The store of a service without a place for keys: what reads or writes a key raises StoreUnavailable."""

    lasts = False

    def __init__(self) -> None:
        super().__init__("")

    def prepare(self) -> None:
        """Do nothing: such a service starts, and shows its pages."""

    def _connected(self) -> Any:
        raise StoreUnavailable("there is no place for keys that lasts")


def _until_free(action: Callable[[], T], seconds: float) -> T:
    """Do what needs a lock of the file, and give its result; StoreBusy where another program holds it for so long."""
    deadline = time.monotonic() + seconds
    pause = LOCK_RETRY_S
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            if time.monotonic() > deadline:
                raise StoreBusy("internal database: another program holds its lock") from None
        time.sleep(pause)
        pause = min(2 * pause, LOCK_RETRY_MOST_S)


def _connect(path: Path, busy_seconds: float = 0.0) -> Any:
    """A connection to a file that exists."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=busy_seconds,
    )
    # WAL and NORMAL: a commit survives the death of the process, and costs no disk flush.
    try:
        connection.execute("pragma synchronous = normal")
        connection.execute(f"pragma journal_size_limit = {LOG_BYTES}")
    except sqlite3.Error:
        connection.close()  # it is made anew once the lock is free
        raise
    return connection


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
