"""The chambers, their members from A to Z and their groups, as of the last list of each; members also of an earlier one."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.dates import add_days, days_between
from parlement_lists.movement import CHAMBERS, is_date, plain
from parlement_lists.tracking.members.known_members import RENEWALS
from parlement_lists.tracking.members.spans import FORMED_WITHIN, NO_GROUP, NO_GROUP_YET

from ..dataset.mandates import LINGERS, MANDATE_STATES, OVER
from ..dataset.ready_made import split_name
from ..dataset.schema import GROUP_FIGURES, MANDATES, MEMBERSHIPS, TEAMS, TENURES
from . import french
from .drawing import round_top
from .runner import Context, View
from .site import PageMissing

# Members on a page, which must stay below 60 kB.
ON_PAGE = 100
# It does not count from A to Z: « d’Arguillères » stands with A; but « Le Goff », « du Chesne ».
_PARTICLE = re.compile("^(d[’']|de )")
_TEAMS_NOW = f"""
    select t.*,
      (select count(*) from {TENURES} c
        where c.chambre = t.chambre and c.elu_id = t.elu_id and c.fin is null
          and c.fin_apres = t.liste and c.conge is not null) as conges
    from {TEAMS} t where chambre = :chamber order by t.rowid
"""
# The same columns, but unpaid leave, of those who sat on the day of a list, the figures being those of the last one:
# what is known since of the end of a mandate counts. Of whom no mandate is known, lists had named the staff by then
# and went on to.
_TEAMS_THEN = f"""
    with team as (
      select elu_id, elu_groupe, count(*) as presents, max(debut) from {TENURES}
      where chambre = :chamber and debut <= :day and (fin is null or fin > :day) and fin_apres >= :day
      group by elu_id
    )
    select t.elu_id, elu_cle, elu_nom, coalesce(team.presents, 0) as presents,
      ayant_travaille, parties, pourquoi, team.elu_groupe, null as mandat_fin
    from {TEAMS} t left join team using (elu_id)
    where t.chambre = :chamber and coalesce(t.mandat_fin, :day) >= :day and case
      when exists (select 1 from {MANDATES} m where m.chambre = :chamber and m.elu_id = t.elu_id)
      then exists (select 1 from {MANDATES} m where m.chambre = :chamber and m.elu_id = t.elu_id
        and debut <= :day and (fin = '' or fin >= :day))
      else (select min(debut) <= :day and max(fin_apres) >= :day from {TENURES} c
            where c.chambre = :chamber and c.elu_id = t.elu_id) end
    order by t.rowid
"""

# Every membership of a chamber's members, in order.
_HELD = f"""
    select elu_id, groupe, debut, fin from {MEMBERSHIPS}
    where chambre = :chamber order by elu_id, debut, fin = '', fin
"""
# Members beside them who hired long after their last known mandate: nobody noted the one of that day.
_UNNOTED = f"""
    select distinct c.elu_id from {TENURES} c join {TEAMS} t using (chambre, elu_id)
    where c.chambre = :chamber and debut <= :day and (fin is null or fin > :day) and fin_apres >= :day
      and coalesce(t.mandat_fin, :day) >= :day
      and (select max(fin) < date(c.debut, '-{LINGERS} days') and max(fin = '' or fin >= :day) = 0
        from {MANDATES} m where m.chambre = :chamber and m.elu_id = c.elu_id and m.debut <= :day)
"""
NO_DAY = "Ce jour ne se lit pas : un jour s’écrit comme 2022-06-20."
NO_GROUP_OF_THAT_NAME = "Aucun groupe de cette chambre n’a ce nom."
# The groups of a chamber, those of which the smallest part left first; then those of which no part is known.
_GROUPS = f"""
    select g.*, 1.0 * parties / ayant_travaille as part from {GROUP_FIGURES} g
    where chambre = :chamber order by part is null, part, groupe
