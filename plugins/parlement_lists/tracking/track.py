"""All lists -> stays and movements: each list is read, examined and compared with the accepted one before it."""

from __future__ import annotations

import datetime
import functools
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from ..movement import Movement
from ..tenure import Tenure
from .corrections import Corrections
from .guard import examine
from .members.known_members import Members
from .movements import movements_and_stays
from .people import shorter_names, written_once, written_twice
from .reading.list_file import ListFile, ListFilesError
from .reading.lists import List, ListRefused, Reader
from .report import Record, Report
from .stays import Chamber, spellings


class Tracked(NamedTuple):
    """All that lists tell.

    `movements` are those that are sure, `stays` all of them: one that may only be interrupted has no `fin`.
    `spellings` are the full names of each stay that has more than one, `held` how many changes wait for
    later lists, by chamber and day.
    """

    report: Report
    movements: list[Movement]
    stays: list[Tenure]
    spellings: dict[str, list[str]]
    held: Counter[tuple[str, datetime.date]]


def track(files: Iterable[ListFile], members: Members, corrections: Corrections) -> Tracked:
    """Stays and movements of all lists, given by chamber and in order.

    A list that cannot be used is refused in the report, and the next one is compared with the last
    accepted one. Raises ListFilesError where a repository or folder cannot be read.
    """
    reading = _Reading(members, corrections)
    report = Report()
    for file in files:
        last = reading.moments.get(file.chamber)
        if last is not None and file.moment <= last:
            report.passed_over.append(file.name)
        else:
            report.records.append(reading.take(file))
    tracked = Tracked(report, [], [], {}, Counter())
    for name, chamber in reading.chambers.items():
        chamber.close()
        movements, stays, held = movements_and_stays(chamber, members)
        tracked.movements.extend(movements)
        tracked.stays.extend(stays)
        tracked.held.update({(name, day): count for day, count in held.items()})
    tracked.spellings.update(spellings(reading.chambers.values()))
    return tracked


class _Reading:
    """The chambers as the lists read so far tell them, and what was refused since the last accepted list."""

    def __init__(self, members: Members, corrections: Corrections) -> None:
        self.chambers: dict[str, Chamber] = {}
        # The day and time of the last accepted list of each.
        self.moments: dict[str, tuple[datetime.date, str]] = {}
        self.members = members
        self.corrections = corrections
        self._reader = Reader()
        self._refused: dict[str, list[str]] = defaultdict(list)
        # What corrections refuse of each chamber since its last accepted list, by digest.
        self._refused_content: dict[str, set[str]] = defaultdict(set)

    def take(self, file: ListFile) -> Record:
        """Take a list, or refuse it; what the report says of it."""
        name = file.chamber
        chamber = self.chambers.get(name) or Chamber(name)
        record = Record(file.name, name, file.date, file.origin)
        try:
            list_ = self._read(file, chamber, record)
        except ListRefused as error:
            record.refuse(error)
            self._refused[name].append(file.name)
            return record
        before = chamber.last
        name_of = functools.partial(self.corrections.name_of, name)
        record.doubles = [f"{pair.member}: {name_of(pair)}" for pair in list_.doubles]
        record.source = list_.source
        if before is not None:
            self.corrections.know_days_between(name, before.date, list_.date)
            if list_.source != before.source:
                record.source_before = before.source
        two_people = functools.partial(self.corrections.two_people, name)
        # What a list refused before shows may be older than it says.
        doubtful = bool(self._refused.pop(name, ()))
        renewals = self.members.renewals(name)
        change = chamber.take(list_, file.kind, doubtful, renewals, two_people)
        self._refused_content.pop(name, None)
        self.chambers[name] = chamber
        self.moments[name] = file.moment
        record.lost, record.gained = len(change.lost), len(change.gained)
        record.renamed = [
            {"elu_id": new.member, "old": name_of(old), "new": name_of(new)}
            for old, new in change.renamed
        ]
        return record

    def _read(self, file: ListFile, chamber: Chamber, record: Record) -> List:
        """A list with its corrections, examined; ListRefused."""
        name, before = file.chamber, chamber.last
        verdict = self.corrections.take_verdict(file.name)
        list_ = self.corrections.apply(self._let_through(file, chamber, verdict, record))
        two_people = functools.partial(self.corrections.two_people, name)
        twice = written_twice(list_, two_people, before.pairs.keys() if before else ())
        shorter = shorter_names(list_.pairs, twice)
        list_ = written_once(list_, twice)
        record.pairs = len(list_.pairs)
        if verdict != "accepter":
            examine(list_, before, self.members.renewals(name), chamber.departed)
        self.corrections.know_shorter(name, shorter)
        return list_

    def _let_through(self, file: ListFile, chamber: Chamber, verdict: str, record: Record) -> List:
        """The list as it is; ListRefused where a correction refuses it, or refused its content by name.

        A list that is kept again, unchanged, has another name each day.
        """
        refused = self._refused_content[file.chamber]
        if verdict == "refuser":
            # Only to know what it holds: what nobody can read is refused all the same.
            with suppress(ListRefused, ListFilesError):
                list_ = file.read(self._reader)
                record.sha256 = list_.sha256
                refused.add(list_.sha256)
            raise ListRefused("correction", "refused by a correction")
        list_ = file.read(self._reader)
        record.sha256 = list_.sha256
        # What a day's name refuses may be accepted content beside another.
        accepted = chamber.last.sha256 if chamber.last is not None else ""
        if not verdict and list_.sha256 in refused - {"", accepted}:
            raise ListRefused("correction", "refused by a correction")
        return list_
