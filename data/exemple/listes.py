"""Writes invented daily lists, members and corrections: python data/exemple/listes.py DIR

Nothing of it is real. The same bytes come out every time, on any machine: what `datasette mouvements build
--invented DB --lists DIR/listes --members DIR/elus --corrections DIR/corrections.yml` takes.
"""

from __future__ import annotations

import csv
import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple, TypeVar

sys.path.insert(0, str(Path(__file__).parent))
from noms import CONTRACTS, GIVEN, GROUP_NAMES, GROUPS, NAMED, ROLES, ROOTS, STAYS, SUFFIXES

T = TypeVar("T")
FIRST, DAILY, LAST = date(2023, 11, 6), date(2026, 9, 7), date(2026, 11, 20)
# The lists of a chamber end here, where they end before LAST.
LATE = {"senat": date(2026, 11, 6)}
# The lists before and after more than ten days without one.
HOLES = {
    "assemblee": [(date(2024, 6, 7), date(2024, 7, 18)), (date(2025, 2, 3), date(2025, 4, 14))],
    "senat": [(date(2025, 5, 5), date(2025, 7, 28))],
    "europarl": [(date(2025, 12, 19), date(2026, 1, 19))],
}
REFUSED = ("assemblee", date(2026, 11, 17))
SEATS = {"assemblee": 90, "senat": 56, "europarl": 44}
IDENTIFIERS = {"assemblee": "PA9990{:02d}", "senat": "990{:02d}Z", "europarl": "9990{:02d}"}
# The terms of a chamber's seats; of the Sénat's, one half or the other.
TERMS = {
    "assemblee": [[(date(2022, 6, 22), date(2024, 6, 9)), (date(2024, 7, 8), None)]],
    "senat": [
        [(date(2023, 10, 2), None)],
        [(date(2020, 10, 1), date(2026, 9, 30)), (date(2026, 10, 1), None)],
    ],
    "europarl": [[(date(2019, 7, 2), date(2024, 7, 15)), (date(2024, 7, 16), None)]],
}
# Groups of a new assembly form some days after it.
FORMED = {date(2024, 7, 8): date(2024, 7, 18)}
TEAMS = (0, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 8, 9)
# Who gives up a seat on a day, and who has it after: "" for somebody of no other mark.
SUCCESSIONS = {
    "Ignace Crocusard": (date(2026, 10, 11), "Anatole Sansonneterre-Quillebœuf-Damiens"),
    "Aristide Butinard": (date(2026, 11, 15), "Tiphaine Brugnonet"),
    "Ulysse Buissonnel": (date(2025, 6, 17), ""),
    "Gontran Azurain": (date(2025, 9, 30), ""),
    "Firmin Vaucresson-Lys": (date(2025, 10, 14), ""),
}
GROUP_CHANGES = {
    "Apolline Vertbuisson": ("NI", date(2026, 11, 17)),
    "Philomène Chantegrive": ("HIR", date(2025, 1, 15)),
    "Eulalie D’Issoncelle": ("MAR", date(2025, 10, 6)),
    "Joséphine Nantillac": ("BOR", date(2025, 11, 3)),
}
CORRECTIONS = """\
# Inventé, comme tout ce que listes.py écrit.
- {date: 2026-11-18, raison: "Demande d’effacement", masquer: {nom: "Sabine Quenouillard-Merlet"}}
- {date: 2026-11-16, raison: "Deux homonymes", homonymes: {nom: "Camille Petit-Fauconnet", elus: [%(homonym)s]}}
- {date: 2026-10-05, raison: "Nom d’usage", meme_personne: {noms: ["Zoé Pervenchère", "Zoé Chantelouve-Noiret"], chambre: senat}}
- date: 2026-11-18
  raison: Signalé par l’équipe
  ajouter: {date_event: 2026-11-02, chambre: assemblee, type: arrivee, collab_nom: AUBÉPINAC, collab_prenom: Rosalie, elu_id: %(added)s}
"""


class Person(NamedTuple):
    """Somebody who works for members."""

    civility: str
    family: str
    given: str


@dataclass
class Member:
    """Somebody elected: mandates and groups are (first day, last day or None), the group's code before."""

    chamber: str
    id: str
    civility: str
    given: str
    family: str
    team: int
    mandates: list[tuple[date, date | None]] = field(default_factory=list)
    groups: list[tuple[str, date, date | None]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.given} {self.family}"

    @property
    def until(self) -> date | None:
        return self.mandates[-1][1]

    def sits(self, day: date) -> bool:
        return any(since <= day <= (until or LAST) for since, until in self.mandates)

    def group(self, day: date) -> str:
        return next(
            (code for code, since, _ in reversed(self.groups) if since <= day), self.groups[0][0]
        )


