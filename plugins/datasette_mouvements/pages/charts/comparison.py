"""The offices of a group beside those of its chamber: what share of each left in twelve months."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from parlement_lists.movement import plain

from ...dataset.coverage import Gap
from ...dataset.turnover import ChamberFigures, Median, Turnover
from ..counts.facts import Facts
from ..words import french
from . import drawing

# Medians that differ by less are called alike.
ALIKE = 0.05
# Fewer offices than this give no heading.
FEWEST_OFFICES = 5


class GroupComparison(NamedTuple):
    """The offices of a group and of its chamber along the share that left in twelve months."""

    title: str
    own: Median
    whole: Median
    strip: str
    histogram: str
    since: str
    until: str
    holes: Sequence[Gap]  # within those days


def rates_of(figures: ChamberFigures) -> dict[str, list[float]]:
    """The rates of the offices whose year is known, by group."""
    rates: dict[str, list[float]] = {}
    for office in figures.offices.values():
        if isinstance(office.turnover, Turnover):
            rates.setdefault(office.group, []).append(office.turnover.rate)
    return rates


def compare(facts: Facts, chamber: str, code: str) -> GroupComparison | None:
    """The comparison; None where the group or the chamber has no share."""
    figures = facts.figures.get(chamber)
    found = figures.groups.get(code) if figures else None
    if not figures or not found or not found.median or not figures.whole.median:
        return None
    rates, whole = rates_of(figures), figures.whole.median
    return GroupComparison(
        title(chamber, found.median, whole),
        found.median,
        whole,
        drawing.strip(rates.get(code, []), found.median.rate, None, chamber),
        drawing.histogram(chain(*rates.values()), whole.rate, None),
        found.turnover.since,
        found.turnover.until,
        found.median.holes,
    )


def title(chamber: str, own: Median, whole: Median) -> str:
    """What the two medians say, in words of the rule: alike under five points; of few offices nothing."""
    if own.offices < FEWEST_OFFICES:
        return "Départs en douze mois"
    of = french.OF_CHAMBER[chamber]
    # Of 20 and 25 % the difference is 5 points, which floats miss.
    if round(abs(own.rate - whole.rate), 9) < ALIKE:
        return f"Les équipes du groupe se répartissent comme celles {of}"
    height = "haute" if own.rate > whole.rate else "basse"
    return f"La part médiane du groupe est plus {height} que celle {of}"


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
