"""The ledger of nights over one run: the book beside the database, and the table of the files."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import PARIS
from parlement_lists.sources.fetcher import FetchResult

from ...dataset.input_files import InputRefused
from ...dataset.served import nights
from ..update import UpdateResult
from . import night_rows
from .book import NightBook, Told
from .matters import judge
from .night_table import publish

# The keys of matters that tracking finds begin so.
OF_TRACKING = "suivi/"


class Found(NamedTuple):
    """What a run found: the results of the sources, that of tracking, the faults of the run, other matters."""

    fetched: Sequence[FetchResult]
    tracked: UpdateResult | None
    faults: Sequence[str]
    matters: Mapping[str, str]

    def standing(self) -> dict[str, str]:
        """The matters that tonight alone shows: key -> sentence."""
        found = {f"{one.source}/{one.status}": one.alarm for one in self.fetched if one.alarm}
        return found | self.beside_sources()

    def refused(self) -> dict[str, tuple[str, str, str]]:
        """Reason, figure and sentence of the newest list of each chamber, if the guard refused it."""
        if self.tracked is None:
            return {}
        rows = {row[0]: row for row in self.tracked.lists}
        said = {record.name: record.message for record in self.tracked.report.records}
        return {
            chamber: (*rows[names[-1]][4:6], said.get(names[-1], ""))
            for chamber, names in self.tracked.report.refused_last.items()
        }

    def beside_sources(self) -> dict[str, str]:
        """Those that the nights of a source do not show."""
        members = {
            f"{one.source}/elus": one.alarm
            for one in self.fetched
            if one.members and one.status in ("new", "unchanged")
        }
        tracked = self.tracked.report.matters if self.tracked else {}
        return {
            **members,
            **{f"{OF_TRACKING}{key}": said for key, said in tracked.items()},
            **self.matters,
        }


class NightLedger:
    """The ledger during the run that began at an instant; raises what `NightBook` raises."""

    def __init__(self, database: Path, began: datetime.datetime) -> None:
        self.book = NightBook(database)
        self._at = began.astimezone(datetime.UTC).isoformat(timespec="seconds")
        self._today = began.astimezone(PARIS).date()

    @property
    def _day(self) -> str:
        return self._today.isoformat()

    def begin(self) -> None:
        """Write down that the run has begun: that stays where it is killed."""
        self.book.note([night_rows.begun(self._at, self._day)])

    def close(self, found: Found, looked_at: Mapping[str, str]) -> tuple[dict[str, str], Told]:
        """Write down what the run found; returns all matters, and those to be told now. `looked_at`: see `judge`."""
        before = nights.by_source(
            one.night for one in self.book.nights() if one.night.passage != self._at
        )
        refused = found.refused()
        self.book.note(
            night_rows.of_source(self._at, self._day, one, before.get(one.source, ()), refused)
            for one in found.fetched
        )
        matters = judge(self.book.nights(), self._today, looked_at) | found.beside_sources()
        # What tracking did not look at stays open.
        unknown = () if found.tracked else (OF_TRACKING,)
        told = self.book.tell(matters, self._at, unknown)
        open_ = len(self.book.matters()) + len(found.faults)
        alarms = [*told.now, *found.faults]
        self.book.note([night_rows.ended(self._at, self._day, open_, alarms)])
        return matters, told

    def publish(self, files: Iterable[Path]) -> None:
        """Bring the book's nights into the table of files; InputRefused for one that is damaged or being written to."""
        found = [one.night for one in self.book.nights()]
        for file in files:
            try:
                publish(file, found)
            except sqlite3.DatabaseError as error:
                raise InputRefused(
                    [f"{file}: its ledger of nights cannot be written: {error}"]
                ) from error
