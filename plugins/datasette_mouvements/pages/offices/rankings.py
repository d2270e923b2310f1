"""The page that compares offices: size, median presence, departures, one table for each chamber."""

from __future__ import annotations

from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS

from ...dataset.coverage import Coverage
from ...dataset.turnover import FEWEST, Figures
from ..counts.facts import Facts
from ..frame.site import Site
from ..frame.sorting import Head, Sorted, page_of
from . import office_table as offices
from .chambers import Seat
from .office_table import Office

LEAST = (FEWEST, 5, 8)
# So many offices stand on the page of all chambers, and on a page of one, of less than 60 kB.
AT_FIRST, ON_PAGE = 12, 60
USUAL = "presence"


class Table(NamedTuple):
    """The offices of one chamber as the page shows them."""

    chamber: str
    known: Coverage
    whole: Figures
    offices: list[Office]  # those shown
    found: int
    heads: list[Head]
    gap: str  # why no share is calculated at all, "" where some are


async def rankings(site: Site, request: Request) -> Response:
    """Every chamber's first offices in the order asked for."""
    return await _page(site, request, CHAMBERS)


async def chamber(site: Site, request: Request) -> Response:
    """All offices of one chamber, by pages."""
    return await _page(site, request, (request.url_vars["chamber"],))


async def _page(site: Site, request: Request, chambers: tuple[str, ...]) -> Response:
    facts = await site.facts()
    least = {str(number): number for number in LEAST}.get(request.args.get("min") or "", FEWEST)
    one = chambers[0] if len(chambers) == 1 else ""
    sitting = {name: await offices.sitting(site, facts, name) for name in chambers}
    tables = _tables(facts, sitting, request, least)
    first = tables[0][1] if tables else None
    # All tables stand in the order asked for.
    query = first.query if first else {}
    number = page_of(request.args.get("page"), len(first), ON_PAGE) if one and first else 1
    key = (
        *("rankings", facts.build, one),
        *(str(least), str(number), *query.values()),
    )
    known = site.cached_page(request, key)
    if known is not None:
        return known
    context: dict[str, Any] = {
        "one": one,
        "tables": [
            _table(site, facts, name, found, least, number if one else 0) for name, found in tables
        ],
        # Chamber -> its members, where none of them sits.
        "none_sits": {name: len(facts.members[name]) for name in chambers if not sitting[name]},
        "least": least,
        "choices": LEAST,
        "fewest": FEWEST,
        "sort": query.get("tri", ""),
        "columns": offices.COLUMNS,
        "usual": USUAL,
        "page": number,
        "canonical_query": {
            "min": least if least != FEWEST else "",
            "page": first.kept_page(number) if first else "",
        },
        "pages": -(-len(first) // ON_PAGE) if one and first else 0,
        "link": lambda chamber=one, **changes: _link(site, chamber, least, query, **changes),
    }
    # Offices are told by their members; no staff member is named.
    return await site.cache_page(request, key, "rankings", context, indexed=True)


def _tables(
    facts: Facts, sitting: dict[str, list[Seat]], request: Request, least: int
) -> list[tuple[str, Sorted[Office]]]:
    """The offices of the chambers that have lists, those of so few people left out."""
    asked = {name: request.args.get(name) for name in ("tri", "sens")}
    tables = []
    for chamber, seats in sitting.items():
        if chamber in facts.figures:
            found = [one for one in offices.offices(facts, chamber, seats) if one.people >= least]
            tables.append((chamber, Sorted(found, offices.COLUMNS, asked, USUAL)))
    return tables


def _table(
    site: Site, facts: Facts, chamber: str, found: Sorted[Office], least: int, number: int
) -> Table:
    """Page `number` of a chamber, or its first offices for 0."""
    begin = max(number - 1, 0) * ON_PAGE
    shown = found.rows[begin : begin + (ON_PAGE if number else AT_FIRST)]
    figures = facts.figures[chamber]
    gap = getattr(figures.nobody.turnover, "gap", None)
    of = chamber if number else ""
    return Table(
        chamber,
        facts.coverage[chamber],
        figures.whole,
        shown,
        len(found),
        found.heads(lambda **query: _link(site, of, least, query)),
        offices.why(figures.nobody.turnover) if gap else "",
    )


def _link(site: Site, chamber: str, least: int, query: dict[str, str], **changes: Any) -> str:
    given: dict[str, Any] = {"min": least if least != FEWEST else "", **query, **changes}
    if given.get("page") == 1:
        del given["page"]
    return site.path("/classements" + (f"/{chamber}" if chamber else ""), **given)
