"""The home page and the search for a name."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from datasette.utils.asgi import Request, Response
from markupsafe import Markup

from parlement_lists.dates import add_days
from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CHAMBERS, TYPES

from ..dataset.coverage import HOLE_DAYS, Coverage
from .charts import drawing, months
from .counts import days
from .counts.facts import CountPending, Facts, Part, at_once
from .frame.site import Site
from .offices import office_table
from .people import name_search
from .words import french, phrases

LATEST_DAYS = 7
HOLES = 6
# Bytes of the latest days on the home page, which must stay below 60 kB.
MOST_BYTES = 9_000
TOO_SHORT = "Donnez au moins deux lettres."


async def home(site: Site, request: Request) -> Response:
    """The first page: what this is, how far the lists go, what changed last, ways on."""
    try:
        counted = await site.facts()
    except CountPending:
        coverage = _coverage(site, at_once(site.snapshot()))
        return await site.page(request, "home", coverage | {"counting": True})
    return await site.cached(
        request, ("home", counted.build), "home", lambda: _context(site, counted)
    )


async def _context(site: Site, counted: Facts) -> dict[str, Any]:
    charts = await months.read(counted)
    top = drawing.round_top(max((chart.most for chart in charts), default=0))
    drawn = [_draw(chart, top) for chart in charts]
    return {
        **_coverage(site, counted),
        **await _latest(counted),
        "months_legend": drawing.legend("months", charts=drawn),
        "charts": list(zip(charts, drawn, strict=True)),
        "chambers": [await _chamber(site, counted, chamber) for chamber in CHAMBERS],
    }


def _coverage(site: Site, facts: Facts) -> dict[str, Any]:
    """How far the lists of each chamber go: known before anything is counted."""
    coverage = facts.coverage
    days = [day for lists in coverage.values() for day in (lists.first, lists.last) if day]
    context: dict[str, Any] = {"facts": facts, "svg": drawing.defs(), "bands": []}
    if not days:
        return context
    today = site.today.isoformat()
    scale = drawing.Scale(f"{min(days)[:4]}-01-01", max(max(days), today))
    for chamber, lists in coverage.items():
        band = drawing.band(
            chamber, scale, lists, _label_band(site, chamber, lists), site.late(lists)
        )
        context["bands"].append((chamber, lists, band))
    holes = [(chamber, hole) for chamber, lists in coverage.items() for hole in lists.holes]
    latest = sorted(holes, key=lambda one: one[1].after, reverse=True)[:HOLES]
    return context | {
        "late": any(site.late(lists) for lists in coverage.values()),
        "years": drawing.band_years(scale),
        "legend": drawing.legend("band"),
        "holes": [one for one in holes if one in latest],
        "interruptions": len(holes),
        "hole_days": HOLE_DAYS,
    }


def _label_band(site: Site, chamber: str, lists: Coverage) -> str:
    """What a band shows, in words."""
    if not lists.last:
        return french.typography(f"{MEANINGS[chamber]} : pas de liste connue")
    first, last = french.plain_day(lists.first), french.plain_day(lists.last)
    said = f"{MEANINGS[chamber]} : listes du {first} au {last}"
    if lists.holes:
        said += f", {french.counted(len(lists.holes), 'interruption')}"
    if site.late(lists):
        said += f", la dernière {french.ago(lists.last, site.today)}"
    return french.typography(said)


async def _latest(facts: Facts) -> dict[str, Any]:
    """The last seven days of lists, as many of their movements as stand on a first page."""
    coverage = facts.coverage
    until = max(facts.latest, *(lists.last for lists in coverage.values()))
    if not until:
        return {"until": "", "days": []}
    since = add_days(until, 1 - LATEST_DAYS)
    rows = await days.read(facts, since, until)
    found = days.by_day(rows)
    pages = days.pages(found, MOST_BYTES)
    numbers = days.numbers(rows)
    return {
        "since": since,
        "until": until,
        "days": pages[0],
        "cut": len(pages) > 1,
        "numbers": numbers,
        "totals": {kind: sum(one[kind] for one in numbers.values()) for kind in TYPES},
        "unlisted": {c for c, lists in coverage.items() if lists.last < since},
        "over": [
            (chamber, hole)
            for chamber, lists in coverage.items()
            for hole in lists.holes
            if since <= hole.after <= until
        ],
        "held": await days.held(facts, since, until),
        "contracts": any(office.contract for day in found for office in day.offices),
    }


def _draw(chart: months.MonthsChart, top: int) -> Markup:
    """The months of a chamber, on the scale of all."""
    first, last = french.month(chart.rows[0][0]), french.month(chart.rows[-1][0])
    label = french.typography(
        f"{MEANINGS[chart.chamber]}, mouvements par mois {phrases.of(first)} à {last}."
        " Les mêmes nombres sont dans le tableau qui suit."
    )
    return chart.draw(top, label)


class ChamberCard(NamedTuple):
    """A chamber with its groups, as the home page leads to them."""

    name: str
    members: int  # whose mandate goes on
    known: int  # all members
    groups: list[tuple[str, int]]  # by code, with their members


async def _chamber(site: Site, facts: Facts, chamber: str) -> ChamberCard:
    sitting = [seat.member for seat in await office_table.sitting(site, facts, chamber)]
    groups = Counter(member.group for member in sitting if member.group)
    return ChamberCard(chamber, len(sitting), len(facts.members[chamber]), sorted(groups.items()))


async def search(site: Site, request: Request) -> Response:
    """Elected members and staff whose name is, begins, or nearly is as typed."""
    facts = await site.facts(Part.WORDS)
    text = " ".join((request.args.get("q") or "").split())[: name_search.LENGTH]
    context: dict[str, Any] = {"q": text, "coverage": facts.coverage, "message": ""}
    firsts = [facts.first, *(lists.first for lists in facts.coverage.values())]
    context["first"] = min(filter(None, firsts), default="")[:4]
    if text and not name_search.expression(text):
        context["message"] = french.typography(TOO_SHORT)
    elif text:
        found = await name_search.find(facts, text, site.today)
        context["found"] = found
        context["feed"] = site.path("/flux", nom=text)
        if found.all_members + found.all_staff < name_search.FEW:
            context["near"] = await name_search.find_near(facts, text, site.today, found)
    return await site.page(request, "search", context)
