"""`python -m tests.rehearsal.daily_at DAY ...`: `datasette mouvements daily ...` on the morning of that day.

Pauses take no time, and a server that is slow is waited for a second only.
"""

from __future__ import annotations

import datetime
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from datasette_mouvements.updating import daily_command
from parlement_lists.sources import commands, registry
from parlement_lists.sources.hooks import Source

from .chambers import PARIS_MORNING


def main() -> None:
    day, *arguments = sys.argv[1:]
    moment = datetime.datetime.combine(
        datetime.date.fromisoformat(day), PARIS_MORNING, datetime.UTC
    )
    # mypy lets nobody replace a module's functions.
    given: Any = commands
    run: Any = daily_command
    given.now = run.now = lambda: moment
    given.time = SimpleNamespace(sleep=lambda seconds: None)
    given.choose = impatient
    daily_command.daily(arguments)


def impatient(
    names: tuple[str, ...], file: Path | None = None, broken: list[str] | None = None
) -> list[Source]:
    """The sources that are chosen, each original of which has a second."""
    return [
        replace(s, addresses={w: a._replace(seconds=1.0) for w, a in s.addresses.items()})
        for s in registry.choose(names, file, broken)
    ]


if __name__ == "__main__":
    main()
