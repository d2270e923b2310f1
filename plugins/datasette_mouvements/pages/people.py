"""The page of an elected member, and of a staff member's name."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response
from markupsafe import Markup

from ..movement import plain
from . import french
from .facts import Facts, Row
from .site import Site

# A page shows so many movements; the explorer shows the rest.
SHOWN = 200
CALLS = 5

MEMBER_CALL = (
    "<p>L’appel donne les mouvements où cet élu est désigné par son identifiant. Un transfert qui"
    " le quitte n’y est désigné que par son nom (<code>elu_origine_nom</code>).</p>"
)
STAFF_CALL = (
    "<p>L’interface ne filtre pas par nom de collaborateur : voici l’appel pour chaque élu"
    " concerné, les plus récents d’abord.</p>"
)


async def member(site: Site, request: Request) -> Response:
    """Who works with an elected member, their movements, and the turnover."""
    chamber, identifier = request.url_vars["chamber"], unquote(request.url_vars["id"])
    facts = await site.facts()
    origin = site.origin(request)
    key = ("member", facts.edition, origin, chamber, identifier)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    here = await facts.rows(
        "where elu_id = ? and chambre = ? order by rowid desc", [identifier, chamber]
    )
    if not here:
        return await absent(
            site, request, "Aucun mouvement n’est connu pour un élu de cet identifiant."
        )
    name = here[0]["elu_nom"] or identifier
    left, ambiguous = await _transfers_away(facts, chamber, name)
    movements = sorted(here + left, key=lambda row: -row["n"])
    context = {
        "facts": facts,
        "chamber": chamber,
        "identifier": identifier,
        "name": name,
        "group": here[0]["elu_groupe"],
        "present": _present(movements, identifier),
        "turnover": facts.turnover.get((chamber, identifier)),
        "median": facts.median[chamber],
        "rows": movements[:SHOWN],
        "total": len(movements),
        "more": len(movements) > SHOWN,
        "ambiguous": ambiguous,
        "feed": site.path("/flux", chambre=chamber, elu=identifier),
        "explorer": site.path("/explorer", chambre=chamber, elu=identifier),
        "calls": [site.call(request, chambre=chamber, elu=identifier)],
        "call_note": Markup(french.typography(MEMBER_CALL)),
    }
    return await site.cache_page(request, key, "member", context)


async def _transfers_away(facts: Facts, chamber: str, name: str) -> tuple[list[Row], bool]:
    """The transfers that leave this member, and whether there are some that a namesake hides."""
    place = (chamber, plain(name))
    rowids = facts.left_for.get(place)
    if rowids is None:
        return [], False
    if len(facts.namesakes.get(place, [])) > 1:
        return [], True
    marks = ", ".join("?" * len(rowids))
    return await facts.rows(f"where type = 'transfert' and rowid in ({marks})", rowids), False


def _present(movements: list[Row], identifier: str) -> list[Row]:
    """By their last movement with this member, those who came and are not known to have left."""
    seen: set[str] = set()
    present = []
    for row in movements:  # newest first
        who = french.slug(row["collab_nom"], row["collab_prenom"])
        if not who or who in seen:
            continue
        seen.add(who)
        if row["elu_id"] == identifier and row["type"] != "depart":
            present.append(row)
    return sorted(present, key=lambda row: plain(f"{row['collab_nom']} {row['collab_prenom']}"))


async def staff(site: Site, request: Request) -> Response:
    """The movements under a staff member's name."""
    asked = unquote(request.url_vars["nom"])
    slug = french.slug(asked, "")
    if slug and slug != asked:
        return Response.redirect(site.staff(slug, ""), 301)
    facts = await site.facts()
    origin = site.origin(request)
    key = ("staff", facts.edition, origin, slug)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    movements = await of_name(facts, slug)
    if not movements:
        return await absent(
            site,
            request,
            "Aucun mouvement n’est publié sous ce nom. Il est peut-être mal écrit, ou il a été"
            " retiré à la demande de la personne.",
        )
    spellings = list(
        dict.fromkeys(
            french.full_name(row["collab_prenom"], row["collab_nom"]) for row in movements
        )
    )
    context = {
        "name": spellings[0],
        "others": spellings[1:],
        "rows": movements,
        "feed": site.path(f"/collaborateurs/{request.url_vars['nom']}/flux"),
        "explorer": site.path("/explorer", q=spellings[0]),
        "calls": _calls(site, request, movements),
        "call_note": Markup(french.typography(STAFF_CALL)),
    }
    return await site.cache_page(request, key, "staff", context)


async def of_name(facts: Facts, slug: str) -> list[Row]:
    """The movements under a name, in every spelling that makes the same address."""
    movements: list[Row] = []
    for rowid in facts.names.rowids(slug):
        for one in await facts.rows("where rowid = ?", [rowid]):
            if french.slug(one["collab_nom"], one["collab_prenom"]) == slug:
                # `is`, for a name of which only one part is known.
                movements += await facts.rows(
                    "where collab_nom is ? and collab_prenom is ?",
                    [one["collab_nom"], one["collab_prenom"]],
                )
    return sorted(movements, key=lambda row: -row["n"])


def _calls(site: Site, request: Request, movements: list[Row]) -> list[str]:
    members = dict.fromkeys((row["chambre"], row["elu_id"]) for row in movements if row["elu_id"])
    return [
        site.call(request, chambre=chamber, elu=identifier)
        for chamber, identifier in list(members)[:CALLS]
    ]


async def absent(site: Site, request: Request, message: str) -> Response:
    """404, with a way on."""
    context: dict[str, Any] = {
        "heading": "Page introuvable",
        "message": french.typography(message),
    }
    return await site.page(request, "absent", context, status=404)
