"""The movements as Datasette's pages and SQL read them: bounded, not in the log, and rows left out are noticed."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from datasette.database import Database, QueryInterrupted
from datasette.utils.sqlite import sqlite3

# The longest text, blob or row of a query; those of the tables that people see are far shorter.
LENGTH_BYTES = 1_000_000
TOO_SLOW = "La requête SQL a pris plus de temps qu’il n’est admis : resserrez-la."


class QueryRows:
    """Whether core left out rows of the SQL that a key pays for, beyond its setting `max_returned_rows`."""

    cut = False


QUERY: ContextVar[QueryRows | None] = ContextVar("query", default=None)


class TooSlow(QueryInterrupted, sqlite3.OperationalError):  # type: ignore[misc]
    """A query that core interrupted: an error of the request, also where core expects no interruption."""

    def __str__(self) -> str:
        return TOO_SLOW


class QuietDatabase(Database):  # type: ignore[misc]
    """A database whose SQL stays out of the log: it may hold names."""

    def connect(self, write: bool = False) -> Any:
        connection = super().connect(write)
        if hasattr(connection, "setlimit"):  # pysqlite3 has it not
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LENGTH_BYTES)
        return connection

    async def execute(self, *args: Any, **named: Any) -> Any:
        try:
            results = await super().execute(*args, **{**named, "log_sql_errors": False})
        except QueryInterrupted as interrupted:
            raise TooSlow(interrupted.e, interrupted.sql, interrupted.params) from None
        except OverflowError:  # SQLite's numbers have 64 bits
            raise sqlite3.OperationalError("Un nombre de la demande est trop grand.") from None
        if results.truncated and (query := QUERY.get()) is not None:
            query.cut = True
        return results
