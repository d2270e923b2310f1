"""The movements file replaced, spoiled, deleted and locked under load."""

from __future__ import annotations

import asyncio
import itertools
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.contract import environment

from . import versions
from .client import load
from .outcome import Outcome
from .processes import Server
from .versions import Unmixed, Version

ADOPTED_WITHIN = 2.0
PATIENCE = 15.0
TARGETS = (
    *("/v1/mouvements", "/v1/mouvements?chambre=senat&limit=3", "/v1/mouvements?limit=500"),
    *("/v1/mouvements?chambre=assemblee&offset=10&limit=7", "/v1/mouvements?offset=90&limit=10"),
    *("/v1/changements?limit=20", "/v1/changements?limit=300"),
)


def moved(path: Path, source: Path) -> None:
    part = path.with_name("part")
    shutil.copyfile(source, part)
    part.replace(path)


def copied_over(path: Path, source: Path) -> None:
    shutil.copyfile(source, path)


def deleted_first(path: Path, source: Path) -> None:
    path.unlink(missing_ok=True)
    time.sleep(0.02)
    moved(path, source)


def linked(path: Path, source: Path) -> None:
    """The path becomes a link, which points to a copy of its own."""
    target = path.with_name(f"link-{time.monotonic_ns()}.db")
    shutil.copyfile(source, target)
    link = path.with_name("new-link")
    link.symlink_to(target.name)
    link.replace(path)


WAYS: tuple[Callable[[Path, Path], None], ...] = (moved, copied_over, linked, deleted_first)


def run(folder: Path, times: int, seed: int = 1) -> Outcome:
    """Replace the file `times` times, each second time after something bad was put there."""
    outcome = Outcome("file replaced under load, 2 workers")
    made = versions.build(folder, 4)
    path = folder / "published" / "movements.db"
    path.parent.mkdir()
    moved(path, made[0].path)
    server = Server(path, folder / "internal.sqlite3")
    try:
        key = environment.issue("charge", server.internal, "--quota", 10_000_000)
        asyncio.run(_under_load(server, key, made, times, random.Random(seed), outcome))
    finally:
        server.close()
    return outcome


async def _under_load(
    server: Server,
    key: str,
    made: list[Version],
    times: int,
    chance: random.Random,
    outcome: Outcome,
) -> None:
    judge = Unmixed(made)
    targets = itertools.cycle(TARGETS)
    adoption = 0.0
    successors = itertools.cycle([*made[1:], made[0]])
    spoilers = itertools.cycle(BAD)
    async with load(lambda: server.port, lambda: next(targets), key, outcome, judge, clients=4):
        for number in range(1, times + 1):
            spoil = next(spoilers) if number % 2 == 0 else None
            if spoil is not None:
                spoil(server.database, made[0].path, chance)
                await asyncio.sleep(chance.uniform(0.1, 1.2))
            version = next(successors)
            WAYS[number % len(WAYS)](server.database, version.path)
            taken = await _adopted(server, judge, version, outcome)
            outcome.tried += 1
            if taken > ADOPTED_WITHIN:
                outcome.slow.append(f"{version.name} was adopted after {taken:.2f} s")
            adoption = max(adoption, taken)
    outcome.note = f"longest adoption {adoption:.2f} s"


async def _adopted(server: Server, judge: Unmixed, version: Version, outcome: Outcome) -> float:
    """How long until the version is served by all."""
    began = time.monotonic()
    last_other = began
    # Both workers answer some of the clients: 0.3 s of nothing else means that both have it.
    while time.monotonic() - last_other < 0.3:
        if judge.seen is not version:
            last_other = time.monotonic()
        if last_other - began > PATIENCE:
            outcome.wrong.append(f"{version.name} was not adopted: {server.log.read_text()[-500:]}")
            break
        await asyncio.sleep(0.001)
    return last_other - began


def _spoiled(kind: Callable[[bytes, random.Random], bytes]) -> Callable[..., None]:
    def put(path: Path, good: Path, chance: random.Random) -> None:
        spoiled = kind(good.read_bytes(), chance)
        if chance.random() < 0.5:
            path.write_bytes(spoiled)
        else:
            part = path.with_name("part")
            part.write_bytes(spoiled)
            part.replace(path)

    return put


def _gone(path: Path, good: Path, chance: random.Random) -> None:
    path.unlink()


def _no_file(path: Path, good: Path, chance: random.Random) -> None:
    path.unlink()
    path.symlink_to("nothing-there.db")


def _older(path: Path, good: Path, chance: random.Random) -> None:
    part = path.with_name("part")
    versions.older_schema(part, good)
    part.replace(path)


def _locked(path: Path, good: Path, chance: random.Random) -> None:
    """A writer that holds the file for itself, and dies in the middle of a transaction."""
    subprocess.run([sys.executable, "-c", _WRITER, path.resolve()], check=False)
    for beside in path.resolve().parent.glob("*-journal"):
        beside.unlink()


_WRITER = """
import os, sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("pragma locking_mode = exclusive")
connection.execute("begin exclusive")
connection.execute("create table if not exists autre (a)")
time.sleep(0.3)
os._exit(0)
"""


BAD: tuple[Callable[[Path, Path, random.Random], None], ...] = (
    *map(_spoiled, versions.SPOILED),
    *(_gone, _no_file, _older, _locked),
)
