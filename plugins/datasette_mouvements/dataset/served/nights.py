"""The ledger of nights: what each run found at each source, as the file has it and its readers ask for it."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from parlement_lists.bounds import NIGHT_DAYS, NIGHT_ROWS, TEXT_LETTERS

from .. import schema
from ..connections import connect_read_only

NEW, SAME, STAND_IN, REFUSED, FAILED = schema.OUTCOMES
WENT_WELL, ALARM, CUT_OFF = schema.RUN_OUTCOMES
# A source has a list on a night of these.
LISTED = (NEW, SAME, STAND_IN)
# A run comes every morning: half a day more, and it is late.
RUN_HOURS = 36
COLUMNS = ", ".join(column.name for column in schema.columns(schema.NIGHTS))


class Night(NamedTuple):
    """What one run found at one source; `source` and `chambre` are "" in the row of the run itself.

    `passage` is the instant at which the run began, `jour` its day in Paris. `mesure` is the figure of
    `motif`. `elus_absents` members are left out of the list, `liste_changee_le` is the day on which it was
    seen to differ from the one before. The original is the first one that the list was made of.
    """

    passage: str
    jour: str
    source: str = ""
    chambre: str = ""
    resultat: str = ""
    motif: str = ""
    mesure: str = ""
    elus_absents: int = 0
    liste_changee_le: str = ""
    original: str = ""
    original_sha256: str = ""
    original_du: str = ""

    def public(self) -> Night:
        """The night with texts of the length that a file may have."""
        texts = {n: v[:TEXT_LETTERS] for n, v in self._asdict().items() if isinstance(v, str)}
        return Night(**{**self._asdict(), **texts})


class LastRun(NamedTuple):
    """The last run: when it began, how it ended, how many matters it left open, whether the next one is late."""

    at: str
    outcome: str
    open: int
    late: bool


def kept(nights: Iterable[Night]) -> list[Night]:
    """The nights that a ledger keeps, the oldest first: of the same run and source the one given last.

    Days are counted as far as they have a night, so that one of a clock that is ahead ends no other.
    """
    found = {(night.passage, night.source): night for night in nights}
    ordered = [found[key] for key in sorted(found)][-NIGHT_ROWS:]
    days = set(sorted({night.jour for night in ordered})[-NIGHT_DAYS:])
    return [night for night in ordered if night.jour in days]


def until_last(before: Iterable[Night], added: Sequence[Night]) -> list[Night]:
    """Nights and those added to them, without any that is later than these: a clock was ahead."""
    last = max((night.passage for night in added), default="")
    return [*(night for night in before if not added or night.passage <= last), *added]


def read(database: Path, immutable: bool = False) -> list[Night]:
    """The nights of a movements file, the oldest first; sqlite3.Error where it has no such table."""
    with closing(connect_read_only(database, immutable)) as db:
        rows = db.execute(f"select {COLUMNS} from {schema.NIGHTS} order by passage, source")
        return [Night(*row) for row in rows]


def last_run(nights: Sequence[Night], now: datetime.datetime) -> LastRun | None:
    """The last run of a ledger up to now; None where it has none."""
    at = now.astimezone(datetime.UTC).isoformat()
    own = (night for night in reversed(nights) if not night.source)
    last = next((night for night in own if night.passage <= at), None)
    if last is None:
        return None
    age = now - datetime.datetime.fromisoformat(last.passage)
    open_ = int(last.mesure or 0)
    return LastRun(last.passage, last.resultat, open_, age > datetime.timedelta(hours=RUN_HOURS))


def by_source(nights: Iterable[Night]) -> dict[str, list[Night]]:
    """The last night of each day of each source, the oldest first; "" has those of the runs."""
    found: dict[str, list[Night]] = {}
    ordered = sorted(nights, key=attrgetter("source", "passage"))
    for source, own in itertools.groupby(ordered, attrgetter("source")):
        found[source] = list({night.jour: night for night in own}.values())
    return found


def days_until(today: datetime.date, number: int, nights: Sequence[Night]) -> list[str]:
    """The last days up to today of which a ledger can tell: none before its first night."""
    days = [(today - datetime.timedelta(n)).isoformat() for n in reversed(range(number))]
    first = min((night.jour for night in nights), default="")
    return [day for day in days if first and day >= first]


def silent(nights: Mapping[str, Sequence[Night]], days: Iterable[str]) -> list[Night]:
    """A night without an outcome for each day on which nothing is known of a source, since its first one."""
    found = []
    for source, own in nights.items():
        known = {night.jour for night in own}
        found += [
            Night("", day, source, own[0].chambre)
            for day in days
            if day not in known and day > own[0].jour
        ]
    return found
