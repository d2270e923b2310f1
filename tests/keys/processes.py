"""What the tests run in processes of their own, so that they can race and be killed."""

from __future__ import annotations

import datetime
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Barrier
from typing import Any

from datasette_mouvements.keys.postgres import PostgresStore
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.keys.store import AccountError, Store

# Not fork: the parent has threads and open databases. What all need is imported once.
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload([__name__])
PATIENCE = 60  # seconds


class Child:
    """A process that runs `function(pipe, *arguments)`; the parent holds the pipe's other end."""

    def __init__(self, function: Callable[..., None], *arguments: Any) -> None:
        self.pipe, theirs = CONTEXT.Pipe()
        self.process: BaseProcess = CONTEXT.Process(target=function, args=(theirs, *arguments))
        self.process.start()
        theirs.close()

    def hear(self) -> Any:
        assert self.pipe.poll(PATIENCE), "the process said nothing"
        return self.pipe.recv()

    def kill(self) -> None:
        self.process.kill()
        self.process.join(PATIENCE)

    def end(self) -> None:
        self.process.join(PATIENCE)
        assert self.process.exitcode == 0
        self.pipe.close()


def _patient(url: str, path: str) -> Store:
    """A store that waits for others as long as it takes: SQLite may let one of them in last again and again."""
    store: Store = PostgresStore(url) if url else SqliteStore(path, PATIENCE)
    store.days("", "")  # connect
    return store


def charge_many(
    pipe: Connection, url: str, path: str, digest: bytes, times: int, batch: int, barrier: Barrier
) -> None:
    """Charge `times` demands in batches; say which counts were granted."""
    store = _patient(url, path)
    now = datetime.datetime.now(datetime.UTC)
    granted = []
    barrier.wait(PATIENCE)
    for _ in range(times // batch):
        for charge in store.charge([(digest, 1)] * batch, now, 1_000_000):
            assert charge is not None
            if charge.granted:
                granted.append(charge.used)
    store.close()
    pipe.send(granted)


def charge_for_ever(pipe: Connection, url: str, path: str, digest: bytes) -> None:
    """Charge one by one and acknowledge each, as a service that answers."""
    store = _patient(url, path)
    now = datetime.datetime.now(datetime.UTC)
    while True:
        (charge,) = store.charge([(digest, 1)], now, 1_000_000)
        assert charge is not None
        pipe.send(charge.used)


def rotate_once(pipe: Connection, url: str, path: str, account: str, barrier: Barrier) -> None:
    """Rotate to a key whose digest is sent back, or send None if refused."""
    from datasette_mouvements.keys import keys

    store = _patient(url, path)
    key = keys.issue()
    barrier.wait(PATIENCE)
    try:
        store.rotate(
            account, keys.digest(key), keys.prefix(key), datetime.datetime.now(datetime.UTC)
        )
        pipe.send(keys.digest(key))
    except AccountError:
        pipe.send(None)
    store.close()
