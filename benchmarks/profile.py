"""`python -m benchmarks.profile`: where the time of a page goes, by py-spy, as text.

Functions by their own time and by their time with what they call, in percent of the samples of the
event loop and of the thread that charges; `--cold` never asks the same page twice.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from . import load, machine, servers
from .bench import Bench, cold_filters
from .invented import FOLDER
from .pages import ROUTE

SHOWN = 35
RATE = 500
THREADS = ("MainThread", "mouvements-quota")
# Where these threads wait for work. The loop's own frame is both its waiting and its work in C.
WAITING = ("Counter._work",)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--cold", action="store_true", help="another page each time")
    parser.add_argument("--native", action="store_true", help="functions in C too")
    given = parser.parse_args()
    load.require_wrk()
    machine.pin_this_process()
    bench = Bench(seconds=given.seconds)
    stacks = FOLDER / f"profile-{'cold' if given.cold else 'hot'}.stacks"
    script = [str(cold_filters(bench.small.database)), "1"] if given.cold else []
    with servers.service(bench.small.database, bench.key) as server:
        words = load.command(server.address + ROUTE, given.seconds + 2, bench.key.headers, script)
        with subprocess.Popen(words, stdout=subprocess.DEVNULL) as wrk:
            _record(server.pid, given.seconds, stacks, given.native)
            wrk.wait()
    print(report(stacks))


def _record(pid: int, seconds: int, stacks: Path, native: bool) -> None:
    spy = Path(sys.executable).with_name("py-spy")
    program = str(spy) if spy.exists() else shutil.which("py-spy")
    if program is None:
        raise SystemExit("py-spy is needed for a profile: pip install py-spy")
    command = [
        *(program, "record", "--pid", str(pid), "--duration", str(seconds), "--rate", str(RATE)),
        *("--format", "raw", "--threads", "--output", str(stacks)),
        *(["--native"] if native else []),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def report(stacks: Path) -> str:
    """Two lists from py-spy's stacks: own time, and time with what is called.

    Of the event loop and of the thread that charges; waiting for something to do is left out.
    """
    own: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for line in stacks.read_text().splitlines():
        stack, _, number = line.rpartition(" ")
        frames = stack.split(";")
        if not any(name in stack for name in THREADS) or frames[-1].startswith(WAITING):
            continue
        own[frames[-1]] += int(number)
        for frame in set(frames[_outside(frames) :]):
            whole[frame] += int(number)
    total = own.total()
    parts = [f"{total} samples at {RATE}/s ({stacks})"]
    for title, found in (("own time", own), ("with what is called", whole)):
        parts += ["", title]
        parts += [f"{100 * n / total:6.1f} %  {name}" for name, n in found.most_common(SHOWN)]
    return "\n".join(parts)


def _outside(frames: list[str]) -> int:
    """How many frames come before a request's own: the same in every stack."""
    return next((n for n, frame in enumerate(frames) if frame.startswith("Runner.run")), 0) + 1


if __name__ == "__main__":
    main()
