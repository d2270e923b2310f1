"""Every fault at full length, as one table: `python -m tests.faults [NAME]...`, a name or its beginning, exit 1 if anything was wrong."""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.contract import environment

from . import kills, outages, replacements, siege
from .outcome import COLUMNS, SHOWN, Outcome

FAULTS: dict[str, Callable[[Path, Path], Outcome]] = {
    "kills": lambda folder, database: kills.run(folder, database, 50),
    "replacements": lambda folder, database: replacements.run(folder, 100),
    "outages": lambda folder, database: outages.run(folder, database, 20),
    "siege": lambda folder, _: siege.run(folder, siege.invented(folder, 100_000), 30),
    "siege-workers": lambda folder, _: siege.run(folder, siege.invented(folder, 100_000), 30, 2),
}


def main(names: list[str]) -> int:
    if unknown := [name for name in names if not any(known.startswith(name) for known in FAULTS)]:
        sys.exit(f"unknown: {', '.join(unknown)}; known: {', '.join(FAULTS)}")
    # A thousand refusals are what is wanted here.
    logging.getLogger("datasette_mouvements").setLevel(logging.CRITICAL)
    outcomes = []
    with tempfile.TemporaryDirectory() as name:
        database = Path(name) / "movements.db"
        environment.done("build", database, "--movements", environment.SAMPLE)
        for fault in (known for known in FAULTS if known.startswith(tuple(names) or "")):
            folder = Path(name) / fault
            folder.mkdir()
            began = time.monotonic()
            outcomes.append(FAULTS[fault](folder, database))
            print(f"{outcomes[-1].fault}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    _print([COLUMNS, *(outcome.row() for outcome in outcomes)])
    for outcome in outcomes:
        for sentence in [*outcome.wrong[:SHOWN], *outcome.slow]:
            print(f"{outcome.fault}: {sentence}")
    return 1 if any(outcome.wrong or outcome.slow for outcome in outcomes) else 0


def _print(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        print(" | ".join(cells).rstrip())


sys.exit(main(sys.argv[1:]))
