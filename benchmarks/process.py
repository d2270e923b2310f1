"""What the service costs as a process: workers, memory, start; and the build of its database."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from statistics import median

from datasette_mouvements.dataset import schema

from . import load, machine, servers
from .bench import Bench, category_filters, cold_filters
from .client import Client
from .invented import FOLDER, build_command, members
from .load import Load
from .pages import ROUTE, TABLE_JSON
from .servers import Running, settled
from .shares import CannotLimit, limited
from .table import Line, at_least, at_most, paired

# On two cores this leaves wrk what it needs.
SHARE = 0.6
# Four times those of the other measurements: each of several workers has some to answer at once.
WORKERS_CONNECTIONS = 64
MEMORY_MB = 150.0
START_S = 1.0


def workers(bench: Bench) -> Iterator[Line]:
    """Two workers against one, beside wrk on the same cores.

    What wrk takes of two cores the workers cannot have. So each is held to a part of a core, as
    if there were cores for all: then two may give twice what one gives, if nothing else is in
    their way. Where the kernel cannot do that, they are measured as they are.
    """
    filters, seeds = str(cold_filters(bench.small.database)), count(1)

    def hot(server: Running) -> list[str]:
        return _wrk(bench, server)

    def cold(server: Running) -> list[str]:
        return _wrk(bench, server, [filters, str(next(seeds))])

    with (
        servers.service(bench.small.database, bench.key, 1, pinned=False) as one,
        servers.service(bench.small.database, bench.key, 2, pinned=False) as two,
    ):
        pids = [pid for server in (one, two) for pid in _workers_of(server)]
        for server in (one, two):
            settled(server, bench.key)
        try:
            with limited(pids, SHARE):
                held = f", each held to {SHARE:g} of a core"
                for what, words in (("hot page", hot), ("cold pages", cold)):
                    yield from _compared(bench, what + held, words, one, two, goal=1.7)
        except CannotLimit as why:
            what = f"hot page; they could not be held to a part of a core: {why}"
            yield from _compared(bench, what, hot, one, two, goal=1.7)
        else:
            yield from _compared(bench, "hot page, wrk in their way", hot, one, two)


def _wrk(bench: Bench, server: Running, script: Sequence[str] = ()) -> list[str]:
    return load.command(
        server.address + ROUTE,
        bench.seconds,
        bench.key.headers,
        script,
        pinned=False,
        connections=WORKERS_CONNECTIONS,
    )


def _workers_of(server: Running) -> list[int]:
    """The processes that answer: those that a supervisor has started, or the only one."""
    started = [
        pid
        for pid in machine.family(server.pid)
        if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    return started or [server.pid]


def _compared(
    bench: Bench,
    what: str,
    words: Callable[[Running], list[str]],
    one: Running,
    two: Running,
    goal: float | None = None,
) -> Iterator[Line]:
    commands = [text for s in (one, two) for text in (s.command, machine.shown(words(s)))]
    runs: dict[int, list[Load]] = {1: [], 2: []}
    for number in range(bench.rounds + 1):
        for workers, server in ((1, one), (2, two)):
            found = load.charged(words(server), server.pid, bench.key)
            if number:  # the first is a warm-up
                runs[workers].append(found)
    rates = {n: [r.per_second for r in found] for n, found in runs.items()}
    cost = {n: median(r.server for r in found) * 1e6 for n, found in runs.items()}
    wrk = median(r.cpu for r in runs[2]) / bench.seconds
    measured = (
        f"{median(rates[2]):,.0f}/s against {median(rates[1]):,.0f}/s, {cost[2]:.0f} against"
        f" {cost[1]:.0f} µs of processor; wrk took {wrk:.2f} of a core"
    )
    what = f"2 workers against 1: {what}"
    ratio = paired(rates[2], rates[1])
    if goal:
        yield at_least(goal, what, measured, ratio, commands)
    else:
        yield Line(what, measured, commands, ratio=ratio)


def memory(bench: Bench) -> Iterator[Line]:
    """One worker after every filter and many pages, beside Datasette alone after its own pages."""
    data = bench.large
    with servers.service(data.database, bench.key) as ours:
        with Client(ours.address, bench.key.headers) as client:
            asked = _exercise(client, data.rows)
        used = machine.memory_mb(ours.pid)
    with servers.datasette_alone(data.database) as alone:
        with Client(alone.address) as client:
            for member in members()[:20]:
                client.good(f"{TABLE_JSON}&elu_id__exact={member.identifier}")
        base = machine.memory_mb(alone.pid)
    more = used["Pss"] - base["Pss"]
    yield Line(
        f"memory of one worker at {data.rows:,}, above Datasette alone (PSS)",
        f"{used['Pss']:.0f} MB - {base['Pss']:.0f} MB = {more:.0f} MB"
        f" (RSS {used['Rss']:.0f} - {base['Rss']:.0f}), after {asked} requests",
        [ours.command, alone.command, "python -m benchmarks --only memory"],
        f"at most {MEMORY_MB:g} MB",
        more / MEMORY_MB,
        more <= MEMORY_MB,
    )


def _exercise(client: Client, rows: int) -> int:
    """The home page, every filter, every member, pages from one end to the other, gzip too."""
    client.good("/")  # it waits for what the pages count of the whole
    compressed = {"Accept-Encoding": "gzip"}
    queries = [
        "&".join(f"{name}={value}" for name, value in one.items() if value)
        for one in category_filters()
    ]
    queries += [f"elu={member.identifier}" for member in members()]
    queries += [f"limit=500&offset={offset}" for offset in range(0, rows, max(500, rows // 1000))]
    for query in queries:
        client.good(f"{ROUTE}?{query}", compressed if "limit" in query else None)
    return len(queries) + 1


def start(bench: Bench) -> Iterator[Line]:
    """From the command to the first answer, the quickest that Datasette alone can give."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(max(bench.rounds, 3)):
        # A copy that another run left behind would spare this one the copying.
        shutil.rmtree(servers.INTERNAL.parent / "served", ignore_errors=True)
        with servers.service(bench.large.database, bench.key) as server:
            ours.append(server.seconds)
        with servers.datasette_alone(bench.large.database) as alone:
            theirs.append(alone.seconds)
    more = median(ours) - median(theirs)
    yield Line(
        f"start to first answer at {bench.large.rows:,}, above Datasette alone",
        f"{median(ours):.2f} s - {median(theirs):.2f} s = {more:.2f} s",
        [server.command, alone.command, "python -m benchmarks --only start"],
        f"at most {START_S:g} s",
        more / START_S,
        more <= START_S,
    )


def build(bench: Bench) -> Iterator[Line]:
    """The checked build of a database, beside a plain insert of the same CSV."""
    ours = FOLDER / "built.db"
    theirs = FOLDER / "inserted.db"
    command = build_command(bench.large.csv, ours)
    insert = [
        *(sys.executable, "-m", "sqlite_utils", "insert", str(theirs), schema.TABLE),
        *(str(bench.large.csv), "--csv", "--silent"),
    ]
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(min(bench.rounds, 2)):
        for path in (ours, theirs):
            path.unlink(missing_ok=True)
        times["ours"].append(_timed(command))
        times["theirs"].append(_timed(insert))
    ratio = paired(times["ours"], times["theirs"])
    for path in (ours, theirs):
        path.unlink()
    yield at_most(
        3,
        f"build of {bench.large.rows:,} from CSV against sqlite-utils insert",
        f"{median(times['ours']):.1f} s against {median(times['theirs']):.1f} s",
        ratio,
        [machine.shown(command), machine.shown(insert)],
    )


def _timed(command: Sequence[str]) -> float:
    words = machine.on_core(machine.SERVER_CORE, command)
    began = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began
