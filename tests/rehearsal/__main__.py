"""A dress rehearsal: ten mornings of failing servers under a service with load, and a restored backup.

`python -m tests.rehearsal` ends with a table, and with status 1 if a request failed or a movement
was not published exactly once.
"""

from __future__ import annotations

import datetime
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from datasette.utils.sqlite import sqlite3

from .load import Load
from .maintainer import FIRST, Rehearsal
from .mornings import MORNINGS

BACKUP_DAY = FIRST + datetime.timedelta(6)
QUOTA = 10_000_000


class Day(NamedTuple):
    """One line of the table."""

    day: str
    fetched: str
    tracked: str
    published: str
    adopted_s: str
    requests: int
    failed: int


def rehearse(folder: Path) -> list[str]:
    """Everything in order; what went wrong, in words."""
    rehearsal = Rehearsal(folder)
    try:
        return _days(rehearsal)
    finally:
        rehearsal.close()


def _days(rehearsal: Rehearsal) -> list[str]:
    table: list[Day] = []
    problems: list[str] = []
    backup = rehearsal.folder / "backup.sqlite3"
    first, *mornings = MORNINGS
    table.append(_row(rehearsal.morning(FIRST, first.faults), "-", 0, 0))
    key = rehearsal.run("keys", "create", "load", "--quota", QUOTA).split()[0]
    rehearsal.start()
    load = Load(rehearsal.port, key)
    try:
        for morning in mornings:
            rehearsal.pass_day()
            day = rehearsal.world.day
            report = rehearsal.morning(day, morning.faults)
            ends = tuple(result["status"] for result in report["fetched"])
            if ends != morning.ends:
                problems.append(f"{day}: {ends} instead of {morning.ends}: {report['alarms']}")
            waited = rehearsal.wait_for(report["published"] or None)
            table.append(_row(report, f"{waited:.2f}", load.asked, load.failed))
            if day == BACKUP_DAY:
                rehearsal.run("copy", rehearsal.internal, backup)
        rehearsal.pass_day(last=True)
        last = rehearsal.morning(rehearsal.world.day, {})
        table.append(_row(last, "-", load.asked, load.failed))
        rehearsal.wait_for(rehearsal.settle())
    finally:
        load.stop()
    _print(table)
    problems += [] if load.failed == 0 else [f"requests failed: {load.answers}"]
    published = rehearsal.published(key)
    if len(set(published)) != len(published):
        problems.append("a movement was published twice")
    if len(published) != rehearsal.world.truth().total():
        problems.append(f"{len(published)} movements, {rehearsal.world.truth().total()} are true")
    if set(published) != set(rehearsal.expected()):
        problems.append("what was published day by day is not what one build of all lists gives")
    print(f"{load.asked} requests, {load.failed} failed; {len(published)} movements, each once")
    return problems + _restored(rehearsal, backup, key)


def _row(report: dict[str, Any], adopted: str, asked: int, failed: int) -> Day:
    tracked = report["tracked"]
    return Day(
        report["day"],
        " ".join(result["status"] for result in report["fetched"]),
        "+{added} -{withdrawn} held {held}".format(**tracked) if tracked else "-",
        report["published"] or "already" if report["published"] is not None else "nothing",
        *(adopted, asked, failed),
    )


def _restored(rehearsal: Rehearsal, backup: Path, key: str) -> list[str]:
    """The internal database is lost; its backup takes its place; the same key is asked with."""
    rehearsal.stop()
    for path in rehearsal.internal.parent.glob("internal.sqlite3*"):
        path.unlink()
    rehearsal.run("copy", backup, rehearsal.internal)
    with closing(sqlite3.connect(backup)) as db:
        (used,) = db.execute("select sum(used) from mouvements_quota").fetchone()
    rehearsal.start()
    status, quota = rehearsal.ask("/v1/mouvements?limit=1", key)
    with closing(sqlite3.connect(rehearsal.internal)) as db:
        (now,) = db.execute("select sum(used) from mouvements_quota").fetchone()
    print(f"restored: the key answers {status}, its count goes on from {used} to {now}")
    return [] if (status, now) == (200, used + 1) else [f"after the restore: {status}, {quota}"]


def _print(table: list[Day]) -> None:
    rows = [Day._fields, *([str(value) for value in day] for day in table)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(Day._fields))]
    for row in rows:
        print("  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)))


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="mouvements-") as folder:
        problems = rehearse(Path(folder))
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