"""


def index(view: View) -> Context:
    """The chambers, each with its members and its last list."""
    return {
        "chambers": totals(view),
        "renewals": {chamber: renewals_since(view, chamber) for chamber in CHAMBERS},
    }


def totals(view: View) -> dict[str, sqlite3.Row | None]:
    """Of each chamber that has lists how many members there are, of them `sitting`, and stays."""
    rows = view.rows(
        f"""
        select chambre, count(*) as members, sum(mandat_fin is null) as sitting, sum(presents) as stays
        from {TEAMS} group by chambre
        """
    )
    by_chamber = {row["chambre"]: row for row in rows}
    return {chamber: by_chamber.get(chamber) for chamber in CHAMBERS}


def chamber(view: View) -> Context:
    """The members of a chamber who sit, or those whose mandate is over; those of one group where the address says so.

    With `le`, those who sat on the day of the last list by then.
    """
    name = view.path["chamber"]
    day = list_by(view, name, view.query["le"])
    members = teams(view, name, day)
    former = [row for row in members if row["mandat_fin"]]
    sitting = [row for row in members if not row["mandat_fin"]]
    over = bool(former) and (view.query["mandat"] in MANDATE_STATES[1:] or not sitting)
    of_state = former if over else sitting
    group = view.query["groupe"]
    rows = [row for row in of_state if row["elu_groupe"] == group] if group else of_state
    if not rows:
        group, rows = "", of_state
    seats = sorted(map(seat_of, rows), key=lambda seat: seat["key"])
    letters = [_letters(seats[at : at + ON_PAGE]) for at in range(0, len(seats), ON_PAGE)]
    page = _number(view.query["page"], len(letters))
    part = {"le": day, "mandat": OVER if over and sitting else "", "groupe": group}
    return {
        "here": view.site.address(view.request, part | {"page": page if page > 1 else ""}),
        "day": day,
        "lists": view.coverage[name].up_to(day) if day else view.coverage[name],
        "renewals": renewals_since(view, name, day),
        "over": over,
        "counts": (len(sitting), len(former)),
        "group": group,
        "groups": sorted({row["elu_groupe"] for row in of_state if row["elu_groupe"]}, key=plain),
        "stays": sum(row["presents"] for row in rows),
        # A stay has what the last list that names it says: of the others' days it is not known.
        "on_leave": 0 if day else sum(row["conges"] for row in rows),
        "unnoted": len(view.rows(_UNNOTED, day=day)) if day and not group else 0,
        "total": len(seats),
        "seats": seats[(page - 1) * ON_PAGE : page * ON_PAGE],
        "reasons": {} if day else {row["pourquoi"] for row in sitting},
        "letters": letters,
        "page": page,
        "link": lambda **changes: view.site.path(f"/elus/{name}", **part | changes),
    }


def teams(view: View, chamber: str, day: str = "") -> list[dict[str, Any]]:
    """The rows of `equipes` of a chamber; with the `day` of a list, of those who sat then, with their groups of then."""
    rows = view.rows(_TEAMS_THEN if day else _TEAMS_NOW, chamber=chamber, day=day)
    members = [dict(row) for row in rows]
    if day:
        held = view.rows(_HELD, chamber=chamber)
        own = {id: list(some) for id, some in groupby(held, key=itemgetter("elu_id"))}
        for member in members:
            # Of whom no membership is known it is that of the staff.
            if some := own.get(member["elu_id"]):
                member["elu_groupe"] = group_on(some, day) or None
    return members


def list_by(view: View, chamber: str, le: str) -> str:
    """The day of the last accepted list by the day `le`; "" where that is the last of all, or `le` is empty.

    Raises PageMissing where there is none, or `le` is no day.
    """
    lists = view.coverage[chamber]
    if le and not is_date(le):
        raise PageMissing(NO_DAY)
    if not le or le >= lists.last:
        return ""
    day = last_list(view, chamber, le)
    if not day:
        first = french.day(lists.first)
        raise PageMissing(
            f"Aucune liste {french.OF_CHAMBER[chamber]} n’est connue avant celle du {first}."
        )
    return day


def last_list(view: View, chamber: str, day: str) -> str:
    """The day of the last accepted list by a day, "" where there is none."""
    lists = view.version.list_days.get(chamber, [])
    return "".join(lists[: bisect_right(lists, day)][-1:])


def renewals_since(view: View, chamber: str, day: str = "") -> list[str]:
    """The renewals and dissolutions that have come since the chamber's last list; none of an earlier `day`."""
    last = view.coverage[chamber].last
    if not last or day:
        return []
    return [renewal for renewal in RENEWALS[chamber] if last < renewal <= view.today]


def seat_of(row: Mapping[str, Any] | sqlite3.Row) -> dict[str, Any]:
    """A row with the family and the given name, and where it stands from A to Z."""
    family, given = split_name(row["elu_nom"], row["elu_cle"] or "")
    # A name that lists write as no file does stands where it is filed.
    filed = plain(_PARTICLE.sub("", family)) if given else row["elu_cle"] or plain(family)
    return dict(row) | {
        "family": family,
        "given": given,
        "key": (filed, plain(given), row["elu_id"]),
    }


