"""The period that a page of offices is asked for: one definition for comparison, groups, chamber and files."""

from __future__ import annotations

from typing import NamedTuple

from datasette.utils.asgi import Request

from ...dataset.coverage import CountedPeriod, Coverage
from ...dataset.mandates import CURRENT
from ..counts import past
from ..counts.facts import Facts
from ..counts.past import Period, PeriodChoice
from ..frame.site import Site
from ..words import french
from .seats import seats_of

SINCE, UNTIL = "depuis", "jusqua"
# Bytes that the facts of a period take for each member, about.
OF_A_MEMBER = 700


class ShownPeriod(NamedTuple):
    """The period that a page tells of, beside those that it leads to."""

    chamber: str
    since: str
    until: str
    past: bool  # an earlier time, whose members are told as if the page were of then
    asked: bool  # the address names it
    fault: str  # what is wrong with the period that the address names
    lists: Coverage  # of the chamber, to the last one
    years: list[PeriodChoice]
    terms: list[PeriodChoice]

    @property
    def known_near(self) -> CountedPeriod | None:
        """The nearest period of which shares are calculated, None where it is this one."""
        near = self.lists.known_near(self.since, self.until)
        return near if near and near[:2] != (self.since, self.until) else None

    @property
    def query(self) -> dict[str, str]:
        """What of an address asks for it."""
        return {SINCE: self.since, UNTIL: self.until} if self.asked else {}


async def facts_of(
    site: Site, request: Request, facts: Facts, chamber: str, usual: bool = True
) -> tuple[Facts, ShownPeriod]:
    """The facts of the period that a request asks for, and the period.

    Without one they are those of the present; where no mandate goes on and it is `usual`, those of the
    twelve months up to the last list, because nobody is left of whom to tell.
    """
    lists = facts.coverage[chamber]
    since, until = (request.args.get(name) or "" for name in (SINCE, UNTIL))
    period = past.read_period(since, until, lists)
    fault = "" if period or not (since or until) else _fault(lists.first, lists.last)
    asked = period is not None
    if not period and usual:
        period = await _default(site, facts, chamber)
    given = facts.years[chamber]
    shown = ShownPeriod(
        chamber,
        *(period or (given.since, given.until)),
        period is not None,
        asked,
        fault,
        lists,
        *past.choices(chamber, lists),
    )
    return await _facts_of(site, facts, chamber, period), shown


async def facts_by_default(site: Site, facts: Facts, chamber: str) -> Facts:
    """As `facts_of`, of a page that has no other period than the usual one."""
    return await _facts_of(site, facts, chamber, await _default(site, facts, chamber))


async def _default(site: Site, facts: Facts, chamber: str) -> Period | None:
    """The period that is usual: None, the present, where a mandate goes on or there is no list."""
    lists = facts.coverage[chamber]
    seats = await seats_of(site, facts, chamber) if lists.last else ()
    if not lists.last or any(seat.state == CURRENT for seat in seats):
        return None
    return lists.year


async def _facts_of(site: Site, facts: Facts, chamber: str, period: Period | None) -> Facts:
    if period is None:
        return facts
    return await site.kept(
        ("past", facts.edition, chamber, *period),
        lambda: past.facts_of(facts, chamber, period),
        lambda found: OF_A_MEMBER * len(found.members[chamber]),
        past=True,
    )


def _fault(first: str, last: str) -> str:
    if not last:
        return french.typography("Pas de liste connue : aucune période ne l’est.")
    span = french.from_to(first, last)
    return french.typography(
        f"Cette période n’est pas connue : les listes vont {span}, et une période s’écrit par son premier"
        " et son dernier jour. Voici ce qui est montré sans elle."
    )
