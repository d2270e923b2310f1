"""The ledger of nights over one run: the book beside the database, and the table of the files."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import PARIS
from parlement_lists.sources.fetcher import FetchResult

from ...dataset.input_files import InputRefused
from ...dataset.served import nights
from ..erasure.near_names import OF_NAMES
from ..update import UpdateResult
from . import night_rows
from .book import NightBook, Told
from .matters import asked_lately, judge_lists, judge_outcomes, of_lists
from .night_table import publish

# The key of the matter of the lists' history.
HISTORY = "depot/historique"
# The keys of matters that tracking finds begin so; those of the seats and of the files of members end so.
OF_TRACKING, SEATS, OF_MEMBERS = "suivi/", "/sieges", "/elus"
_NAMED = "a name is near a masked one: the open matters say which"


class Found(NamedTuple):
    """What a run found: the results of the sources, that of tracking, the faults of the run, chambers too full.

    `crowded`, chamber -> sentence, is None where nobody looked. `history` says what is wrong with that of the lists.
    """

    fetched: Sequence[FetchResult]
    tracked: UpdateResult | None
    faults: Sequence[str]
    crowded: Mapping[str, str] | None
    history: str = ""

    @property
    def members_read(self) -> list[FetchResult]:
        """The results of sources that had a list, and so updated the files of members or told why not."""
        return [one for one in self.fetched if one.status in ("new", "unchanged")]

    def unseen(self, key: str) -> bool:
        """Whether this run did not look at an open matter."""
        if key.endswith(SEATS):
            return self.crowded is None
        if key == HISTORY:
            return not self.fetched
        if key.endswith(OF_MEMBERS):
            return key.removesuffix(OF_MEMBERS) not in {one.source for one in self.members_read}
        return key.startswith(OF_TRACKING) and self.tracked is None

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
            f"{one.source}{OF_MEMBERS}": one.alarm for one in self.members_read if one.members
        }
        crowded = self.crowded or {}
        tracked = self.tracked.report.matters if self.tracked else {}
        return {
            **({HISTORY: self.history} if self.history else {}),
            **members,
            **{f"{OF_TRACKING}{key}": said for key, said in tracked.items()},
            **{f"{OF_TRACKING}{chamber}{SEATS}": said for chamber, said in crowded.items()},
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

    def close(
        self, found: Found, looked_at: Mapping[str, str] | None
    ) -> tuple[dict[str, str], Told]:
        """Write down what the run found; returns all open matters, and those to be told now.

        `looked_at` is what `Corrections.accepted` says, None where it cannot be known: what it could close stays.
        """
        before = nights.by_source(
            one.night for one in self.book.nights() if one.night.passage < self._at
        )
        refused = found.refused()
        self.book.note(
            night_rows.of_source(self._at, self._day, one, before.get(one.source, ()), refused)
            for one in found.fetched
        )
        booked = self.book.nights()
        matters = judge_outcomes(booked, self._today) | found.beside_sources()
        if looked_at is not None:
            matters |= judge_lists(booked, self._today, looked_at)
        asked = {source for source, _ in asked_lately(booked, self._today)}

        def unseen(key: str) -> bool:
            if key.endswith(OF_MEMBERS) and key.removesuffix(OF_MEMBERS) not in asked:
                return False
            return found.unseen(key) or (looked_at is None and of_lists(key))

        told = self.book.tell(matters, self._at, unseen)
        open_ = {matter.key: matter.sentence for matter in self.book.matters()}
        # Nights are kept for a year, and a name that a mask withholds at last must not stand in them.
        named = tuple(said for key, said in matters.items() if OF_NAMES in key)
        # What the row of a source tells is not told again in that of the run.
        rows = tuple(one.detail for one in booked if one.night.passage == self._at and one.detail)
        alarms = [
            _NAMED if said.startswith(named) else said
            for said in told.now
            if not said.startswith(rows)
        ]
        alarms += found.faults
        number = len({*open_.values(), *found.faults})
        self.book.note([night_rows.ended(self._at, self._day, number, alarms)])
        return open_, told

    def publish(self, file: Path) -> None:
        """Bring the book's nights into the table of a file; InputRefused if it is damaged or being written to."""
        try:
            publish(file, [one.night for one in self.book.nights()])
        except sqlite3.DatabaseError as error:
            raise InputRefused(
                [f"{file}: its ledger of nights cannot be written: {error}"]
            ) from error
