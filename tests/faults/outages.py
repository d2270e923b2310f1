"""The shared store stopped, frozen and started again under load."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from pathlib import Path

import psycopg

from tests.contract import environment
from tests.keys.postgres_server import PostgresServer

from .client import Response, load
from .kills import TARGETS
from .outcome import Outcome
from .processes import STATE, Server

REFUSED_WITHIN = 3.0  # libpq tries at least two seconds to connect
BACK_WITHIN = 5.0
PATIENCE = 15.0


class Judge:
    """200 and 400 as ever, or a 503 that says when to come back."""

    def __init__(self) -> None:
        self.slowest = 0.0  # of the refusals

    def __call__(self, target: str, got: Response) -> str:
        expected = 400 if "limit=0" in target else 200
        if got.status == expected:
            return ""
        if got.status != 503:
            return f"{got.status} {got.body[:200]!r}"
        self.slowest = max(self.slowest, got.seconds)
        whole = "retry-after" in got.headers and "licence" in json.loads(got.body)
        return "" if whole else f"503 without its headers: {got.headers}"


def run(folder: Path, database: Path, times: int, seed: int = 1) -> Outcome:
    """Stop or freeze PostgreSQL `times` times under two workers."""
    outcome = Outcome("store outage under load, 2 workers")
    postgres = PostgresServer()
    try:
        store = postgres.new_database()
        created = environment.done(
            "keys", "create", "charge", "--store", store, "--json", "--quota", 10_000_000
        )
        key = json.loads(created.stdout)["key"]
        server = Server(
            database, folder / "internal.sqlite3", variables={"MOUVEMENTS_STORE": store}
        )
        try:
            asyncio.run(_under_load(server, postgres, key, times, random.Random(seed), outcome))
        finally:
            server.close()
        with psycopg.connect(store) as connection:
            row = connection.execute("select sum(used) from mouvements_quota").fetchone()
        assert row is not None
        outcome.reckon(int(row[0]))
    finally:
        postgres.close()
    return outcome


async def _under_load(
    server: Server,
    postgres: PostgresServer,
    key: str,
    times: int,
    chance: random.Random,
    outcome: Outcome,
) -> None:
    judge = Judge()
    targets = itertools.cycle(TARGETS)
    longest = 0.0
    async with load(lambda: server.port, lambda: next(targets), key, outcome, judge):
        for number in range(times):
            await asyncio.sleep(chance.uniform(0.1, 0.5))
            longest = max(longest, await _outage(server, postgres, bool(number % 2), outcome))
            outcome.tried += 1
    if judge.slowest >= REFUSED_WITHIN:
        outcome.slow.append(f"503 after {judge.slowest:.2f} s")
    if longest > BACK_WITHIN:
        outcome.slow.append(f"back only {longest:.1f} s after the store")
    outcome.longest = max(outcome.longest, longest)
    outcome.note = f"slowest 503 {judge.slowest:.2f} s"


async def _outage(
    server: Server, postgres: PostgresServer, frozen: bool, outcome: Outcome
) -> float:
    """One outage; how long after its end the service was back."""
    await asyncio.to_thread(postgres.freeze if frozen else postgres.stop)
    refused = outcome.statuses[503]
    began = time.monotonic()
    while outcome.statuses[503] < refused + 20 and time.monotonic() < began + PATIENCE:
        await asyncio.sleep(0.005)
    # Of the store it says what it was told up to a second ago.
    while (state := await asyncio.to_thread(server.ask, STATE)).status != 503:
        if time.monotonic() > began + PATIENCE:
            outcome.wrong.append(f"{STATE}: {state.status} during an outage")
            break
    outcome.pause()  # the outage itself is the store's
    await asyncio.to_thread(postgres.thaw if frozen else postgres.start)
    began, before = time.monotonic(), outcome.statuses[200]
    while outcome.statuses[200] < before + 20:
        if time.monotonic() - began > PATIENCE:
            outcome.wrong.append("it did not come back by itself")
            break
        await asyncio.sleep(0.005)
    return time.monotonic() - began
