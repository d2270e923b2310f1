"""A rehearsal of a year: `python -m tests.rehearsal --seed 29` ends with what each fault led to.

Its status is 1 where a movement is false, lost or out of its bounds, or a fault went otherwise than declared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from .table import lines, not_as_declared
from .year import rehearse

MOST_SENTENCES = 40  # of what is wrong with a seed; one wrong list makes hundreds


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rehearsal")
    parser.add_argument("--seed", type=int, default=29, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, one after the other")
    parser.add_argument("--mornings", type=int, default=365)
    given = parser.parse_args()
    outcomes = []
    for seed in range(given.seed, given.seed + given.seeds):
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="mouvements-") as folder:
            outcome = rehearse(Path(folder) / "house", seed, given.mornings)
        outcomes.append(outcome)
        print(
            f"seed {seed}: {given.mornings} mornings, {outcome.movements} movements,"
            f" {len(outcome.episodes)} faults, {len(outcome.wrong)} wrong,"
            f" {time.monotonic() - began:.0f} s",
            flush=True,
        )
        for sentence in outcome.wrong[:MOST_SENTENCES]:
            print(f"  WRONG (seed {seed}): {sentence}", flush=True)
        for sentence in not_as_declared(outcome.episodes):
            print(f"  NOT AS DECLARED (seed {seed}): {sentence}", flush=True)
    episodes = [one for outcome in outcomes for one in outcome.episodes]
    for line in lines(episodes):
        print(line)
    well = not any(outcome.wrong for outcome in outcomes) and not list(not_as_declared(episodes))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
