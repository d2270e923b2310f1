"""All accepted lists of a chamber, in order -> the stays of its staff with its members, in one pass."""

from __future__ import annotations

import datetime
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..movement import plain, words
from ..tenure import identifier
from . import people
from .guard import mostly_back, near_renewal
from .members.known_members import Name
from .people import Change, TwoPeople
from .reading.formats import Pair, PairKey
from .reading.lists import List
from .reading.names import has_a_word_more, near

# A pair missing for so many days or less, then back, never left. 0 days instead would give 7 % more
# movements at the Assemblée and 9 % more at the Sénat, in a year of each.
FLICKER = datetime.timedelta(7)


class Step(NamedTuple):
    """From one accepted list to the next: what is known of a change that the later one shows.

    `number` counts the lists from 0, `kind` is the source of its movements; `doubtful` where what it
    shows may be older, as after refused lists.
    """

    number: int
    before: datetime.date
    day: datetime.date
    kind: str
    doubtful: bool

    @property
    def gap(self) -> int:
        """The days without a list before it."""
        return (self.day - self.before).days


@dataclass
class Stay:
    """A person's time with a member, from the first list that has the pair to the first that lacks it.

    `first` and `last` are the pair as it was written then, `names` the full names one after the other,
    `former` those that a new family name replaced, or one with a word more or less. `begin` is None of who was there
    in the chamber's first list, `end` of who is there in the last one; `back` of who came in a list that mostly has
    people back. `begin_id` and `end_id` are the movements that begin and end it.
    """

    first: Pair
    last: Pair
    begun: datetime.date
    begin: Step | None
    last_day: datetime.date
    end: Step | None = None
    back: bool = False
    names: list[str] = field(default_factory=list)
    former: list[str] = field(default_factory=list)
    begin_id: str = ""
    end_id: str = ""

    def id(self, chamber: str) -> str:
        """The stable identifier (see `tenure.identifier`)."""
        person = words(self.first.family, self.first.given)
        return identifier(chamber, self.first.member, person, self.begun.isoformat())

    def go_on(self, pair: Pair) -> None:
        """Go on under a pair that may have another spelling than before, or a new name."""
        old, self.last, self.end = self.last, pair, None
        if old.person == pair.person:
            return
        taken = plain(old.given) == plain(pair.given) and has_a_word_more(old.family, pair.family)
        if taken or not near(old.person, pair.person):
            self.former.append(full_name(old))
        self.names = self.names or [full_name(old)]
        if (name := full_name(pair)) in self.names:
            del self.names[self.names.index(name) :]
        self.names.append(name)


def full_name(pair: Pair) -> str:
    return f"{pair.given} {pair.family}".strip()


