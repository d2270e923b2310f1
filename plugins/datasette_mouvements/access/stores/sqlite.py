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
# SQLite waits for another process in steps of milliseconds; its charges take a twentieth of one.
LOCK_RETRY_S: Final = 50e-6
LOCK_RETRIES: Final = 40

_FIND = """
    select k.id, k.account, k.quota, k.last_used_at, q.used
    from mouvements_keys k
    left join mouvements_quota q on q.account = k.account and q.day = ?
    where k.digest = ? and k.ended_at is null
"""
_COUNT = "update mouvements_quota set used = ? where account = ? and day = ?"
_OPEN_DAY = "insert into mouvements_quota (used, account, day) values (?, ?, ?)"
_TOUCH = "update mouvements_keys set last_used_at = ? where id = ?"


class _Known(NamedTuple):
    """A key found by its digest, and its account's day as the file has it."""

    allowance: Allowance
    used: int | None  # None: nothing yet that day
    last_used_at: str | None


_Places = dict[tuple[bytes, str], _Known | None]  # by digest and day; None: no live key


class SqliteStore(Store):
    """The store of one machine: any number of processes on one file, in WAL mode."""

    def __init__(self, path: str | os.PathLike[str], busy_ms: int = BUSY_MS) -> None:
        self.path = Path(path)
        self._busy_ms = busy_ms
        self._connection: Any = None
        self._identity: tuple[int, int] | None = None
        self._checked = 0.0

    def prepare(self) -> None:
        """Create the file if absent (readable by its owner only) and bring its tables up to date."""
        internal.make_tables(self.path)

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        """Record the demands in order, in one transaction; see `store.Store.charge`."""
        today = day(now)
        writes = any(amount for _, amount, _ in demands)
        places: _Places = {}
        charges: list[Charge | None] = []
        # Without the context managers of the other methods: they would be a third of the time.
        try:
            execute = self._connected().cursor().execute
            if writes:
                self._take_write_lock(execute)
            for digest, amount, given in demands:
                place = (digest, given or today)
                if place in places:
                    known = places[place]
                else:
                    known = places[place] = _find(execute, *place, quota)
                charges.append(None if known is None else known.allowance.settle(amount))
            if writes:
                _write_counts(execute, places, minute(now))
                execute("commit")
        except sqlite3.Error as error:
            self.close()  # rolls back
            raise StoreUnavailable(f"internal database: {error}") from error
        except BaseException:  # nobody else could write while the transaction is open
            self.close()
            raise
        return charges

    def _take_write_lock(self, execute: Execute) -> None:
        """Begin a transaction that writes: trying often at first, then as SQLite does."""
        execute("pragma busy_timeout = 0")
        try:
            for _ in range(LOCK_RETRIES):
                with contextlib.suppress(sqlite3.OperationalError):
                    execute("begin immediate")
                    return
                time.sleep(LOCK_RETRY_S)
        finally:
            execute(f"pragma busy_timeout = {self._busy_ms}")
        execute("begin immediate")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Execute]:
        with internal.as_unavailable(self.close):
            yield self._connected().execute

    @contextlib.contextmanager
    def _writing(self, account: str = "") -> Iterator[Execute]:
        """The file's write lock keeps everybody else from writing, whatever the account."""
        with internal.as_unavailable(self.close):
            connection = self._connected()
            with internal.transaction(connection):
                yield connection.execute

    def _connected(self) -> Any:
        """The connection, made anew after a fault or when the file at the path is another one."""
        moment = time.monotonic()
        if moment - self._checked > 1 or self._connection is None:
            # Charges written to a file that was deleted or replaced would be lost.
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
        return self._connection


def _find(execute: Execute, digest: bytes, day: str, quota: int) -> _Known | None:
    row = execute(_FIND, (day, digest)).fetchone()
    if row is None:
        return None
    key_id, account, own, last_used_at, used = row
    limit = quota if own is None else own
    return _Known(Allowance(key_id, account, limit, used or 0, day), used, last_used_at)


def _write_counts(execute: Execute, places: _Places, minute: str) -> None:
    for known in places.values():
        if known is None:
            continue
        allowance, used, last_used_at = known
        if allowance.used == (used or 0):
            continue
        counted = (allowance.used, allowance.account, allowance.day)
        execute(_OPEN_DAY if used is None else _COUNT, counted)
        # Once a minute, not once a request; not when a charge is given back.
        if last_used_at != minute and allowance.used > (used or 0):
            execute(_TOUCH, (minute, allowance.key_id))
