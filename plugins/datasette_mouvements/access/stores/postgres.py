"""Keys and quotas in PostgreSQL, shared by machines that each serve their own copy of the data."""

from __future__ import annotations

import contextlib
import datetime
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any, Final
from zlib import crc32

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ...config import ConfigError
from ..charging import Allowance, Charge, Demand
from ..key_records import Execute, minute
from ..quota_day import day
from . import postgres_sql as sql
from .postgres_connection import Connection, as_unavailable, connect_in_thread
from .store import Store

# With ANSWER_S below charge_queue.TIMEOUT: the store itself gives up before its caller does.
CONNECT_S: Final = 0.3
PATIENT_CONNECT_S: Final = 2.0
PREPARE_S: Final = 30.0
# A connection unused for longer may have been dropped on the way without a word.
IDLE_S: Final = 5.0
_LOCKS: Final = 0x6D76  # the class of this package's advisory locks


class PostgresStore(Store):
    """The store of several machines. Nothing is contacted before the first call.

    ConfigError if `url` is no address.
    """

    def __init__(self, url: str, connect_s: float = CONNECT_S) -> None:
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
        self._connect_s = connect_s
        self._attempt: Future[Connection] | None = None
        self._held: Connection | None = None
        self._used = 0.0

    def prepare(self) -> None:
        """Create or migrate the tables; several instances may do it at once."""
        # On a connection of its own: the service may be charging at the same time.
        with as_unavailable(), Connection.connect(self._conninfo, autocommit=True) as connection:
            connection.patience = PREPARE_S
            with connection.transaction():
                _migrate(connection)

    def charge(
        self, demands: Sequence[Demand], now: datetime.datetime, quota: int
    ) -> list[Charge | None]:
        """Record the demands in order, in one transaction; see `store.Store.charge`."""
        today = day(now)
        with self._connection() as connection:
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
        allowances = {
            digest: Allowance(key_id, account, limit, used, today)
            for digest, key_id, account, limit, used in found
        }
        return [
            allowances[digest].settle(amount) if digest in allowances else None
            for digest, amount, _ in demands
        ]

    def close(self) -> None:
        self._drop()
        if self._attempt is not None:
            self._attempt.add_done_callback(_close_unwanted)
            self._attempt = None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Execute]:
        with self._connection() as connection:
            yield _executor(connection)

    @contextlib.contextmanager
    def _writing(self, account: str = "") -> Iterator[Execute]:
        with self._connection() as connection, connection.transaction():
            if account:
                number = crc32(account.encode()) - 2**31
                connection.execute("select pg_advisory_xact_lock(%s, %s)", (_LOCKS, number))
            yield _executor(connection)

    @contextlib.contextmanager
    def _connection(self) -> Iterator[Any]:
        """The connection; given up when PostgreSQL, or the way to it, refuses anything."""
        with as_unavailable(self._drop):
            yield self._connected()
        self._used = time.monotonic()

    def _connected(self) -> Connection:
        """The connection, tried first after a pause, and made anew after a fault."""
        attempt, self._attempt = self._attempt, None
        if attempt is not None and attempt.done():
            self._held = None if attempt.exception() else attempt.result()
            attempt = None
        if self._held is not None and time.monotonic() - self._used > IDLE_S:
            try:
                self._held.execute("select 1")
            except psycopg.Error:
                self._drop()
        if self._held is None:
            attempt = attempt or connect_in_thread(self._conninfo)
            try:
                self._held = attempt.result(self._connect_s)
            except TimeoutError:
                self._attempt = attempt  # it goes on, for the next call
                raise psycopg.errors.ConnectionTimeout("no answer in time") from None
        return self._held

    def _drop(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            held.close()


def _close_unwanted(attempt: Future[Connection]) -> None:
    """Close what an attempt made after its store was closed."""
    if not attempt.exception():
        attempt.result().close()


def _executor(connection: Any) -> Execute:
    return lambda statement, values=(): connection.execute(statement.replace("?", "%s"), values)


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
    allowances: dict[tuple[bytes, str], Allowance] = {}
    for account, given, used in connection.execute(sql.LOCK, (accounts, days)).fetchall():
        digest = places[account, given]
        key_id, _, limit = keys[digest]
        allowances[digest, given] = Allowance(key_id, account, limit, used, given)
    before = {place: allowance.used for place, allowance in allowances.items()}
    charges = [
        allowances[digest, given or today].settle(amount) if digest in keys else None
        for digest, amount, given in demands
    ]
    for place, allowance in allowances.items():
        if allowance.used != before[place]:
            connection.execute(sql.COUNT, (allowance.used, allowance.account, allowance.day))
        if allowance.used > before[place]:
            connection.execute(sql.TOUCH, (this_minute, allowance.key_id))
    return charges
