"""The page that compares offices: size, median presence, departures, one table for each chamber."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS

from ...dataset.coverage import CountedPeriod, Coverage
from ...dataset.turnover import FEWEST, Figures
from ..counts.facts import Facts
from ..frame.site import Site
from ..frame.sorting import ColumnHead, SortedTable
from . import office_table, periods
from .office_table import OfficeRow
from .periods import ShownPeriod
from .seats import Seat

LEAST = (FEWEST, 5, 8)
# Offices of each chamber on the page of all, and on a page of one, which must stay below 60 kB.
AT_FIRST, ON_PAGE = 12, 60
USUAL = "presence"


class ChamberRanking(NamedTuple):
    """The offices of one chamber as the page shows them."""

    chamber: str
    period: ShownPeriod
    counted: CountedPeriod
    known: Coverage
    whole: Figures
    table: SortedTable[OfficeRow]
    heads: list[ColumnHead]
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
    times = {name: await periods.usual(site, facts, name) for name in chambers}
    sitting = {n: await office_table.sitting(site, then, n) for n, (then, _) in times.items()}
    tables = {
        name: _table(then, period, sitting[name], request, least, bool(one))
        for name, (then, period) in times.items()
        if name in facts.figures
    }
    # All tables stand in the order asked for.
    first = next(iter(tables.values()), None)
    query = first.query if first else {}

    def link(chamber: str = one, **changes: Any) -> str:
        given = {"min": least if least != FEWEST else "", **query, **changes}
        if given.get("page") == 1:
            del given["page"]
        return site.path("/classements" + (f"/{chamber}" if chamber else ""), **given)

    async def context() -> dict[str, Any]:
        return {
            "one": one,
            "rankings": [_ranking(*times[name], table, link) for name, table in tables.items()],
            # Chamber -> its members, where none of them sits.
            "none_sits": {name: len(facts.members[name]) for name in chambers if not sitting[name]},
            "least": least,
            "choices": LEAST,
            "sort": query.get("tri", ""),
            "columns": office_table.COLUMNS,
            "usual": USUAL,
            "page": first.page if first else 1,
            "canonical_query": {
                "min": least if least != FEWEST else "",
                "page": first.canonical_page if first else "",
            },
            "pages": first.pages if one and first else 0,
            "link": link,
        }

    order = first.key if first else ()
    builds = (then.build for then, _ in times.values())
    key = ("rankings", *builds, one, str(least), *order)
    # Offices are told by their members; no staff member is named.
    return await site.cached(request, key, "rankings", context, indexed=True)


def _table(
    facts: Facts,
    period: ShownPeriod,
    seats: list[Seat],
    request: Request,
    least: int,
    paged: bool,
) -> SortedTable[OfficeRow]:
    """The offices of a chamber that has lists but those of too few people; only the first ones unless `paged`."""
    offices = office_table.offices(facts, period.chamber, seats)
    query = request.args if paged else {name: request.args.get(name) for name in ("tri", "sens")}
    return SortedTable(
        [office for office in offices if office.people >= least],
        office_table.COLUMNS,
        query,
        ON_PAGE if paged else AT_FIRST,
        USUAL,
    )


def _ranking(
    facts: Facts,
    period: ShownPeriod,
    table: SortedTable[OfficeRow],
    link: Callable[..., str],
) -> ChamberRanking:
    chamber = period.chamber
    figures = facts.figures[chamber]
    gap = getattr(figures.nobody.turnover, "gap", None)
    return ChamberRanking(
        chamber,
        period,
        facts.years[chamber],
        facts.coverage[chamber],
        figures.whole,
        table,
        table.heads(link),
        office_table.why(figures.nobody.turnover) if gap else "",
    )
