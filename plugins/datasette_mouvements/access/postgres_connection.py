"""A connection to PostgreSQL that never keeps its caller waiting."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import psycopg

from .store import StoreUnavailable

ANSWER_S: Final = 0.4


class Connection(psycopg.Connection[Any]):
    """A connection that waits for an answer only so long, even from a server that hangs."""

    patience = ANSWER_S + 0.1  # the server's own time-out, with its clean answer, comes first

    def wait(self, gen: Any, *arguments: Any, **named: Any) -> Any:
        return super().wait(_within(gen, self.patience), *arguments, **named)


def _within(gen: Any, seconds: float) -> Any:
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


@contextlib.contextmanager
def faults(drop: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Whatever PostgreSQL, or the way to it, refuses is StoreUnavailable."""
    try:
        yield
    except psycopg.Error as error:
        drop()
        # The class only: messages may quote the address or the parameters.
        raise StoreUnavailable(f"PostgreSQL: {type(error).__name__}") from error


def configure(connection: Any) -> None:
    """Of every new connection: time-outs on the server's side, and the isolation CHARGE needs."""
    connection.execute(
        "select set_config('statement_timeout', %s, false),"
        " set_config('default_transaction_isolation', 'read committed', false),"
        # CHARGE is planned once a connection: planning takes as long as doing. By index even
        # while the tables are small, since they grow under that plan.
        " set_config('plan_cache_mode', 'force_generic_plan', false),"
        " set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false)",
        (f"{int(ANSWER_S * 1000)}ms",),
    )
