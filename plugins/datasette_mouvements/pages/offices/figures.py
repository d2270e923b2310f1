"""Small figures of groups and chambers that other sites may show in their pages, and nothing else of this one."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import MEANINGS

from ...dataset.turnover import Turnover
from ..charts import drawing
from ..charts.comparison import compared
from ..counts.facts import Facts
from ..frame.not_found import absent
from ..frame.site import Site
from . import groups

# Only such an address may stand in another site's page; it has a sheet of styles and no more.
POLICY = (
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors *"
)


async def figure(site: Site, request: Request) -> Response:
    """The strip of a group, or of a chamber where no code is given, for other sites to embed."""
    chamber = request.url_vars["chamber"]
    code = unquote(request.url_vars.get("code") or "")
    facts = await site.facts()
    if code and code not in groups.codes(facts, chamber):
        return await absent(site, request, groups.UNKNOWN)
    key = ("figure", facts.build, chamber, code)
    answer = site.cached_page(request, key)
    if answer is None:
        context = _context(site, facts, chamber, code)
        context["page"] = _page(site, chamber, code)
        answer = await site.cache_page(request, key, "figure", context, indexed=True)
    answer.headers["content-security-policy"] = POLICY
    return answer


def _page(site: Site, chamber: str, code: str) -> str:
    return site.group_page(chamber, code) if code else site.path(f"/elus/{chamber}")


def _context(site: Site, facts: Facts, chamber: str, code: str) -> dict[str, Any]:
    figures = facts.figures.get(chamber)
    rates = [
        one.turnover.rate
        for one in (figures.offices.values() if figures else ())
        if isinstance(one.turnover, Turnover)
    ]
    whole = figures.whole.median if figures else None
    return {
        "chamber": chamber,
        "code": code,
        "name": facts.group(chamber, code).name if code else MEANINGS[chamber],
        "known": facts.coverage[chamber],
        "figures": (figures.groups.get(code) if code else figures.whole) if figures else None,
        "compared": compared(facts, chamber, code) if code else None,
        "histogram": drawing.histogram(rates, whole.rate, None) if whole else "",
        "svg": drawing.defs(chamber),
        "rate_axis": drawing.rate_axis(),
        "legend": drawing.legend("group" if code else "chamber", chamber),
        "gap": facts.years[chamber].gap,
    }
