"""What one list cannot tell: who is only missing for some days, which departure an arrival answers."""

from __future__ import annotations

import datetime
import itertools
from collections import defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from .confidence import level
from .diff import TwoPeople, no_two_people
from .reading.formats import Pair, PairKey
from .reading.names import near
from .stays import Stay

# A pair missing for so many days or less, then back, never left. 0 days instead would give 7 % more
# movements at the Assemblée and 9 % more at the Sénat, in a year of each (figure `flicker`).
FLICKER = datetime.timedelta(7)


class Evidence(NamedTuple):
    """The list that showed a change: its day, what its movements' source is, how sure the day is."""

    date: datetime.date
    source: str
    level: int

    def after(self, day: datetime.date, doubtful: bool) -> Evidence:
        """The same of a change that came after a day: no surer than the days since then allow."""
        return self._replace(level=max(self.level, level((self.date - day).days, doubtful)))


@dataclass
class Absence:
    """A pair that a list no longer has."""

    pair: Pair
    evidence: Evidence
    # The member has no row either, in no list since.
    member_gone: bool
    stay: Stay
    # The day of the last list that had the pair.
    last_seen: str
    # It has lasted too long to be a flicker.
    decided: bool = False


@dataclass
class Arrival:
    """A pair that the list before did not have, until it is known which absence it answers."""

    pair: Pair
    evidence: Evidence
    new_member: bool
    stay: Stay


class Settled(NamedTuple):
    """An absence that lasted, a departure; an arrival that answers none; or both, a transfer.

    `ambiguous` when the arrival could have answered another absence, or another arrival this one.
    """

    absence: Absence | None
    arrival: Arrival | None
    ambiguous: bool = False


OneChange = TypeVar("OneChange", Absence, Arrival)


class Unsettled:
    """The absences and arrivals of each person that are not settled.

    For each list: `decide`, `seen`, `end_absence`, `back` and the new absences and arrivals, then `settle`.
    """

    def __init__(self) -> None:
        self.absences: dict[str, list[Absence]] = defaultdict(list)
        self.arrivals: dict[str, list[Arrival]] = defaultdict(list)
        # Each member -> the undecided absences whose pairs the list last seen has not either.
        self._missing: dict[str, list[Absence]] = {}

    def copy(self) -> Unsettled:
        """A copy; settling it leaves this one as it is."""
        twin = Unsettled()
        for person, absences in self.absences.items():
            twin.absences[person] = [replace(absence) for absence in absences]
        for person, arrivals in self.arrivals.items():
            twin.arrivals[person] = list(arrivals)
        return twin

    def undecided(self) -> Iterator[Absence]:
        """The absences that may still turn out to be flickers."""
        yield from (a for a in itertools.chain(*self.absences.values()) if not a.decided)

    def absent(self) -> set[str]:
        """The persons who left a member so few days before that they may come back, or have moved."""
        return {absence.pair.person for absence in self.undecided()}

    def waiting(self) -> Iterator[Arrival]:
        """The arrivals that wait for an absence to be decided."""
        return itertools.chain(*self.arrivals.values())

    def rename(self, key: Callable[[str, str], str]) -> None:
        """Give each person the key that `key` makes of the member and the person."""
        self.absences = _renamed(self.absences, key)
        self.arrivals = _renamed(self.arrivals, key)

    def decide(self, day: datetime.date | None) -> None:
        """Decide the absences that by `day` are too long to be flickers; all of them without a day."""
        for absence in self.undecided():
            absence.decided = day is None or day - absence.evidence.date > FLICKER

    def seen(self, pairs: Container[PairKey]) -> None:
        """Note which pairs a list has."""
        self._missing = defaultdict(list)
        for absence in self.undecided():
            if absence.pair.key not in pairs:
                self._missing[absence.pair.member].append(absence)

    def is_missing(self, pair: Pair) -> bool:
        """Whether the pair itself has an undecided absence: its return is that of nobody else."""
        absences = self.absences.get(pair.person, ())
        return any(a.pair.member == pair.member and not a.decided for a in absences)

    def end_absence(self, pair: Pair, two_people: TwoPeople = no_two_people) -> Absence | None:
        """The absence of a pair that was only missing, which is forgotten; None where there was none.

        The pair may be back under a name near to its own.
        """
        absences = self.absences.get(pair.person, [])
        for absence in absences:
            if absence.pair.member == pair.member and not absence.decided:
                absences.remove(absence)
                return absence
        missing = self._missing.get(pair.member, [])
        for absence in sorted(missing, key=lambda absence: absence.pair.person):
            known = absence.pair
            if near(known.person, pair.person) and not two_people(known, pair):
                missing.remove(absence)
                self.absences[known.person].remove(absence)
                return absence
        return None

    def back(self, members: Container[str]) -> None:
        """Note the members who have a row again: they did not leave with their staff."""
        for absence in self.undecided():
            if absence.pair.member in members:
                absence.member_gone = False

    def settle(self) -> list[Settled]:
        """What is now sure, which is forgotten."""
        settled: list[Settled] = []
        for person in sorted(self.absences.keys() | self.arrivals.keys()):
            settled += self._settle_arrivals(person)
            settled += self._settle_absences(person)
            for kept in (self.absences, self.arrivals):
                if not kept.get(person):
                    kept.pop(person, None)
        return settled

    def _settle_arrivals(self, person: str) -> Iterator[Settled]:
        arrivals = self.arrivals.get(person, [])
        while arrivals:
            candidates = self._candidates(arrivals[0])
            if not all(absence.decided for absence in candidates):
                return
            arrival = arrivals.pop(0)
            if not candidates:
                yield Settled(None, arrival)
                continue
            rivals = [a for a in arrivals if a.evidence.date == arrival.evidence.date]
            self.absences[person].remove(candidates[0])
            yield Settled(candidates[0], arrival, len(candidates) > 1 or bool(rivals))

    def _candidates(self, arrival: Arrival) -> list[Absence]:
        """The absences an arrival may answer, those of its day at other members, by member."""
        found = [
            absence
            for absence in self.absences.get(arrival.pair.person, ())
            if absence.pair.member != arrival.pair.member
            and absence.evidence.date == arrival.evidence.date
        ]
        return sorted(found, key=lambda absence: absence.pair.member)

    def _settle_absences(self, person: str) -> Iterator[Settled]:
        absences = self.absences.get(person, [])
        yield from (Settled(absence, None) for absence in absences if absence.decided)
        absences[:] = [absence for absence in absences if not absence.decided]


def _renamed(
    changes: dict[str, list[OneChange]], key: Callable[[str, str], str]
) -> dict[str, list[OneChange]]:
    """The changes under the keys that `key` gives to their persons, each pair with it, by day."""
    renamed: dict[str, list[OneChange]] = defaultdict(list)
    for change in sorted(itertools.chain(*changes.values()), key=lambda c: c.evidence.date):
        change.pair = change.pair._replace(person=key(*change.pair.key))
        renamed[change.pair.person].append(change)
    return renamed
