"""Keys and quotas in PostgreSQL, shared by machines that each serve their own copy of the data."""

from __future__ import annotations

import contextlib
import datetime
import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool

from ..config import ConfigError
from . import postgres_sql as sql
from .postgres_connection import Connection, configure, faults
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

# With ANSWER_S below quota.TIMEOUT: the store itself gives up before its caller does.
CONNECT_S: Final = 0.3
PATIENT_CONNECT_S: Final = 2.0  # of what no request waits for
PREPARE_S: Final = 30.0
# A connection unused for longer may have been dropped on the way without a word.
IDLE_S: Final = 5.0
# It would report every attempt of an outage, with the address; `quota.Counter` reports the outage.
logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
_LOCKS: Final = 0x6D76  # the class of this package's advisory locks


class PostgresStore:
    """The store of several machines. Nothing is contacted before the first call."""

    def __init__(self, url: str) -> None:
        try:
            given = conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            # Not psycopg's message: it repeats the address, which may hold a password.
            raise ConfigError("the address of the store is not a postgresql:// address") from None
        defaults: dict[str, str | int] = {
            "application_name": "datasette-mouvements",
            "connect_timeout": 2,
            "tcp_user_timeout": 1000,
        }
        self._conninfo = make_conninfo(url, **{k: v for k, v in defaults.items() if k not in given})
        self._pool = ConnectionPool(
            self._conninfo,
            connection_class=Connection,
            kwargs={"autocommit": True},
            configure=configure,
            # One: a store is used by one thread. It is kept between charges; the pool connects
            # in a thread of its own, so that an unreachable host does not hold up the caller.
            min_size=0,
            max_size=1,
            num_workers=1,
            # No backing off: whoever asks next is the next attempt, and recovery is immediate.
            reconnect_timeout=0,
            open=False,
            name="mouvements",
        )
        self._opened = False
        self._held: Connection | None = None
        self._used = 0.0

    def prepare(self) -> None:
        """Create or migrate the tables; several instances may do it at once."""
        # On a connection of its own: the service may be charging at the same time.
        with faults(), Connection.connect(self._conninfo, autocommit=True) as connection:
            connection.patience = PREPARE_S
            with connection.transaction():
                _migrate(connection)

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        """Record the demands in order, in one transaction; see `store.Store.charge`."""
        today = day(now)
        with self._connection(CONNECT_S) as connection:
            if any(amount < 0 for _, amount, _ in demands):
                with connection.transaction():
                    return _settle_locked(connection, demands, today, minute(now), quota)
            wanted = Counter[bytes]()
            for digest, amount, _ in demands:
                wanted[digest] += amount
            found = connection.execute(
                sql.CHARGE,
                {
                    # As PostgreSQL writes arrays: having psycopg adapt lists takes far longer.
                    "digests": "{" + ",".join(f'"\\\\x{one.hex()}"' for one in wanted) + "}",
                    "wanted": "{" + ",".join(map(str, wanted.values())) + "}",
                    "quota": quota,
                    "day": today,
                    "minute": minute(now),
                },
            ).fetchall()
        standings = {
            digest: Allowance(key_id, account, limit, used, today)
            for digest, key_id, account, limit, used in found
        }
        return [
            standings[digest].settle(amount) if digest in standings else None
            for digest, amount, _ in demands
        ]

    def create(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """A first key for the account; AccountError if it has a live one."""
        with self._account(account) as connection:
            if _live(connection, account, now) is not None:
                raise AccountError(f"{account} already has a live key: rotate or revoke it")
            return _insert(connection, account, digest, prefix, now, quota)

    def rotate(
        self,
        account: str,
        digest: bytes,
        prefix: str,
        now: datetime.datetime,
        quota: int | None = None,
    ) -> KeyRecord:
        """A new key in place of the live one; AccountError if there is none."""
        with self._account(account) as connection:
            old = _end(connection, account, now, "rotated")
            kept = old.quota if quota is None else quota
            return _insert(connection, account, digest, prefix, now, kept)

    def revoke(self, account: str, now: datetime.datetime) -> KeyRecord:
        """End the live key; AccountError if there is none."""
        with self._account(account) as connection:
            ended = _end(connection, account, now, "revoked")
            return ended._replace(ended_at=second(now), ended_why="revoked")

    def show(self, account: str, now: datetime.datetime) -> list[KeyRecord]:
        """The account's keys, the live one first, then newest first."""
        with self._connection() as connection:
            rows = connection.execute(sql.SHOW, (day(now), account)).fetchall()
        return [KeyRecord(*row) for row in rows]

    def live_digest(self, account: str) -> bytes | None:
        """The digest of the account's live key; None if it has none."""
        with self._connection() as connection:
            row = connection.execute(sql.LIVE_DIGEST, (account,)).fetchone()
        return None if row is None else bytes(row[0])

    def days(self, account: str, since: str) -> dict[str, int]:
        """Charges a day of the account, from `since` on."""
        with self._connection() as connection:
            return dict(connection.execute(sql.DAYS, (account, since)).fetchall())

    def add_refusals(self, counts: Mapping[tuple[str, str], int], oldest: str) -> None:
        """Add to the refusals of each (day, kind); days before `oldest` are forgotten."""
        days, kinds = [day for day, _ in counts], [kind for _, kind in counts]
        with self._connection(CONNECT_S) as connection, connection.transaction():
            connection.execute(sql.REFUSED, (days, kinds, list(counts.values())))
            connection.execute(sql.FORGET, (oldest,))

    def refusals(self, since: str) -> dict[str, dict[str, int]]:
        """Refusals by day, then by kind, from the day `since` on."""
        with self._connection() as connection:
            return by_day(connection.execute(sql.REFUSALS, (since,)).fetchall())

    def reachable(self) -> bool:
        """Whether a charge would find its tables and a server that takes writes."""
        try:
            with self._connection(CONNECT_S) as connection:
                connection.execute(sql.REACH)
                (read_only,) = connection.execute("show transaction_read_only").fetchone()
        except StoreUnavailable:
            return False
        return bool(read_only == "off")

    def close(self) -> None:
        if self._held is not None:
            self._pool.putconn(self._held)
            self._held = None
        if self._opened:
            self._pool.close(timeout=1)

    def list(self, now: datetime.datetime) -> list[KeyRecord]:
        """Every account's keys, by account, each as `show` orders them."""
        with self._connection() as connection:
            rows = connection.execute(sql.LIST, (day(now),)).fetchall()
        return [KeyRecord(*row) for row in rows]

    @contextlib.contextmanager
    def _account(self, account: str) -> Iterator[Any]:
        """A transaction in which nobody else changes this account's keys."""
        with self._connection() as connection, connection.transaction():
            number = crc32(account.encode()) - 2**31
            connection.execute("select pg_advisory_xact_lock(%s, %s)", (_LOCKS, number))
            yield connection

    @contextlib.contextmanager
    def _connection(self, connect_s: float = PATIENT_CONNECT_S) -> Iterator[Any]:
        """The connection; given up when PostgreSQL, or the way to it, refuses anything."""
        with faults(self._drop):
            if self._held is None or time.monotonic() - self._used > IDLE_S:
                self._take(connect_s)
            yield self._held
        self._used = time.monotonic()

    def _take(self, connect_s: float) -> None:
        """Have a connection that answers."""
        if not self._opened:
            self._pool.open()
            self._opened = True
        if self._held is not None:
            try:
                self._held.execute("select 1")
                return
            except psycopg.Error:
                self._drop()
        self._held = self._pool.getconn(connect_s)

    def _drop(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            held.close()
            self._pool.putconn(held)


def _migrate(connection: Any) -> None:
    connection.execute("select pg_advisory_xact_lock(%s, 0)", (_LOCKS + 1,))
    connection.execute(sql.MIGRATIONS_TABLE)
    applied = {row[0] for row in connection.execute("select name from mouvements_migrations")}
    for name, statements in sql.MIGRATIONS:
        if name not in applied:
            for statement in statements:
                connection.execute(statement)
            connection.execute("insert into mouvements_migrations (name) values (%s)", (name,))


def _settle_locked(
    connection: Any, demands: Sequence[Demand], today: str, this_minute: str, quota: int
) -> list[Charge | None]:
    """A batch in which charges are given back, or the day is not everywhere the same: rare.

    Its rows are locked first, in the order in which CHARGE locks them too.
    """
    digests = list({digest for digest, _, _ in demands})
    keys = {row[0]: row[1:] for row in connection.execute(sql.KNOWN, (quota, digests)).fetchall()}
    places = {
        (keys[digest][1], given or today): digest for digest, _, given in demands if digest in keys
    }
    accounts, days = [account for account, _ in places], [given for _, given in places]
    standings: dict[tuple[bytes, str], Allowance] = {}
    for account, given, used in connection.execute(sql.LOCK, (accounts, days)).fetchall():
        digest = places[account, given]
        key_id, _, limit = keys[digest]
        standings[digest, given] = Allowance(key_id, account, limit, used, given)
    before = {place: standing.used for place, standing in standings.items()}
    charges = [
        standings[digest, given or today].settle(amount) if digest in keys else None
        for digest, amount, given in demands
    ]
    for place, standing in standings.items():
        if standing.used != before[place]:
            connection.execute(sql.COUNT, (standing.used, standing.account, standing.day))
        if standing.used > before[place]:
            connection.execute(sql.TOUCH, (this_minute, standing.key_id))
    return charges


def _live(connection: Any, account: str, now: datetime.datetime) -> KeyRecord | None:
    row = connection.execute(sql.LIVE, (day(now), account)).fetchone()
    return None if row is None else KeyRecord(*row)


def _end(connection: Any, account: str, now: datetime.datetime, why: str) -> KeyRecord:
    old = _live(connection, account, now)
    if old is None:
        raise AccountError(f"{account} has no live key: create one")
    connection.execute(sql.END, (second(now), why, old.id))
    return old


def _insert(
    connection: Any,
    account: str,
    digest: bytes,
    prefix: str,
    now: datetime.datetime,
    quota: int | None,
) -> KeyRecord:
    connection.execute(sql.INSERT, (account, digest, prefix, quota, second(now)))
    made = _live(connection, account, now)
    assert made is not None
    return made
