"""The movements as Datasette's pages and SQL read them: with limits on time and memory, and no SQL in the log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from datasette.database import Database, QueryInterrupted
from datasette.utils.asgi import Base400
from datasette.utils.sqlite import sqlite3

from .limits import PAGE_MILLISECONDS, too_long

# What core reads beside a page's rows has so much where the rows took all: a small query must not fail.
RESERVE_SECONDS = 0.02
# The longest text, blob or row; those of the tables that people see are far shorter.
LENGTH_BYTES = 1_000_000
# pysqlite3, which Datasette prefers where it is installed, has no such limit.
BOUNDS_LENGTH = hasattr(sqlite3.Connection, "setlimit")
RESULT_BYTES = 16_000_000
# One query may make the process grow by so much, which is measured every LOOK_SECONDS at most.
GROWTH_BYTES = 256_000_000
LOOK_SECONDS = 0.01
_STATM = Path("/proc/self/statm")
_PAGE_BYTES = 4096


class Budget:
    """The processor time that is left to the SQL of one visitor's page, in seconds; statements run one by one."""

    def __init__(self, milliseconds: float = PAGE_MILLISECONDS) -> None:
        self.left = milliseconds / 1000

    def share(self, dispensable: bool) -> float:
        """What one statement may take; 0 or less for one that the page can do without once all is spent."""
        return self.left - RESERVE_SECONDS if dispensable else max(self.left, RESERVE_SECONDS)


# Of the visitor's page that is made now; None for who pays, whose SQL has only core's limit of time.
BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)
# What the statement that runs now may take of it.
_SHARE: ContextVar[float] = ContextVar("share", default=0.0)


class QueryRows:
    """Whether core left out rows of the SQL that a key pays for, beyond its setting `max_returned_rows`."""

    cut = False


QUERY: ContextVar[QueryRows | None] = ContextVar("query", default=None)


class LimitExceeded(QueryInterrupted, sqlite3.OperationalError, Base400):  # type: ignore[misc]
    """A query of a BoundedDatabase took too much time or memory.

    Where core does not expect an interruption, it answers 400 with the words of an OperationalError, for the
    rows of a table, or of a Base400, for what it suggests beside them; and 500 for a QueryInterrupted.
    """

    def __init__(self, interrupted: object, sql: str, params: object) -> None:
        super().__init__(interrupted, sql, params)
        self.args = (too_long(BUDGET.get() is not None),)

    def __str__(self) -> str:
        return str(self.args[0])


class BoundedDatabase(Database):  # type: ignore[misc]
    """A database for the SQL of visitors and accounts, which stays out of the log."""

    def connect(self, write: bool = False) -> sqlite3.Connection:
        address = ":memory:" if self.is_memory else f"{Path(self.path).as_uri()}?immutable=1"
        connection = sqlite3.connect(
            address, uri=True, check_same_thread=False, factory=_BoundedConnection
        )
        if BOUNDS_LENGTH:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LENGTH_BYTES)
        self._all_connections.append(connection)
        return connection

    async def execute(self, *args: Any, **named: Any) -> Any:
        if (budget := BUDGET.get()) is not None:
            # Core names a limit where it can do without: for facets, not for rows.
            share = budget.share(dispensable=bool(named.get("custom_time_limit")))
            if share <= 0:
                raise LimitExceeded(sqlite3.OperationalError("interrupted"), args[0], None)
            _SHARE.set(share)
        try:
            results = await super().execute(*args, **{**named, "log_sql_errors": False})
        except QueryInterrupted as interrupted:
            raise LimitExceeded(interrupted.e, interrupted.sql, interrupted.params) from None
        if results.truncated and (query := QUERY.get()) is not None:
            query.cut = True
        return results


class _BoundedCursor(sqlite3.Cursor):  # type: ignore[misc]
    """A cursor with a limit of bytes in a result: a page made of it takes several times as much memory."""

    def fetchmany(self, size: int = 1) -> list[Any]:
        rows: list[Any] = []
        handed_out = 0
        while len(rows) < size and (row := self.fetchone()) is not None:
            handed_out += sum(len(value) for value in row if isinstance(value, str | bytes))
            if handed_out > RESULT_BYTES:
                raise sqlite3.OperationalError("interrupted")  # as core knows it
            rows.append(row)
        return rows

    def fetchall(self) -> list[Any]:
        return self.fetchmany(sys.maxsize)


class _BoundedConnection(sqlite3.Connection):  # type: ignore[misc]
    """A connection whose queries end when they take too much memory.

    SQLite's own memory limit is for the whole process: charges would fail with the query. Core ends a
    query that takes too long by a progress handler; here the handler measures memory too.
    """

    _began = 0.0  # when its thread began the statement that runs now

    def cursor(self, factory: Any = _BoundedCursor) -> Any:
        return super().cursor(factory)

    def set_progress_handler(self, handler: Callable[[], Any] | None, n: int) -> None:
        budget = BUDGET.get()
        if handler is None:
            if budget is not None:
                budget.left -= time.thread_time() - self._began
        else:
            self._began = time.thread_time()
            handler = _watching_memory(handler)
            if budget is not None:
                handler = _watching_time(handler, self._began + _SHARE.get())
        super().set_progress_handler(handler, n)


def _watching_time(handler: Callable[[], Any], until: float) -> Callable[[], Any]:
    return lambda: 1 if time.thread_time() > until else handler()


def _watching_memory(handler: Callable[[], Any]) -> Callable[[], Any]:
    started = _resident_bytes()
    look_at = time.monotonic() + LOOK_SECONDS

    def watching() -> Any:
        nonlocal look_at
        now = time.monotonic()
        if now >= look_at:
            look_at = now + LOOK_SECONDS
            if _resident_bytes() - started > GROWTH_BYTES:
                return 1
        return handler()

    return watching


def _resident_bytes() -> int:
    """Bytes of memory of the process; 0 where the system has no /proc: then there is no limit."""
    try:
        return int(_STATM.read_bytes().split()[1]) * _PAGE_BYTES
    except OSError:
        return 0
