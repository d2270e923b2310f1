"""The offices of a chamber side by side: how many are there, for how long, how many left in twelve months."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...dataset.coverage import Gap
from ...dataset.mandates import CURRENT, OVER
from ...dataset.turnover import FEWEST, NotGiven, Turnover
from ..counts.facts import ElectedMember, Facts
from ..frame.site import Site
from ..frame.sorting import Column
from ..words import french
from .seats import Seat, seats_of

# What a CSV of offices has, a row each; an empty cell is what is not known, and why stands at the end.
CSV_HEADER = (
    *("chambre", "elu_id", "elu_nom", "elu_groupe", "liste", "personnes"),
    *("presence_mediane_jours", "presence_au_moins", "depuis", "parties", "passees", "part"),
    *("sans_liste", "non_calculable", "jusqua"),
)


class OfficeRow(NamedTuple):
    """A member, and what is told of the office."""

    seat: Seat
    people: int  # on the chamber's last list
    presence: float | None  # median days, None where nobody is there
    at_least: bool
    turnover: Turnover | NotGiven

    @property
    def rate(self) -> float | None:
        """The share that left, None where it is not calculated."""
        return self.turnover.rate if isinstance(self.turnover, Turnover) else None

    @property
    def member(self) -> ElectedMember:
        return self.seat.member


NAME = Column("nom", "Équipe de", lambda one: one.seat.key)
COLUMNS = (
    NAME,
    Column("equipe", "Personnes", lambda one: one.people, True, True),
    Column("presence", "Présence médiane", lambda one: one.presence, True, True),
    Column("departs", "Parties en douze mois", lambda one: one.rate, False, True),
)


async def sitting(site: Site, facts: Facts, chamber: str) -> list[Seat]:
    """The members who sit as far as is known; of a chamber without lists, those of whom no mandate ended."""
    seats = await seats_of(site, facts, chamber)
    if facts.coverage[chamber].last:
        return [seat for seat in seats if seat.state == CURRENT]
    return [seat for seat in seats if seat.state != OVER]


def offices(facts: Facts, chamber: str, seats: Iterable[Seat]) -> Iterator[OfficeRow]:
    """The offices of these members of a chamber; none of a chamber without lists."""
    figures = facts.figures.get(chamber)
    if figures is None:
        return
    for seat in seats:
        found = figures.offices.get(seat.member.identifier, figures.nobody)
        presence = found.presence
        yield OfficeRow(
            seat,
            seat.member.team or 0,
            presence.days if presence else None,
            bool(presence and presence.at_least),
            found.turnover,
        )


def csv_row(facts: Facts, chamber: str, one: OfficeRow) -> list[str]:
    """An office as a row of the CSV."""
    counted = one.turnover if isinstance(one.turnover, Turnover) else None
    presence = "" if one.presence is None else f"{one.presence:g}"
    return [
        *(chamber, one.member.identifier, one.member.name, one.member.group),
        *(facts.coverage[chamber].last, str(one.people), presence),
        {True: "oui", False: "non"}[one.at_least] if presence else "",
        one.turnover.since,
        *(
            (str(counted.left), str(counted.people), f"{counted.rate:.4f}", spans(counted.holes))
            if counted
            else ("", "", "", "")
        ),
        why(one.turnover),
        one.turnover.until,
    ]


def spans(holes: Iterable[Gap]) -> str:
    """The days without a list for programs, as intervals of ISO 8601, both days included."""
    return " ".join(f"{hole.since}/{hole.until}" for hole in holes)


# Why a group has no figures where `ChamberFigures.grouped` is false.
GROUPS_UNKNOWN = "groupe non connu de la plupart des membres"


def why(found: Turnover | NotGiven) -> str:
    """Why the share of those who left is not calculated, "" where it is."""
    if isinstance(found, Turnover):
        return ""
    return french.gap(found.gap) if found.gap else f"moins de {FEWEST} personnes"
