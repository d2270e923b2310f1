"""`python -m benchmarks.copies`: ways of keeping a copy, over the same invented days, against a running service."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Collection
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from .copying import WAYS, AllPages, Way
from .history import Movement, Publisher, states
from .meter import Meter, metering

MOVEMENTS, DAYS, SEED = 600, 5, 7
# The page of the last walk before which something is published.
TORN_AT = 4


class Wrong(NamedTuple):
    """The rows of a copy that are not as published."""

    doubled: int
    missing: int
    withdrawn: int
    names: int


class Figures(NamedTuple):
    """What one way of keeping a copy cost, and how many of its rows are wrong in the end."""

    way: str
    charged: int
    bytes: int
    wrong: Wrong


def measure(movements: int, days: int, seed: int, folder: Path) -> list[Figures]:
    """Keep a copy in each way over `days` days after the first; raises whatever a way fails with.

    The last day but one publishes nothing. The last publishes in the middle of the walk through all
    pages, which is judged by what it is nearer to, what was published before or afterwards.
    """
    made = states(movements, days, seed)
    publisher = Publisher(folder)
    with ExitStack() as stack:
        stack.enter_context(publisher.serving(made[0]))
        meter = stack.enter_context(metering(publisher.port))
        key = publisher.new_key("publisher")
        ways = [_started(way, publisher, meter, folder) for way in WAYS]
        for way in ways:
            stack.enter_context(closing(way))
        for number, state in enumerate(made[:-1]):
            if 0 < number < days - 1:
                publisher.publish(state, key)
            for way in ways:
                way.update(state.day)
        before, last = publisher.movements(), made[-1]

        def meanwhile(page: int) -> None:
            if page == TORN_AT:
                publisher.publish(last, key)

        (walker,) = (way for way in ways if type(way) is AllPages)
        walker.meanwhile = meanwhile
        walker.update(last.day)
        for way in ways:
            if way is not walker:
                way.update(last.day)
        after = (publisher.movements(), last.withheld)
        # What the torn walk is nearer to; the others asked afterwards.
        torn = min(
            after, (before, made[days - 2].withheld), key=lambda p: sum(judged(walker.rows(), *p))
        )
        return [
            Figures(
                way.name,
                publisher.charged(way.key),
                meter.bytes[way.key],
                judged(way.rows(), *(torn if way is walker else after)),
            )
            for way in ways
        ]


def _started(way: type[Way], publisher: Publisher, meter: Meter, folder: Path) -> Way:
    own = folder / way.__name__
    own.mkdir()
    return way(meter.address, publisher.new_key(way.__name__), own)


def judged(rows: list[Movement], published: list[Movement], withheld: Collection[str]) -> Wrong:
    """How a copy differs from what is published; a name that is withheld counts as that alone."""
    kept, right = {row.id: row for row in rows}, {row.id for row in published}
    names = {row.id for row in kept.values() if row.name in withheld}
    return Wrong(
        doubled=len(rows) - len(kept),
        missing=len(right - kept.keys()),
        withdrawn=len(kept.keys() - right - names),
        names=len(names),
    )


def table(figures: list[Figures]) -> str:
    """The figures for people, in Markdown."""
    columns = ("way", "requests", "kB", "doubled", "missing", "withdrawn kept", "names kept")
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for one in figures:
        cells = (one.way, one.charged, round(one.bytes / 1000), *one.wrong)
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--movements", type=int, default=MOVEMENTS)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(given.movements, given.days, given.seed, Path(folder))
    if given.json:
        json.dump([{**f._asdict(), "wrong": f.wrong._asdict()} for f in figures], sys.stdout)
    else:
        print(table(figures))


if __name__ == "__main__":
    main()
