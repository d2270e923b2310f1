"""The page of an elected member: who works there on the last list, who was, who left, the movements."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import plain
from parlement_lists.tenure import Tenure

from ... import addresses
from ...dataset.schema import TENURES
from ...dataset.turnover import FEWEST, Turnover
from ..charts import drawing
from ..counts.facts import Facts, Listed, Row, faint
from ..counts.mandates import mandate_end
from ..frame import correction_request
from ..frame.not_found import absent
from ..frame.site import Site
from ..words import phrases
from . import office
from .timeline import changes, on_list, timeline

# Longer pages weigh too much: the tables of stays and of movements have the rest. Past people are shown
# while the stays on the page are so many, and the fewer movements the more stays there are.
STAYS_SHOWN = 24
MOVEMENTS_SHOWN, FEWEST_SHOWN = 120, 40


class Member(NamedTuple):
    """Whose page it is, and what is read of it."""

    chamber: str
    identifier: str
    name: str
    group: str
    stays: list[Tenure]
    movements: list[Row]  # those that leave by transfer included, the latest first
    ambiguous: bool  # whether there are transfers away that a namesake hides


async def member(site: Site, request: Request) -> Response:
    """Who works with an elected member, who left, and the movements."""
    chamber, identifier = request.url_vars["chamber"], unquote(request.url_vars["id"])
    facts = await site.facts()
    key = ("member", facts.build, site.origin(request), chamber, identifier)
    known = site.cached_page(request, key)
    if known is not None:
        return known
    one = await _read(facts, chamber, identifier)
    if one is None:
        return await absent(
            site,
            request,
            "Ni mouvement ni équipe n’est connu pour un parlementaire de cet identifiant. Un mandat qui"
            " commence n’a de page qu’une fois l’équipe nommée par une liste.",
        )
    shown = max(FEWEST_SHOWN, MOVEMENTS_SHOWN - 3 * min(len(one.stays), STAYS_SHOWN))
    context = {
        **one._asdict(),
        "role": phrases.role(chamber, facts.civility(chamber, identifier)),
        "of_name": phrases.of(one.name),
        "years": office.by_year(one.movements, identifier, shown),
        "faint": faint(one.movements),
        "rate_axis": drawing.rate_axis(),
        "strip_legend": drawing.legend("strip", chamber),
        "total": len(one.movements),
        "shown": shown,
        "namesakes": _namesakes(facts, one),
        "asking": correction_request.asking(site, request, site.member(chamber, identifier)),
        "feed": site.path("/flux", chambre=chamber, elu=identifier),
        "file": site.path(addresses.FILE_OF_A_SEARCH, chambre=chamber, elu=identifier),
        "explorer": site.path("/explorer", chambre=chamber, elu=identifier),
        "stays_table": site.beside(TENURES, chambre=chamber, elu_id=identifier),
        "call": site.call(request, chambre=chamber, elu=identifier),
        **await _told(site, facts, one),
    }
    return await site.cache_page(request, key, "member", context)


async def _read(facts: Facts, chamber: str, identifier: str) -> Member | None:
    """What the page is of; None where neither a stay nor a movement is known."""
    of_member = [identifier, chamber]
    stays = await facts.reader.stays("where elu_id = ? and chambre = ?", of_member)
    here = await facts.reader.movements(
        "where elu_id = ? and chambre = ? order by rowid desc", of_member
    )
    if not here and not stays:
        return None
    name, group = _named(identifier, stays, here)
    left, ambiguous = await _transfers_away(facts, chamber, identifier, name)
    movements = sorted(here + left, key=lambda row: -row["n"])
    return Member(chamber, identifier, name, group, stays, movements, ambiguous)


def _named(identifier: str, stays: list[Tenure], here: list[Row]) -> tuple[str, str]:
    """The member's name and group, by the latest stay, else by the latest movement.

    A stay or movement without group leaves that of the latest movement that has one.
    """
    group = next((row["elu_groupe"] for row in here if row["elu_groupe"]), "")
    if stays:
        latest = max(stays, key=lambda one: (one.fin_apres, one.debut, one.elu_groupe))
        return latest.elu_nom or identifier, latest.elu_groupe or group
    return here[0]["elu_nom"] or identifier, group


def _namesakes(facts: Facts, one: Member) -> list[Listed]:
    """The other members of the chamber who have, or had, the name."""
    found = facts.namesakes.get((one.chamber, plain(one.name)), [])
    others = [facts.listed(one.chamber, other) for other in found if other != one.identifier]
    return [other for other in others if other]


async def _told(site: Site, facts: Facts, one: Member) -> dict[str, Any]:
    """What is told of the team: by the lists of the chamber, if there are any."""
    chamber, known = one.chamber, facts.coverage[one.chamber]
    mandates = await facts.reader.mandates(chamber, one.identifier)
    told = [days for days in mandates if any(days)]
    if not known.last:
        return {"known": known, "mandates": told}
    people = timeline(one.stays, known.last)
    present = people.listed + people.missing
    begun = min(
        (stay.debut for person in present for stay in person.stays if not stay.fin), default=""
    )
    former = [stay.debut for stay in one.stays if stay.fin]
    end = mandate_end(chamber, mandates, begun, known.last, site.today, former)
    day = end.day if end else ""
    return {
        "known": known,
        "mandates": told,
        "end": end,
        "people": people,
        "withheld": any(not stay.collab_nom for stay in one.stays),
        "drawn": office.drawn(chamber, people, told, known, day, STAYS_SHOWN)
        if one.stays
        else None,
        "last_of_mandate": await _on_last_list(facts, one, day)
        if end and not end.renewal
        else None,
        **_year(facts, one, day),
    }


async def _on_last_list(facts: Facts, one: Member, end: str) -> tuple[str, int] | None:
    """The day of the last list of a mandate that ended, and how many it has; None where none is known."""
    [(day,)] = await facts.reader.rows(
        "select max(date) from listes where chambre = ? and date <= ? and statut <> 'refusee'",
        [one.chamber, end],
    )
    return (day, len({stay.person for stay in on_list(one.stays, day)})) if day else None


def _year(facts: Facts, one: Member, end: str) -> dict[str, Any]:
    """Who came and left in the twelve months up to the last list, beside the group and the chamber.

    `end` is the last day of a mandate that ended, "" of one that goes on.
    """
    figures, known = facts.figures[one.chamber], facts.coverage[one.chamber]
    found = figures.offices.get(one.identifier, figures.nobody)
    turnover = found.turnover
    gone = {row["id"] for row in one.movements if row["contexte"] == "elu_sortant"}
    of_year = changes(one.stays, (turnover.since, turnover.until), gone)
    went = {
        row["id"]: (row, phrases.role(one.chamber, facts.civility(one.chamber, row["elu_id"])))
        for row in one.movements
        if row["type"] == "transfert" and row["elu_id"] != one.identifier
    }
    told: dict[str, Any] = {"office": found, "year": of_year, "went": went, "fewest": FEWEST}
    told["after_end"] = sum(bool(end) and person.latest.fin > end for person in of_year.left)
    if isinstance(turnover, Turnover):
        told["title"] = phrases.who_left(
            turnover.left, turnover.people, of_year.with_member, told["after_end"]
        )
        told["among"] = office.among(one.chamber, turnover, found.group, figures)
    elif turnover.gap:
        told["again"] = office.known_again(known, turnover.since, turnover.until)
    return told


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
