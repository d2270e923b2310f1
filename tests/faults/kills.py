"""Workers, and whole services, killed under load."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from tests.contract import environment

from .client import Response, load
from .outcome import Outcome
from .processes import Server

TARGETS = (
    *("/v1/mouvements", "/v1/mouvements?limit=5&offset=3", "/v1/mouvements?chambre=senat"),
    *("/v1/mouvements?limit=0", "/mouvements?type=depart&limit=2"),
)
EVERY_SO_OFTEN_ALL = 10


def judge(target: str, got: Response) -> str:
    """Nothing but 200 and 400 may come: a kill breaks connections, it changes no answer."""
    expected = 400 if "limit=0" in target else 200
    return "" if got.status == expected else f"{got.status} {got.body[:200]!r}"


def charged(internal: Path, account: str) -> int:
    connection = sqlite3.connect(internal)
    (used,) = connection.execute(
        "select coalesce(sum(used), 0) from mouvements_quota where account = ?", [account]
    ).fetchone()
    connection.close()
    return int(used)


def run(folder: Path, database: Path, times: int, seed: int = 1) -> Outcome:
    """Kill a worker at a random moment `times` times; each tenth time the supervisor and all."""
    outcome = Outcome("kill -9 under load, 2 workers")
    server = Server(database, folder / "internal.sqlite3")
    try:
        key = environment.issue("charge", server.internal, "--quota", 10_000_000)
        asyncio.run(_under_load(server, key, times, random.Random(seed), outcome))
    finally:
        server.close()
    outcome.reckon(charged(server.internal, "charge"))
    return outcome


async def _under_load(
    server: Server, key: str, times: int, chance: random.Random, outcome: Outcome
) -> None:
    targets = itertools.cycle(TARGETS)
    async with load(lambda: server.port, lambda: next(targets), key, outcome, judge):
        for number in range(1, times + 1):
            await _until_two(server)
            await asyncio.sleep(chance.uniform(0.0, 1.2))
            if number % EVERY_SO_OFTEN_ALL == 0:
                server.kill_all()
                server.start(wait=False)
            else:
                server.kill(chance.choice(server.workers()))
            outcome.tried += 1
        await _until_two(server)
        before = outcome.answered
        while outcome.answered < before + 100:
            await asyncio.sleep(0.01)


async def _until_two(server: Server) -> None:
    deadline = time.monotonic() + 30
    while len(server.workers()) < 2:
        assert time.monotonic() < deadline, "the killed worker was not replaced"
        await asyncio.sleep(0.02)
