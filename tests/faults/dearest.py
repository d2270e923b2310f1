"""The search for the dearest page that a visitor may ask for: random filters, facets and sorts, then changes of the dearest."""

from __future__ import annotations

import random
import time
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.machine import cpu_seconds

from .outcome import Outcome
from .processes import Server

DATABASE = "/movements"
TABLES = {
    "mouvements": ("elu_nom", "collab_nom", "date_event", "elu_id", "elu_groupe", "type", "id"),
    "collaborations": ("elu_nom", "collab_nom", "debut", "fin", "fonction", "elu_groupe", "id"),
}
OPERATORS = (
    *("contains", "notcontains", "startswith", "endswith", "glob", "like", "notlike", "not"),
    *("exact", "gt", "gte", "lt", "in", "notin", "isnull", "notblank", "date"),
)
VALUES = ("a", "e", "zz", "*a*e*", "%a%e%", "2019-01-01", "a,b,c", "*[a-e]*[f-z]*[a-e]*", "1")
NAMES = ("ma", "le la", "de du", "jean", "pr mo", "ba ca da fa la ma na pa")
OTHERS = ("/recherche?q={}", "/flux?nom={}", "/collaborateurs?lettre={}", "/semaine?page={}")
MOST_SECONDS = 0.3
KEPT = 8  # of the dearest, which are changed and asked again
Query = list[tuple[str, str]]


def run(folder: Path, database: Path, tries: int, seed: int) -> Outcome:
    """Ask `tries` addresses, half of them changes of the dearest so far; wrong is one beyond MOST_SECONDS.

    Of processor time, three times asked, the least: the machine does other things too.
    """
    chance = random.Random(seed)
    outcome = Outcome(f"dearest page of {tries}, seed {seed}", tried=tries)
    server = Server(database, folder / "internal.sqlite3", workers=1)
    found: dict[str, tuple[float, int]] = {}
    try:
        process = server.process
        server.ask(f"{DATABASE}/mouvements")
        time.sleep(2)  # what is counted after a start is no page's
        dearest: list[tuple[float, str, Query]] = []
        for number in range(tries):
            if dearest and number % 2:
                _, path, query = chance.choice(dearest)
                query = _changed(chance, path, query)
            else:
                path, query = _drawn(chance)
            address = f"{path}?{urlencode(query)}"
            seconds, status = min(_cost(server, process, address, n) for n in range(3))
            outcome.sent += 3
            outcome.statuses[status] += 1
            found[address] = seconds, status
            if path.startswith(DATABASE):
                dearest = sorted([*dearest, (seconds, path, query)], reverse=True)[:KEPT]
    finally:
        server.close()
    top = sorted(found, key=lambda address: found[address], reverse=True)[:KEPT]
    told = [f"{found[a][0] * 1e3:.0f} ms, {found[a][1]}: {a}" for a in top]
    outcome.note = f"statuses {dict(outcome.statuses)}; dearest: {'; '.join(told)}"
    outcome.wrong = [one for one, a in zip(told, top, strict=True) if found[a][0] > MOST_SECONDS]
    return outcome


def _cost(server: Server, process: int, address: str, number: int) -> tuple[float, int]:
    before = cpu_seconds(process)
    status = server.ask(f"{address}&_nouveau={number}").status
    return cpu_seconds(process) - before, status


def _drawn(chance: random.Random) -> tuple[str, Query]:
    """A page of a table mostly, with as much as visitors may ask."""
    if chance.random() < 0.1:
        path, _, name = chance.choice(OTHERS).partition("?")
        return path, [(name.partition("=")[0], chance.choice(NAMES))]
    table = chance.choice(tuple(TABLES))
    query = [_filter(chance, table) for _ in range(chance.randint(0, 8))]
    query += [_facet(chance, table) for _ in range(chance.randint(0, 3))]
    if chance.random() < 0.6:
        query.append((chance.choice(("_sort", "_sort_desc")), chance.choice(TABLES[table])))
    if chance.random() < 0.3:
        query.append(("_q", chance.choice(NAMES)))
    return f"{DATABASE}/{table}", [*query, ("_size", "100"), ("_facet_size", "30")]


def _changed(chance: random.Random, path: str, query: Query) -> Query:
    """The query with one part drawn anew, or one more."""
    table = path.rpartition("/")[2]
    part = chance.choice((_filter, _facet))(chance, table)
    at = chance.randint(0, len(query))
    return [*query[:at], part, *query[at + chance.randint(0, 1) :]]


def _filter(chance: random.Random, table: str) -> tuple[str, str]:
    column = chance.choice(TABLES[table])
    return f"{column}__{chance.choice(OPERATORS)}", chance.choice(VALUES)


def _facet(chance: random.Random, table: str) -> tuple[str, str]:
    return chance.choice(("_facet", "_facet", "_facet_date")), chance.choice(TABLES[table])
