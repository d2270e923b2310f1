"""What the service costs as a process: memory, start; and the build of its database."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from statistics import median

from datasette_mouvements.dataset import schema

from . import machine, servers
from .bench import Bench, category_filters
from .client import Client
from .invented import FOLDER, build_command, members
from .pages import ROUTE, TABLE_JSON
from .table import Line, at_most, paired

MEMORY_MB = 150.0
START_S = 1.0


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
    client.good("/")
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
