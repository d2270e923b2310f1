"""The page of a staff member's name: where lists have it, from when to when, and the movements."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from parlement_lists.movement import plain, slug_of, words
from parlement_lists.tenure import Tenure

from ..dataset.mandates import mandate_ends
from ..dataset.schema import MANDATES, SPELLED_MOVEMENTS, SPELLED_STAYS, TEAMS, TENURES
from ..dataset.stays import (
    StayLine,
    Successions,
    at_once,
    namesake_signs,
    stay_lines,
)
from . import french
from .calendar.days import fold
from .chambers import renewals_since
from .drawing import Scale
from .movement import seen_next, successions_of
from .runner import Context, Moved, View
from .search import former_names, is_listed, stays_with
from .site import PageMissing

UNKNOWN = (
    "Rien n’est publié sous ce nom. Il est peut-être mal écrit, ou il a été retiré à la"
    " demande de la personne."
)
# Bounds of the page's size; the tables of stays and movements have the rest. MEMBERS is of all shared
# contracts together.
LINES, MEMBERS, MOVEMENTS = 16, 48, 30
_IN = "(select value from json_each(:ids))"


def staff(view: View) -> Context:
    """The stays and movements under a name, in every spelling that makes the same address."""
    slug = slug_of(view.path["name"], "")
    if slug and slug != view.path["name"]:
        raise Moved(view.site.staff(slug, ""))
    stays, movements = _of_name(view, slug)
    names = _names(slug, stays, movements)
    family, given = names[0]
    lines = sorted(stay_lines(stays), key=lambda line: _latest(line.stays[-1]), reverse=True)
    successions = successions_of(view, stays)
    several = any(stay.person in successions.several for stay in stays)
    periods, offices = _periods(lines, successions), fold(movements)
    contracts = sum(bool(line.members) for line in lines[:LINES])
    name = french.full_name(given, family)

    def other_name(stay: Tenure) -> str:
        """The name that lists have of a stay, "" where it is that of the address."""
        own = words(stay.collab_nom, stay.collab_prenom)
        same = own == words(family, given)
        return "" if same else french.full_name(stay.collab_prenom, stay.collab_nom)

    present: dict[str, list[StayLine]] = {}
    for line in lines:
        if is_listed(view, line.stays[-1]):
            present.setdefault(other_name(line.stays[-1]), []).append(line)
    return {
        "name": name,
        "other_name": other_name,
        "lines": lines[:LINES],
        "more_lines": len(lines[LINES:]),
        # By the name of the list, that of the address first.
        "present": dict(sorted(present.items())),
        "periods": periods[:LINES],
        "more_periods": len(periods[LINES:]),
        "shown_members": MEMBERS // max(contracts, 1),
        "namesakes": namesake_signs(stays, lines),
        "several": several,
        "at_once": at_once(lines),
        "years": [
            (year, list(of_year))
            for year, of_year in groupby(
                offices[:MOVEMENTS], lambda office: office.first["date_event"][:4]
            )
        ],
        "more_movements": len(offices) > MOVEMENTS,
        "total": len(movements),
        "faint": {row["id"] for row in movements if row["confiance"] == "faible"},
        "with_team": {row["id"] for row in movements if row["contexte"] == "elu_sortant"},
        **_lists(view, lines[:LINES]),
        **_renamed(view, slug, names, stays),
        "mandates": _mandates(view, stays),
        "elected": view.rows(
            f"select * from {TEAMS} where elu_cle in {_IN}",
            ids=json.dumps([plain(" ".join(other)) for other in names]),
        ),
        "table": view.site.table(TENURES, collab_nom=family, collab_prenom=given),
    }


def _of_name(view: View, slug: str) -> tuple[list[Tenure], list[dict[str, Any]]]:
    """The stays and movements of a name, the latest first; PageMissing if there are none, Moved to a later name.

    A stay bears the latest name, its movements those of their days: each brings the other along.
    """
    if not slug:
        raise PageMissing(UNKNOWN)
    spelled = f"(select c.id from {SPELLED_MOVEMENTS} and n.adresse = :slug)"
    stays = view.stays(
        f"""
        where rowid in (select c.rowid from {SPELLED_STAYS} and n.adresse = :slug)
          or mouvement_debut in {spelled} or mouvement_fin in {spelled}
        """,
        slug=slug,
    )
    parts = sorted(slug.split("-"))
    stays += [
        stay
        for stay in stays_with(view, parts, ("anciens_noms",))
        if any(sorted(plain(name).split()) == parts for name in former_names(stay))
    ]
    # A name that was withdrawn leads nowhere.
    every = {stay.id: stay for stay in stays if stay.collab_nom or stay.collab_prenom}
    ends = {id for stay in every.values() for id in (stay.mouvement_debut, stay.mouvement_fin)}
    movements = view.movements(
        f"where id in {_IN} or id in {spelled} order by date_event desc, rowid desc",
        ids=json.dumps([*ends]),
        slug=slug,
    )
    if not movements and not every:
        raise PageMissing(UNKNOWN)
    present = {slug_of(stay.collab_nom, stay.collab_prenom) for stay in every.values()}
    if len(present) == 1 and slug not in present and all(row["id"] in ends for row in movements):
        raise Moved(view.site.staff(present.pop(), ""))
    return sorted(every.values(), key=_latest, reverse=True), movements


def _latest(stay: Tenure) -> tuple[bool, str, str, str]:
    return not stay.fin, stay.fin_apres, stay.debut, stay.id


def _names(
    slug: str, stays: Iterable[Tenure], movements: Iterable[dict[str, Any]]
) -> list[tuple[str, str]]:
    """Every family and given name, those of the address first, then the latest."""
    names = [(stay.collab_nom, stay.collab_prenom) for stay in stays]
    names += [(row["collab_nom"] or "", row["collab_prenom"] or "") for row in movements]
    every = [name for name in dict.fromkeys(names) if any(name)]
    return sorted(every, key=lambda name: slug_of(*name) != slug)


def _renamed(
    view: View, slug: str, names: Iterable[tuple[str, str]], stays: Iterable[Tenure]
) -> dict[str, Any]:
    """The other names taken for the person's, each with its page, and at whom they changed; and other spellings."""
    changed = [stay for stay in stays if stay.anciens_noms]
    chain = [french.full_name(stay.collab_prenom, stay.collab_nom) for stay in changed]
    chain += [name for stay in changed for name in former_names(stay)]
    spelled = [french.full_name(given, family) for family, given in names]
    others = {name: "" for name in chain if plain(name) != plain(spelled[0])}
    for name in others:
        row = view.row(
            f"select n.adresse from {SPELLED_STAYS} where n.mots = :words and n.adresse <> :slug",
            words=words(name),
            slug=slug,
        )
        others[name] = view.site.staff(row["adresse"], "") if row else ""
    return {
        "renamed": others,
        "renamed_at": list({stay.elu_id: stay for stay in changed}.values()),
        "doubled": any(
            _family_twice(name, stay) for stay in changed for name in former_names(stay)
        ),
        "spelled": [name for name in spelled[1:] if name not in others],
    }


