"""The page of an elected member: who works there, who did, who left in twelve months, every movement."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

from parlement_lists.dates import add_days
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.known_members import DISSOLUTIONS, RENEWALS
from parlement_lists.tracking.members.spans import NO_GROUP, SAME_STAY

from ..dataset.coverage import Coverage
from ..dataset.figures import last_ends
from ..dataset.mandates import RENEWED, MandateEnd, mandate_ends
from ..dataset.schema import (
    GROUP_FIGURES,
    MANDATES,
    MEMBERS,
    MEMBERSHIPS,
    TEAMS,
    TENURES,
)
from .chambers import group_on, last_list, list_by, renewals_since, without_waits
from .drawing import Scale
from .movement import follow
from .runner import Context, View
from .site import PageMissing

# Bounds of the page's size: stays, those of one person that are told in words, and movements; tables have the rest.
STAYS_SHOWN, IN_WORDS = 48, 6
MOVEMENTS_SHOWN, FEWEST_SHOWN = 110, 30
_BEGUN = [day for day in RENEWALS["assemblee"] if day not in DISSOLUTIONS]
LEGISLATURES = dict(zip(_BEGUN, ("XIVe", "XVe", "XVIe", "XVIIe"), strict=True))
UNKNOWN = (
    "Ni mouvement ni équipe n’est connu pour un parlementaire de cet identifiant. Un mandat qui"
    " commence n’a de page qu’une fois l’équipe nommée par une liste."
)
_OF_MEMBER = "chambre = :chamber and elu_id = :id"


def member(view: View) -> Context:
    """The team of a member as of the chamber's last list; with `le`, as of the last list by that day.

    Raises PageMissing where neither a stay nor a movement is known.
    """
    chamber, identifier = view.path["chamber"], view.path["id"]
    stays = view.stays(f"where {_OF_MEMBER} order by debut, collab_nom")
    movements = view.movements(
        f"""
        where ({_OF_MEMBER})
          or id in (select mouvement_fin from {TENURES} where {_OF_MEMBER}) order by rowid desc
        """
    )
    if not stays and not movements:
        raise PageMissing(UNKNOWN)
    day = list_by(view, chamber, view.query["le"])
    lists = view.coverage[chamber].up_to(day) if day else view.coverage[chamber]
    end = mandate_ends(view.db, chamber, lists.last, identifier).get(identifier)
    row = _row(view, movements)
    context = {
        "here": view.site.address(view.request, {"le": day}),
        "team": row,
        "name": row["elu_nom"],
        "day": day,
        "lists": lists,
        "end": end,
        "mandate": {"mandat_fin": end.until, "over": end.known} if end else {},
        "renewals": [] if end else renewals_since(view, chamber, day),
        "masked": any(not stay.collab_nom for stay in stays),
        "faint": {move["id"] for move in movements if move["confiance"] == "faible"},
        **_mandates_and_groups(view, row, lists.last, end, day),
    }
    if stays and lists.last:
        context |= _team(view, stays, movements, lists, end)
    shown = max(MOVEMENTS_SHOWN - 2 * len(stays), FEWEST_SHOWN)
    for place, move in enumerate(movements):
        came = move["type"] != "depart" and move["elu_id"] == identifier
        # Of a team that goes as a whole nobody is told to leave.
        left = "gone" if move["contexte"] == "elu_sortant" else "left"
        move |= {
            "shown": place < shown,
            "year": move["date_event"][:4],
            "way": "came" if came else left,
        }
    return context | {"movements": movements}


def _row(view: View, movements: Sequence[Any]) -> dict[str, Any]:
    """What `equipes` tells of a member, with the median of the group; without stays what a movement tells."""
    row = view.row(
        f"""
        select t.*, coalesce(n.civilite, '') as civilite, g.part_mediane
        from {TEAMS} t left join {MEMBERS} n using (chambre, elu_id)
        left join {GROUP_FIGURES} g on g.chambre = t.chambre and g.groupe = t.elu_groupe
        where t.chambre = :chamber and t.elu_id = :id
        """
    )
    if row is not None:
        return dict(row)
    latest: dict[str, Any] = next(m for m in movements if m["elu_id"] == view.path["id"])
    return latest | {"elu_nom": latest["elu_nom"] or latest["elu_id"], "civilite": ""}


def _mandates_and_groups(
    view: View, row: dict[str, Any], last: str, end: MandateEnd | None, day: str
) -> dict[str, Any]:
    """The known mandates with their legislatures, the groups, that of the day of the last list, and namesakes.

    `ended_since`: the day after that list on which the last mandate ended.
    """
    mandates = [
        tuple(span)
        for span in view.rows(f"select debut, fin from {MANDATES} where {_OF_MEMBER} order by 1, 2")
    ]
    if mandates and end and end.how == RENEWED and not mandates[-1][1]:
        mandates[-1] = mandates[-1][0], end.until
    every_group = view.rows(
        f"""
        select groupe, debut, fin from {MEMBERSHIPS}
        where {_OF_MEMBER} order by debut, fin = '', fin
        """,
    )
    then = [
        of["groupe"]
        for of in every_group
        if of["debut"] <= last and (not of["fin"] or of["fin"] >= last)
    ]
    group = then[-1] if then and not end else row["elu_groupe"]
    if day and every_group:
        # The group of today says nothing of an earlier day.
        group = group_on(every_group, end.until if end else last)
    until = max((until for _, until in mandates), default="")
    open_until = end.until if end else last
    return {
        "mandates": [
            (since, until, legislatures(view.path["chamber"], since, until or open_until))
            for since, until in mandates
        ],
        "ended_since": until if not end and last <= until < view.today else "",
        "dissolutions": DISSOLUTIONS,
        "groups": [
            row for row in without_waits(every_group) if row["debut"] <= (last or view.today)
        ],
        "no_group": NO_GROUP,
        "group": group,
        "namesakes": view.rows(
            f"""
            select chambre, elu_id, elu_nom, elu_groupe from {TEAMS}
            where chambre = :chamber and elu_id <> :id and (elu_cle = :key or elu_nom = :name)
            """,
            key=row["elu_cle"],
            name=row["elu_nom"],
        ),
    }


def legislatures(chamber: str, since: str, until: str) -> str:
    """The legislatures of the Assemblée in which a mandate was: « XVIe législature (2022-2024) »; "" elsewhere."""
    names = []
    for begin, following in pairwise([*LEGISLATURES, ""]):
        # A mandate may begin some days before the first sitting of its assembly.
        begun = since and (not following or add_days(since, SAME_STAY.days) < following)
        if chamber == "assemblee" and begun and begin <= until:
            years = f"{begin[:4]}-{following[:4]}" if following else f"depuis {begin[:4]}"
            names.append(f"{LEGISLATURES[begin]} législature ({years})")
    return ", ".join(names)


def _team(
    view: View,
    stays: Sequence[Tenure],
    movements: Sequence[Any],
    lists: Coverage,
    end: MandateEnd | None,
) -> dict[str, Any]:
    """The people of the team, where they stand on the picture, and who left in the twelve months up to the last list.

    `told_on` is the list of which it is told who works there: the last one, or that of a mandate that was over.
    """
    last = lists.last
    told_on = last_list(view, stays[0].chambre, end.until) if end and end.until < last else last
    emptied = {move["id"] for move in movements if move["contexte"] == "elu_sortant"}
    people = _people(stay for stay in stays if stay.debut <= last)
    past = [person for person in people if person[-1].fin]
    past.sort(key=lambda person: _ended(person[-1]), reverse=True)
    with_member = [
        person
        for person in past
        if person[-1].mouvement_fin in emptied or (end and person[-1].fin >= end.over)
    ]
    left = [person for person in past if person not in with_member]
    present = [person for person in people if not person[-1].fin]
    room = accumulate(map(len, [*present, *with_member, *left]))
    shown = max(bisect_right(list(room), STAYS_SHOWN) - len(present), 1)
    ends = last_ends(stays, lists.year, emptied).values()
    of_stay = {move["id"]: move for move in movements}
    gone = sorted((end.stay for end in ends if end.left), key=_ended, reverse=True)
    departures = [of_stay[stay.mouvement_fin] for stay in gone]
    follow(view, departures)
    until = max(stay.fin or last for stay in stays) if end else last
    return {
        "told_on": told_on,
        "nobody_since": max((person[-1].fin for person in past), default=last),
        "there": [of for of in people if any(s.debut <= told_on <= s.fin_apres for s in of)],
        "listed": [person for person in present if person[-1].fin_apres >= last],
        "missing": [person for person in present if person[-1].fin_apres < last],
        "with_member": with_member[:shown],
        # The movements of those who are off the list with the whole team, which is no departure.
        "whole_team": emptied,
        "left": left[: max(shown - len(with_member), 0)],
        "cut": max(len(past) - shown, 0),
        "scale": Scale(min(stay.debut_apres or stay.debut for stay in stays), min(until, last)),
        "in_words": IN_WORDS,
        # As many people as `parties` says, each by what ended the last stay.
        "departures": departures,
        "emptied": sum(not end.there and not end.left for end in ends),
    }


def _people(stays: Iterable[Tenure]) -> list[list[Tenure]]:
    """The stays of each person, the latest last: one in progress, else that which ended last."""
    people: dict[str, list[Tenure]] = defaultdict(list)
    for stay in stays:
        people[stay.person].append(stay)
    return [sorted(of, key=lambda stay: (not stay.fin, stay.fin)) for of in people.values()]


def _ended(stay: Tenure) -> tuple[str, str]:
    return stay.fin, stay.fin_apres
