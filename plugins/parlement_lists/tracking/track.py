"""All lists -> stays and movements: each list is read, examined and compared with the accepted one before it."""

from __future__ import annotations

import datetime
import functools
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from ..movement import Movement
from ..regular_file import FilesError
from ..tenure import Tenure
from .corrections import Corrections
from .guard import examine
from .members.known_members import Members
from .movements import movements_and_stays
from .people import Joined, remember_civilities, written_once
from .reading.lists import List, ListFile, ListRefused
from .report import Record, Report
from .stays import ChamberStays


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
    accepted one. Raises FilesError where a repository or folder cannot be read.
    """
    tracked = Tracked(Report(), [], [], {}, Counter())
    chambers: dict[str, ChamberStays] = {}
    for file in files:
        name = file.chamber
        if name not in chambers:
            two_people = functools.partial(corrections.two_people, name)
            chambers[name] = ChamberStays(name, members.renewals(name), two_people)
        chamber = chambers[name]
        if chamber.moment is not None and file.moment <= chamber.moment:
            tracked.report.passed_over.append(file.name)
        else:
            tracked.report.records.append(_take(file, chamber, corrections))
    for name, chamber in chambers.items():
        if chamber.last is not None:
            chamber.close(chamber.last)
            movements, stays, held = movements_and_stays(chamber, members)
            tracked.movements.extend(movements)
            tracked.stays.extend(stays)
            tracked.held.update({(name, day): count for day, count in held.items()})
        tracked.spellings.update(
            (stay.id(name), stay.names) for stay in chamber.stays if len(stay.names) > 1
        )
    return tracked


def _take(file: ListFile, chamber: ChamberStays, corrections: Corrections) -> Record:
    """Take a list, or refuse it; what the report says of it."""
    name, before = chamber.name, chamber.last
    record = Record(file.name, name, file.date, file.origin)
    try:
        list_ = _read(file, chamber, corrections, record)
    except ListRefused as error:
        record.refuse(error)
        chamber.doubtful = True
        return record
    record.doubles = [f"{p.member}: {corrections.name_of(name, p)}" for p in list_.doubles]
    record.source, record.unreadable = list_.source, list_.without_member + list_.unreadable
    if before is not None:
        corrections.know_days_between(name, before.date, list_.date)
        if list_.source != before.source:
            record.source_before = before.source
    change = chamber.take(list_, file.moment, file.kind)
    record.lost, record.gained = len(change.lost), len(change.gained)
    record.renamed += [_joined(both, corrections, name) for both in change.told()]
    return record


def _read(file: ListFile, chamber: ChamberStays, corrections: Corrections, record: Record) -> List:
    """A list with its corrections, examined; raises ListRefused where it, or a correction, says so.

    What a correction refuses by name is refused while it is kept again, unchanged, under the name of another day.
    """
    before = chamber.last
    verdict = corrections.take_verdict(file.name)
    if verdict == "refuser":
        # Only to know what it holds: what nobody can read is refused all the same.
        with suppress(ListRefused, FilesError):
            record.sha256 = file.read().sha256
            chamber.refused.add(record.sha256)
        raise ListRefused("correction", "refused by a correction")
    list_ = file.read()
    record.sha256 = list_.sha256
    # What a day's name refuses may be accepted content beside another.
    accepted = before.sha256 if before is not None else ""
    if not verdict and list_.sha256 in chamber.refused - {"", accepted}:
        raise ListRefused("correction", "refused by a correction")
    whole = corrections.apply(list_)
    if before is not None:
        remember_civilities(whole, before)
    list_ = written_once(whole, chamber.two_people, before.pairs.keys() if before else ())
    record.pairs = len(list_.pairs)
    if verdict != "accepter":
        examine(list_, before, chamber.renewals, chamber.departed)
    for key, fuller in list_.fuller.items():
        both = whole.pairs[key], whole.pairs[fuller]
        corrections.know_shorter(chamber.name, *both)
        if before is None or not (key in before.fuller or key in before.pairs):
            record.renamed.append(_joined(both, corrections, chamber.name))
    return list_


def _joined(both: Joined, corrections: Corrections, chamber: str) -> dict[str, str]:
    """What the report says of one person under two names."""
    old, new = (corrections.name_of(chamber, pair) for pair in both)
    return {"elu_id": both[1].member, "old": old, "new": new}
