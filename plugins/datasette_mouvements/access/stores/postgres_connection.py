"""A connection to PostgreSQL that never keeps its caller waiting."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, Final

import psycopg

from .store import StoreUnavailable

ANSWER_S: Final = 0.4

# Failures are recognised by their SQLSTATE. libpq gives none while no connection is open: they are then
# recognised by words of the English message, and a message in another language is told as the
# exception's class.
_FAILURES: Final = (
    (
        ("28P01", "28000"),
        r"authentication failed|no password supplied|pg_hba\.conf|not permitted to log in"
        r"|role .* does not exist",
        "refuses the login: user, password or the place it comes from",
    ),
    (("3D000",), r"database .* does not exist", "has no such database"),
    (("42501",), r"permission denied", "does not give this user the right to do that"),
    (("25006",), r"session is read-only", "is read-only: a standby, or set so"),
    (
        ("53300",),
        r"too many (clients|connections)|connection slots are reserved",
        "has too many connections",
    ),
    (
        ("57P01", "57P02", "57P03"),
        r"the database system is",
        "is starting, stopping or recovering",
    ),
    ((), r"closed the connection|connection is (lost|closed)", "cut the connection"),
    ((), r"resolve host|translate host name|codec failed", "is at a host that is not known"),
    ((), r"Connection refused|No such file|[Uu]nreachable|No route", "cannot be reached"),
    (("57014",), r"no answer|timeout expired", "does not answer in time"),
)


class Connection(psycopg.Connection[Any]):
    """A connection that waits for an answer only so long, even from a server that hangs."""

    patience = ANSWER_S + 0.1  # the server's own time-out, with its clean answer, comes first

    def wait(self, gen: Any, *arguments: Any, **named: Any) -> Any:
        return super().wait(_limit(gen, self.patience), *arguments, **named)


def _limit(gen: Any, seconds: float) -> Any:
    """The generator of a psycopg operation, which fails if it is still going after `seconds`.

    psycopg sends 0 in every tenth of a second in which nothing came.
    """
    deadline = time.monotonic() + seconds
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() > deadline:
                raise psycopg.OperationalError("no answer in time")
            wanted = gen.send(ready)
    except StopIteration as stop:
        return stop.value


def connect_in_thread(conninfo: str) -> Future[Connection]:
    """A connection in the making, in a thread of its own: an unknown host would hold up the caller."""
    made: Future[Connection] = Future()

    def connect() -> None:
        try:
            made.set_result(_connect(conninfo))
        except BaseException as error:  # handed to the one who waits
            made.set_exception(error)

    # A daemon: a host that does not answer must not keep the process from ending.
    threading.Thread(target=connect, name="mouvements-connect", daemon=True).start()
    return made


def _connect(conninfo: str) -> Connection:
    """A connection with time-outs on the server's side, and the isolation CHARGE needs."""
    connection = Connection.connect(conninfo, autocommit=True)
    try:
        connection.execute(
            "select set_config('statement_timeout', %s, false),"
            " set_config('default_transaction_isolation', 'read committed', false),"
            # CHARGE is planned once a connection: planning takes as long as doing. By index even
            # while the tables are small, since they grow under that plan.
            " set_config('plan_cache_mode', 'force_generic_plan', false),"
            " set_config('enable_seqscan', 'off', false),"
            " set_config('enable_bitmapscan', 'off', false)",
            (f"{int(ANSWER_S * 1000)}ms",),
        )
    except psycopg.Error:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def as_unavailable(drop: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Raise StoreUnavailable for whatever PostgreSQL, or the way to it, refuses, after `drop`."""
    try:
        yield
    except (psycopg.Error, UnicodeError) as error:  # UnicodeError: of a host's name
        drop()
        raise StoreUnavailable(_explain(error)) from error


def _explain(error: psycopg.Error | UnicodeError) -> str:
    """What went wrong, in our words: a message may quote the address or the parameters."""
    state = getattr(error, "sqlstate", None)
    for states, words, meaning in _FAILURES:
        if state in states or (state is None and re.search(words, str(error))):
            return f"PostgreSQL {meaning}"
    return " ".join(filter(None, ("PostgreSQL:", type(error).__name__, state)))
