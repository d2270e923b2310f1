"""Three invented chambers, day after day: who works for whom, and what truly happens."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from typing import NamedTuple

from parlement_lists.movement import words
from parlement_lists.sources.hooks import StaffRow

SIZES = {"assemblee": 60, "senat": 160, "europarl": 70}
GROUPS = {
    "assemblee": ("ALPHA", "BETA", "GAMMA"),
    "senat": ("UMP", "SOC", "UC"),
    "europarl": ("PPE", "S&D", "Renew"),
}
STAFF = 3
GIVEN = ("Jeanne", "Paul", "Maëlle", "Henri", "Zoé", "Cécile", "Anaïs", "Loïc", "Noël", "Inès")
_SYLLABLES = ("bel", "cor", "dan", "fou", "gri", "hau", "lem", "mir", "nol", "pra", "que", "ros")


class Member(NamedTuple):
    """One elected member of an invented chamber."""

    chamber: str
    id: str
    family: str
    given: str
    civility: str
    group: str


class Fact(NamedTuple):
    """One true movement: the day after which it shows, and what `key` compares."""

    day: datetime.date
    chamber: str
    type: str
    member: str
    person: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self[1:]


class World:
    """The chambers on a day, which `pass_day` moves on; seeded, so that two worlds are the same.

    `facts` are the movements that happened, `staff` who works for whom.
    """

    def __init__(self, first: datetime.date, seed: int = 13) -> None:
        self.chance = random.Random(seed)
        self.day = first
        self.names: set[str] = set()
        self.members = {chamber: self._seats(chamber) for chamber in SIZES}
        self.staff: dict[str, list[tuple[Member, tuple[str, str, str]]]] = {
            chamber: [(m, self._person()) for m in found for _ in range(STAFF)]
            for chamber, found in self.members.items()
        }
        self.facts: list[Fact] = []
        # Who is missing from the lists for some days, and has not left: with the day of the return.
        self.missing: list[tuple[str, Member, tuple[str, str, str], datetime.date]] = []

    def pass_day(self) -> None:
        """A night, in which somebody comes, leaves and changes member in each chamber."""
        self.day += datetime.timedelta(1)
        for chamber, staff in self.staff.items():
            for away in [one for one in self.missing if one[0] == chamber and one[3] == self.day]:
                self.missing.remove(away)
                staff.append(away[1:3])
            self._hires(chamber)
            self._leaves(chamber)
            if self.chance.random() < 0.5:
                self._changes_member(chamber)
            if self.chance.random() < 0.3:
                # One who never leaves: nobody is away and changes member at once.
                member, person = staff.pop(
                    self.chance.randrange(SIZES[chamber], 2 * SIZES[chamber])
                )
                back = self.day + datetime.timedelta(2)
                self.missing.append((chamber, member, person, back))

    def rows(self, chamber: str) -> list[StaffRow]:
        """The chamber's list."""
        return [
            StaffRow(m.id, m.family, m.given, m.group, civility, family.upper(), given)
            for m, (civility, given, family) in self.staff[chamber]
        ]

    def truth(self) -> Counter[tuple[str, str, str, str]]:
        """What happened, each movement once."""
        return Counter(fact.key for fact in self.facts)

    def end(self) -> None:
        """Bring back who is missing."""
        for chamber, member, person, _ in self.missing:
            self.staff[chamber].append((member, person))
        self.missing = []

    def _seats(self, chamber: str) -> list[Member]:
        found = []
        for number in range(SIZES[chamber]):
            civility, given, family = self._person()
            id_ = {
                "assemblee": f"PA{720001 + number}",
                "senat": f"{20001 + number}{'ABCDEFGH'[number % 8]}",
                "europarl": str(190001 + number),
            }[chamber]
            group = GROUPS[chamber][number % 3]
            found.append(Member(chamber, id_, family, given, civility, group))
        return found

    def _person(self) -> tuple[str, str, str]:
        """Somebody new, whose family name is nobody's."""
        while True:
            family = "".join(self.chance.sample(_SYLLABLES, 4)).capitalize()
            if family not in self.names:
                self.names.add(family)
                return self.chance.choice(("M.", "Mme")), self.chance.choice(GIVEN), family

    def _fact(self, chamber: str, kind: str, member: Member, person: tuple[str, str, str]) -> None:
        self.facts.append(Fact(self.day, chamber, kind, member.id, words(*person[1:])))

    def _hires(self, chamber: str) -> None:
        member, person = self.chance.choice(self.members[chamber]), self._person()
        self.staff[chamber].append((member, person))
        self._fact(chamber, "arrivee", member, person)

    def _leaves(self, chamber: str) -> None:
        staff = self.staff[chamber]
        # Who came some days ago may not have been seen yet.
        member, person = staff.pop(self.chance.randrange(SIZES[chamber]))
        self._fact(chamber, "depart", member, person)

    def _changes_member(self, chamber: str) -> None:
        staff = self.staff[chamber]
        before, person = staff.pop(self.chance.randrange(SIZES[chamber]))
        others = [member for member in self.members[chamber] if member != before]
        after = self.chance.choice(others)
        staff.append((after, person))
        self._fact(chamber, "transfert", after, person)
