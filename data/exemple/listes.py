"""Writes invented daily lists with their journal, members and corrections: python data/exemple/listes.py DIR

Nothing of it is real. The same bytes come out every time, on any machine: what `datasette mouvements build
--invented DB --lists DIR/listes --members DIR/elus --corrections DIR/corrections.yml` takes.
"""

from __future__ import annotations

import csv
import math
import random
import sys
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parent))
import noms
import recit
from personnes import Member, Person, Stay
from recit import DAILY, FIRST, LAST

T = TypeVar("T")
TEAMS = (0, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 8, 9)


class Sample:
    """Everything invented, drawn in one order from one seed."""

    def __init__(self) -> None:
        self._random = random.Random(20261120)
        self._taken: set[tuple[str, str]] = set()
        self.members: list[Member] = []
        for chamber in recit.SEATS:
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
        named = [row for row in recit.NAMED if row[0] == chamber]
        for seat in range(recit.SEATS[chamber]):
            terms = recit.TERMS[chamber][seat % len(recit.TERMS[chamber])]
            _, name, group, team = named[seat] if seat < len(named) else ("", "", "", None)
            member = self._member(chamber, name, team)
            for since, until in terms:
                if member.mandates and not name and self._chance(0.4):
                    member = self._member(chamber, "", None)
                group = group or self._pick(noms.GROUPS[chamber])
                self._begin(member, since, until, group)
                self._replace(member, group)

    def _member(self, chamber: str, name: str, team: int | None) -> Member:
        number = sum(member.chamber == chamber for member in self.members) + 1
        civility = self._pick(("Mme", "M."))
        given, family = self._pick(noms.GIVEN[civility]), self._family()
        while any(member.family == family for member in self.members):
            family = self._family()
        if name:
            given, family = name.split(" ", 1)
            civility = "M." if given in noms.GIVEN["M."] else "Mme"
        team = self._pick(TEAMS) if team is None else team
        member = Member(
            chamber, recit.IDENTIFIERS[chamber].format(number), civility, given, family, team
        )
        self.members.append(member)
        return member

    def _family(self) -> str:
        family = self._pick(noms.ROOTS) + self._pick(noms.SUFFIXES)
        if self._chance(0.1):
            family += "-" + self._pick(noms.ROOTS) + self._pick(noms.SUFFIXES)
        elif self._chance(0.08):
            vowel = family[0] in "AÉŒOI"
            family = ("d’" if vowel else self._pick(("de ", "Le ", "du "))) + family
        return family

    def _begin(self, member: Member, since: date, until: date | None, group: str) -> None:
        member.mandates.append((since, until))
        member.groups.append((group, recit.FORMED.get(since, since), until))
        change = recit.GROUP_CHANGES.get(member.name)
        if change and not until:
            code, day = change
            member.groups[-1] = (group, member.groups[-1][1], day - timedelta(1))
            member.groups.append((code, day, until))

    def _replace(self, member: Member, group: str) -> None:
        if member.name not in recit.SUCCESSIONS or member.until:
            return
        day, name = recit.SUCCESSIONS[member.name]
        member.mandates[-1] = (member.mandates[-1][0], day)
        member.groups[-1] = (*member.groups[-1][:2], day)
        successor = self._member(member.chamber, name, 0 if name else 3)
        self._begin(successor, day + timedelta(1), None, group)

    def _told(self) -> Iterator[Stay]:
        """The stays that are told one by one, which the documentation and the tests name."""
        for line in recit.STAYS.strip().splitlines():
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
        for civility, family, given, since, until in recit.CONTRACTS:
            for member in parliament[:18]:
                person = Person(civility, family, given)
                role = "Accredited assistants (grouping)"
                days = date.fromisoformat(since), date.fromisoformat(until or "9999-01-01")
                yield Stay(member, person, role, *days)

    def _person(self) -> Person:
        civility = self._pick(("Mme", "Mme", "Mme", "M.", "M."))
        while True:
            family = self._family().upper()
            given = self._pick(noms.GIVEN[civility])
            if (family, given) not in self._taken:
                self._taken.add((family, given))
                return Person(civility, family, given)

    def _role(self, chamber: str, civility: str) -> str:
        role = self._pick(noms.ROLES[chamber])
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
        for before, after in recit.HOLES[chamber]:
            found = {day for day in found if not before <= day <= after} | {before, after}
        return sorted(day for day in found if day <= recit.LATE.get(chamber, LAST))

    def rows(self, chamber: str, day: date) -> Sequence[Sequence[str]]:
        """A day's list as it is kept, sorted by member and person."""
        rows = {
            (*member.listed(day), *person, role)
            for member, person, role, since, until in self.stays
            if member.chamber == chamber and since <= day < until
        }
        kept = sorted(rows)
        return kept[: len(kept) * 59 // 100] if (chamber, day) == recit.REFUSED else kept

    def write(self, folder: Path) -> None:
        """Write `listes/` with a journal, `elus/` and `corrections.yml` into a folder."""
        header = "chambre elu_id elu_nom elu_prenom groupe collab_civilite collab_nom collab_prenom fonction"
        runs: list[Sequence[object]] = []
        for chamber in recit.SEATS:
            before: set[Sequence[str]] = set()
            for day in self.days(chamber):
                rows = self.rows(chamber, day)
                _write(folder / f"listes/{chamber}/{day}.csv", header, rows)
                pairs = {(row[1], row[6], row[7]) for row in rows}
                result = "nouvelle" if before and pairs != before else "identique"
                runs.append((day, chamber, result, "", "", f"{chamber}/{day}", "", ""))
                before = before if (chamber, day) == recit.REFUSED else pairs
        # What mornings would have found and written down.
        runs += [(day, "", "reussie", *[""] * 5) for day in {run[0] for run in runs}]
        header_of_runs = "jour source resultat raison mesure liste sha256 original"
        _write(folder / "listes/journal.csv", header_of_runs, sorted(runs, key=lambda run: run[:2]))
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
        names = [
            (chamber, code, *told)
            for chamber in recit.SEATS
            for code, told in noms.GROUP_NAMES.items()
        ]
        names = [row for row in names if row[1] in noms.GROUPS[row[0]]]
        _write(folder / "elus/noms_groupes.csv", "chambre groupe nom couleur", names)
        groups = [
            (m.chamber, m.id, *g[:2], g[2] or "", "exemple") for m in members for g in m.groups
        ]
        _write(folder / "elus/groupes.csv", "chambre elu_id groupe depuis jusqua origine", groups)
        homonym = self._named["assemblee", "Éloi Trébeurdenn"].id
        added = self._named["assemblee", "Barnabé Montclairvaux"].id
        text = recit.CORRECTIONS % {"homonym": homonym, "added": added}
        (folder / "corrections.yml").write_text(text, encoding="utf-8", newline="\n")


def _write(path: Path, header: str, rows: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header.split(), *rows])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python data/exemple/listes.py DIR")
    Sample().write(Path(sys.argv[1]))
