"""A connection to PostgreSQL with time-outs, and its failures in our own words."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import psycopg

from .store import StoreUnavailable

ANSWER_S: Final = (
    0.4  # less than charge_queue.TIMEOUT: the store fails before its caller is answered
)

# A failure is recognised by its SQLSTATE. libpq gives none while no connection is open: then by words of
# its English message. Of a message in another language only the exception's class is given.
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
    """A connection that waits `patience` seconds for an answer, even from a server that hangs."""

    patience = ANSWER_S + 0.1  # the server's own time-out comes first: it is an answer

    def wait(self, gen: Any, *arguments: Any, **named: Any) -> Any:
        return super().wait(_limit(gen, self.patience), *arguments, **named)


def _limit(gen: Any, seconds: float) -> Any:
    """The generator of a psycopg operation, which fails if it takes more than `seconds`.

    psycopg sends 0 after each tenth of a second without an answer.
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


def connect(conninfo: str) -> Connection:
    """A connection with time-outs on the server's side, and the isolation CHARGE needs."""
    connection = Connection.connect(conninfo, autocommit=True)
    try:
        connection.execute(
            "select set_config('statement_timeout', %s, false),"
            " set_config('default_transaction_isolation', 'read committed', false),"
            # CHARGE is planned once a connection, because planning takes as long as doing; by index
            # even while the tables are small, because they grow under that plan.
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
    """Raise StoreUnavailable for a failure of PostgreSQL or of the network, after `drop`."""
    try:
        yield
    except (psycopg.Error, UnicodeError) as error:  # UnicodeError: of a host's name
        drop()
        raise StoreUnavailable(_explain(error)) from error


def _explain(error: psycopg.Error | UnicodeError) -> str:
    """The failure in our own words: a message of PostgreSQL may quote the address or the parameters."""
    state = getattr(error, "sqlstate", None)
    for states, words, meaning in _FAILURES:
        if state in states or (state is None and re.search(words, str(error))):
            return f"PostgreSQL {meaning}"
    return " ".join(filter(None, ("PostgreSQL:", type(error).__name__, state)))
