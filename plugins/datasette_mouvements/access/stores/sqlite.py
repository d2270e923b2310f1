"""Keys and quotas in Datasette's internal database, on a connection of our own."""

from __future__ import annotations

import contextlib
import datetime
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from datasette.utils.sqlite import sqlite3

from ..charging import Allowance, Charge, Demand
from ..key_records import Execute, minute
from ..quota_day import day
from . import internal
from .store import Store, StoreUnavailable

BUSY_MS: Final = 500  # below charge_queue.TIMEOUT: the store gives up before its caller does
# SQLite waits for another process in steps of milliseconds; a charge takes a twentieth of one.
LOCK_RETRY_S: Final = 50e-6
LOCK_RETRIES: Final = 40
LOCK_RETRIES_AT_ONCE: Final = 4
# Commits until the log is copied into the file, which flushes the disk, as SQLite does by itself after a
# thousand pages: a charge writes three, other methods sometimes hundreds.
COPY_AFTER: Final = 300
OTHER_COMMIT: Final = 10
LOOK_EVERY_S: Final = 1.0

_FIND = """
    select k.id, k.account, k.quota, k.last_used_at, q.used
    from mouvements_keys k
    left join mouvements_quota q on q.account = k.account and q.day = ?
    where k.digest = ? and k.ended_at is null
"""
_COUNT = "update mouvements_quota set used = ? where account = ? and day = ?"
_OPEN_DAY = "insert into mouvements_quota (used, account, day) values (?, ?, ?)"
_TOUCH = "update mouvements_keys set last_used_at = ? where id = ?"


class _KeyDay(NamedTuple):
    """A key's allowance for one day, and what the file has of it."""

    allowance: Allowance
    used: int | None  # None: nothing yet that day
    last_used_at: str | None


_KeyDays = dict[tuple[bytes, str], _KeyDay | None]  # by digest and day; None: no live key


class SqliteStore(Store):
    """The store of one machine: one file in WAL mode, for any number of processes."""

    def __init__(self, path: str | os.PathLike[str], busy_ms: int = BUSY_MS) -> None:
        self.path = Path(path)
        self._busy_ms = busy_ms
        self._connection: Any = None
        self._identity: tuple[int, int] | None = None
        self._checked = 0.0
        self._commits = 0  # since the log was copied

    def prepare(self) -> None:
        """Create the file if absent (readable by its owner only) and bring its tables up to date."""
        internal.prepare_internal(self.path)

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        """Record the demands in order, in one transaction; see `store.Store.charge`."""
        with internal.as_unavailable(self.close):
            connection = self._connected()
            charges = self._charge(connection, demands, now, quota, LOCK_RETRIES)
            if charges is None:
                with self._patient(connection):
                    charges = self._charge(connection, demands, now, quota)
            assert charges is not None
            return charges

    def charge_at_once(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None] | None:
        """The same where nothing else is due: to look for the file, to open it, to copy its log, to wait."""
        looked = time.monotonic() - self._checked < LOOK_EVERY_S
        if self._connection is None or not looked or self._commits >= COPY_AFTER:
            return None
        with internal.as_unavailable(self.close):
            try:
                return self._charge(self._connection, demands, now, quota, LOCK_RETRIES_AT_ONCE)
            except sqlite3.OperationalError:
                if any(amount for _, amount, _ in demands):
                    raise
                return None  # to read again does no harm, and there SQLite waits

    def _charge(
        self,
        connection: Any,
        demands: Sequence[Demand],
        now: datetime.datetime,
        quota: int,
        attempts: int = 0,
    ) -> list[Charge | None] | None:
        """The charges; None, and nothing recorded, where so many attempts did not get the write lock."""
        today = day(now)
        writes = any(amount for _, amount, _ in demands)
        days: _KeyDays = {}
        charges: list[Charge | None] = []
        try:
            execute = connection.cursor().execute
            if writes and not _begin(execute, attempts):
                return None
            for digest, amount, given_day in demands:
                place = (digest, given_day or today)
                if place not in days:
                    days[place] = _find(execute, *place, quota)
                key_day = days[place]
                charges.append(None if key_day is None else key_day.allowance.settle(amount))
            if writes:
                _write_counts(execute, days, minute(now))
                execute("commit")
                self._commits += 1
        except BaseException:  # an open transaction would keep every process from writing
            self.close()
            raise
        return charges

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Execute]:
        with internal.as_unavailable(self.close):
            connection = self._connected()
            with self._patient(connection):
                yield connection.execute

    @contextlib.contextmanager
    def _writing(self, account: str = "") -> Iterator[Execute]:
        """SQLite locks the whole file for one writer, whatever the account."""
        with internal.as_unavailable(self.close):
            connection = self._connected()
            self._commits += OTHER_COMMIT
            with self._patient(connection), internal.transaction(connection):
                yield connection.execute

    @contextlib.contextmanager
    def _patient(self, connection: Any) -> Iterator[None]:
        """Have SQLite wait for a lock, which it does in steps of milliseconds."""
        connection.execute(f"pragma busy_timeout = {self._busy_ms}")
        try:
            yield
        finally:
            if self._connection is connection:  # else a fault has closed it
                connection.execute("pragma busy_timeout = 0")

    def _connected(self) -> Any:
        """The connection, made anew after a fault, or where the path leads to another file."""
        moment = time.monotonic()
        if moment - self._checked > LOOK_EVERY_S or self._connection is None:
            # Charges in a file that was deleted or replaced would be lost.
            try:
                status = os.stat(self.path)
            except OSError as error:
                raise StoreUnavailable(f"{self.path}: {error.strerror}") from None
            if self._identity != (status.st_dev, status.st_ino):
                self.close()
                self._identity = (status.st_dev, status.st_ino)
            self._checked = moment
        if self._connection is None:
            self._connection = internal.connect(self.path, self._busy_ms)
            # When the log is copied is said here: the first commit afterwards flushes the disk once more.
            self._connection.execute("pragma wal_autocheckpoint = 0")
            self._connection.execute("pragma busy_timeout = 0")
        if self._commits >= COPY_AFTER:
            self._connection.execute("pragma wal_checkpoint(passive)")
            self._commits = 0
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


def _begin(execute: Execute, attempts: int) -> bool:
    """Begin a transaction that writes; False if another has the lock at each of so many attempts.

    Without `attempts` it waits for the lock as SQLite does, and sqlite3.Error says what went wrong.
    """
    for attempt in range(attempts):
        if attempt:
            time.sleep(LOCK_RETRY_S)
        with contextlib.suppress(sqlite3.OperationalError):
            execute("begin immediate")
            return True
    if not attempts:
        execute("begin immediate")
    return not attempts


def _find(execute: Execute, digest: bytes, day: str, quota: int) -> _KeyDay | None:
    row = execute(_FIND, (day, digest)).fetchone()
    if row is None:
        return None
    key_id, account, own, last_used_at, used = row
    limit = quota if own is None else own
    return _KeyDay(Allowance(key_id, account, limit, used or 0, day), used, last_used_at)


def _write_counts(execute: Execute, days: _KeyDays, minute: str) -> None:
    for allowance, used, last_used_at in filter(None, days.values()):
        if allowance.used == (used or 0):
            continue
        count = (allowance.used, allowance.account, allowance.day)
        execute(_OPEN_DAY if used is None else _COUNT, count)
        # Once a minute, not once a request; not when a charge is given back.
        if last_used_at != minute and allowance.used > (used or 0):
            execute(_TOUCH, (minute, allowance.key_id))
