"""The nights: what each run found at each source, as the file has it and its readers ask for it."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from . import schema

NEW, SAME, REFUSED, FAILED = schema.OUTCOMES
WENT_WELL, ALARM = schema.RUN_OUTCOMES
# A source has a list on a night of these.
LISTED = (NEW, SAME)
# A run comes every morning: where none came yesterday either, it is late.
RUN_DAYS = 1


class Night(NamedTuple):
    """What the last run of a day found at one source; `source` and `chambre` are "" in the row of the run itself.

    `jour` is the day in Paris, `mesure` the figure of `motif`, `liste` the list that came. The original is the
    first one that the list was made of.
    """

    jour: str
    source: str = ""
    chambre: str = ""
    resultat: str = ""
    motif: str = ""
    mesure: str = ""
    liste: str = ""
    original: str = ""
    original_sha256: str = ""


class LastRun(NamedTuple):
    """The last run: its day, how it ended, how many matters it left open, whether the next one is late."""

    day: str
    outcome: str
    open: int
    late: bool


def read(db: sqlite3.Connection) -> list[Night]:
    """The nights of a movements file, the oldest first; sqlite3.Error where it has no such table."""
    columns = ", ".join(Night._fields)
    rows = db.execute(f"select {columns} from {schema.NIGHTS} order by jour, source")
    return [Night(*row) for row in rows]


def last_run(nights: Sequence[Night], today: datetime.date) -> LastRun | None:
    """The last run up to a day; None where there is none."""
    own = (night for night in reversed(nights) if not night.source)
    last = next((night for night in own if night.jour <= today.isoformat()), None)
    if last is None:
        return None
    age = today - datetime.date.fromisoformat(last.jour)
    return LastRun(last.jour, last.resultat, int(last.mesure or 0), age.days > RUN_DAYS)


def by_source(nights: Iterable[Night]) -> dict[str, list[Night]]:
    """The nights of each source, the oldest first; "" has those of the runs."""
    ordered = sorted(nights, key=attrgetter("source", "jour"))
    grouped = itertools.groupby(ordered, attrgetter("source"))
    return {source: list(own) for source, own in grouped}


def days_until(today: datetime.date, number: int, nights: Sequence[Night]) -> list[str]:
    """The last days up to today of which a file can tell: none before its first night."""
    days = [(today - datetime.timedelta(n)).isoformat() for n in reversed(range(number))]
    first = min((night.jour for night in nights), default="")
    return [day for day in days if first and day >= first]
