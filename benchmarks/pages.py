"""One page of 100 rows: hot, cold and unchanged, beside what the platform can do."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any, NamedTuple

from . import load, machine, servers
from .bench import PAGE_ROWS, Bench, cold_filters, whole_filter
from .client import Client
from .load import Load
from .servers import Running
from .table import Line, at_least, at_most, paired

ROUTE = "/v1/mouvements"
TABLE_JSON = f"/movements/mouvements.json?_size={PAGE_ROWS}&_sort_desc=date_event"


class Target(NamedTuple):
    """One thing that is measured."""

    run: Callable[[], Load]
    commands: list[str]  # the server's, then wrk's


class Results:
    """The runs of every target, in the same rounds."""

    def __init__(self, targets: dict[str, Target], loads: dict[str, list[Load]]) -> None:
        self._targets = targets
        self.loads = loads

    def rates(self, name: str) -> list[float]:
        return [one.per_second for one in self.loads[name]]

    def rate(self, name: str) -> float:
        return _median(self.rates(name))

    def cost(self, name: str) -> float:
        """The server's processor time for one request, in microseconds."""
        return _median([one.server for one in self.loads[name]]) * 1e6

    def versus(self, ours: str, theirs: str) -> tuple[str, float, list[str]]:
        """How a line says it: both rates, their ratio, the commands of both."""
        measured = (
            f"{self.rate(ours):,.0f}/s against {self.rate(theirs):,.0f}/s,"
            f" {self.cost(ours):.0f} against {self.cost(theirs):.0f} µs of processor"
        )
        commands = list(dict.fromkeys(self.commands(ours) + self.commands(theirs)))
        return measured, paired(self.rates(ours), self.rates(theirs)), commands

    def by_processor(self, ours: str, theirs: str) -> tuple[str, float, list[str]]:
        """The same by processor time, which moves least where others work too."""
        measured, _, commands = self.versus(ours, theirs)
        costs = [[one.server for one in self.loads[name]] for name in (theirs, ours)]
        return measured, paired(*costs), commands

    def commands(self, name: str) -> list[str]:
        return self._targets[name].commands


def measure(bench: Bench) -> Iterator[Line]:
    """Every line about single pages."""
    filters = str(cold_filters(bench.small.database))
    whole = str(whole_filter(filters))
    with ExitStack() as stack:
        ours = stack.enter_context(servers.service(bench.small.database, bench.key))
        alone = stack.enter_context(servers.datasette_alone(bench.small.database, TABLE_JSON))
        others = {
            "plain": stack.enter_context(
                servers.service(bench.small.database, bench.key, plain=True)
            ),
            "platform": stack.enter_context(servers.platform(bench.small.database)),
            "bare": stack.enter_context(servers.bare()),
        }
        tag = _check(bench, ours, alone, others["bare"])
        beside = {"datasette": alone, **others}
        targets = _targets(bench, (filters, whole), ours, beside, tag)
        for target in targets.values():
            target.run()  # whatever is done once, is done now
        loads = bench.interleaved({name: target.run for name, target in targets.items()})
    yield from _lines(Results(targets, loads))


def _check(bench: Bench, ours: Running, alone: Running, bare: Running) -> str:
    """Every side answers the same page; the bare application gets its bytes. Returns the ETag."""
    with Client(ours.address, bench.key.headers) as client:
        answer = client.good(ROUTE)
        servers.BODY.write_bytes(answer.body)
        headers = [(name, value) for name, value in answer.headers.items() if name != "date"]
        servers.BODY.with_suffix(".headers").write_text(json.dumps(headers))
        tag = answer.headers["ETag"]
        again = client.get(ROUTE, {"If-None-Match": tag})
        if again.status != 304 or again.body:
            raise SystemExit(f"an unchanged page is answered {again.status}")
    with Client(bare.address) as client:
        same = client.good(ROUTE)
    if same.body != answer.body or sorted(same.headers) != sorted(answer.headers):
        raise SystemExit("the bare application does not send the same bytes and headers")
    page = json.loads(answer.body)
    if page["total"] != bench.small.rows or len(page["mouvements"]) != PAGE_ROWS:
        raise SystemExit("the page is not the one that is to be measured")
    with Client(alone.address) as client:
        days = [row["date_event"] for row in json.loads(client.good(TABLE_JSON).body)["rows"]]
    if days != [row["date_event"] for row in page["mouvements"]]:
        raise SystemExit("Datasette's own JSON is not of the same rows")
    return str(tag)


