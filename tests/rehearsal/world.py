"""Three invented chambers, day after day: who works for whom, and what truly happens."""

from __future__ import annotations

import datetime
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from parlement_lists.movement import words
from parlement_lists.sources.hooks import StaffRow

# As small as readers believe a chamber to be, with room for members whose last staff leaves in a year.
SIZES = {"assemblee": 60, "senat": 180, "europarl": 70}
# Deputies who never have staff: in a zip that takes another's place half of all 577 seats must be filled.
WITHOUT_STAFF = 240
STAFF = {"assemblee": 4, "senat": 2, "europarl": 3}
# How likely it is on a night, by chamber, that somebody comes, leaves, changes member, is missing for some days.
HIRES, LEAVES, CHANGES, MISSES = 0.25, 0.25, 0.05, 0.05
AWAY = datetime.timedelta(2)
# Within so long a list shows who came: for nights no run may come, and lists of a backup may be as old.
SEEN = datetime.timedelta(30)
GROUPS = {
    "assemblee": ("ALPHA", "BETA", "GAMMA"),
    "senat": ("UMP", "SOC", "UC"),
    "europarl": ("PPE", "S&D", "Renew"),
}
GIVEN = ("Jeanne", "Paul", "Maëlle", "Henri", "Zoé", "Cécile", "Anaïs", "Loïc", "Noël", "Inès")
NO_RENEWAL: Mapping[str, int] = MappingProxyType({})
_SYLLABLES = ("bel", "cor", "dan", "fou", "gri", "hau", "lem", "mir", "nol", "pra", "que", "ros")


class Member(NamedTuple):
    """One elected member of an invented chamber."""

    chamber: str
    id: str
    family: str
    given: str
    civility: str
    group: str
    since: datetime.date


Key = tuple[str, str, str, str]


class Fact(NamedTuple):
    """One true movement: the first day whose list shows it, and what `key` compares; a transfer has its `origin`."""

    day: datetime.date
    chamber: str
    type: str
    member: str
    person: str
    origin: str = ""

    @property
    def key(self) -> Key:
        return self[1:5]


class Absence(NamedTuple):
    """Somebody whom the lists lack from a day on, and have again on another, and who never left."""

    gone: datetime.date
    back: datetime.date
    chamber: str
    member: str
    person: str

    def as_facts(self) -> tuple[Fact, Fact]:
        """How it looks to whom has no list of the days between."""
        return (
            Fact(self.gone, self.chamber, "depart", self.member, self.person),
            Fact(self.back, self.chamber, "arrivee", self.member, self.person),
        )


