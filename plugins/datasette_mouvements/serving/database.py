"""The movements as Datasette's pages and SQL read them: bounded, counted in full, each row on one page of a table."""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import Any

from datasette.database import Database, QueryInterrupted
from datasette.utils import escape_sqlite
from datasette.utils.sqlite import sqlite3

# The longest text, blob or row of a query; those of the tables that people see are far shorter.
LENGTH_BYTES = 1_000_000
# Rows up to which core counts: all. It says nothing of how many there are where that takes too long.
COUNTED = 10**12
TOO_SLOW = "La requête SQL a pris plus de temps qu’il n’est admis : resserrez-la."


class QueryRows:
    """Whether core left out rows of the SQL that a key pays for, beyond its setting `max_returned_rows`."""

    cut = False


QUERY: ContextVar[QueryRows | None] = ContextVar("query", default=None)
# The table whose page or export the request asks for, "" for none.
PAGED: ContextVar[str] = ContextVar("paged", default="")
# What core puts around a query to count no more than its limit: SQLite would read all columns of all rows.
_COUNT, _END = "select count(*) from (select * ", f" limit {COUNTED + 1})"
# Core's query of the first page of a table in the order of a column.
_FIRST_PAGE = re.compile(
    r'(?P<rows>select .+? from (?P<table>\w+) .*order by (?:\w+|"[^"]+")(?: desc)?)(?P<limit> limit [0-9]+)',
    re.DOTALL,
)


class TooSlow(QueryInterrupted, sqlite3.OperationalError):  # type: ignore[misc]
    """A query that core interrupted: an error of the request, also where core expects no interruption."""

    def __str__(self) -> str:
        return TOO_SLOW


class QuietDatabase(Database):  # type: ignore[misc]
    """A database whose SQL stays out of the log: it may hold names."""

    count_limit = COUNTED

    def connect(self, write: bool = False) -> Any:
        connection = super().connect(write)
        if hasattr(connection, "setlimit"):  # pysqlite3 has it not
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LENGTH_BYTES)
        return connection

    async def execute(self, sql: str, *args: Any, **named: Any) -> Any:
        if sql.startswith(_COUNT) and sql.endswith(_END):
            sql = f"select count(*) {sql[len(_COUNT) : -len(_END)]}"
        first = _FIRST_PAGE.fullmatch(sql) if PAGED.get() else None
        if first and first["table"] == PAGED.get():
            # Core orders the first page by the column alone, the next ones by the key, too: of rows that have the
            # same value, some would be on both pages, some on none.
            key = await self.primary_keys(first["table"]) or ["rowid"]
            sql = f"{first['rows']}, {', '.join(map(escape_sqlite, key))}{first['limit']}"
        try:
            results = await super().execute(sql, *args, **{**named, "log_sql_errors": False})
        except QueryInterrupted as interrupted:
            raise TooSlow(interrupted.e, interrupted.sql, interrupted.params) from None
        except OverflowError:  # SQLite's numbers have 64 bits
            raise sqlite3.OperationalError("Un nombre de la demande est trop grand.") from None
        if results.truncated and (query := QUERY.get()) is not None:
            query.cut = True
        return results
