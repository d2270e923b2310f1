"""Mutation tests: `python -m tests.mutants [--seed N] [--sample N] [--workers N] [--room NAME]... [MODULE]...`

A sample of small mutations (`mutations.py`) of every room, or of the modules whose paths have one of the
given texts in them, is judged by the room's own tests (`judging.py`). Told:
a table by room, then every mutation that survived with its reason of survivors.yml or NO REASON, and
as STALE every reason whose mutation is killed now or cannot be made any more. Exit 1 if less than
85 % were killed, if a survivor has no reason, or if the time was up first.

A reason begins with "equivalent:" (no test could tell) or "not worth a test:".
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from .judging import (
    KILLED,
    NOT_TRIED,
    SURVIVED,
    TIMED_OUT,
    BaselineError,
    Judged,
    Room,
    judge,
    possible,
    sample,
)

SEED, SAMPLE, WORKERS, MINUTES = 10, 300, 2, 85
LEAST_KILLED = 85  # %
ROOT = Path(__file__).resolve().parents[2]
REASONS = Path(__file__).with_name("survivors.yml")
CODE = "plugins/datasette_mouvements"
LISTS = "plugins/parlement_lists"
IN_PROCESS = "not [serve and not [plugins-dir and not [plain and not [immutable and not [published"
# Each module of the plugins belongs to one of them.
ROOMS = (
    Room(
        "lists",
        30,
        (f"{LISTS}/*.py", f"{LISTS}/tracking/**/*.py"),
        (
            *("tests/tracking/test_[!fw]*.py", "tests/tracking/test_fo*.py", "tests/test_mo*.py"),
            *("tests/tracking/test_wa*.py", "tests/test_reg*.py", "tests/test_b*.py"),
        ),
    ),
    Room(
        "sources",
        25,
        (f"{LISTS}/sources/**/*.py",),
        (
            *("tests/sources/test_[!fr]*.py", "tests/sources/test_fe*.py"),
            *("tests/sources/test_r[!e]*.py", "tests/sources/test_re[!a]*.py"),
            "tests/sources/test_read*.py",
        ),
    ),
    Room(
        "package",
        6,
        (f"{CODE}/*.py",),
        ("tests/test_[cms]*.py", "tests/contract/test_description.py"),
    ),
    Room("dataset", 25, (f"{CODE}/dataset/**/*.py",), ("tests/dataset/test_*.py",)),
    Room(
        "keys",
        27,
        (f"{CODE}/keys/[!p]*.py",),
        (
            *("tests/keys/test_store.py", "tests/keys/test_sqlite.py"),
            *("tests/keys/test_charging.py", "tests/keys/test_[!op]*.py"),
            *(f"tests/contract/test_{name}.py" for name in ("authentication", "quota")),
            "tests/keys/test_*.py",
        ),
        only=f"not postgres and not [stopped and not [frozen and {IN_PROCESS}",
    ),
    Room(
        "keys, PostgreSQL",
        10,
        (f"{CODE}/keys/p*.py",),
        ("tests/keys/test_store.py", "tests/keys/test_*.py"),
        only="postgres",
    ),
    Room(
        "building",
        25,
        (f"{CODE}/building/**/*.py",),
        ("tests/building/test_[!fkr]*.py", "tests/building/test_fu*.py"),
    ),
    Room(
        "api",
        28,
        (f"{CODE}/api/**/*.py",),
        (
            *("tests/contract/test_errors.py", "tests/contract/test_headers.py"),
            *("tests/contract/test_[!rs]*.py", "tests/api/test_*.py"),
        ),
        only=IN_PROCESS,
    ),
    Room("pages", 30, (f"{CODE}/pages/**/*.py",), ("tests/pages/test_*.py",), only=IN_PROCESS),
    Room(
        "serving",
        25,
        (f"{CODE}/serving/**/*.py",),
        (
            *("tests/contract/test_exports.py", "tests/serving/test_*.py"),
            "tests/contract/test_addresses.py",
        ),
        only=f"not [hashed and {IN_PROCESS}",
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    for name, default in (("seed", SEED), ("sample", SAMPLE), ("workers", WORKERS)):
        parser.add_argument(f"--{name}", type=int, default=default)
    names = [room.name for room in ROOMS]
    parser.add_argument("--room", action="append", choices=names, help="these alone")
    parser.add_argument("modules", nargs="*", help="the whole sample is of these, evenly")
    asked = parser.parse_args()
    every = {room: possible(ROOT, room) for room in ROOMS}
    whole = sum(room.part for room in ROOMS)
    parts = [
        (room, [one for one in every[room] if module in one.module], 1 / len(asked.modules))
        for module in asked.modules
        for room in ROOMS
    ] or [(room, every[room], room.part / whole) for room in ROOMS]
    chosen = [
        (room, mutation)
        for room, mutations, part in parts
        if room.name in (asked.room or names)
        for mutation in sample(mutations, round(asked.sample * part), asked.seed)
    ]
    try:
        judged = judge(ROOT, chosen, asked.workers, MINUTES * 60)
    except BaselineError as error:
        sys.exit(f"Nothing was judged: {error}")
    known = {mutation.name for mutations in every.values() for mutation in mutations}
    entries = yaml.safe_load(REASONS.read_text(encoding="utf-8"))
    return report(judged, known, {entry["mutation"]: entry["reason"] for entry in entries})


def report(judged: Sequence[Judged], known: set[str], reasons: Mapping[str, str]) -> int:
    """Print what came of the sample; the exit status. `known` names every mutation there is."""
    _print_table(judged)
    named = {mutation.name: (mutation, came) for _, mutation, came in judged}
    survivors = [mutation for mutation, came in named.values() if came == SURVIVED]
    for one in survivors:
        where = f"{one.module}:{one.line} {reasons.get(one.name, 'NO REASON')}"
        print(f"\n{where}\n  - {one.before}\n  + {one.after}")
    unexplained = [one.name for one in survivors if one.name not in reasons]
    if unexplained:
        entries = [{"mutation": name, "reason": ""} for name in unexplained]
        shown = yaml.safe_dump(entries, width=2**31, allow_unicode=True)
        print(f"\nTo be killed, or explained in {REASONS.name}:\n{shown}")
    for name in reasons:
        if name not in known:
            print(f"STALE, cannot be made any more: {name}")
        elif name in named and named[name][1] in (KILLED, TIMED_OUT):
            print(f"STALE, killed now: {name}")
    untried = sum(came == NOT_TRIED for _, _, came in judged)
    if untried:
        print(f"The time was up before {untried} were tried.")
    enough = 100 * len(survivors) <= (100 - LEAST_KILLED) * len(judged)
    return int(bool(unexplained or untried or not enough))


def _print_table(judged: Sequence[Judged]) -> None:
    print(f"{'room':20}  tried  killed  timed out  survived  % killed")
    for name in (*dict.fromkeys(room.name for room, _, _ in judged), "all"):
        came = Counter(came for room, _, came in judged if name in (room.name, "all"))
        killed = came[KILLED] + came[TIMED_OUT]
        tried = killed + came[SURVIVED]
        share = 100 * killed / tried if tried else 0
        cells = tried, came[KILLED], came[TIMED_OUT], came[SURVIVED], share
        print("{:20} {:6} {:7} {:10} {:9} {:9.1f}".format(name, *cells))


if __name__ == "__main__":
    sys.exit(main())
