"""The home page and the search for a name."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from datasette.database import QueryInterrupted
from datasette.utils.asgi import Request, Response

from ..dataset.coverage import HOLE_DAYS
from ..movement import PARIS
from . import facts, french, name_search
from .latest_facts import Counting
from .site import Site

TOO_SHORT = "Donnez au moins deux lettres."
TOO_LONG = "Cette recherche trouve trop de monde : donnez un nom plus complet."


async def home(site: Site, request: Request) -> Response:
    """The first page: what this is, how fresh, the latest movements, the charts."""
    try:
        counted = await site.facts()
    except Counting:
        rows = await site.rows("order by rowid desc limit ?", [facts.LATEST])
        known = facts.at_once(site.snapshot(), rows)
        return await site.page(request, "home", _context(known) | {"counting": True})
    # A list is late from one day to the next.
    key = ("home", counted.edition, site.today.isoformat())
    known_page = site.cached_page(request, key)
    if known_page is not None:
        return known_page
    return await site.cache_page(request, key, "home", _context(counted))


def _context(known: facts.Facts) -> dict[str, Any]:
    built = datetime.fromisoformat(known.built_at).astimezone(PARIS)
    return {
        "facts": known,
        "published": french.instant(built),
        "months_shown": facts.MONTHS,
        "hole_days": HOLE_DAYS,
        "counting": False,
    }


async def search(site: Site, request: Request) -> Response:
    """Elected members and staff members whose name begins as typed."""
    site.snapshot()
    text = " ".join((request.args.get("q") or "").split())[: name_search.LENGTH]
    context = {"q": text, "most": name_search.MOST, "members": [], "staff": [], "message": ""}
    if text and not name_search.expression(text):
        context["message"] = french.typography(TOO_SHORT)
    elif text:
        try:
            context["members"] = await name_search.members(site, text)
            context["staff"], context["more_staff"] = await name_search.staff(site, text)
            context["feed"] = site.path("/flux", nom=text)
        except QueryInterrupted:
            context["message"] = french.typography(TOO_LONG)
    return await site.page(request, "search", context)
