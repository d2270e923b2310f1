"""Lists in order -> movements: each list read, examined, compared; one way for a build and for a day."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..dataset.movement import Movement
from .corrections import Corrections
from .guard import examine
from .lists import List, ListRefused, Reader
from .members import Members
from .report import Record, Report
from .snapshot import Snapshot
from .state import State
from .tracker import Change, Tracker


@dataclass
class Outcome:
    """What a run found: movements that are sure, those it replaces and why, and the report."""

    report: Report = field(default_factory=Report)
    added: dict[str, Movement] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)

    def take(self, change: Change) -> None:
        for id, reason in change.removed.items():
            self.added.pop(id, None)
            self.removed[id] = reason
        for movement in change.added:
            self.added[movement.id] = movement
            self.removed.pop(movement.id, None)


class Run:
    """One run over lists. It changes `state`, which holds what later lists need."""

    def __init__(
        self, state: State, members: Members, corrections: Corrections, source: str
    ) -> None:
        self.state = state
        self.members = members
        self.corrections = corrections
        self.source = source
        self.outcome = Outcome()
        self._reader = Reader()
        for tracker in state.chambers.values():
            tracker.rename(corrections)

    def feed(self, snapshots: Iterable[Snapshot]) -> Outcome:
        """Take every list that is newer than the last one taken of its chamber."""
        for snapshot in snapshots:
            tracker = self.state.chambers.get(snapshot.chamber)
            verdict = self.corrections.verdict(snapshot.name)
            if tracker is not None and tracker.last is not None:
                if snapshot.name == tracker.last.name or snapshot.moment <= moment(tracker.last):
                    self.outcome.report.passed_over.append(snapshot.name)
                    continue
            else:
                tracker = Tracker(snapshot.chamber, self.members, self.state.transfer_days)
            self.outcome.report.records.append(self._take(snapshot, tracker, verdict))
        return self.outcome

    def settle(self) -> dict[str, Movement]:
        """The movements that stand if no list ever comes again, beside those that are sure."""
        for tracker in self.state.chambers.values():
            self.outcome.take(tracker.pending())
        return self.outcome.added

    def _take(self, snapshot: Snapshot, tracker: Tracker, verdict: str) -> Record:
        chamber = snapshot.chamber
        record = Record(snapshot.name, chamber, snapshot.date, snapshot.origin)
        refused = self.state.refused.setdefault(chamber, [])
        try:
            list_ = self._read(snapshot, tracker, verdict)
        except ListRefused as error:
            record.status, record.reason = "refused", error.reason
            record.message, record.figure = str(error), error.figure
            if snapshot.name not in refused:
                refused.append(snapshot.name)
            return record
        change = tracker.feed(list_, self._source_of(snapshot.name), after_refused=bool(refused))
        refused.clear()
        self.state.chambers[chamber] = tracker
        self.outcome.take(change)
        record.pairs, record.lost, record.gained = len(list_.pairs), change.lost, change.gained
        return record

    def _read(self, snapshot: Snapshot, tracker: Tracker, verdict: str) -> List:
        if verdict == "refuser":
            raise ListRefused("correction", "refused by a correction")
        list_ = self.corrections.apply(snapshot.read(self._reader))
        if verdict != "accepter":
            examine(list_, tracker.last, self.members.renewals(snapshot.chamber), tracker.past)
        return list_

    def _source_of(self, name: str) -> str:
        if self.source == "suivi":
            self.state.followed.add(name)
        return "suivi" if name in self.state.followed else self.source


def moment(list_: List) -> tuple[datetime.date, str]:
    """The day and time of day of a list, as snapshots compare them."""
    _, mark, time = list_.name.partition("T")
    return list_.date, mark + time
