"""A dress rehearsal: ten days of lists under a service with load, a refused list, a restored backup.

`python -m tests.rehearsal` ends with a table, and with status 1 if a request failed or a movement
was not published exactly once.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from .chambers import DAYS
from .load import Load
from .maintainer import Rehearsal

BACKUP_DAY = DAYS[6]
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
    backup = rehearsal.folder / "backup.sqlite3"
    fetched, (tracked, _) = rehearsal.fetch(DAYS[0]), rehearsal.track()
    table.append(Day(DAYS[0], fetched, tracked, rehearsal.publish(), "-", 0, 0))
    key = rehearsal.run("keys", "create", "load", "--quota", QUOTA).split()[0]
    rehearsal.start()
    load = Load(rehearsal.port, key)
    try:
        for day in DAYS[1:]:
            table.append(_day(rehearsal, load, day))
            if day == BACKUP_DAY:
                rehearsal.run("copy", rehearsal.internal, backup)
    finally:
        load.stop()
    _print(table)
    problems = [] if load.failed == 0 else [f"requests failed: {load.answers}"]
    if not any("refused senat" in day.tracked for day in table):
        problems.append("the list that was cut in half was not refused")
    published = rehearsal.published(key)
    if len(set(published)) != len(published):
        problems.append("a movement was published twice")
    if set(published) != set(rehearsal.expected()):
        problems.append("what was published day by day is not what one build of all lists gives")
    print(f"{load.asked} requests, {load.failed} failed; {len(published)} movements, each once")
    return problems + _restored(rehearsal, backup, key)


def _day(rehearsal: Rehearsal, load: Load, day: str) -> Day:
    fetched = rehearsal.fetch(day)
    tracked, refused = rehearsal.track()
    if refused:
        return Day(day, fetched, tracked, "held back", "-", load.asked, load.failed)
    version = rehearsal.publish()
    seconds = rehearsal.wait_for(version)
    return Day(day, fetched, tracked, version, f"{seconds:.2f}", load.asked, load.failed)


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
