"""`python -m benchmarks`: measure everything in one run and print the table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from . import (
    changes,
    counts,
    load,
    machine,
    pages,
    process,
    readers,
    visitors,
)
from .bench import Bench
from .table import Line, text

MEASUREMENTS: dict[str, Callable[[Bench], Iterator[Line]]] = {
    "pages": pages.measure,
    "changes": changes.measure,
    "counts": counts.measure,
    "memory": process.memory,
    "start": process.start,
    "build": process.build,
    "visitors": visitors.measure,
    "readers": readers.measure,
}


def main() -> None:
    given = _arguments()
    load.require_wrk()
    machine.pin_this_process()
    about = machine.described()
    bench = Bench(given.seconds, given.rounds, given.small, given.large)
    lines: list[Line] = []
    for name in given.only or MEASUREMENTS:
        print(f"measuring: {name}", file=sys.stderr)
        lines += MEASUREMENTS[name](bench)
    print(f"{about}\n\n{text(lines)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each run of wrk")
    parser.add_argument("--rounds", type=int, default=3, help="how often each pair is repeated")
    parser.add_argument("--only", action="append", choices=MEASUREMENTS, metavar="NAME")
    parser.add_argument("--small", type=int, default=100_000, help="movements, unless said")
    parser.add_argument("--large", type=int, default=1_000_000, help="movements where many")
    return parser.parse_args()


if __name__ == "__main__":
    main()
