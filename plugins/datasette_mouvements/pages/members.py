"""The page of an elected member: who works there on the last list, who left, the movements."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response
from markupsafe import Markup

from ..dataset.schema import TENURES
from ..dataset.turnover import FEWEST
from ..movement import plain
from ..tenure import Tenure
from . import french
from .absent import absent
from .facts import Facts, Row, faint
from .site import Site
from .teams import mandate_end, team

# A page shows so many movements; the explorer shows the rest.
SHOWN = 200

CALL = (
    "<p>L’appel donne les mouvements où cet élu est désigné par son identifiant. Un transfert qui"
    " le quitte n’y est désigné que par son nom (<code>elu_origine_nom</code>).</p>"
)


async def member(site: Site, request: Request) -> Response:
    """Who works with an elected member, who left, and the movements."""
    chamber, identifier = request.url_vars["chamber"], unquote(request.url_vars["id"])
    facts = await site.facts()
    # A list is late, and a mandate has ended, from one day to the next.
    today = site.today.isoformat()
    key = ("member", facts.edition, site.origin(request), today, chamber, identifier)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    of_member = [identifier, chamber]
    stays = await facts.reader.stays("where elu_id = ? and chambre = ?", of_member)
    here = await facts.reader.movements(
        "where elu_id = ? and chambre = ? order by rowid desc", of_member
    )
    if not here and not stays:
        return await absent(
            site,
            request,
            "Ni mouvement ni collaborateur n’est connu pour un élu de cet identifiant.",
        )
    name, group = _named(identifier, stays, here)
    left, ambiguous = await _transfers_away(facts, chamber, identifier, name)
    movements = sorted(here + left, key=lambda row: -row["n"])
    context = {
        "chamber": chamber,
        "identifier": identifier,
        "name": name,
        "group": group,
        "fewest": FEWEST,
        **await _told(site, facts, chamber, identifier, stays, group),
        "rows": movements[:SHOWN],
        "faint": faint(movements),
        "total": len(movements),
        "more": len(movements) > SHOWN,
        "ambiguous": ambiguous,
        "feed": site.path("/flux", chambre=chamber, elu=identifier),
        "explorer": site.path("/explorer", chambre=chamber, elu=identifier),
        "stays_table": site.beside(TENURES, chambre=chamber, elu_id=identifier),
        "calls": [site.call(request, chambre=chamber, elu=identifier)],
        "call_note": Markup(french.typography(CALL)),
    }
    return await site.cache_page(request, key, "member", context)


def _named(identifier: str, stays: list[Tenure], here: list[Row]) -> tuple[str, str]:
    """The member's name and group, by the latest stay, else by the latest movement.

    A stay or movement without group leaves that of the latest movement that has one.
    """
    group = next((row["elu_groupe"] for row in here if row["elu_groupe"]), "")
    if stays:
        latest = max(stays, key=lambda one: (one.fin_apres, one.debut, one.elu_groupe))
        return latest.elu_nom or identifier, latest.elu_groupe or group
    return here[0]["elu_nom"] or identifier, group


async def _told(
    site: Site, facts: Facts, chamber: str, identifier: str, stays: list[Tenure], group: str
) -> dict[str, Any]:
    """What is told of the team: by the lists of the chamber, if there are any."""
    known = facts.coverage[chamber]
    if not known.last:
        return {"known": known}
    people = team(stays, known.last)
    begun = min((one.debut for one in people.listed + people.missing), default="")
    mandates = await facts.reader.mandates(chamber, identifier)
    figures = facts.figures[chamber]
    of_group = figures.groups.get(group)
    return {
        "known": known,
        "team": people,
        "end": mandate_end(chamber, mandates, begun, known.last, site.today, people.former),
        "office": figures.offices.get(identifier, figures.nobody),
        "medians": [
            (label, found.median)
            for label, found in ((f"groupe {group}", of_group), ("chambre", figures.whole))
            if found is not None and found.median is not None
        ],
    }


async def _transfers_away(
    facts: Facts, chamber: str, identifier: str, name: str
) -> tuple[list[Row], bool]:
    """The transfers that leave this member, and whether there are some that a namesake hides.

    A transfer names the member left without identifier; the stay that it ends has it.
    """
    place = (chamber, plain(name))
    rowids = facts.left_for.get(place, ())
    marks = ", ".join("?" * len(rowids))
    found = await facts.reader.movements(
        f"""
        where type = 'transfert' and (rowid in ({marks}) or id in
          (select mouvement_fin from {TENURES} where elu_id = ? and chambre = ?))
        """,
        [*rowids, identifier, chamber],
    )
    marks = ", ".join("?" * len(found))
    ended = await facts.reader.stays(
        f"where mouvement_fin in ({marks})", [row["id"] for row in found]
    )
    left = {stay.mouvement_fin: stay.elu_id for stay in ended}
    alone = len(facts.namesakes.get(place, [])) < 2
    own = [row for row in found if left.get(row["id"], identifier if alone else "") == identifier]
    return own, not alone and any(row["id"] not in left for row in found)
