"""Lists in order -> movements: each is read, examined and compared, in a build as in a daily run."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field

from ..movement import Movement
from ..tenure import Tenure
from .corrections import Corrections
from .diff import TwoPeople
from .guard import examine
from .members.known_members import Members
from .reading.list_file import ListFile, ListFilesError
from .reading.lists import List, ListRefused, Reader
from .report import Record, Report
from .state import TrackingState
from .tracker import Change, Tracker
from .written_twice import shorter_names, written_once, written_twice


@dataclass
class RunResult:
    """What a run found: movements that are sure, those that lists contradict and why, and the report.

    `ended` are the stays that ended, by identifier; those that did not are their tracker's to tell.
    """

    report: Report = field(default_factory=Report)
    added: MutableMapping[str, Movement] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)
    ended: MutableMapping[str, Tenure] = field(default_factory=dict)

    def take(self, change: Change) -> None:
        """Add what a list made sure."""
        self.added.update((movement.id, movement) for movement in change.added)
        self.ended.update((tenure.id, tenure) for tenure in change.ended)


class Run:
    """One run over lists, from what `state` knows of earlier ones, which it brings up to date.

    `source` is what its movements are: `suivi` or `archives`; `result` what they are added to.
    """

    def __init__(
        self,
        state: TrackingState,
        members: Members,
        corrections: Corrections,
        source: str,
        result: RunResult | None = None,
    ) -> None:
        self.state = state
        self.members = members
        self.corrections = corrections
        self.source = source
        self.result = result or RunResult()
        self._reader = Reader()
        # What corrections refuse of each chamber since its last accepted list, by digest.
        self._refused: dict[str, set[str]] = defaultdict(set)
        for tracker in state.chambers.values():
            tracker.rename(corrections)
            corrections.know_shorter(tracker.chamber, tracker.shorter)

    def feed(self, files: Iterable[ListFile]) -> RunResult:
        """Take every list that is newer than the last one accepted of its chamber."""
        for file in files:
            tracker = self.state.chambers.get(file.chamber)
            # Asked of every list: a correction of one that is passed over has matched, too.
            verdict = self.corrections.take_verdict(file.name)
            if tracker is None:
                tracker = Tracker(file.chamber, self.members)
            elif tracker.last is not None and file.moment <= tracker.last.moment:
                self.result.report.passed_over.append(file.name)
                continue
            self.result.report.records.append(self._take(file, tracker, verdict))
        return self.result

    def settle(self) -> MutableMapping[str, Movement]:
        """Add what is pending, as if no list ever came again; returns all."""
        for tracker in self.state.chambers.values():
            self.result.take(tracker.pending())
        return self.result.added

    def _take(self, file: ListFile, tracker: Tracker, verdict: str) -> Record:
        chamber = file.chamber
        record = Record(file.name, chamber, file.date, file.origin)
        refused = self.state.refused.setdefault(chamber, [])
        two_people = functools.partial(self.corrections.two_people, chamber)
        try:
            list_ = self._read(file, tracker, verdict, record, two_people)
        except ListRefused as error:
            record.status, record.reason = "refused", error.reason
            record.message, record.figure = str(error), error.figure
            if file.name not in refused:
                refused.append(file.name)
            return record
        before = tracker.last
        if before is not None and list_.other_source(before):
            record.source_before = before.source
        record.source, record.carried = list_.source, file.carried
        if before is not None:
            self.corrections.know_days_between(chamber, before.date, list_.date)
        # An accepted one may have been refused itself, before somebody looked at it.
        doubtful = any(name < file.name for name in refused)
        change = tracker.feed(list_, self._source_of(file.name), doubtful, two_people)
        refused.clear()
        self._refused.pop(chamber, None)
        self.state.chambers[chamber] = tracker
        self.result.take(change)
        record.lost, record.gained = change.lost, change.gained
        name_of = functools.partial(self.corrections.name_of, chamber)
        for old, new in change.renamed:
            told = {"elu_id": new.member, "old": name_of(old), "new": name_of(new)}
            record.renamed.append(told)
        return record

    def _read(
        self,
        file: ListFile,
        tracker: Tracker,
        verdict: str,
        record: Record,
        two_people: TwoPeople,
    ) -> List:
        list_ = self._let_through(file, tracker, verdict, record)
        known = tracker.last.pairs.keys() if tracker.last is not None else ()
        twice = written_twice(list_, two_people, known)
        shorter = shorter_names(list_.pairs, twice)
        list_ = written_once(list_, twice)
        record.pairs = len(list_.pairs)
        if verdict != "accepter":
            renewals = self.members.renewals(file.chamber)
            examine(list_, tracker.last, renewals, tracker.departed)
        tracker.shorter |= shorter
        self.corrections.know_shorter(file.chamber, shorter)
        return list_

    def _let_through(self, file: ListFile, tracker: Tracker, verdict: str, record: Record) -> List:
        """The list with its corrections; raises ListRefused where one refuses it, or refused its content by name.

        A list that is kept again, unchanged, has another name each day.
        """
        by_hand = ListRefused("correction", "refused by a correction")
        refused = self._refused[file.chamber]
        if verdict == "refuser":
            # Only to know what it holds: what nobody can read is refused all the same.
            with suppress(ListRefused, ListFilesError):
                list_ = file.read(self._reader)
                record.sha256 = list_.sha256
                refused.add(list_.digest)
            raise by_hand
        list_ = file.read(self._reader)
        record.sha256 = list_.sha256
        # What a day's name refuses may be accepted content beside another.
        accepted = tracker.last.digest if tracker.last is not None else ""
        if not verdict and list_.digest in refused - {"", accepted}:
            raise by_hand
        return self.corrections.apply(list_)

    def _source_of(self, name: str) -> str:
        if self.source == "suivi":
            self.state.followed.add(name)
        return "suivi" if name in self.state.followed else self.source