class ChamberStays:
    """A chamber's accepted lists so far: its stays, and on which lists each member is.

    `departed` are the pairs that left and are not back, with the day of the list that no longer had them.
    `doubtful` says that a list was refused since the last accepted one, whose day and time is `moment`; `refused`
    has the SHA-256 of those that corrections refused. `two_people`: see `people`.
    """

    def __init__(self, name: str, renewals: Sequence[datetime.date], two_people: TwoPeople) -> None:
        self.name = name
        self.renewals = renewals
        self.two_people = two_people
        self.moment: tuple[datetime.date, str] | None = None
        self.doubtful = False
        self.refused: set[str] = set()
        self.stays: list[Stay] = []
        self.days: list[datetime.date] = []
        self.kind = ""
        self.last: List | None = None
        self.departed: dict[PairKey, datetime.date] = {}
        # Each member -> the numbers of the lists from which on they name somebody there, no longer, again ...
        self._turns: dict[str, list[int]] = defaultdict(list)
        self._open: dict[PairKey, Stay] = {}
        # Two names at a member that were one person's.
        self._renamed: set[frozenset[PairKey]] = set()
        # Stays whose pair was missing from a list at most FLICKER ago.
        self._missing: dict[PairKey, Stay] = {}
        # Each member -> the names that lists gave, each with the number of the first list that did.
        self._names: dict[str, list[tuple[int, Name]]] = {}

    def take(self, list_: List, moment: tuple[datetime.date, str], kind: str) -> Change:
        """Take an accepted list, not older than the last one; what changed."""
        # What a list refused before shows may be older than it says.
        doubtful, self.doubtful = self.doubtful, False
        self.moment, self.refused = moment, set()
        before, self.last, self.kind = self.last, list_, kind
        number = len(self.days)
        self.days.append(list_.date)
        for member in list_.members.keys() ^ (before.members.keys() if before else set()):
            self._turns[member].append(number)
        if before is None:
            self._learn_names(list_.pairs.values(), number)
            for pair in list_.pairs.values():
                self._begin(pair, list_.date, None)
            return Change([], [], [])
        doubtful = doubtful or list_.source != before.source
        step = Step(number, before.date, list_.date, kind, doubtful)
        self._missing = {
            key: stay
            for key, stay in self._missing.items()
            if stay.end and list_.date - stay.end.day <= FLICKER
        }
        missing = {key: stay.last for key, stay in self._missing.items()}
        change = people.compare(
            before, list_, self.two_people, self.departed, missing, self._renamed
        )
        self._learn_names((*change.lost, *change.gained), number)
        # A list before it may have lacked them for some days, as when nobody looks after it.
        back: Container[PairKey] = ()
        if not near_renewal(before.date, list_.date, self.renewals):
            gained = [pair.key for pair in change.gained]
            back = set(mostly_back(self.departed, gained, list_.date))
        for key in (*(pair.key for pair in change.gained), *list_.fuller):
            self.departed.pop(key, None)
        for old, new in change.joined:
            # Under a near name the old one did not leave either: it may be written again.
            self.departed.pop(old.key, None)
            self._renamed.add(frozenset((old.key, new.key)))
            stay = self._missing.pop(old.key) if old.key in missing else self._open.pop(old.key)
            list_.pairs[new.key] = people.with_civility(old, new)
            stay.go_on(list_.pairs[new.key])
            self._open[new.key] = stay
        for pair in change.gained:
            if pair.key not in self._open:
                self._begin(pair, list_.date, step, back=pair.key in back)
        for pair in change.lost:
            stay = self._open.pop(pair.key)
            # As the list before wrote it: the split of a name may have changed, and the function.
            stay.last = pair
            stay.last_day, stay.end = before.date, step
            self._missing[pair.key] = stay
            self.departed[pair.key] = list_.date
        return change

    def close(self, list_: List) -> None:
        """Note of the stays that go on how the last list writes them."""
        for key, stay in self._open.items():
            stay.last, stay.last_day = list_.pairs[key], list_.date

    def is_held(self, step: Step | None) -> bool:
        """Whether an end may still turn out to be an absence of some days: a later list will tell.

        None follows archives.
        """
        undecided = step is not None and self.days[-1] - step.day <= FLICKER
        return undecided and self.kind == "suivi"

    def name_on(self, member: str, number: int) -> Name:
        """The name that lists up to that one give a member."""
        names = self._names[member]
        return next((name for since, name in reversed(names) if since <= number), names[0][1])

    def names(self, member: str, number: int) -> bool:
        """Whether a list names somebody with a member."""
        return bisect_right(self._turns[member], number) % 2 == 1

    def next_list(self, member: str, number: int) -> int | None:
        """The first list that names somebody with a member again, after one that does not."""
        turns = self._turns[member]
        place = bisect_right(turns, number)
        return turns[place] if place < len(turns) else None

    def last_list(self, member: str, number: int) -> int | None:
        """The last list before that one which names somebody with a member."""
        turns = self._turns[member]
        place = bisect_left(turns, number)
        if place % 2:
            return number - 1
        return turns[place - 1] - 1 if place else None

    def _begin(self, pair: Pair, day: datetime.date, step: Step | None, back: bool = False) -> None:
        stay = Stay(pair, pair, day, step, day, back=back)
        self.stays.append(stay)
        self._open[pair.key] = stay

    def _learn_names(self, pairs: Iterable[Pair], number: int) -> None:
        # A name whose words are known keeps its first split: lists cut compound names now here, now
        # there, and the member's key would change with them.
        for pair in pairs:
            names = self._names.setdefault(pair.member, [])
            full = f"{pair.member_given} {pair.member_family}".strip()
            if not names or sorted(names[-1][1].full.split()) != sorted(full.split()):
                names.append((number, Name(full, pair.member_family, pair.member_given)))
