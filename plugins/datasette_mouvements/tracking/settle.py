"""What cannot be known at once: who is only missing for some days, which departure an arrival answers."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from .formats import Pair

# A pair missing for so many days or less, then back, never left. 0 days instead would give 6 % more
# movements at the Assemblée and 23 % more at the Sénat, nearly all of them contracts renewed late.
FLICKER = datetime.timedelta(7)


class Origin(NamedTuple):
    """What the list that showed a change said about it."""

    date: datetime.date
    source: str
    level: int


@dataclass
class Absence:
    """A pair that a list no longer has. `gone` while the member has no row either."""

    pair: Pair
    origin: Origin
    gone: bool
    decided: bool = False
    # The departure's identifier, once it is out.
    published: str = ""
    # A transfer answers it.
    used: bool = False
    # The day the staff member came back to this very member: no later arrival answers it.
    closed: str = ""


@dataclass
class Arrival:
    """A pair that a list has for the first time, whose staff member is missing elsewhere."""

    pair: Pair
    origin: Origin
    new_member: bool


class Departed(NamedTuple):
    """An absence that lasted: the staff member left."""

    absence: Absence


class Arrived(NamedTuple):
    """An arrival that answers no departure."""

    arrival: Arrival


class Moved(NamedTuple):
    """An arrival that answers a departure; `ambiguous` when it could have answered another."""

    arrival: Arrival
    absence: Absence
    ambiguous: bool


Settled = Departed | Arrived | Moved


class Unsettled:
    """The absences and arrivals that are not settled, and the departures a transfer may still answer."""

    def __init__(self, transfer_days: int = 0) -> None:
        self.window = datetime.timedelta(transfer_days)
        self.absences: dict[str, list[Absence]] = defaultdict(list)
        self.arrivals: dict[str, list[Arrival]] = defaultdict(list)

    def copy(self) -> Unsettled:
        """A copy that can be settled without touching this one."""
        twin = Unsettled(self.window.days)
        for person, absences in self.absences.items():
            twin.absences[person] = [replace(absence) for absence in absences]
        for person, arrivals in self.arrivals.items():
            twin.arrivals[person] = list(arrivals)
        return twin

    def undecided(self) -> Iterator[Absence]:
        """The absences that may still turn out to be flickers."""
        for absences in self.absences.values():
            yield from (absence for absence in absences if not absence.decided)

    def waiting(self) -> Iterator[Arrival]:
        """The arrivals that wait for an absence to be decided."""
        for arrivals in self.arrivals.values():
            yield from arrivals

    def rename(self, key: Callable[[str, str], str]) -> None:
        """Give each person the key that `key` makes of member and person."""
        absences = [a for found in self.absences.values() for a in found]
        arrivals = list(self.waiting())
        self.absences.clear()
        self.arrivals.clear()
        for absence in absences:
            absence.pair = renamed = _renamed(absence.pair, key)
            self.absences[renamed.person].append(absence)
        for arrival in arrivals:
            arrival.pair = renamed = _renamed(arrival.pair, key)
            self.arrivals[renamed.person].append(arrival)

    def decide(self, day: datetime.date | None) -> None:
        """Decide the absences that on `day` last too long to be flickers; all of them without a day."""
        for absence in self.undecided():
            absence.decided = day is None or day - absence.origin.date > FLICKER

    def returned(self, pair: Pair, day: datetime.date) -> bool:
        """Whether the pair was only missing; it is then no longer absent."""
        absences = self.absences.get(pair.person, [])
        for absence in [a for a in absences if a.pair.elu == pair.elu]:
            if not absence.decided:
                absences.remove(absence)
                return True
            absence.closed = day.isoformat()
        return False

    def seen(self, members: Iterable[str]) -> None:
        """Members a list has again did not leave the chamber with their staff."""
        present = set(members)
        for absence in self.undecided():
            if absence.pair.elu in present:
                absence.gone = False

    def settle(self, day: datetime.date | None) -> list[Settled]:
        """What can now be said for sure, after `decide`; forgets what nothing can answer any more."""
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
            rivals = [a for a in arrivals[1:] if a.origin.date == arrivals[0].origin.date]
            arrival = arrivals.pop(0)
            if not candidates:
                yield Arrived(arrival)
                continue
            candidates[0].used = True
            yield Moved(arrival, candidates[0], len(candidates) > 1 or bool(rivals))

    def _candidates(self, arrival: Arrival) -> list[Absence]:
        """The absences an arrival may answer, the nearest in time first."""
        day = arrival.origin.date
        found = [
            absence
            for absence in self.absences.get(arrival.pair.person, ())
            if not absence.used
            and not (absence.closed and absence.closed <= day.isoformat())
            and absence.pair.elu != arrival.pair.elu
            and datetime.timedelta() <= day - absence.origin.date <= self.window
        ]
        return sorted(found, key=lambda a: (day - a.origin.date, a.pair.elu))

    def _settle_absences(self, person: str, day: datetime.date | None) -> Iterator[Settled]:
        kept = []
        for absence in self.absences.get(person, []):
            if absence.decided and not absence.used and not absence.published:
                if self._awaited(absence):
                    kept.append(absence)
                    continue
                yield Departed(absence)
            last_use = absence.origin.date + self.window
            spent = absence.used or absence.closed
            if not absence.decided or (not spent and day is not None and day <= last_use):
                kept.append(absence)
        if person in self.absences:
            self.absences[person] = kept

    def _awaited(self, absence: Absence) -> bool:
        """Whether a waiting arrival may still answer this absence."""
        return any(
            absence in self._candidates(arrival) for arrival in self.arrivals[absence.pair.person]
        )


def _renamed(pair: Pair, key: Callable[[str, str], str]) -> Pair:
    return pair._replace(person=key(pair.elu, pair.person))
