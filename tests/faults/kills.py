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
    *("/v1/mouvements?limit=0", "/mouvements?type=depart&limit=2", "/v1/changements?limit=3"),
)
PLENTY = 10_000_000  # a quota that no scenario reaches


def judge(target: str, got: Response) -> str:
    """Nothing but 200 and 400 may come: a kill breaks connections, it changes no answer."""
    expected = 400 if "limit=0" in target else 200
    if got.status == 429 and got.headers["x-ratelimit-remaining"] == "0":
        return ""  # no key of a scenario gets there that was not given a small quota
    return "" if got.status == expected else f"{got.status} {got.body[:200]!r}"


def charged(internal: Path, account: str) -> int:
    connection = sqlite3.connect(internal)
    (used,) = connection.execute(
        "select coalesce(sum(used), 0) from mouvements_quota where account = ?", [account]
    ).fetchone()
    connection.close()
    return int(used)


def run(
    folder: Path,
    database: Path,
    times: int,
    seed: int = 1,
    quota: int = PLENTY,
    every_so_often: int = 10,
) -> Outcome:
    """Kill a worker at a random moment `times` times; `every_so_often` the supervisor and all.

    The other one may still be starting: the longest time without service is that of a start.
    """
    outcome = Outcome("kill -9 under load, 2 workers")
    server = Server(database, folder / "internal.sqlite3")
    try:
        key = environment.issue("charge", server.internal, "--quota", quota)
        least = 2 * quota if quota < PLENTY else 0
        chance = random.Random(seed)
        kills = [number % every_so_often == 0 for number in range(1, times + 1)]
        asyncio.run(_under_load(server, key, kills, chance, outcome, least))
    finally:
        server.close()
    recorded = charged(server.internal, "charge")
    outcome.reckon(recorded)
    if max(recorded, outcome.answered) > quota:
        outcome.wrong.append(f"{outcome.answered} answers for a quota of {quota}")
    return outcome


async def _under_load(
    server: Server, key: str, kills: list[bool], chance: random.Random, outcome: Outcome, least: int
) -> None:
    targets = itertools.cycle(TARGETS)
    async with load(lambda: server.port, lambda: next(targets), key, outcome, judge):
        for all_of_it in kills:
            await _until_two(server)
            await asyncio.sleep(chance.uniform(0.0, 1.2))
            if all_of_it:
                server.kill_all()
                server.start(wait=False)
            else:
                server.kill(chance.choice(server.workers()))
            outcome.tried += 1
            await _until_answering(outcome)
        await _until_two(server)
        await _until_sent(outcome, least)


async def _until_answering(outcome: Outcome) -> None:
    """A service of which nothing is left is given the time of one start."""
    before, began = outcome.statuses.total(), time.monotonic()
    while outcome.statuses.total() < before + 100:
        assert time.monotonic() < began + 60, "it did not come back by itself"
        await asyncio.sleep(0.01)


async def _until_sent(outcome: Outcome, least: int) -> None:
    """A slow machine has not used up a quota yet when the last worker is back."""
    deadline = time.monotonic() + 60
    while outcome.sent < least:
        assert time.monotonic() < deadline, f"{outcome.sent} requests in a minute"
        await asyncio.sleep(0.01)


async def _until_two(server: Server) -> None:
    deadline = time.monotonic() + 30
    while len(server.workers()) < 2:
        assert time.monotonic() < deadline, "the killed worker was not replaced"
        await asyncio.sleep(0.02)
