"""Keys and quotas in Datasette's internal database, on a connection of our own."""

from __future__ import annotations

import contextlib
import datetime
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from datasette.utils.sqlite import sqlite3

from . import internal
from .quota_day import day
from .store import (
    AccountError,
    Allowance,
    Charge,
    Demand,
    KeyRecord,
    StoreUnavailable,
    by_day,
    minute,
    second,
)

BUSY_MS: Final = 500  # below quota.TIMEOUT: the store itself gives up before its caller does
# SQLite waits for another process in steps of milliseconds; its charges take a twentieth of one.
NAP_S: Final = 50e-6
NAPS: Final = 40

_FIND = """
    select k.id, k.account, k.quota, k.last_used_at, q.used
    from mouvements_keys k
    left join mouvements_quota q on q.account = k.account and q.day = ?
    where k.digest = ? and k.ended_at is null
"""
_COUNT = "update mouvements_quota set used = ? where account = ? and day = ?"
_OPEN_DAY = "insert into mouvements_quota (used, account, day) values (?, ?, ?)"
_TOUCH = "update mouvements_keys set last_used_at = ? where id = ?"
_RECORDS = """
    select k.id, k.account, k.prefix, k.quota, k.created_at, k.last_used_at, k.ended_at,
        k.ended_why, coalesce(q.used, 0)
    from mouvements_keys k
    left join mouvements_quota q on q.account = k.account and q.day = ?
"""


_REFUSED = """
    insert into mouvements_refusals (day, kind, times) values (?, ?, ?)
    on conflict (day, kind) do update set times = times + excluded.times
"""
_REFUSALS = "select day, kind, times from mouvements_refusals where day >= ? order by day, kind"


class _Found(NamedTuple):
    standing: Allowance
    used: int | None  # as stored; None: nothing yet that day
    last_used_at: str | None


