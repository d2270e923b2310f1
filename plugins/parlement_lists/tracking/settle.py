"""What one list cannot tell: who is only missing for some days, which departure an arrival answers."""

from __future__ import annotations

import datetime
import itertools
from collections import defaultdict
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from .diff import TwoPeople, no_two_people
from .reading.formats import Pair, PairKey
from .reading.names import near
from .stays import Stay

# A pair missing for so many days or less, then back, never left. 0 days instead would give 6 % more
# movements at the Assemblée and 23 % more at the Sénat, nearly all of them contracts renewed late.
FLICKER = datetime.timedelta(7)


class Evidence(NamedTuple):
    """The list that showed a change: its day, what its movements' source is, how sure the day is."""

    date: datetime.date
    source: str
    level: int


@dataclass
class Absence:
    """A pair that a list no longer has."""

    pair: Pair
    evidence: Evidence
    # The member has no row either.
    member_gone: bool
    stay: Stay
    # The day of the last list that had the pair.
    last_seen: str
    # It has lasted too long to be a flicker.
    decided: bool = False
    # The departure's identifier, once it is settled.
    departure: str = ""
    # A transfer answers it.
    answered: bool = False
    # The day the staff member came back to this very member: no later arrival answers it.
    ended: str = ""


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
    """The absences and arrivals of each person that are not settled, and departures that may be answered.

    For each list: `decide`, then `seen`, `end_absence` and the new absences and arrivals, then `settle`.
    """

    def __init__(self, transfer_days: int = 0) -> None:
        self.window = datetime.timedelta(transfer_days)
        self.absences: dict[str, list[Absence]] = defaultdict(list)
        self.arrivals: dict[str, list[Arrival]] = defaultdict(list)
        # Each member -> the undecided absences whose pairs the list last seen has not either.
        self._missing: dict[str, list[Absence]] = {}

    def copy(self) -> Unsettled:
        """A copy; settling it leaves this one as it is."""
        twin = Unsettled(self.window.days)
        for person, absences in self.absences.items():
            twin.absences[person] = [replace(absence) for absence in absences]
        for person, arrivals in self.arrivals.items():
            twin.arrivals[person] = list(arrivals)
        return twin

    def undecided(self) -> Iterator[Absence]:
        """The absences that may still turn out to be flickers."""
        yield from (a for a in itertools.chain(*self.absences.values()) if not a.decided)

    def unanswered(self) -> Iterator[Absence]:
        """The absences that no movement tells of yet."""
        for absence in itertools.chain(*self.absences.values()):
            if not absence.departure and not absence.answered:
                yield absence

    def absent(self, day: datetime.date) -> set[str]:
        """The persons who left a member so few days before that they may come back, or have moved."""
        return {
            absence.pair.person
            for absence in itertools.chain(*self.absences.values())
            if not absence.decided or day - absence.evidence.date <= self.window
        }

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

    def seen(self, members: Container[str], pairs: Container[PairKey]) -> None:
        """Note what a list has: members who have a row again did not leave with their staff."""
        self._missing = defaultdict(list)
        for absence in self.undecided():
            if absence.pair.member in members:
                absence.member_gone = False
            if absence.pair.key not in pairs:
                self._missing[absence.pair.member].append(absence)

    def is_missing(self, pair: Pair) -> bool:
        """Whether the pair itself has an undecided absence: its return is that of nobody else."""
        absences = self.absences.get(pair.person, ())
        return any(a.pair.member == pair.member and not a.decided for a in absences)

    def end_absence(
        self, pair: Pair, day: datetime.date, two_people: TwoPeople = no_two_people
    ) -> Absence | None:
        """The absence of a pair that was only missing, which is forgotten; None where there was none.

        The pair may be back under a name near to its own. A decided absence ends on `day`.
        """
        absences = self.absences.get(pair.person, [])
        for absence in [a for a in absences if a.pair.member == pair.member]:
            if not absence.decided:
                absences.remove(absence)
                return absence
            absence.ended = day.isoformat()
        missing = self._missing.get(pair.member, [])
        for absence in sorted(missing, key=lambda absence: absence.pair.person):
            known = absence.pair
            if near(known.person, pair.person) and not two_people(known, pair):
                missing.remove(absence)
                self.absences[known.person].remove(absence)
                return absence
        return None

    def settle(self, day: datetime.date | None) -> list[Settled]:
        """What is now sure; forgets what no arrival can answer any more. Without a day: for good."""
        settled: list[Settled] = []
        for person in sorted(self.absences.keys() | self.arrivals.keys()):
            settled += self._settle_arrivals(person)
            settled += self._settle_absences(person, day)
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
            candidates[0].answered = True
            yield Settled(candidates[0], arrival, len(candidates) > 1 or bool(rivals))

    def _candidates(self, arrival: Arrival) -> list[Absence]:
        """The absences an arrival may answer, the nearest in time first."""
        day = arrival.evidence.date
        found = [
            absence
            for absence in self.absences.get(arrival.pair.person, ())
            if not absence.answered
            and not (absence.ended and absence.ended <= day.isoformat())
            and absence.pair.member != arrival.pair.member
            and datetime.timedelta() <= day - absence.evidence.date <= self.window
        ]
        return sorted(found, key=lambda a: (day - a.evidence.date, a.pair.member))

    def _settle_absences(self, person: str, day: datetime.date | None) -> Iterator[Settled]:
        kept = []
        for absence in self.absences.get(person, []):
            if absence.decided and not absence.answered and not absence.departure:
                if self._awaited(absence):
                    kept.append(absence)
                    continue
                yield Settled(absence, None)
            last_use = absence.evidence.date + self.window
            spent = absence.answered or absence.ended
            if not absence.decided or (not spent and day is not None and day <= last_use):
                kept.append(absence)
        if person in self.absences:
            self.absences[person] = kept

    def _awaited(self, absence: Absence) -> bool:
        """Whether a waiting arrival may still answer this absence.

        Who is back at that very member has a new stay there, and left by what is known now.
        """
        return not absence.ended and any(
            absence in self._candidates(arrival) for arrival in self.arrivals[absence.pair.person]
        )


def _renamed(
    changes: dict[str, list[OneChange]], key: Callable[[str, str], str]
) -> dict[str, list[OneChange]]:
    """The changes under the keys that `key` gives to their persons, and each pair with it."""
    renamed: dict[str, list[OneChange]] = defaultdict(list)
    for change in itertools.chain(*changes.values()):
        change.pair = change.pair._replace(person=key(*change.pair.key))
        renamed[change.pair.person].append(change)
    return renamed
