"""The time that pages of offices tell of: the present, or the year of the last lists where no mandate goes on."""

from __future__ import annotations

from typing import NamedTuple

from ...dataset.coverage import Coverage
from ...dataset.mandates import CURRENT
from ..counts import past
from ..counts.facts import Facts
from ..counts.past import Period
from ..frame.site import Site
from .seats import seats_of

# Bytes that the facts of a period take for each member, about.
OF_A_MEMBER = 700


class ShownPeriod(NamedTuple):
    """The period that a page tells of."""

    chamber: str
    since: str
    until: str
    past: bool  # an earlier time, whose members are told as if the page were of then
    lists: Coverage  # of the chamber, to the last one


async def usual(site: Site, facts: Facts, chamber: str) -> tuple[Facts, ShownPeriod]:
    """The facts of the present; where no mandate goes on, of the twelve months up to the last list.

    Nobody is left then of whom to tell.
    """
    lists = facts.coverage[chamber]
    period = await _ended(site, facts, chamber)
    shown = period or (facts.years[chamber].since, facts.years[chamber].until)
    told = ShownPeriod(chamber, *shown, period is not None, lists)
    if period is None:
        return facts, told
    then = await site.kept(
        ("past", facts.edition, chamber, *period),
        lambda: past.facts_of(facts, chamber, period),
        lambda found: OF_A_MEMBER * len(found.members[chamber]),
        past=True,
    )
    return then, told


async def _ended(site: Site, facts: Facts, chamber: str) -> Period | None:
    """The last year of the lists of a chamber where no mandate goes on; else None."""
    lists = facts.coverage[chamber]
    seats = await seats_of(site, facts, chamber) if lists.last else ()
    if not lists.last or any(seat.state == CURRENT for seat in seats):
        return None
    return lists.year
