"""Small figures of groups and chambers that other sites may show in their pages, and nothing else of this one."""

from __future__ import annotations

from itertools import chain
from typing import Any
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response

from parlement_lists.meanings import MEANINGS

from ..charts import drawing
from ..charts.comparison import compare, rates_of
from ..counts.facts import Facts
from ..frame.site import PageMissing, Site, with_query
from . import groups, office_table, periods
from .periods import ShownPeriod

# Only these addresses may be framed by other sites; they load a style sheet and nothing else.
POLICY = (
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors *"
)


async def figure(site: Site, request: Request) -> Response:
    """The strip of a group, or of a chamber where no code is given, for other sites to embed."""
    chamber = request.url_vars["chamber"]
    code = unquote(request.url_vars.get("code") or "")
    facts = await site.facts()
    if code and code not in groups.codes(facts, chamber):
        raise PageMissing(groups.UNKNOWN)
    facts, shown = await periods.facts_of(site, request, facts, chamber)
    key = ("figure", facts.build, chamber, code, shown.fault)
    answer = await site.cached(
        request, key, "figure", lambda: _context(site, facts, shown, code), indexed=True
    )
    answer.headers["content-security-policy"] = POLICY
    return answer


async def _context(site: Site, facts: Facts, shown: ShownPeriod, code: str) -> dict[str, Any]:
    chamber = shown.chamber
    figures = facts.figures.get(chamber)
    rates = chain(*rates_of(figures).values()) if figures else ()
    whole = figures.whole.median if figures else None
    return {
        "page": with_query(
            site.group_page(chamber, code) if code else site.path(f"/elus/{chamber}"), shown.query
        ),
        "period": shown,
        "chamber": chamber,
        "code": code,
        "name": facts.group(chamber, code).name if code else MEANINGS[chamber],
        "known": facts.coverage[chamber],
        "figures": (figures.groups.get(code) if code else figures.whole) if figures else None,
        "compared": compare(facts, chamber, code) if code else None,
        "histogram": drawing.histogram(rates, whole.rate, None) if whole else "",
        "svg": drawing.defs(chamber),
        "rate_axis": drawing.rate_axis(),
        "legend": drawing.legend("group" if code else "chamber", chamber),
        "grouped": not figures or figures.grouped,
        "groups_unknown": office_table.GROUPS_UNKNOWN,
        "year": facts.years[chamber],
    }