class World:
    """The chambers on a day, which `pass_day` moves on; seeded, so that two worlds are the same.

    `facts` are the movements that happened, `staff` who works for whom, `legislature` that of the Assemblée
    and `elections` their first days in this world.
    """

    def __init__(self, first: datetime.date, seed: int) -> None:
        self.chance = random.Random(seed)
        self.day = first
        self.names: set[str] = set()
        self.legislature = 17
        self.elections: list[datetime.date] = []
        self.members = {
            chamber: [self._seat(chamber, number) for number in range(size)]
            for chamber, size in SIZES.items()
        }
        self.deputies_without_staff = [_without_staff(n, first) for n in range(WITHOUT_STAFF)]
        self.staff: dict[str, list[tuple[Member, tuple[str, str, str]]]] = {
            chamber: [(m, self._person()) for m in found for _ in range(STAFF[chamber])]
            for chamber, found in self.members.items()
        }
        # The given names that each member's staff had.
        self.given: dict[str, set[str]] = defaultdict(set)
        for staff in self.staff.values():
            for member, person in staff:
                self.given[member.id].add(person[1])
        # The day on which each member last took somebody on, but for the staff they were seated with.
        self.hired: dict[str, datetime.date] = {}
        self.facts: list[Fact] = []
        self.seated = dict(SIZES)
        self.absences: list[Absence] = []
        # Who is missing from the lists for some days, and has not left: with the day of the return.
        self.missing: list[tuple[str, Member, tuple[str, str, str], datetime.date]] = []

    def pass_day(self, renewals: Mapping[str, int] = NO_RENEWAL) -> None:
        """A night, in which somebody may come, leave and change member in each chamber.

        In `renewals` so many members of a chamber are replaced; where they are deputies, that is a general election.
        """
        self.day += datetime.timedelta(1)
        for chamber, seats in renewals.items():
            self._renew(chamber, seats)
        if "assemblee" in renewals:
            self.legislature += 1
            self.elections.append(self.day)
        for chamber, staff in self.staff.items():
            for away in [one for one in self.missing if one[0] == chamber and one[3] == self.day]:
                self.missing.remove(away)
                staff.append(away[1:3])
            for likely, happens in (
                (HIRES, self._hires),
                (LEAVES, self._leaves),
                (CHANGES, self._changes_member),
                (MISSES, self._misses),
            ):
                if self.chance.random() < likely:
                    happens(chamber)

    def seated_in(self, chamber: str) -> list[Member]:
        """The chamber's members, those without staff last."""
        others = self.deputies_without_staff if chamber == "assemblee" else []
        return [*self.members[chamber], *others]

    def rows(self, chamber: str) -> list[StaffRow]:
        """The chamber's list."""
        return [
            StaffRow(m.id, m.family, m.given, m.group, civility, family.upper(), given)
            for m, (civility, given, family) in self.staff[chamber]
        ]

    def _renew(self, chamber: str, seats: int) -> None:
        """So many members go, each with all staff, and others come with theirs.

        Those who took nobody on of late go first: no list may have seen whom another took on days ago.
        """
        members = self.members[chamber]
        seen = self.day - SEEN
        settled = [m.id for m in members if self.hired.get(m.id, seen) <= seen]
        gone = {*self.chance.sample(settled, min(seats, len(settled)))}
        others = [m.id for m in members if m.id not in settled]
        gone.update(self.chance.sample(others, seats - len(gone)))
        for member, person in self.staff[chamber]:
            if member.id in gone:
                self._fact(chamber, "depart", member, person)
        self.staff[chamber] = [one for one in self.staff[chamber] if one[0].id not in gone]
        # Who is away from a member who goes has left as well, and was in no list since.
        for away in [one for one in self.missing if one[1].id in gone]:
            self.missing.remove(away)
            absence = _absence(*away)
            self.absences.remove(absence)
            self.facts.append(absence.as_facts()[0])
        come = [self._seat(chamber, self.seated[chamber] + n) for n in range(seats)]
        self.seated[chamber] += seats
        self.members[chamber] = [m for m in members if m.id not in gone] + come
        for member in come:
            for _ in range(STAFF[chamber]):
                person = self._person()
                self.staff[chamber].append((member, person))
                self._fact(chamber, "arrivee", member, person)

    def _seat(self, chamber: str, number: int) -> Member:
        civility, given, family = self._person()
        id_ = {
            "assemblee": f"PA{720001 + number}",
            "senat": f"{20001 + number}{'ABCDEFGH'[number % 8]}",
            "europarl": str(190001 + number),
        }[chamber]
        group = GROUPS[chamber][number % 3]
        return Member(chamber, id_, family, given, civility, group, self.day)

    def _person(self) -> tuple[str, str, str]:
        """Somebody new, whose family name is nobody's."""
        while True:
            family = "".join(self.chance.sample(_SYLLABLES, 4)).capitalize()
            if family not in self.names:
                self.names.add(family)
                return self.chance.choice(("M.", "Mme")), self.chance.choice(GIVEN), family

    def _fact(
        self,
        chamber: str,
        kind: str,
        member: Member,
        person: tuple[str, str, str],
        origin: str = "",
    ) -> None:
        self.facts.append(Fact(self.day, chamber, kind, member.id, words(*person[1:]), origin))
        self.given[member.id].add(person[1])

    def _hires(self, chamber: str) -> None:
        person = self._person()
        member = self.chance.choice(self._may_hire(self.members[chamber], person))
        self.staff[chamber].append((member, person))
        self.hired[member.id] = self.day
        self._fact(chamber, "arrivee", member, person)

    def _may_hire(self, members: Sequence[Member], person: tuple[str, str, str]) -> list[Member]:
        """The members at whom nobody had the person's given name.

        Who comes where another of one given name goes passes for her under a new family name.
        """
        return [member for member in members if person[1] not in self.given[member.id]]

    def _leaves(self, chamber: str) -> None:
        staff = self.staff[chamber]
        # Who came some days ago may not have been seen yet.
        member, person = staff.pop(self.chance.randrange(SIZES[chamber]))
        self._fact(chamber, "depart", member, person)

    def _changes_member(self, chamber: str) -> None:
        staff = self.staff[chamber]
        before, person = staff.pop(self.chance.randrange(SIZES[chamber]))
        others = [member for member in self.members[chamber] if member != before]
        after = self.chance.choice(self._may_hire(others, person))
        staff.append((after, person))
        self.hired[after.id] = self.day
        self._fact(chamber, "transfert", after, person, before.id)

    def _misses(self, chamber: str) -> None:
        # One who never leaves: nobody is away and changes member at once.
        place = self.chance.randrange(SIZES[chamber], SIZES[chamber] * 3 // 2)
        member, person = self.staff[chamber].pop(place)
        away = chamber, member, person, self.day + AWAY
        self.missing.append(away)
        self.absences.append(_absence(*away))


def _absence(
    chamber: str, member: Member, person: tuple[str, str, str], back: datetime.date
) -> Absence:
    return Absence(back - AWAY, back, chamber, member.id, words(*person[1:]))


def _without_staff(number: int, since: datetime.date) -> Member:
    # Of their number alone: a draw would change what happens in every year.
    syllables = [_SYLLABLES[number // 12**place % 12] for place in range(3)]
    family, given = "".join(syllables).capitalize(), GIVEN[number % len(GIVEN)]
    group = GROUPS["assemblee"][number % 3]
    return Member("assemblee", f"PA{710001 + number}", family, given, "Mme", group, since)
