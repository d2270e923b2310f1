"""Keys and quotas in PostgreSQL, shared by machines that each serve their own copy of the data."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ..config import ConfigError
from .store import Execute, Store, StoreUnavailable

ANSWER_S, CLIENT_S = 0.4, 0.5  # the server's own limit of a statement comes first: it is an answer
IDLE_S = 5.0  # a firewall may have dropped a connection that was idle for longer
LOCKS = 0x6D76  # the class of this package's advisory locks
DEFAULTS: dict[str, Any] = {"application_name": "datasette-mouvements", "connect_timeout": 2}
MIGRATIONS = {
    "0001_keys_and_quota": """create table mouvements_keys (
            id bigint generated always as identity primary key, account text not null,
            digest bytea not null unique, prefix text not null, quota integer, created_at text not null,
            last_used_at text, ended_at text, ended_why text);
        create unique index mouvements_keys_live on mouvements_keys (account) where ended_at is null;
        create index mouvements_keys_account on mouvements_keys (account);
        create table mouvements_quota (
            account text not null, day text not null, used integer not null, most integer not null,
            granted integer not null, primary key (account, day))""",
    "0002_refusals": """create table mouvements_refusals (
        day text not null, kind text not null, times bigint not null, primary key (day, kind))""",
    "0003_months": """create index mouvements_quota_day on mouvements_quota (day);
        create table mouvements_months (month text primary key, used bigint not null);
        create table mouvements_last (what text primary key, at text not null)""",
    # Version 2 counted with two columns more, and a machine of it may run beside this one.
    "0004_defaults": "alter table mouvements_quota alter most set default 0, alter granted set default 0",
}


class Connection(psycopg.Connection[Any]):
    """A connection that waits CLIENT_S for an answer, even from a server that hangs."""

    def wait(self, gen: Any, *arguments: Any, **named: Any) -> Any:
        return super().wait(_limited(gen), *arguments, **named)


def _limited(operation: Any) -> Any:
    """A psycopg operation, which is sent 0 after each tenth of a second without an answer."""
    deadline, ready = time.monotonic() + CLIENT_S, None
    while ready is None or ready or time.monotonic() < deadline:
        try:
            ready = yield operation.send(ready)
        except StopIteration as stop:
            return stop.value
    raise psycopg.OperationalError("no answer in time")


class PostgresStore(Store):
    """The store of several machines; nothing is contacted before the first call. ConfigError if `url` is no address."""

    def __init__(self, url: str) -> None:
        super().__init__()
        try:
            self._conninfo = make_conninfo(**DEFAULTS | conninfo_to_dict(url))
        except psycopg.ProgrammingError:
            # Not psycopg's message: it repeats the address, which may hold a password.
            raise ConfigError("the address of the store is not a postgresql:// address") from None
        self._connection: Connection | None = None
        self._used = 0.0

    def prepare(self) -> None:
        """Create or migrate the tables; several instances may do it at once."""
        with self._as_unavailable(), Connection.connect(self._conninfo) as connection:
            execute = connection.execute
            execute("select pg_advisory_xact_lock(%s, 0)", (LOCKS + 1,))
            execute("create table if not exists mouvements_migrations (name text primary key)")
            applied = execute("select name from mouvements_migrations").fetchall()
            for name, statements in MIGRATIONS.items():
                if (name,) not in applied:
                    execute(statements)
                    execute("insert into mouvements_migrations values (%s)", (name,))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextlib.contextmanager
    def _transaction(
        self, account: str = "", reads: bool = False, single: bool = False, wait: bool = True
    ) -> Iterator[Execute]:
        with self._as_unavailable():
            connection = self._connected()
            execute = connection.execute
            with connection.transaction():
                if account:
                    execute("select pg_advisory_xact_lock(%s, hashtext(%s))", (LOCKS, account))
                yield lambda statement, values=(): execute(statement.replace("?", "%s"), values)
            self._used = time.monotonic()

    def _connected(self) -> Connection:
        """The connection, made anew after a fault or a long pause."""
        if time.monotonic() - self._used > IDLE_S:
            self.close()
        if self._connection is None:
            self._connection = Connection.connect(self._conninfo, autocommit=True)
            self._connection.execute(f"set statement_timeout = {ANSWER_S * 1000:.0f}")
        return self._connection

    @contextlib.contextmanager
    def _as_unavailable(self) -> Iterator[None]:
        """Raise StoreUnavailable for a failure of PostgreSQL or of the network, after the connection is closed."""
        try:
            yield
        except (psycopg.Error, UnicodeError) as error:  # UnicodeError: of a host's name
            self.close()
            # Not its message, which may quote the address or the parameters.
            state = getattr(error, "sqlstate", None) or "no SQLSTATE"
            raise StoreUnavailable(f"PostgreSQL: {type(error).__name__}, {state}") from error
