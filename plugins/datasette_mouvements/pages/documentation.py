"""The documentation, written from the definitions that the service runs on; the sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from datasette.utils.asgi import Request, Response

from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CHAMBERS

from ..api.description import VERSION, document
from ..api.parameters import FEED, LIMIT_MOST, MEMBERS, MOVEMENTS, OF, STAYS
from ..api.replies import EXPOSED
from ..dataset.coverage import HOLE_DAYS
from ..dataset.figures import FEWEST
from ..dataset.mandates import NAMED_WITHIN
from ..dataset.nights import LISTED, Night, by_source, days_until
from ..dataset.schema import TABLE, TABLES, TENURES
from ..fields import LINE_FIELDS, MOVEMENT_FIELDS
from ..keys.keys import LENGTH, MARK
from ..refusal import KINDS, RETRY_SECONDS
from . import french
from .runner import FILE_SECONDS, PAGE_SECONDS, Context, View, public, with_tag
from .site import Site

# Answers that the quota does not count: without a known key, 304, refused for the quota, unavailable.
UNCOUNTED = sorted(
    {304, *(KINDS[kind].status for kind in ("key_missing", "key_invalid", "quota", "unavailable"))}
)
# How many nights the page of the sources shows, and a sign for each outcome: colour never stands alone.
NIGHTS = 30
SILENT_NIGHT = "aucun relevé"
SIGNS = {"nouvelle": "+", "identique": "=", "refusee": "×", "echouee": "!", "": "–"}


def read(view: View) -> Context:
    """The documentation."""
    site = view.site
    described = json.loads(document(site.service))["components"]
    return {
        "address": site.service.address(view.request.scope),
        "origin": site.origin(view.request),
        "fewest": FEWEST,
        "hole_days": HOLE_DAYS,
        "named_within": NAMED_WITHIN,
        "fields": MOVEMENT_FIELDS,
        "stay_fields": LINE_FIELDS,
        "parameters": OF[MOVEMENTS].values(),
        "stay_parameters": OF[STAYS].values(),
        "member_parameters": OF[MEMBERS].values(),
        "change_parameters": OF[FEED].values(),
        "envelope": described["schemas"]["Recherche"]["properties"],
        "changes_envelope": described["schemas"]["PageDeChangements"]["properties"],
        "headers": {name: described["headers"][name] for name in (*EXPOSED, "Last-Modified")},
        "version": VERSION,
        "kinds": KINDS.values(),
        "uncounted": UNCOUNTED,
        "valued": [field for field in MOVEMENT_FIELDS if field.values and any(field.values)],
        "meanings": MEANINGS,
        "tables": [name for name in TABLES if name.isalpha() and name != TABLE],
        "quota": site.config.quota,
        "limit_most": LIMIT_MOST,
        "retry_seconds": RETRY_SECONDS,
        "mark": MARK,
        "key_length": LENGTH,
    }


def sources(view: View) -> Context:
    """The lists of each chamber, and what each run of the last nights found at each source."""
    nights, today = view.version.nights, view.site.today
    days = days_until(today, NIGHTS, nights)
    rows = [
        (own[0], [_cell(own, day, day == days[-1]) for day in days])
        for source, own in by_source(nights).items()
        if source
    ]
    rows.sort(key=lambda row: (list(CHAMBERS).index(row[0].chambre), row[0].source))
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for night in nights:
        if night.source and night.jour in days and night.resultat not in LISTED:
            key = night.chambre, night.source, why(night)
            reasons.setdefault(key, []).append(night.jour)
    return {
        "freshness": view.site.service.freshness(view.version),
        "run": view.site.service.last_run(),
        "days": days,
        "rows": rows,
        "reasons": reasons,
        "signs": [
            (name, sign, french.OUTCOMES.get(name, SILENT_NIGHT)) for name, sign in SIGNS.items()
        ],
    }


def _cell(own: Sequence[Night], day: str, is_today: bool) -> tuple[str, str, str]:
    """The outcome of a source's night, its sign and words: silent without a run, "" before its first and today."""
    night = next((night for night in own if night.jour == day), None)
    if night is not None:
        return night.resultat, SIGNS[night.resultat], why(night)
    if is_today or day < own[0].jour:
        return "", "", ""
    return "muette", SIGNS[""], SILENT_NIGHT


def why(night: Night) -> str:
    """The outcome of a night with its reason and figure, in words."""
    reason = night.motif + (f" ({french.measure(night.mesure)})" if night.mesure else "")
    return ", ".join(filter(None, (french.OUTCOMES[night.resultat], reason)))


async def client(site: Site, request: Request) -> Response:
    """The example client, as a file that the site gives to everyone."""
    headers = {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": "ETag, Link",
        "cache-control": public(FILE_SECONDS),
        "link": site.service.links_at(site.service.url("")),
        "x-content-type-options": "nosniff",
    }
    body = (Path(__file__).parent.parent / "examples" / "client.py").read_bytes()
    return with_tag(request, body, headers, "text/plain; charset=utf-8")


async def robots(site: Site, request: Request) -> Response:
    """Robots may read pages that name people, which say `noindex`; filters and searches are without end."""
    tables = [site.table(), site.table(TENURES), site.path("/explorer"), site.path("/recherche")]
    lines = ["User-agent: *", *(f"Disallow: {table}?" for table in tables)]
    lines.append(f"Disallow: {site.path('/fichiers/')}")
    text = "\n".join(lines) + "\n"
    return Response.text(text, headers={"cache-control": public(PAGE_SECONDS)})
