"""The feed of changes beside the search, hot and cold."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median

from . import load, machine, servers
from .bench import PAGE_ROWS, Bench, cold_filters
from .client import Client
from .invented import FOLDER
from .load import Load
from .pages import ROUTE
from .servers import Running
from .table import Line, at_least, paired

FEED = "/v1/changements"


def measure(bench: Bench) -> Iterator[Line]:
    """Pages of 100 changes against pages of 100 movements."""
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


def _cursors(server: Running, headers: dict[str, str]) -> Path:
    """The file for `cold.lua` of which each number makes a cursor with a whole page after it."""
    with Client(server.address, headers) as client:
        now = json.loads(client.good(f"{FEED}?curseur=maintenant").body)["curseur"]
    lineage, last, run = now.split("-")
    path = FOLDER / "cold-cursors.txt"
    path.write_text(f"{int(last) - PAGE_ROWS}\tcurseur={lineage}-@-{run}\n")
    return path


def _rate(runs: list[Load]) -> float:
    return median(one.per_second for one in runs)


def _cost(runs: list[Load]) -> float:
    return median(one.server for one in runs) * 1e6