def _targets(
    bench: Bench,
    filters: tuple[str, str],
    ours: Running,
    beside: dict[str, Running],
    tag: str,
) -> dict[str, Target]:
    seeds = count(1)
    key = bench.key.headers
    found: dict[str, Target] = {}

    def fixed_query(server: Running, path: str, headers: dict[str, str]) -> list[str]:
        return load.command(server.address + path, bench.seconds, headers)

    def drawn(
        server: Running, path: str, headers: dict[str, str], among: str = filters[0]
    ) -> list[str]:
        # Another seed each time, or a second run would repeat the first.
        script = [among, str(next(seeds))]
        return load.command(server.address + path, bench.seconds, headers, script)

    def add(name: str, server: Running, words: Callable[[], list[str]], each: int | None) -> None:
        def run() -> Load:
            if each is None:
                return load.run(words(), server.pid)
            return load.charged(words(), server.pid, bench.key, each)

        found[name] = Target(run, [server.command, machine.shown(words())])

    def ask(words: Callable[..., list[str]], *given: Any) -> Callable[[], list[str]]:
        return functools.partial(words, *given)

    add("hot", ours, ask(fixed_query, ours, ROUTE, key), 1)
    add("cold", ours, ask(drawn, ours, ROUTE, key), 1)
    add("whole", ours, ask(drawn, ours, ROUTE, key, filters[1]), 1)
    add("bare", beside["bare"], ask(fixed_query, beside["bare"], ROUTE, key), None)
    add("304", ours, ask(fixed_query, ours, ROUTE, {**key, "If-None-Match": tag}), 0)
    add("platform", beside["platform"], ask(fixed_query, beside["platform"], "/-/fixed", {}), None)
    add("plain", beside["plain"], ask(fixed_query, beside["plain"], ROUTE, key), 1)
    add(
        "datasette",
        beside["datasette"],
        ask(fixed_query, beside["datasette"], TABLE_JSON, {}),
        None,
    )
    return found


def _lines(results: Results) -> Iterator[Line]:
    versus = results.versus
    yield at_least(25, "hot page against Datasette's table JSON", *versus("hot", "datasette"))
    yield at_least(8, "cold pages against Datasette's table JSON", *versus("cold", "datasette"))
    for name in ("hot", "cold"):
        runs = results.loads[name]
        p50, p99 = _median([r.p50 for r in runs]), _median([r.p99 for r in runs])
        measured = f"p50 {p50 * 1000:.2f} ms, p99 {p99 * 1000:.2f} ms"
        ratio = _median([r.p99 / r.p50 for r in runs])
        what = f"p99 against p50 at {load.CONNECTIONS} connections, {name}"
        yield at_most(3, what, measured, ratio, results.commands(name))
    yield _told("hot page against a Datasette view of the same bytes", *versus("hot", "platform"))
    # The harder ceiling: nothing but the same bytes and headers.
    for goal, name, what in (
        (0.7, "hot", "hot page"),
        (0.75, "304", "304"),
        (0.15, "cold", "cold pages"),
        (0.15, "whole", "cold pages without a filter"),
    ):
        told = f"{what} against the bare ASGI application's page, by processor time"
        yield at_least(goal, told, *results.by_processor(name, "bare"))
    yield _told("hot page under plain `datasette serve`", *versus("plain", "hot"))
    runs = [one for name in ("hot", "cold", "plain") for one in results.loads[name]]
    answered = sum(one.requests for one in runs)
    open_ended = sum(one.charges for one in runs) - answered
    yield Line(
        "charges recorded for these requests, and none for the others",
        f"{answered:,} answered, {open_ended} more charged: those that wrk left when its time was"
        f" over, at most {load.CONNECTIONS} a run",
        results.commands("hot"),
        met=True,  # a run with another count has ended the benchmarks
    )
    sizes = {name: _median([r.bytes for r in results.loads[name]]) for name in ("hot", "cold")}
    measured = f"hot {sizes['hot']:,.0f}, cold {sizes['cold']:,.0f} on average"
    yield Line("bytes of one answer", measured, results.commands("cold"))


def _told(what: str, measured: str, ratio: float, commands: list[str]) -> Line:
    return Line(what, measured, commands, ratio=ratio)


def _median(values: list[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]
