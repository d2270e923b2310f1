"""The pages of political groups: those of every chamber, one of them, and a figure that others may embed."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from datasette.utils.asgi import Request, Response

from ..dataset.schema import TENURES
from ..dataset.turnover import Figures, Median, Turnover
from ..movement import CHAMBERS, MEANINGS, plain
from . import drawing, french, group_counts, offices
from .absent import absent
from .facts import Facts, Group
from .offices import Office
from .page_headers import STRICT
from .site import Site
from .sorting import Sorted, page_of

# Two medians that differ by less say the same.
ALIKE = 0.05
# So many members are on a page of less than 60 kB.
ON_PAGE = 50
_AS_THOSE = {
    "assemblee": "de l’Assemblée",
    "senat": "du Sénat",
    "europarl": "du Parlement européen",
}


class Told(NamedTuple):
    """A group in the list of its chamber: its members whose mandate goes on, the people of their offices."""

    group: Group
    members: int
    people: int | None  # None of a chamber without lists
    figures: Figures | None


async def index(site: Site, request: Request) -> Response:
    """The groups of every chamber that have members, then those that had."""
    facts = await site.facts()
    key = ("groups", facts.edition, site.origin(request), site.today.isoformat())
    known = site.cached_page(request, key)
    if known is not None:
        return known
    chambers = []
    for chamber in CHAMBERS:
        found = [_told(facts, chamber, code) for code in _codes(facts, chamber)]
        present = [one for one in found if one.members]
        chambers.append((chamber, present, [one for one in found if not one.members]))
    context = {"chambers": chambers, "facts": facts}
    return await site.cache_page(request, key, "groups", context, indexed=True)


def _codes(facts: Facts, chamber: str) -> list[str]:
    """Every group of a chamber that a member has, or that the file names."""
    codes = {member.group for member in facts.members[chamber] if member.group}
    return sorted({*codes, *(one.code for one in facts.groups_of(chamber))}, key=plain)


def _told(facts: Facts, chamber: str, code: str) -> Told:
    here = [one for one in facts.members[chamber] if one.group == code and not one.until]
    listed = bool(facts.coverage[chamber].last)
    figures = facts.figures[chamber].groups.get(code) if listed else None
    people = sum(one.team or 0 for one in here) if listed else None
    return Told(facts.group(chamber, code), len(here), people, figures)


async def group(site: Site, request: Request) -> Response:
    """One group: its offices beside those of the chamber, its months, its exchanges, its members."""
    chamber, code = request.url_vars["chamber"], unquote(request.url_vars["code"])
    facts = await site.facts()
    if code not in _codes(facts, chamber):
        return await absent(site, request, "Aucun groupe de cette chambre n’a ce nom.")
    asked = {name: request.args.get(name) for name in ("tri", "sens")}
    of_group = [one for one in offices.offices(facts, chamber) if one.member.group == code]
    table = Sorted(of_group, offices.COLUMNS, asked)
    number = page_of(request.args.get("page"), len(of_group), ON_PAGE)
    key = (
        *("group", facts.edition, site.origin(request), site.today.isoformat()),
        *(chamber, code, *table.query.values(), str(number)),
    )
    known = site.cached_page(request, key)
    if known is not None:
        return known
    context = await _context(site, facts, chamber, code, table, number)
    return await site.cache_page(request, key, "group", context, indexed=True)


async def _context(
    site: Site, facts: Facts, chamber: str, code: str, table: Sorted[Office], number: int
) -> dict[str, Any]:
    counts = await group_counts.read(facts, chamber, code)
    path = f"/groupes/{chamber}/{quote(code, safe='')}"
    label = french.typography(
        f"Groupe {code} : mouvements par mois. Les mêmes nombres sont dans le tableau qui suit."
    )
    top = drawing.round_top(counts.most)
    drawn = bool(counts.rows) and len(counts.unknown) < len(counts.rows)
    return {
        "chamber": chamber,
        "told": _told(facts, chamber, code),
        "known": facts.coverage[chamber],
        "year": facts.years[chamber],
        "people": await _people(facts, chamber, code),
        "compared": compared(facts, chamber, code),
        "whole": facts.figures[chamber].whole if chamber in facts.figures else None,
        "medians": medians(facts, chamber),
        "counts": counts,
        "chart": drawing.months(counts.rows, counts.unknown, (), top, label) if drawn else "",
        "months_legend": drawing.legend("months"),
        "strip_legend": drawing.legend("group", chamber),
        "svg": drawing.defs(chamber),
        "rate_axis": drawing.rate_axis(),
        "most_moved": max((max(one.came, one.went) for one in counts.flows), default=0),
        "offices": table.rows[(number - 1) * ON_PAGE : number * ON_PAGE],
        "found": len(table.rows),
        "heads": table.heads(lambda **query: site.path(path, **query) + "#membres"),
        "page": number,
        "pages": -(-len(table.rows) // ON_PAGE),
        "link": lambda page: (
            site.path(path, **table.query, page=page if page > 1 else "") + "#membres"
        ),
        "elsewhere": [
            other for other in CHAMBERS if other != chamber and code in _codes(facts, other)
        ],
        "feed": site.path("/flux", chambre=chamber, groupe=code),
        "explorer": site.path("/explorer", chambre=chamber, groupe=code),
        "file": site.path(f"{path}.csv"),
        "figure_path": f"/figures{path}",
    }


async def _people(facts: Facts, chamber: str, code: str) -> int | None:
    """How many people the last list has with members of the group; None of a chamber without lists."""
    last = facts.coverage[chamber].last
    if not last:
        return None
    here = {one.identifier for one in facts.members[chamber] if one.group == code and not one.until}
    stays = await facts.reader.stays(
        f"indexed by idx_{TENURES}_chambre_elu_id where chambre = ? and fin is null and fin_apres = ?",
        [chamber, last],
    )
    return len({stay.person for stay in stays if stay.elu_id in here})


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
        _title(chamber, found.median.rate, whole.rate),
        found.median,
        whole,
        drawing.strip(own, found.median.rate, None, chamber),
        drawing.histogram(rates, whole.rate, None),
        found.turnover.since,
        found.turnover.until,
    )


def _title(chamber: str, own: float, whole: float) -> str:
    """What the two medians say, in words of the rule: alike under five points."""
    those = f"celles {_AS_THOSE[chamber]}"
    if abs(own - whole) < ALIKE:
        return f"Les équipes du groupe se répartissent comme {those}"
    often = "plus" if own > whole else "moins"
    return f"On quitte les équipes du groupe {often} souvent que {those}"


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


async def figure(site: Site, request: Request) -> Response:
    """The strip of a group, or of a chamber where no code is given, for other sites to embed."""
    chamber = request.url_vars["chamber"]
    code = unquote(request.url_vars.get("code") or "")
    facts = await site.facts()
    if code and code not in _codes(facts, chamber):
        return await absent(site, request, "Aucun groupe de cette chambre n’a ce nom.")
    key = ("figure", facts.edition, site.origin(request), chamber, code)
    answer = site.cached_page(request, key)
    if answer is None:
        figures = facts.figures.get(chamber)
        rates = [
            one.turnover.rate
            for one in (figures.offices.values() if figures else ())
            if isinstance(one.turnover, Turnover)
        ]
        whole = figures.whole.median if figures else None
        name = facts.group(chamber, code).name if code else MEANINGS[chamber]
        path = f"/groupes/{chamber}/{quote(code, safe='')}" if code else f"/elus/{chamber}"
        context = {
            "chamber": chamber,
            "code": code,
            "name": name,
            "known": facts.coverage[chamber],
            "figures": (figures.groups.get(code) if code else figures.whole) if figures else None,
            "compared": compared(facts, chamber, code) if code else None,
            "histogram": drawing.histogram(rates, whole.rate, None) if whole else "",
            "address": site.absolute(request, site.path(path)),
            "svg": drawing.defs(chamber),
            "rate_axis": drawing.rate_axis(),
        }
        answer = await site.cache_page(request, key, "figure", context, indexed=True)
    # Only this address may stand in another site's page.
    answer.headers["content-security-policy"] = STRICT.replace(
        "frame-ancestors 'none'", "frame-ancestors *"
    )
    return answer
