"""The home page, the search for a name and the list of a chamber's elected members."""

from __future__ import annotations

from datetime import datetime

from datasette.database import QueryInterrupted
from datasette.utils.asgi import Request, Response

from ..movement import PARIS
from . import facts, french, name_search
from .site import Site

TOO_SHORT = "Donnez au moins deux lettres."
TOO_LONG = "Cette recherche trouve trop de monde : donnez un nom plus complet."


async def home(site: Site, request: Request) -> Response:
    """The first page: what this is, how fresh, the latest movements, the charts."""
    counted = await site.facts()
    key = ("home", counted.version)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    built = datetime.fromisoformat(counted.built_at).astimezone(PARIS)
    context = {
        "facts": counted,
        "published": french.instant(built),
        "months_shown": facts.MONTHS,
    }
    return await site.cache_page(request, key, "home", context)


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
            context["staff"] = await name_search.staff(site, text)
        except QueryInterrupted:
            context["message"] = french.typography(TOO_LONG)
    return await site.page(request, "search", context)


async def chamber(site: Site, request: Request) -> Response:
    """The elected members of a chamber, by name."""
    name = request.url_vars["chamber"]
    counted = await site.facts()
    key = ("chamber", counted.version, name)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    context = {"chamber": name, "members": counted.members[name]}
    # The list names no staff member, so search engines may index it.
    return await site.cache_page(request, key, "chamber", context, indexed=True)
