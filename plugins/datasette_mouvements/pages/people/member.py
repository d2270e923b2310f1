"""The page of an elected member: who works there on the last list, who was, who left, the movements."""

from __future__ import annotations

import datetime
from typing import Any, NamedTuple
from urllib.parse import unquote

from datasette.utils.asgi import Request, Response

from parlement_lists.movement import plain
from parlement_lists.tenure import Tenure

from ...dataset.mandates import FORMER, OVER, RENEWED, MandateEnd, is_known_about
from ...dataset.schema import TENURES
from ...dataset.turnover import FEWEST, Turnover
from ..counts import group_times, stay_links
from ..counts.facts import ElectedMember, Facts, Row, faint
from ..counts.past import LIST_BY
from ..frame import correction_request
from ..frame.site import PageMissing, Site
from ..words import phrases
from . import office
from .timeline import changes, on_list, timeline

# Bounds of the page's size; the tables of stays and of movements have the rest. Past people are shown up
# to STAYS_SHOWN stays, and the more stays there are, and links between them, the fewer movements.
STAYS_SHOWN = 20
MOVEMENTS_SHOWN, FEWEST_SHOWN = 120, 30
UNKNOWN = (
    "Ni mouvement ni équipe n’est connu pour un parlementaire de cet identifiant. Un mandat qui"
    " commence n’a de page qu’une fois l’équipe nommée par une liste."
)


class MemberHistory(NamedTuple):
    """Whose page it is, and what is read of it."""

    chamber: str
    identifier: str
    name: str
    group: str
    stays: list[Tenure]
    movements: list[Row]  # those that leave by transfer included, the latest first
    ambiguous: bool  # whether there are transfers away that a namesake hides

    @property
    def group_day(self) -> str:
        """The day for which the group is told."""
        return max((s.fin_apres for s in self.stays), default="") or str(
            self.movements[0]["date_event"]
        )


async def member(site: Site, request: Request) -> Response:
    """Who works with an elected member, who left, and the movements."""
    chamber, identifier = request.url_vars["chamber"], unquote(request.url_vars["id"])
    facts = await site.facts()
    if not facts.listed(chamber, identifier):
        raise PageMissing(UNKNOWN)  # before it waits for its turn
    key = ("member", facts.build, site.origin(request), chamber, identifier)
    return await site.cached(
        request, key, "member", lambda: _context(site, request, facts, chamber, identifier)
    )