class SqliteStore:
    """The store of one machine: any number of processes on one file, in WAL mode."""

    def __init__(self, path: str | os.PathLike[str], busy_ms: int = BUSY_MS) -> None:
        self.path = Path(path)
        self._busy_ms = busy_ms
        self._connection: Any = None
        self._identity: tuple[int, int] | None = None
        self._checked = 0.0

    def prepare(self) -> None:
        """Create the file if absent (readable by its owner only) and bring its tables up to date."""
        internal.prepare(self.path)

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        """Record the demands in order, in one transaction; see `store.Store.charge`."""
        today = day(now)
        writes = any(amount for _, amount, _ in demands)
        found: dict[tuple[bytes, str], _Found | None] = {}
        charges: list[Charge | None] = []
        # Without the context managers of the other methods: they would be a third of the time.
        try:
            execute = self._open().cursor().execute
            if writes:
                self._begin(execute)
            for digest, amount, given in demands:
                place = (digest, given or today)
                if place in found:
                    one = found[place]
                else:
                    one = found[place] = self._find(execute, digest, place[1], quota)
                charges.append(None if one is None else one.standing.settle(amount))
            if writes:
                self._count(execute, found, minute(now))
                execute("commit")
        except sqlite3.Error as error:
            self.close()  # rolls back
            raise StoreUnavailable(f"internal database: {error}") from error
        return charges

    @staticmethod
    def _find(execute: Callable[..., Any], digest: bytes, day: str, quota: int) -> _Found | None:
        row = execute(_FIND, (day, digest)).fetchone()
        if row is None:
            return None
        key_id, account, own, last_used_at, used = row
        limit = quota if own is None else own
        return _Found(Allowance(key_id, account, limit, used or 0, day), used, last_used_at)

    def _begin(self, execute: Callable[..., Any]) -> None:
        """Take the write lock: looking often at first, then as SQLite does."""
        execute("pragma busy_timeout = 0")
        try:
            for _ in range(NAPS):
                with contextlib.suppress(sqlite3.OperationalError):
                    execute("begin immediate")
                    return
                time.sleep(NAP_S)
        finally:
            execute(f"pragma busy_timeout = {self._busy_ms}")
        execute("begin immediate")

    @staticmethod
    def _count(
        execute: Callable[..., Any], found: dict[tuple[bytes, str], _Found | None], minute: str
    ) -> None:
        for one in found.values():
            if one is None:
                continue
            standing, used, last_used_at = one
            if standing.used == (used or 0):
                continue
            counted = (standing.used, standing.account, standing.day)
            execute(_OPEN_DAY if used is None else _COUNT, counted)
            if last_used_at != minute and standing.used > (used or 0):
                # Once a minute, not once a request.
                execute(_TOUCH, (minute, standing.key_id))

    def create(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """A first key for the account; AccountError if it has a live one."""
        with self._transaction() as connection:
            if self._live(connection, account, now) is not None:
                raise AccountError(f"{account} already has a live key: rotate or revoke it")
            return self._insert(connection, account, digest, prefix, now, quota)

    def rotate(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """A new key in place of the live one; AccountError if there is none."""
        with self._transaction() as connection:
            old = self._end(connection, account, now, "rotated")
            kept = old.quota if quota is None else quota
            return self._insert(connection, account, digest, prefix, now, kept)

    def revoke(self, account: str, now: datetime.datetime) -> KeyRecord:
        """End the live key; AccountError if there is none."""
        with self._transaction() as connection:
            ended = self._end(connection, account, now, "revoked")
            return ended._replace(ended_at=second(now), ended_why="revoked")

    def _records(self, order: str, *parameters: str) -> list[KeyRecord]:
        with self._transaction(writes=False) as connection:
            rows = connection.execute(_RECORDS + order, parameters).fetchall()
        return [KeyRecord(*row) for row in rows]

    def show(self, account: str, now: datetime.datetime) -> list[KeyRecord]:
        """The account's keys, the live one first, then newest first."""
        order = "where k.account = ? order by k.ended_at is not null, k.id desc"
        return self._records(order, day(now), account)

    def list(self, now: datetime.datetime) -> list[KeyRecord]:
        """Every account's keys, by account, each as `show` orders them."""
        order = "order by k.account, k.ended_at is not null, k.id desc"
        return self._records(order, day(now))

    def live_digest(self, account: str) -> bytes | None:
        """The digest of the account's live key; None if it has none."""
        with self._transaction(writes=False) as connection:
            row = connection.execute(
                "select digest from mouvements_keys where account = ? and ended_at is null",
                (account,),
            ).fetchone()
        return None if row is None else bytes(row[0])

    def days(self, account: str, since: str) -> dict[str, int]:
        """Charges a day of the account, from `since` on."""
        with self._transaction(writes=False) as connection:
            return dict(
                connection.execute(
                    "select day, used from mouvements_quota where account = ? and day >= ?"
                    " and used > 0 order by day",
                    (account, since),
                ).fetchall()
            )

    def add_refusals(self, counts: Mapping[tuple[str, str], int], oldest: str) -> None:
        """Add to the refusals of each (day, kind); days before `oldest` are forgotten."""
        with self._transaction() as connection:
            connection.executemany(_REFUSED, [(*place, times) for place, times in counts.items()])
            connection.execute("delete from mouvements_refusals where day < ?", (oldest,))

    def refusals(self, since: str) -> dict[str, dict[str, int]]:
        """Refusals by day, then by kind, from the day `since` on."""
        with self._transaction(writes=False) as connection:
            return by_day(connection.execute(_REFUSALS, (since,)).fetchall())

    def reachable(self) -> bool:
        """Whether a charge would find its tables and the right to write."""
        try:
            with self._transaction() as connection:
                connection.execute("select 1 from mouvements_keys limit 1").fetchone()
        except StoreUnavailable:
            return False
        return True

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _live(self, connection: Any, account: str, now: datetime.datetime) -> KeyRecord | None:
        row = connection.execute(
            _RECORDS + "where k.account = ? and k.ended_at is null", (day(now), account)
        ).fetchone()
        return None if row is None else KeyRecord(*row)

    def _end(self, connection: Any, account: str, now: datetime.datetime, why: str) -> KeyRecord:
        old = self._live(connection, account, now)
        if old is None:
            raise AccountError(f"{account} has no live key: create one")
        connection.execute(
            "update mouvements_keys set ended_at = ?, ended_why = ? where id = ?",
            (second(now), why, old.id),
        )
        return old

    def _insert(
        self,
        connection: Any,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None,
    ) -> KeyRecord:
        connection.execute(
            "insert into mouvements_keys (account, digest, prefix, quota, created_at)"
            " values (?, ?, ?, ?, ?)",
            (account, digest, prefix, quota, second(now)),
        )
        made = self._live(connection, account, now)
        assert made is not None
        return made

    @contextlib.contextmanager
    def _transaction(self, writes: bool = True) -> Iterator[Any]:
        """The connection, the file's write lock held if `writes`; all or nothing."""
        with internal.faults(self.close):
            connection = self._open()
            if not writes:
                yield connection
                return
            connection.execute("begin immediate")
            try:
                yield connection
                connection.execute("commit")
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")

    def _open(self) -> Any:
        """The connection, made anew after a fault or when the file at the path is another one."""
        moment = time.monotonic()
        if moment - self._checked > 1 or self._connection is None:
            # Charges written to a file that was deleted or replaced would be lost.
            try:
                status = os.stat(self.path)
            except OSError as error:
                self.close()
                raise StoreUnavailable(f"{self.path}: {error.strerror}") from None
            if self._identity != (status.st_dev, status.st_ino):
                self.close()
                self._identity = (status.st_dev, status.st_ino)
            self._checked = moment
        if self._connection is None:
            self._connection = internal.connect(self.path, self._busy_ms)
        return self._connection