def _letters(seats: Sequence[Mapping[str, Any]]) -> str:
    """From which letter to which a page goes: « A à C »."""
    first, last = (seats[place]["key"][0][:1].upper() for place in (0, -1))
    return first if first == last else f"{first} à {last}"


def _number(text: str, most: int) -> int:
    """The number of a page, 1 where the text is that of none."""
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text) <= most else 1


def groups(view: View) -> Context:
    """The groups of every chamber, those that have members first."""
    chambers = {chamber: _groups(view, chamber) for chamber in CHAMBERS}
    return {"chambers": {chamber: own for chamber, own in chambers.items() if own["groups"]}}


def group(view: View) -> Context:
    """One group: its members and their teams, beside the chamber's other groups; PageMissing if there is none."""
    chamber, code = view.path["chamber"], view.path["code"]
    own = _groups(view, chamber)
    row = next((row for row in own["groups"] if row["groupe"] == code), None)
    if row is None:
        raise PageMissing(NO_GROUP_OF_THAT_NAME)
    others = view.rows(
        f"select chambre from {GROUP_FIGURES} where groupe = :code and chambre <> :chamber"
    )
    return {
        "lists": view.coverage[chamber],
        "group": row,
        **own,
        # Beside no other group a group without members has nothing to compare.
        "present": [one for one in own["groups"] if one["membres"] or one is row]
        if own["present"]
        else [],
        "members": [member for member in own["members"] if member["elu_groupe"] == code],
        "elsewhere": [other["chambre"] for other in others],
    }


def group_on(memberships: Sequence[sqlite3.Row], day: str) -> str:
    """The group of a day by a member's memberships, in order; of the wait for groups the one that ends it; "" if none is known."""
    settled = without_waits(memberships)
    waits = [row for row in memberships if row not in settled]
    ends = [row["fin"] for row in waits if row["debut"] <= day <= row["fin"]]
    formed = add_days(max(ends), 1) if ends else day
    held = [
        row["groupe"]
        for row in settled
        if row["debut"] <= formed and (not row["fin"] or row["fin"] >= day)
    ]
    return held[-1].removeprefix(NO_GROUP) if held else ""


def without_waits(memberships: Sequence[sqlite3.Row]) -> list[sqlite3.Row]:
    """A member's memberships without the wait for the groups of a new assembly to be formed.

    Who left a group while the assembly sat is in none, and waits for none.
    """

    def is_short(row: sqlite3.Row) -> bool:
        dated = row["groupe"] in NO_GROUP_YET and row["debut"] and row["fin"]
        return bool(dated) and days_between(row["debut"], row["fin"]) <= FORMED_WITHIN.days

    left = {row["fin"] for row in memberships if not is_short(row)}
    renewals = {day for days in RENEWALS.values() for day in days}

    def is_wait(row: sqlite3.Row) -> bool:
        begun = row["debut"]
        return is_short(row) and (
            begun in renewals or left.isdisjoint((begun, add_days(begun, -1)))
        )

    return [row for row in memberships if not is_wait(row)]


def _groups(view: View, chamber: str) -> dict[str, Any]:
    """The groups of a chamber and its members on the day of its last list.

    Where a renewal had ended every mandate by then (`ended`, its day, else ""), on the day of the list before it.
    `groups` has all in one order, `present` those that have members; `top`, in per cent, is where the scale of their
    parts ends.
    """
    day, ended = view.coverage[chamber].last, ""
    members = [row for row in teams(view, chamber) if not row["mandat_fin"]]
    if not members:
        ended = max((renewal for renewal in RENEWALS[chamber] if renewal <= day), default="")
        before = last_list(view, chamber, add_days(ended, -1)) if ended else ""
        members = teams(view, chamber, before) if before else []
        day, ended = (before, ended) if members else (day, "")
    rows = [dict(row) for row in view.rows(_GROUPS, chamber=chamber)]
    for row in rows:
        own = [member["presents"] for member in members if member["elu_groupe"] == row["groupe"]]
        row |= {"membres": len(own), "presents": sum(own)}
    present = [row for row in rows if row["membres"]]
    most = max((row["part"] for row in rows if row["part"] is not None), default=0)
    return {
        "day": day,
        "ended": ended,
        "groups": rows,
        "present": present,
        "members": members,
        "top": round_top(max(math.ceil(100 * most), 1)),
    }
