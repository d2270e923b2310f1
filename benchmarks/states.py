"""`python -m benchmarks.states`: what each call of states costs beside a search; needs no wrk.

Processor time of the service a request, one after the other: cold (never asked before), hot (asked again),
and unchanged (304).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple
from urllib.parse import urlencode

from datasette.utils.sqlite import sqlite3

from . import lists, machine, servers
from .client import Client
from .table import Line, at_most, paired, text

# Cold at most so many times a cold search, and hot and unchanged as much as one, but for noise.
COLD, SAME = 1.5, 1.1
KINDS = ("cold", "hot", "304")
# Processor time comes in hundredths of a second: so many requests are timed together.
TOGETHER = 200
# Each place of the feed of stays.
_CURSORS = """
    select l.valeur || '-' || c.seq || '-' ||
      (select jeton from _passages_collaborations where dernier >= c.seq order by dernier limit 1)
    from _changements_collaborations c join _publication l on l.cle = 'lignee' order by c.seq
"""


class Calls(NamedTuple):
    """One call: what it is, and addresses of it, none of them twice."""

    what: str
    addresses: list[str]


def calls(database: Path, each: int) -> list[Calls]:
    """First the search, which is asked beside each of the others, then those, of `each` addresses."""
    draw = Random(28)
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as db:
        members, names, days, stays, movements, cursors = (
            [row[0] for row in db.execute(sql)]
            for sql in (
                "select distinct elu_id from collaborations order by 1",
                "select distinct collab_prenom || ' ' || collab_nom from collaborations order by 1",
                "select distinct date from listes order by 1",
                "select id from collaborations order by id",
                "select id from mouvements order by id",
                _CURSORS,
            )
        )

    def some(path: str, times: int = 1, **asked: Sequence[object]) -> list[str]:
        found: dict[str, None] = {}
        while len(found) < each * times:
            query = {name: draw.choice(values) for name, values in asked.items()}
            found[f"{path}?{urlencode(query)}"] = None
        return list(found)

    offsets, chambers = range(5_000), ("assemblee", "senat", "europarl")
    others = {
        "equipe": some("/v1/mouvements", equipe=members, depuis=days),
        "stays": some("/v1/collaborations", chambre=chambers, offset=offsets),
        "stays of a day": some("/v1/collaborations", le=days, offset=range(500)),
        "stays of a day and group": some("/v1/collaborations", le=days, groupe=["G01", "G02"]),
        "stays of a member": some("/v1/collaborations", elu=members, le=days),
        "stays of a name": some("/v1/collaborations", nom=names),
        "who is present": some("/v1/collaborations", present=["oui"], offset=range(3_000)),
        "members": some("/v1/elus", le=days, offset=range(300)),
        "changes of stays": some("/v1/collaborations/changements", curseur=cursors),
        "one stay": [f"/v1/collaborations/{id}" for id in draw.sample(stays, each)],
        "one movement": [f"/v1/mouvements/{id}" for id in draw.sample(movements, each)],
        "coverage": ["/v1/couverture"] * each,
    }
    asked = {"chambre": chambers, "depuis": days, "offset": range(500)}
    searches = Calls("the search", some("/v1/mouvements", len(others), **asked))
    return [searches, *(Calls(what, addresses) for what, addresses in others.items())]


def measure(database: Path, rounds: int) -> Iterator[Line]:
    """Each call cold, hot and unchanged, in turns with the search; ratios of runs that followed one another."""
    key = servers.Key()
    with servers.service(database, key) as server, Client(server.address, key.headers) as client:

        def spent(addresses: Sequence[str], tags: Sequence[str] = ()) -> float:
            before = machine.processor_seconds(server.pid)
            for address, tag in zip(addresses, tags or [""] * len(addresses), strict=True):
                answer = client.get(address, {"If-None-Match": tag} if tag else {})
                if answer.status != (304 if tag else 200):
                    raise SystemExit(f"{address} answered {answer.status}")
            return (machine.processor_seconds(server.pid) - before) / len(addresses)

        def kinds(part: list[str]) -> Iterator[float]:
            yield spent(part)
            yield spent(part[:1] * TOGETHER)
            tag = client.good(part[0]).headers["ETag"]
            yield spent(part[:1] * TOGETHER, [tag] * TOGETHER)

        servers.settled(server, key)
        search, *others = calls(database, rounds * TOGETHER)
        searches = iter(search.addresses)
        for one in others:
            times: dict[str, tuple[list[float], list[float]]] = {k: ([], []) for k in KINDS}
            for number in range(rounds):
                part = one.addresses[number * TOGETHER : (number + 1) * TOGETHER]
                beside = list(islice(searches, TOGETHER))
                for kind, *pair in zip(KINDS, kinds(part), kinds(beside), strict=True):
                    for found, seconds in zip(times[kind], pair, strict=True):
                        found.append(seconds)
            for kind, (found, theirs) in times.items():
                told = f"{_micro(found)} against {_micro(theirs)} µs of processor"
                most = COLD if kind == "cold" else SAME
                ratio = paired(found, theirs)
                yield at_most(most, f"{one.what}, {kind}", told, ratio, [server.command])


def _micro(seconds: Sequence[float]) -> str:
    return f"{median(seconds) * 1e6:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.states", description=__doc__)
    parser.add_argument("--movements", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    machine.pin_this_process()
    found = list(measure(lists.database(given.movements), given.rounds))
    print(f"{machine.described()}\n\n{text(found)}")


if __name__ == "__main__":
    main()
