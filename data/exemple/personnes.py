"""Who is in the lists of `listes.py`: people, members, and the stays of the ones at the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from recit import LAST


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

    def listed(self, day: date) -> tuple[str, str, str, str, str]:
        """The member's columns; of the chambers' own lists, only the Parliament's tell groups."""
        group = self.group(day) if self.chamber == "europarl" else ""
        return self.chamber, self.id, self.family, self.given, group


class Stay(NamedTuple):
    """One person at one member, on the lists from `since` on and before `until`."""

    member: Member
    person: Person
    role: str
    since: date
    until: date
