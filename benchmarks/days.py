"""`python -m benchmarks.days [MOVEMENTS]...`: what the build of a morning costs, with lists of more and more movements."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import copy

from .lists import LAST_DAY, count, database

# One pair in so many of each list left that day, and as many people came.
CHANGED = 150
NUMBERS = (24_000, 100_000, 1_000_000)
# Processor seconds and the peak of memory of the process that runs the command.
_RUN = """
import sys, time
from datasette_mouvements.cli import mouvements
sys.stdout = sys.stderr
mouvements.main(sys.argv[1:], standalone_mode=False)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(time.process_time(), int(status["VmHWM"].split()[0]) / 1024, file=sys.__stdout__)
"""


def write_day(lists: Path, to: Path) -> None:
    """Write a list of each chamber for the day after the last one."""
    for chamber in lists.iterdir():
        with max(chamber.iterdir()).open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        come = [[*row[:6], f"NOUVEAU{row[6]}", *row[7:]] for row in rows[::CHANGED]]
        stay = [row for number, row in enumerate(rows) if number % CHANGED != CHANGED // 2]
        (to / chamber.name).mkdir(parents=True)
        with (to / chamber.name / f"{LAST_DAY}.csv").open(
            "w", newline="", encoding="utf-8"
        ) as file:
            csv.writer(file).writerows([header, *sorted([*stay, *come])])


def measure(movements: int) -> None:
    """Print what the build of a day costs, of lists with about so many movements."""
    made = database(movements)
    with tempfile.TemporaryDirectory(dir=made.parent.parent) as name:
        folder = Path(name)
        copy(made, folder)
        write_day(made.parent / "listes", folder / "listes")
        command = [sys.executable, "-c", _RUN, "build", str(folder / made.name)]
        for lists in (made.parent / "listes", folder / "listes"):
            command += ["--lists", str(lists)]
        command += ["--members", str(made.parent / "elus")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds, peak = map(float, done.stdout.split())
        size = (folder / made.name).stat().st_size / made.stat().st_size
    print(f"{count(made):12,}{seconds:10.2f}{peak:10.0f}{size:10.3f}")


def main(numbers: list[int]) -> None:
    """Print a line for each number of movements."""
    print(f"{'movements':>12}{'seconds':>10}{'peak MB':>10}{'file x':>10}")
    for number in numbers:
        measure(number)


if __name__ == "__main__":
    main([int(one) for one in sys.argv[1:]] or [*NUMBERS])
