"""The offices of a chamber side by side: how many are there, for how long, how many left in twelve months."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..dataset.turnover import FEWEST, NotGiven, Turnover
from ..movement import plain
from . import french
from .chambers import apart
from .facts import Facts, Listed
from .sorting import Column

# What a CSV of offices has, a row each; an empty cell is what is not known, and why stands at the end.
CSV_HEADER = (
    *("chambre", "elu_id", "elu_nom", "elu_groupe", "liste", "personnes"),
    *("presence_mediane_jours", "presence_au_moins", "depuis", "parties", "passees", "part"),
    "non_calculable",
)


class Office(NamedTuple):
    """A member, and what is told of the office."""

    member: Listed
    people: int  # on the chamber's last list
    presence: float | None  # median days, None where nobody is there
    at_least: bool
    turnover: Turnover | NotGiven

    @property
    def rate(self) -> float | None:
        """The share that left, None where it is not calculated."""
        return self.turnover.rate if isinstance(self.turnover, Turnover) else None

    @property
    def name(self) -> tuple[str, str, str]:
        """Where it stands from A to Z."""
        return plain(self.family[0]), plain(self.member.given), self.member.identifier

    @property
    def family(self) -> tuple[str, str]:
        """The member's family name, and the particle that stands after the given name."""
        return apart(self.member.family)


NAME = Column("nom", "Équipe de", lambda one: one.name)
COLUMNS = (
    NAME,
    Column("equipe", "Personnes", lambda one: one.people, True, True),
    Column("presence", "Présence médiane", lambda one: one.presence, True, True),
    Column("departs", "Parties en douze mois", lambda one: one.rate, False, True),
)


def offices(facts: Facts, chamber: str) -> Iterator[Office]:
    """The offices of members whose mandate goes on as far as is known; none of a chamber without lists."""
    figures = facts.figures.get(chamber)
    if figures is None:
        return
    for member in facts.members[chamber]:
        if member.until:
            continue
        found = figures.offices.get(member.identifier, figures.nobody)
        presence = found.presence
        yield Office(
            member,
            presence.stays if presence else 0,
            presence.days if presence else None,
            bool(presence and presence.at_least),
            found.turnover,
        )


def csv_row(facts: Facts, chamber: str, one: Office) -> list[str]:
    """An office as a row of the CSV."""
    counted = one.turnover if isinstance(one.turnover, Turnover) else None
    presence = "" if one.presence is None else f"{one.presence:g}"
    return [
        *(chamber, one.member.identifier, one.member.name, one.member.group),
        *(facts.coverage[chamber].last, str(one.people), presence),
        {True: "oui", False: "non"}[one.at_least] if presence else "",
        one.turnover.since,
        *(
            (str(counted.left), str(counted.people), f"{counted.rate:.4f}")
            if counted
            else ("", "", "")
        ),
        why(one.turnover),
    ]


def why(found: Turnover | NotGiven) -> str:
    """Why the share of those who left is not calculated, "" where it is."""
    if isinstance(found, Turnover):
        return ""
    return french.gap(found.gap) if found.gap else f"moins de {FEWEST} personnes"