def _family_twice(name: str, stay: Tenure) -> bool:
    """Whether a former name has the family name in the place of the given name, too."""
    given, family = plain(stay.collab_prenom), plain(stay.collab_nom)
    return plain(name).endswith(family) and not plain(name).startswith(given)


def _periods(lines: Iterable[StayLine], successions: Successions) -> list[dict[str, Any]]:
    """Each stay of the lines, the latest first, with what it returns to and what follows; a shared one once."""
    periods = [
        {
            "line": line,
            "stay": stay,
            "returns": None if line.members else successions.returns.get(stay.id),
            "answered": None if line.members else successions.answered.get(stay.id),
            "next": None if line.members else seen_next(successions, stay),
        }
        for line in lines
        for stay in line.stays
    ]
    return sorted(periods, key=lambda period: _latest(period["stay"]), reverse=True)


def _lists(view: View, lines: Iterable[StayLine]) -> dict[str, Any]:
    """The scale of the lanes, their chambers, and the first renewal of each after its last list; none without lines."""
    stays = [stay for line in lines for stay in line.stays]
    if not stays:
        return {}
    last = {stay.chambre: view.coverage[stay.chambre].last for stay in stays}
    since = min(stay.debut_apres or stay.debut for stay in stays)
    renewed = {chamber: next(iter(renewals_since(view, chamber)), "") for chamber in last}
    return {"scale": Scale(since, max(last.values())), "renewed": renewed}


def _mandates(view: View, stays: Iterable[Tenure]) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of `equipes` of the members; `over`: the mandate is known to have ended; `since`: after the last list."""
    rows = view.rows(
        f"""
        select e.*, (select min(m.fin) from {MANDATES} m where m.chambre = e.chambre
            and m.elu_id = e.elu_id and m.fin > e.liste and m.fin < :today) as since
        from {TEAMS} e where e.elu_id in {_IN}
        """,
        ids=json.dumps([stay.elu_id for stay in stays]),
    )
    mandates = {}
    for row in rows:
        chamber, member = row["chambre"], row["elu_id"]
        ends = mandate_ends(view.db, chamber, row["liste"], member) if row["mandat_fin"] else {}
        over = member in ends and ends[member].known
        mandates[chamber, member] = dict(row) | {"over": over}
    return mandates
