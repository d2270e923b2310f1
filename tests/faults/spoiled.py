"""A thousand files that cannot be served, put one after the other where the good one was."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from datasette_mouvements.api.front import Front
from datasette_mouvements.api.service import Service, now
from datasette_mouvements.config import Config
from datasette_mouvements.dataset.served import Served
from datasette_mouvements.keys import keys
from datasette_mouvements.keys.sqlite import SqliteStore

from . import versions
from .client import Response
from .kills import charged
from .outcome import Outcome
from .replacements import moved

MADE = (versions.older_schema, versions.without_table, versions.with_other_values)
TARGET = b"chambre=senat&limit=3"


def run(folder: Path, times: int, seed: int = 1) -> Outcome:
    """The service's own way of looking at its file, without the wait between two looks."""
    outcome = Outcome("truncated and garbage files")
    good = versions.build(folder, 2)
    return asyncio.run(_run(folder, good, times, random.Random(seed), outcome))


async def _run(
    folder: Path,
    good: list[versions.Version],
    times: int,
    chance: random.Random,
    outcome: Outcome,
) -> Outcome:
    path = folder / "movements.db"
    moved(path, good[0].path)
    store = SqliteStore(folder / "internal.sqlite3")
    store.prepare()
    key = keys.issue()
    store.create("charge", keys.digest(key), keys.prefix(key), now(), 10_000_000)
    live = Served(path, folder / "served", lambda version: None, lambda version: None)
    await live.start()
    service = Service(Config(), live, store)
    try:
        front = Front(service)
        judge = versions.Unmixed(good)
        # Noise in what only the pages search is not looked for: the answers are right all the same.
        harmless = 0
        for number in range(times):
            _spoil(path, good[0].path, number, chance)
            for _ in range(2):
                await live.look()
            await _ask(front, key, judge, outcome)
            harmless += live.refused is None
            outcome.tried += 1
            if number % 100 == 99:  # and a good one among them is taken
                version = good[number // 100 % 2]
                moved(path, version.path)
                for _ in range(2):
                    await live.look()
                await _ask(front, key, judge, outcome)
                if judge.seen is not version or live.refused is not None:
                    outcome.wrong.append(f"{version.name} was not adopted: {live.refused}")
    finally:
        service.close()
    outcome.note = f"{harmless} not refused, their answers right"
    # Half the pages of so small a file are nearly empty, or of indexes that quick_check passes over.
    if harmless > times // 10:
        outcome.wrong.append(outcome.note)
    outcome.reckon(charged(folder / "internal.sqlite3", "charge"))
    return outcome


def _spoil(path: Path, good: Path, number: int, chance: random.Random) -> None:
    kinds = len(versions.SPOILED) + len(MADE)
    if number % kinds < len(MADE):
        part = path.with_name("part")
        MADE[number % kinds](part, good)
        part.replace(path)
        return
    spoiled = versions.SPOILED[number % kinds - len(MADE)](good.read_bytes(), chance)
    if chance.random() < 0.5:
        path.write_bytes(spoiled)
    else:
        part = path.with_name("part")
        part.write_bytes(spoiled)
        part.replace(path)


async def _ask(front: Front, key: str, judge: versions.Unmixed, outcome: Outcome) -> None:
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": "/v1/mouvements",
        "raw_path": b"/v1/mouvements",
        "query_string": TARGET,
        "headers": [(b"x-api-key", key.encode())],
    }
    operation = front.operation(b"/v1/mouvements")
    assert operation is not None
    outcome.sent += 1
    reply = await front.reply(operation, scope)
    headers = {name.decode(): value.decode() for name, value in reply.headers}
    got = Response(reply.status, headers, reply.body, 0.0)
    outcome.statuses[got.status] += 1
    fault = judge("?" + TARGET.decode(), got)
    if fault:
        outcome.wrong.append(fault)
    else:
        outcome.good()