class Stay(NamedTuple):
    """One person at one member, on the lists from `since` on and before `until`."""

    member: Member
    person: Person
    role: str
    since: date
    until: date


class Sample:
    """Everything invented, drawn in one order from one seed."""

    def __init__(self) -> None:
        self._random = random.Random(20261120)
        self._taken: set[tuple[str, str]] = set()
        self.members: list[Member] = []
        for chamber in SEATS:
            self._elect(chamber)
        self._named = {(member.chamber, member.name): member for member in self.members}
        self.stays = [*self._told(), *self._contracts()]
        for member in self.members:
            for _ in range(member.team):
                self._employ(member)

    def _pick(self, of: Sequence[T]) -> T:
        return of[int(self._random.random() * len(of))]

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _elect(self, chamber: str) -> None:
        named = [row for row in NAMED if row[0] == chamber]
        for seat in range(SEATS[chamber]):
            terms = TERMS[chamber][seat % len(TERMS[chamber])]
            _, name, group, team = named[seat] if seat < len(named) else ("", "", "", None)
            member = self._member(chamber, name, team)
            for since, until in terms:
                if member.mandates and not name and self._chance(0.4):
                    member = self._member(chamber, "", None)
                group = group or self._pick(GROUPS[chamber])
                self._begin(member, since, until, group)
                self._replace(member, group)

    def _member(self, chamber: str, name: str, team: int | None) -> Member:
        number = sum(member.chamber == chamber for member in self.members) + 1
        civility = self._pick(("Mme", "M."))
        given, family = self._pick(GIVEN[civility]), self._family()
        while any(member.family == family for member in self.members):
            family = self._family()
        if name:
            given, family = name.split(" ", 1)
            civility = "M." if given in GIVEN["M."] else "Mme"
        team = self._pick(TEAMS) if team is None else team
        member = Member(chamber, IDENTIFIERS[chamber].format(number), civility, given, family, team)
        self.members.append(member)
        return member

    def _family(self) -> str:
        family = self._pick(ROOTS) + self._pick(SUFFIXES)
        if self._chance(0.1):
            family += "-" + self._pick(ROOTS) + self._pick(SUFFIXES)
        elif self._chance(0.08):
            vowel = family[0] in "AÉŒOI"
            family = ("d’" if vowel else self._pick(("de ", "Le ", "du "))) + family
        return family

    def _begin(self, member: Member, since: date, until: date | None, group: str) -> None:
        member.mandates.append((since, until))
        member.groups.append((group, FORMED.get(since, since), until))
        change = GROUP_CHANGES.get(member.name)
        if change and not until:
            code, day = change
            member.groups[-1] = (group, member.groups[-1][1], day - timedelta(1))
            member.groups.append((code, day, until))

    def _replace(self, member: Member, group: str) -> None:
        if member.name not in SUCCESSIONS or member.until:
            return
        day, name = SUCCESSIONS[member.name]
        member.mandates[-1] = (member.mandates[-1][0], day)
        member.groups[-1] = (*member.groups[-1][:2], day)
        successor = self._member(member.chamber, name, 0 if name else 3)
        self._begin(successor, day + timedelta(1), None, group)

    def _told(self) -> Iterator[Stay]:
        """The stays that are told one by one, which the documentation and the tests name."""
        for line in STAYS.strip().splitlines():
            chamber, name, civility, family, given, role, since, until = line.split("|")
            self._taken.add((family, given))
            member = self._named[chamber, name]
            days = (
                date.fromisoformat(since or "2023-01-01"),
                date.fromisoformat(until or "9999-01-01"),
            )
            yield Stay(member, Person(civility, family, given), role, *days)

    def _contracts(self) -> Iterator[Stay]:
        """One contract of many members of the European Parliament, each of whose lists has it."""
        parliament = [m for m in self.members if m.chamber == "europarl" and not m.until]
        for civility, family, given, since, until in CONTRACTS:
            for member in parliament[:18]:
                person = Person(civility, family, given)
                role = "Accredited assistants (grouping)"
                days = date.fromisoformat(since), date.fromisoformat(until or "9999-01-01")
                yield Stay(member, person, role, *days)

    def _person(self) -> Person:
        civility = self._pick(("Mme", "Mme", "Mme", "M.", "M."))
        while True:
            family = self._family().upper()
            given = self._pick(GIVEN[civility])
            if (family, given) not in self._taken:
                self._taken.add((family, given))
                return Person(civility, family, given)

    def _role(self, chamber: str, civility: str) -> str:
        role = self._pick(ROLES[chamber])
        return (
            role
            if civility == "M."
            else role.replace("teur", "trice").replace("Attaché", "Attachée")
        )

    def _lasting(self, mean: int) -> timedelta:
        return timedelta(20 + int(-mean * math.log(1 - self._random.random())))

    def _employ(self, member: Member) -> None:
        """One place in a team: who has it, one after the other, until the last mandate ends."""
        since = member.mandates[0][0]
        day = (
            date(2023, 1, 1)
            if since < FIRST
            else since + timedelta(3 + int(40 * self._random.random()))
        )
        end = (
            member.until + timedelta(1 + int(9 * self._random.random()))
            if member.until
            else date.max
        )
        while day < min(end, LAST):
            person = self._person()
            left = min(self._usual(day + self._lasting(1000 if day < FIRST else 800)), end)
            self.stays.append(
                Stay(member, person, self._role(member.chamber, person.civility), day, left)
            )
            if left < LAST and left != end and self._chance(0.14):
                self._move(member, person, left)
            day = left + timedelta(int(50 * self._random.random()))

    def _usual(self, day: date) -> date:
        """A day, or the first of its month: contracts often begin and end there."""
        early = day.replace(day=1)
        return early if self._chance(0.35) and early > FIRST else day

    def _move(self, member: Member, person: Person, day: date) -> None:
        """Let somebody go on with another member of the chamber, most often of the same group."""
        others = [
            m for m in self.members if m.chamber == member.chamber and m is not member and m.team
        ]
        others = [m for m in others if m.sits(day) and not m.until]
        near = [m for m in others if m.group(day) == member.group(day)]
        to = self._pick(near if near and self._chance(0.6) else others)
        role = self._role(member.chamber, person.civility)
        self.stays.append(Stay(to, person, role, day, day + self._lasting(500)))

    def days(self, chamber: str) -> list[date]:
        """The days of a chamber's lists: one a week, then every working day."""
        every = (FIRST + timedelta(n) for n in range((LAST - FIRST).days + 1))
        found = {day for day in every if day.weekday() == 0 or (day >= DAILY and day.weekday() < 5)}
        for before, after in HOLES[chamber]:
            found = {day for day in found if not before <= day <= after} | {before, after}
        return sorted(day for day in found if day <= LATE.get(chamber, LAST))

    def rows(self, chamber: str, day: date) -> list[Sequence[str]]:
        """A day's list as it is kept, sorted by member and person."""
        rows = [
            (
                chamber,
                m.id,
                m.family,
                m.given,
                m.group(day) if chamber == "europarl" else "",
                *p,
                role,
            )
            for m, p, role, since, until in self.stays
            if m.chamber == chamber and since <= day < until
        ]
        rows = sorted(set(rows))
        return rows[: len(rows) * 59 // 100] if (chamber, day) == REFUSED else rows

    def write(self, folder: Path) -> None:
        """Write `listes/`, `elus/` and `corrections.yml` into a folder."""
        header = "chambre elu_id elu_nom elu_prenom groupe collab_civilite collab_nom collab_prenom fonction"
        for chamber in SEATS:
            for day in self.days(chamber):
                _write(folder / f"listes/{chamber}/{day}.csv", header, self.rows(chamber, day))
        members = self.members
        header = "chambre elu_id nom_complet nom prenom civilite debut fin motif_fin origine"
        mandates = [
            (
                m.chamber,
                m.id,
                m.name,
                m.family,
                m.given,
                m.civility,
                since,
                until or "",
                "",
                "exemple",
            )
            for m in members
            for since, until in m.mandates
        ]
        _write(folder / "elus/mandats.csv", header, mandates)
        names = [(chamber, code, *told) for chamber in SEATS for code, told in GROUP_NAMES.items()]
        names = [row for row in names if row[1] in GROUPS[row[0]]]
        _write(folder / "elus/noms_groupes.csv", "chambre groupe nom couleur", names)
        groups = [
            (m.chamber, m.id, *g[:2], g[2] or "", "exemple") for m in members for g in m.groups
        ]
        _write(folder / "elus/groupes.csv", "chambre elu_id groupe depuis jusqua origine", groups)
        _write(folder / "elus/vus.csv", "chambre jour", [(chamber, LAST) for chamber in SEATS])
        homonym = self._named["assemblee", "Éloi Trébeurdenn"].id
        added = self._named["assemblee", "Barnabé Montclairvaux"].id
        text = CORRECTIONS % {"homonym": homonym, "added": added}
        (folder / "corrections.yml").write_text(text, encoding="utf-8", newline="\n")


def _write(path: Path, header: str, rows: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header.split(), *rows])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python data/exemple/listes.py DIR")
    Sample().write(Path(sys.argv[1]))
