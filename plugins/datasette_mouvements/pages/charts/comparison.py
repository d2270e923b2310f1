"""The offices of a group beside those of its chamber: what share of each left in twelve months."""

from __future__ import annotations

from typing import NamedTuple

from parlement_lists.movement import plain

from ...dataset.turnover import Median, Turnover
from ..counts.facts import Facts
from . import drawing

# Two medians that differ by less say the same.
ALIKE = 0.05
# What so few offices have in common is no heading.
FEWEST_OFFICES = 5
_AS_THOSE = {
    "assemblee": "de l’Assemblée",
    "senat": "du Sénat",
    "europarl": "du Parlement européen",
}


class Compared(NamedTuple):
    """The offices of a group and of its chamber along the share that left in twelve months."""

    title: str
    own: Median
    whole: Median
    strip: str
    histogram: str
    since: str
    until: str


def compared(facts: Facts, chamber: str, code: str) -> Compared | None:
    """The comparison; None where the group or the chamber has no share."""
    figures = facts.figures.get(chamber)
    found = figures.groups.get(code) if figures else None
    if not figures or not found or not found.median or not figures.whole.median:
        return None
    rates: list[float] = []
    own: list[float] = []
    for one in figures.offices.values():
        if isinstance(one.turnover, Turnover):
            rates.append(one.turnover.rate)
            if one.group == code:
                own.append(one.turnover.rate)
    whole = figures.whole.median
    return Compared(
        title(chamber, found.median, whole),
        found.median,
        whole,
        drawing.strip(own, found.median.rate, None, chamber),
        drawing.histogram(rates, whole.rate, None),
        found.turnover.since,
        found.turnover.until,
    )


def title(chamber: str, own: Median, whole: Median) -> str:
    """What the two medians say, in words of the rule: alike under five points; of few offices nothing."""
    if own.offices < FEWEST_OFFICES:
        return "Départs en douze mois"
    those = f"celle {_AS_THOSE[chamber]}"
    # Of 20 and 25 % the difference is 5 points, which floats miss.
    if round(abs(own.rate - whole.rate), 9) < ALIKE:
        return f"Les équipes du groupe se répartissent comme celles {_AS_THOSE[chamber]}"
    height = "haute" if own.rate > whole.rate else "basse"
    return f"La part médiane du groupe est plus {height} que {those}"


def medians(facts: Facts, chamber: str) -> list[tuple[str, Median]]:
    """The median of each group that has one, by code, for the table beside the strip."""
    figures = facts.figures.get(chamber)
    if figures is None:
        return []
    return [
        (code, one.median)
        for code, one in sorted(figures.groups.items(), key=lambda item: plain(item[0]))
        if one.median is not None
    ]
