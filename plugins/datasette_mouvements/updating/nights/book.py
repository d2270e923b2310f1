"""The maintainer's book of nights, in the tracking state: every reason in full, and the matters that are open."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from parlement_lists.tracking.state import StateError

from ...dataset.served.nights import Night, kept, until_last
from ..state_file import MATTERS, NIGHTS, StateFile

# A matter that stays open is told again after so many days.
TOLD_EVERY = datetime.timedelta(7)
_TABLES = (
    f"create table if not exists {NIGHTS} (passage text not null, source text not null,"
    " ligne text not null, primary key (passage, source))",
    f"create table if not exists {MATTERS} (cle text primary key not null, depuis text not null,"
    " dit text not null, phrase text not null)",
)


class BookedNight(NamedTuple):
    """A night, and its reason in full: never published, because it may name paths of the machine."""

    night: Night
    detail: str = ""


class Matter(NamedTuple):
    """What calls for a look: its key, the instants of the runs that found it first and told it last, its sentence."""

    key: str
    since: str
    told: str
    sentence: str


class Told(NamedTuple):
    """The sentences of the matters to be told now, and those of matters that are closed now."""

    now: Sequence[str]
    closed: Sequence[str]


class NightBook:
    """The book beside a database; raises StateError for a state that is damaged, OSError where the disk fails."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self._file = StateFile(database)

    def nights(self) -> list[BookedNight]:
        """Every night, the oldest first; none where there is no book yet."""
        lines = self._rows(NIGHTS, "ligne", "passage, source")
        try:
            return [_read(line) for (line,) in lines]
        except (ValueError, TypeError, AttributeError) as error:
            raise StateError(
                f"{self._file.path}: a line of its book of nights is damaged: {error}"
            ) from error

    def matters(self) -> list[Matter]:
        """The open matters, in the order of their keys."""
        rows = self._rows(MATTERS, "cle, depuis, dit, phrase", "cle")
        return [Matter(*row) for row in rows]

    def _rows(self, table: str, columns: str, order: str) -> list[tuple[str, ...]]:
        if not self._file.path.exists():
            return []
        with self._file.reading() as (db, tables):
            return (
                list(db.execute(f"select {columns} from {table} order by {order}"))
                if table in tables
                else []
            )

    def note(self, nights: Iterable[BookedNight]) -> None:
        """Write nights of a run down, in place of what it noted before; old ones and later ones are forgotten."""
        added, before = list(nights), self.nights()
        booked = {(one.night.passage, one.night.source): one for one in (*before, *added)}
        last = kept(until_last((one.night for one in before), [one.night for one in added]))
        rows = [(n.passage, n.source, _line(booked[n.passage, n.source])) for n in last]
        with self._file.faults(), self._file.changed() as db:
            for create in _TABLES:
                db.execute(create)
            db.execute(f"delete from {NIGHTS}")
            db.executemany(f"insert into {NIGHTS} values (?, ?, ?)", rows)

    def tell(self, found: Mapping[str, str], run: str, unseen: Callable[[str], bool]) -> Told:
        """Open, tell and close matters by what the run that began at an instant found: key -> sentence.

        A matter that was told less than TOLD_EVERY ago is not told again. One that the run did not look at, as
        `unseen` says of its key, stays as it is.
        """
        open_ = {matter.key: matter for matter in self.matters()}
        closed = [key for key in open_ if key not in found and not unseen(key)]
        now = datetime.datetime.fromisoformat(run)
        standing, told = [], []
        for key, sentence in found.items():
            known = open_.get(key, Matter(key, run, "", ""))
            known = known._replace(since=min(known.since, run))
            # A second look of the same run says the same; one that was told later was told by a clock that was ahead.
            due = (
                known.told >= run
                or not known.told
                or now - datetime.datetime.fromisoformat(known.told) >= TOLD_EVERY
            )
            if due:
                told.append(_again(sentence, known.since, run))
                known = known._replace(told=run)
            standing.append(known._replace(sentence=sentence))
        with self._file.faults(), self._file.changed() as db:
            for create in _TABLES:
                db.execute(create)
            db.executemany(f"delete from {MATTERS} where cle = ?", [(key,) for key in closed])
            db.executemany(f"insert or replace into {MATTERS} values (?, ?, ?, ?)", standing)
        return Told(told, [open_[key].sentence for key in closed])


def _again(sentence: str, since: str, run: str) -> str:
    return sentence if since == run else f"{sentence} (open since {since[:10]})"


def _line(one: BookedNight) -> str:
    return json.dumps(one.night._asdict() | {"detail": one.detail}, ensure_ascii=False)


def _read(line: str) -> BookedNight:
    said = json.loads(line)
    detail = said.pop("detail", "")
    return BookedNight(
        Night(**{name: said[name] for name in Night._fields if name in said}), detail
    )
