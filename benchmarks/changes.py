"""The feed of changes beside the search, hot and cold; and what writing it takes of a build."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.building.build import Inputs, build
from datasette_mouvements.dataset import changes

from . import load, machine, servers
from .bench import PAGE_ROWS, Bench, cold_filters
from .client import Client
from .invented import FOLDER
from .load import Load
from .pages import ROUTE
from .servers import Running
from .table import Line, at_least, at_most, paired

FEED = "/v1/changements"


def measure(bench: Bench) -> Iterator[Line]:
    """Pages of 100 changes against pages of 100 movements, then the share of a build."""
    with servers.service(bench.small.database, bench.key) as server:
        scripts = {
            ROUTE: str(cold_filters(bench.small.database)),
            FEED: str(_cursors(server, bench.key.headers)),
        }
        seeds = count(1)

        def words(path: str, cold: bool) -> list[str]:
            script = [scripts[path], str(next(seeds))] if cold else []
            return load.command(server.address + path, bench.seconds, bench.key.headers, script)

        def run(path: str, cold: bool) -> Load:
            return load.charged(words(path, cold), server.pid, bench.key)

        targets: dict[str, Callable[[], Load]] = {
            f"{path} {cold}": functools.partial(run, path, cold)
            for path in (ROUTE, FEED)
            for cold in (False, True)
        }
        for target in targets.values():
            target()  # whatever is done once, is done now
        loads = bench.interleaved(targets)
        for cold, what in ((False, "hot page"), (True, "cold pages")):
            ours, theirs = loads[f"{FEED} {cold}"], loads[f"{ROUTE} {cold}"]
            commands = [server.command, *(machine.shown(words(p, cold)) for p in (FEED, ROUTE))]
            yield at_least(
                0.5,
                f"the feed's {what} against the search's",
                f"{_rate(ours):,.0f}/s against {_rate(theirs):,.0f}/s,"
                f" {_cost(ours):.0f} against {_cost(theirs):.0f} µs of processor",
                paired([one.per_second for one in ours], [one.per_second for one in theirs]),
                commands,
            )
    yield from _share_of_a_build(bench)


def _cursors(server: Running, headers: dict[str, str]) -> Path:
    """The file for `cold.lua` of which each number makes a cursor with a whole page after it."""
    with Client(server.address, headers) as client:
        now = json.loads(client.good(f"{FEED}?curseur=maintenant").body)["curseur"]
    lineage, last, run = now.split("-")
    path = FOLDER / "cold-cursors.txt"
    path.write_text(f"{int(last) - PAGE_ROWS}\tcurseur={lineage}-@-{run}\n")
    return path


def _share_of_a_build(bench: Bench) -> Iterator[Line]:
    """The time of `changes.record` in a first build, and in one over the same file with a hundredth changed."""
    path, csv, changed = FOLDER / "fed.db", bench.small.csv, FOLDER / "changed.csv"
    with csv.open(encoding="utf-8") as lines, changed.open("w", encoding="utf-8") as written:
        for number, line in enumerate(lines):
            written.write(line.replace("Collaborateur", "Assistant") if number % 100 == 0 else line)
    runs: dict[str, list[tuple[float, float]]] = {"a first build": [], "a build over a file": []}
    for _ in range(bench.rounds):
        path.unlink(missing_ok=True)
        runs["a first build"].append(_timed(path, csv))
        runs["a build over a file"].append(_timed(path, changed))
    path.unlink()
    changed.unlink()
    for what, times in runs.items():
        share = median(feed / whole for feed, whole in times)
        feed, whole = (median(times_of) for times_of in zip(*times, strict=True))
        yield at_most(
            0.1,
            f"writing the feed, as a part of {what} of {bench.small.rows:,}",
            f"{feed:.2f} s of {whole:.2f} s of processor",
            share,
            ["python -m benchmarks --only changes"],
        )


def _timed(database: Path, csv: Path) -> tuple[float, float]:
    """The processor time that the feed took, and that of the whole build."""
    record, feed = changes.record, 0.0

    def timed(db: sqlite3.Connection, *given: Any) -> str:
        nonlocal feed
        db.commit()  # what was written before is not the feed's
        began = time.process_time()
        lineage = record(db, *given)
        feed = time.process_time() - began
        return lineage

    with patch.object(changes, "record", timed):
        began = time.process_time()
        build(database, Inputs([csv]), datetime.now(UTC))
        return feed, time.process_time() - began


def _rate(runs: list[Load]) -> float:
    return median(one.per_second for one in runs)


def _cost(runs: list[Load]) -> float:
    return median(one.server for one in runs) * 1e6