async def _context(
    site: Site, request: Request, facts: Facts, chamber: str, identifier: str
) -> dict[str, Any]:
    one = await _read(facts, chamber, identifier)
    memberships = await facts.reader.memberships(chamber, identifier)
    found = await stay_links.link(facts.reader.rows, one.movements, one.stays)
    shown = MOVEMENTS_SHOWN - 4 * min(len(one.stays), STAYS_SHOWN)
    shown = max(FEWEST_SHOWN, shown - sum(bool(row["links"]) for row in one.movements[:shown]) // 3)
    return {
        **one._asdict(),
        "groups_before": group_times.before(one.group, one.group_day, memberships),
        "role": _role(facts, chamber, identifier, site.today),
        "of_name": phrases.of(one.name),
        "years": office.by_year(one.movements, identifier, shown),
        "faint": faint(one.movements),
        "seen_next": found.elsewhere,
        "total": len(one.movements),
        "shown": shown,
        "namesakes": _namesakes(facts, one),
        "asking": correction_request.asking(site, request, site.member(chamber, identifier)),
        "feed": site.path("/flux", chambre=chamber, equipe=identifier),
        "team_file": f"{site.member(chamber, identifier)}.csv",
        "explorer": site.path("/explorer", chambre=chamber, equipe=identifier),
        "stays_table": site.sidebar_table(TENURES, chambre=chamber, elu_id=identifier),
        "call": site.call(request, chambre=chamber, equipe=identifier),
        **await _describe_team(site, facts, one),
    }


async def _read(facts: Facts, chamber: str, identifier: str) -> MemberHistory:
    """What the page is of: a member of whom a stay or a movement is known."""
    of_member = [identifier, chamber]
    stays = await facts.reader.stays("where elu_id = ? and chambre = ?", of_member)
    here = await facts.reader.movements(
        "where elu_id = ? and chambre = ? order by rowid desc", of_member
    )
    name, group = _latest_name(identifier, stays, here)
    if name.endswith(")") and (listed := facts.listed(chamber, identifier)):
        name = listed.name  # with its particle before it
    left, ambiguous = await _transfers_away(facts, chamber, identifier, name)
    movements = sorted(here + left, key=lambda row: -row["n"])
    return MemberHistory(chamber, identifier, name, group, stays, movements, ambiguous)


def _latest_name(identifier: str, stays: list[Tenure], here: list[Row]) -> tuple[str, str]:
    """The member's name and group, by the latest stay, else by the latest movement that has a group.

    Of a stay without group none is known: that of an earlier movement may be another one.
    """
    if stays:
        latest = max(stays, key=lambda one: (one.fin_apres, one.debut, one.elu_groupe))
        return latest.elu_nom or identifier, latest.elu_groupe
    group = next((row["elu_groupe"] for row in here if row["elu_groupe"]), "")
    return here[0]["elu_nom"] or identifier, group


def _namesakes(facts: Facts, one: MemberHistory) -> list[ElectedMember]:
    """The other members of the chamber who have, or had, the name."""
    found = facts.namesakes.get((one.chamber, plain(one.name)), [])
    others = [facts.listed(one.chamber, other) for other in found if other != one.identifier]
    return [other for other in others if other]


async def _describe_team(site: Site, facts: Facts, one: MemberHistory) -> dict[str, Any]:
    """What is told of the team: by the lists of the chamber, if there are any."""
    chamber, lists = one.chamber, facts.coverage[one.chamber]
    end = facts.ended(chamber, one.identifier, site.today)
    told = _mandates(await facts.reader.mandates(chamber, one.identifier), end)
    with_known = {
        row["id"]
        for row in one.movements
        if is_known_about(told, row["contexte"], row["date_event"])
    }
    if not lists.last:
        return {"known": lists, "mandates": told, "with_known": with_known}
    people = timeline(one.stays, lists.last)
    day = "" if not end else end.listed if end.how == FORMER else end.day
    return {
        "known": lists,
        "mandates": told,
        "with_known": with_known,
        "end": end,
        "people": people,
        "withheld": any(not stay.collab_nom for stay in one.stays),
        "drawn": office.draw(chamber, people, told, lists, day, STAYS_SHOWN) if one.stays else None,
        "last_of_mandate": await _on_last_list(facts, one, day)
        if end and end.how == OVER
        else None,
        "sizes": await _sizes(facts, one),
        **_year(facts, one, end),
    }


async def _sizes(facts: Facts, one: MemberHistory) -> list[tuple[str, int]]:
    """How many people each year's last list has in the team, for the years in which one has some."""
    days = await facts.reader.rows(
        """
        select max(date) from listes where chambre = ? and statut <> 'refusee'
        group by substr(date, 1, 4) order by 1
        """,
        [one.chamber],
    )
    sizes = []
    for (day,) in days:
        there = {stay.person for stay in one.stays if stay.debut <= day <= stay.fin_apres}
        sizes.append((day, len(there)))
    return [size for size in sizes if size[1]]


def _role(facts: Facts, chamber: str, identifier: str, today: datetime.date) -> str:
    """What the member is; of a former one what he or she was."""
    role = phrases.role(chamber, facts.civility(chamber, identifier))
    end = facts.ended(chamber, identifier, today)
    return f"ancien {role}" if end and end.how == FORMER else role


def _mandates(known: list[tuple[str, str]], end: MandateEnd | None) -> list[tuple[str, str]]:
    """The known mandates, the last one closed by the renewal that ended all of the chamber."""
    told = [days for days in known if any(days)]
    if told and end and end.how == RENEWED and not told[-1][1]:
        told[-1] = told[-1][0], end.day
    return told


async def _on_last_list(facts: Facts, one: MemberHistory, end: str) -> tuple[str, int] | None:
    """The day of the last list of a mandate that ended, and how many it has; None where none is known."""
    [(day,)] = await facts.reader.rows(LIST_BY, [one.chamber, end])
    return (day, len({stay.person for stay in on_list(one.stays, day)})) if day else None


def _year(facts: Facts, one: MemberHistory, end: MandateEnd | None) -> dict[str, Any]:
    """Who came and left in the twelve months up to the last list, beside the group and the chamber.

    Of a mandate that does not go on only where somebody was there, and never of a former member.
    """
    figures = facts.figures[one.chamber]
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
    told["yearly"] = not end or (bool(of_year.people) and end.how != FORMER)
    after = end.over if end and end.known else "~"
    told["after_end"] = sum(person.latest.fin >= after for person in of_year.left)
    if isinstance(turnover, Turnover):
        told["title"] = phrases.who_left(
            turnover.left, turnover.people, of_year.with_member, told["after_end"]
        )
        of_group = figures.groups.get(found.group)
        told["medians"] = of_group and of_group.median, figures.whole.median
    elif turnover.gap:
        told["again"] = office.known_again(turnover.gap)
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
