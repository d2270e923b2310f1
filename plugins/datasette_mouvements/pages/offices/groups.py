"""The pages of political groups: those of every chamber, and each of them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS, plain

from ...dataset.schema import TENURES
from ...dataset.turnover import Figures
from ..charts import drawing, months
from ..charts.comparison import compared, medians
from ..counts.facts import Facts, Group
from ..explorer.filters import has_feed
from ..frame.not_found import absent
from ..frame.site import Site
from ..frame.sorting import Sorted, page_of
from ..words import french
from . import group_counts, office_table
from .chambers import Seat
from .group_counts import GroupCounts
from .office_table import Office

UNKNOWN = "Aucun groupe de cette chambre n’a ce nom."
# So many members are on a page of less than 60 kB.
ON_PAGE = 60
# Of each group of a chamber; an empty cell is what is not known, and why stands at the end.
CSV_HEADER = (
    *("chambre", "groupe", "nom", "liste", "membres", "collaborations"),
    *("part_mediane", "equipes", "non_calculable"),
)
COUNTS_BYTES = 10_000  # about what the counts of a group take


class Told(NamedTuple):
    """A group in the list of its chamber: its members whose mandate goes on, the stays at their offices."""

    group: Group
    members: int
    stays: int | None  # on the last list, None of a chamber without lists
    figures: Figures | None


async def index(site: Site, request: Request) -> Response:
    """The groups of every chamber that have members, then those that had."""
    facts = await site.facts()
    key = ("groups", facts.build)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    chambers = []
    for chamber in CHAMBERS:
        found = await of_chamber(site, facts, chamber)
        present = [one for one in found if one.members]
        chambers.append((chamber, present, [one for one in found if not one.members]))
    context = {"chambers": chambers, "facts": facts}
    return await site.cache_page(request, key, "groups", context, indexed=True)


async def of_chamber(site: Site, facts: Facts, chamber: str) -> list[Told]:
    """The groups of a chamber, by code."""
    seats = await office_table.sitting(site, facts, chamber)
    return [_told(facts, chamber, code, seats) for code in codes(facts, chamber)]


def csv_row(facts: Facts, one: Told) -> list[str]:
    """A group as a row of the CSV."""
    group, figures = one.group, one.figures
    median = figures.median if figures else None
    return [
        *(group.chamber, group.code, group.name, facts.coverage[group.chamber].last),
        *(str(one.members), "" if one.stays is None else str(one.stays)),
        *((f"{median.rate:.4f}", str(median.offices)) if median else ("", "")),
        office_table.why(figures.turnover) if figures and not median else "",
    ]


def codes(facts: Facts, chamber: str) -> list[str]:
    """Every group of a chamber that a member has, or that the file names."""
    codes = {member.group for member in facts.members[chamber] if member.group}
    return sorted({*codes, *(one.code for one in facts.groups_of(chamber))}, key=plain)


def _told(facts: Facts, chamber: str, code: str, seats: list[Seat]) -> Told:
    here = [seat.member for seat in seats if seat.member.group == code]
    listed = bool(facts.coverage[chamber].last)
    figures = facts.figures[chamber].groups.get(code) if listed else None
    stays = sum(one.team or 0 for one in here) if listed else None
    return Told(facts.group(chamber, code), len(here), stays, figures)


async def group(site: Site, request: Request) -> Response:
    """One group: its offices beside those of the chamber, its months, its exchanges, its members."""
    chamber, code = request.url_vars["chamber"], unquote(request.url_vars["code"])
    facts = await site.facts()
    if code not in codes(facts, chamber):
        return await absent(site, request, UNKNOWN)
    asked = {name: request.args.get(name) for name in ("tri", "sens")}
    seats = [
        seat
        for seat in await office_table.sitting(site, facts, chamber)
        if seat.member.group == code
    ]
    table = Sorted(office_table.offices(facts, chamber, seats), office_table.COLUMNS, asked)
    page = page_of(request.args.get("page"), len(table), ON_PAGE)
    key = (
        *("group", facts.build, site.origin(request), chamber, code),
        *(*table.query.values(), str(page)),
    )
    known = site.cached_page(request, key)
    if known is not None:
        return known
    context = await _context(site, facts, chamber, code, seats)
    context |= _members(site, chamber, code, table, page)
    return await site.cache_page(request, key, "group", context, indexed=True)


def _members(
    site: Site, chamber: str, code: str, table: Sorted[Office], page: int
) -> dict[str, Any]:
    """One page of the table of members."""
    path = site.group_page(chamber, code).removeprefix(site.service.prefix)
    return {
        "offices": table.rows[(page - 1) * ON_PAGE : page * ON_PAGE],
        "heads": table.heads(lambda **query: site.path(path, **query) + "#membres"),
        "page": page,
        "canonical_query": {"page": table.kept_page(page)},
        "pages": -(-len(table) // ON_PAGE),
        "link": lambda page: (
            site.path(path, **table.query, page=page if page > 1 else "") + "#membres"
        ),
    }


async def _context(
    site: Site, facts: Facts, chamber: str, code: str, seats: list[Seat]
) -> dict[str, Any]:
    counts = await _counts(site, facts, chamber, code)
    uncounted = months.uncounted(
        facts.months[chamber], facts.unlisted[chamber], facts.coverage[chamber].last
    )
    chart = _drawn(counts, code) if not uncounted else ""
    page = site.group_page(chamber, code).removeprefix(site.service.prefix)
    return {
        "chamber": chamber,
        "told": _told(facts, chamber, code, seats),
        "seats": seats,
        "known": facts.coverage[chamber],
        "year": facts.years[chamber],
        "people": await _people(facts, chamber, seats),
        "compared": compared(facts, chamber, code),
        "whole": facts.figures[chamber].whole if chamber in facts.figures else None,
        "medians": medians(facts, chamber),
        "counts": counts,
        "chart": chart,
        "uncounted": uncounted,
        "months_legend": drawing.legend("months", charts=[chart]),
        "strip_legend": drawing.legend("group", chamber),
        "svg": drawing.defs(chamber),
        "rate_axis": drawing.rate_axis(),
        "most_moved": max((max(one.came, one.went) for one in counts.flows), default=0),
        "elsewhere": [
            other for other in CHAMBERS if other != chamber and code in codes(facts, other)
        ],
        "feed": site.path("/flux", chambre=chamber, groupe=code) if has_feed(code) else "",
        "explorer": site.path("/explorer", chambre=chamber, groupe=code),
        "file": site.path(f"{page}.csv"),
        "figure_path": site.path(f"/figures{page}"),
    }


def _drawn(counts: GroupCounts, code: str) -> str:
    """The months of a group."""
    label = french.typography(
        f"Groupe {code} : mouvements par mois. Les mêmes nombres sont dans le tableau qui suit."
    )
    top, marks = drawing.round_top(counts.most), months.marks(counts.turns)
    return drawing.months(counts.rows, counts.unknown, marks, top, label)


async def _counts(site: Site, facts: Facts, chamber: str, code: str) -> GroupCounts:
    """The counts of a group, once a version: its page is rendered for each order of the members."""
    key = ("group counts", facts.edition, chamber, code)
    found: GroupCounts | None = site.cache.get(key)
    if found is None:
        found = await group_counts.read(facts, chamber, code)
        site.cache.put(key, found, COUNTS_BYTES)
    return found


async def _people(facts: Facts, chamber: str, seats: list[Seat]) -> int | None:
    """How many people the last list has with these members; None of a chamber without lists."""
    last = facts.coverage[chamber].last
    if not last:
        return None
    stays = await facts.reader.stays(
        f"""
        indexed by idx_{TENURES}_fin where fin is null and chambre = ? and fin_apres = ?
          and elu_id in (select value from json_each(?))
        """,
        [chamber, last, json.dumps([seat.member.identifier for seat in seats])],
    )
    return len({stay.person for stay in stays})
