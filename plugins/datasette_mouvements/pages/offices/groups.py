"""The pages of political groups: those of every chamber, and each of them."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import CHAMBERS, plain

from ...dataset.turnover import Figures
from ..charts import drawing
from ..counts.facts import Facts, Group
from ..explorer.filters import has_feed
from ..frame.site import PageMissing, Site, with_query
from ..frame.sorting import SortedTable
from ..words import french
from . import group_counts, office_table, periods
from .office_table import OfficeRow
from .periods import ShownPeriod
from .seats import Seat

UNKNOWN = "Aucun groupe de cette chambre n’a ce nom."
# Members on a page, which must stay below 60 kB.
ON_PAGE = 60
# Of each group of a chamber; an empty cell is what is not known, and why stands at the end.
CSV_HEADER = (
    *("chambre", "groupe", "nom", "liste", "membres", "collaborations"),
    *("part_mediane", "equipes", "sans_liste", "non_calculable"),
)
COUNTS_BYTES = 10_000  # about what the counts of a group take


class GroupSummary(NamedTuple):
    """A group in the list of its chamber: its members whose mandate goes on, the stays at their offices."""

    group: Group
    members: int
    stays: int | None  # on the last list, None of a chamber without lists
    on_leave: int  # of them
    figures: Figures | None


async def index(site: Site, request: Request) -> Response:
    """The groups of every chamber that have members, then those that had."""
    facts = await site.facts()
    asked = request.args.get("chambre")
    chambers = (asked,) if asked in CHAMBERS else CHAMBERS
    times = [await periods.usual(site, facts, chamber) for chamber in chambers]
    given = ((shown.chamber, then.build) for then, shown in times)
    key = ("groups", *chain.from_iterable(given))
    return await site.cached(request, key, "groups", lambda: _index(site, times), indexed=True)


async def _index(site: Site, times: list[tuple[Facts, ShownPeriod]]) -> dict[str, Any]:
    chambers = []
    for facts, shown in times:
        chamber = shown.chamber
        found = await of_chamber(site, facts, chamber)
        present = [one for one in found if one.members]
        former = [one for one in found if not one.members]
        seats = await office_table.sitting(site, facts, chamber)
        figures = facts.figures.get(chamber)
        grouped = not figures or figures.grouped
        counts = len(seats), without_group(seats)
        chambers.append((chamber, present, former, *counts, grouped, facts, shown))
    return {
        "chambers": chambers,
        "canonical_query": {"chambre": times[0][1].chamber} if len(times) == 1 else {},
        "groups_unknown": office_table.GROUPS_UNKNOWN,
    }


async def of_chamber(site: Site, facts: Facts, chamber: str) -> list[GroupSummary]:
    """The groups of a chamber, by code."""
    seats = await office_table.sitting(site, facts, chamber)
    return [_summarise(facts, chamber, code, seats) for code in codes(facts, chamber)]


def without_group(seats: list[Seat]) -> int:
    """How many members there are of whom no group is known: no group counts them."""
    return sum(not seat.member.group for seat in seats)


def csv_row(facts: Facts, one: GroupSummary) -> list[str]:
    """A group as a row of the CSV."""
    group, figures = one.group, one.figures
    start = [group.chamber, group.code, group.name, facts.coverage[group.chamber].last]
    if group.chamber in facts.figures and not facts.figures[group.chamber].grouped:
        return [*start, *[""] * 5, office_table.GROUPS_UNKNOWN]
    median = figures.median if figures else None
    return [
        *start,
        *(str(one.members), "" if one.stays is None else str(one.stays)),
        *(
            (f"{median.rate:.4f}", str(median.offices), office_table.spans(median.holes))
            if median
            else ("", "", "")
        ),
        office_table.why(figures.turnover) if figures and not median else "",
    ]


def codes(facts: Facts, chamber: str) -> list[str]:
    """Every group of a chamber that a member has, or that the file names."""
    codes = {member.group for member in facts.members[chamber] if member.group}
    return sorted({*codes, *(one.code for one in facts.groups_of(chamber))}, key=plain)


def _summarise(facts: Facts, chamber: str, code: str, seats: list[Seat]) -> GroupSummary:
    here = [seat.member for seat in seats if seat.member.group == code]
    listed = bool(facts.coverage[chamber].last)
    figures = facts.figures[chamber].groups.get(code) if listed else None
    stays = sum(one.team or 0 for one in here) if listed else None
    on_leave = sum(one.on_leave for one in here)
    return GroupSummary(facts.group(chamber, code), len(here), stays, on_leave, figures)


async def group(site: Site, request: Request) -> Response:
    """One group: its offices beside those of the chamber, its months, its exchanges, its members."""
    chamber, code = request.url_vars["chamber"], unquote(request.url_vars["code"])
    facts = await site.facts()
    if code not in codes(facts, chamber):
        raise PageMissing(UNKNOWN)
    facts, shown = await periods.usual(site, facts, chamber)
    sitting = await office_table.sitting(site, facts, chamber)
    seats = [seat for seat in sitting if seat.member.group == code]
    offices = office_table.offices(facts, chamber, seats)
    table = SortedTable(offices, office_table.COLUMNS, request.args, ON_PAGE)

    async def context() -> dict[str, Any]:
        return {
            **await _context(site, facts, shown, code, seats),
            "sitting": len(sitting),
            "ungrouped": without_group(sitting),
            "period": shown,
            **_members(site, shown, code, table),
        }

    key = ("group", facts.build, chamber, code, *table.key)
    return await site.cached(request, key, "group", context, indexed=True)


def _members(
    site: Site, shown: ShownPeriod, code: str, table: SortedTable[OfficeRow]
) -> dict[str, Any]:
    """One page of the table of members."""
    path = site.group_page(shown.chamber, code)
    return {
        "offices": table.shown,
        "heads": table.heads(lambda **query: with_query(path, query) + "#membres"),
        "page": table.page,
        "canonical_query": {"page": table.canonical_page},
        "path": path,
        "pages": table.pages,
        "link": lambda page: (
            with_query(path, {**table.query, "page": page if page > 1 else ""}) + "#membres"
        ),
    }


async def _context(
    site: Site, facts: Facts, shown: ShownPeriod, code: str, seats: list[Seat]
) -> dict[str, Any]:
    chamber = shown.chamber
    # Its page is rendered for each order of the members.
    counts = await site.kept(
        ("group counts", facts.edition, chamber, code),
        lambda: group_counts.read(facts, chamber, code),
        lambda _: COUNTS_BYTES,
        past=bool(facts.day),
    )
    chart = counts.chart
    label = french.typography(
        f"Groupe {code} : mouvements par mois. Les mêmes nombres sont dans le tableau qui suit."
    )
    drawn = "" if chart.uncounted else chart.draw(drawing.round_top(chart.most), label)
    page = site.group_page(chamber, code).removeprefix(site.service.prefix)
    people, on_leave = await _people(facts, chamber, seats)
    figures = facts.figures.get(chamber)
    return {
        "chamber": chamber,
        "told": _summarise(facts, chamber, code, seats),
        "seats": seats,
        "known": facts.coverage[chamber],
        "year": facts.years[chamber],
        "people": people,
        "on_leave": on_leave,
        "whole": figures.whole if figures else None,
        "grouped": not figures or figures.grouped,
        "groups_unknown": office_table.GROUPS_UNKNOWN,
        "counts": counts,
        "chart": chart,
        "drawn": drawn,
        "months_legend": drawing.legend("months", charts=[drawn]),
        "svg": drawing.defs(chamber),
        "most_moved": max((max(one.came, one.went) for one in counts.flows), default=0),
        "elsewhere": [
            other for other in CHAMBERS if other != chamber and code in codes(facts, other)
        ],
        "feed": site.path("/flux", chambre=chamber, groupe=code) if has_feed(code) else "",
        "explorer": site.path("/explorer", chambre=chamber, groupe=code),
        "file": site.path(f"{page}.csv"),
    }


async def _people(facts: Facts, chamber: str, seats: list[Seat]) -> tuple[int | None, int]:
    """How many people the last list has with these members, None of a chamber without lists; those on leave."""
    last = facts.coverage[chamber].last
    if not last:
        return None, 0
    stays = await facts.reader.stays(
        """
        where chambre = ? and debut <= ? and fin_apres >= ?
          and elu_id in (select value from json_each(?))
        """,
        [chamber, last, last, json.dumps([seat.member.identifier for seat in seats])],
    )
    people = {stay.person for stay in stays}
    return len(people), len(
        {stay.person for stay in stays if stay.conge and stay.fin_apres == last}
    )
