"""The chambers and their members from A to Z, as of the last list of each or of an earlier one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from datasette.utils.sqlite import sqlite3

from parlement_lists.movement import CHAMBERS, is_date, plain
from parlement_lists.tracking.members.known_members import RENEWALS
from parlement_lists.tracking.members.spans import NO_GROUP

from ..dataset.mandates import MANDATE_STATES, OVER
from ..dataset.ready_made import split_name
from ..dataset.schema import MANDATES, MEMBERS, MEMBERSHIPS, TEAMS, TENURES
from .runner import Context, View
from .site import PageMissing
from .words import french

# Members on a page, which must stay below 60 kB.
ON_PAGE = 100
# A particle in small letters stands whole after the given name: « Arguillères Léopold d’ », « Aue Ida von
# der »; but « Le Goff », and « van der Aue » as in the Low Countries.
_PARTICLE = re.compile(r"(d[’']|de |(?:von |zu )(?:der |dem |den |und zu )?)(?=\S)")
_TEAMS_NOW = f"""
    select t.*, n.nom, n.prenom,
      (select count(*) from {TENURES} c
        where c.chambre = t.chambre and c.elu_id = t.elu_id and c.fin is null
          and c.fin_apres = t.liste and c.conge is not null) as conges
    from {TEAMS} t left join {MEMBERS} n using (chambre, elu_id)
    where chambre = :chamber order by t.rowid
"""
# The same columns, but unpaid leave, of those who sat on the day of a list, the figures being those of the last one: what is known since
# of the end of a mandate counts. Of whom no mandate is known, lists had named the staff by then and went on to.
_TEAMS_THEN = f"""
    with team as (
      select elu_id, elu_groupe, count(*) as presents, max(debut) from {TENURES}
      where chambre = :chamber and debut <= :day and (fin is null or fin > :day) and fin_apres >= :day
      group by elu_id
    )
    select t.elu_id, elu_cle, elu_nom, coalesce(team.presents, 0) as presents, n.nom, n.prenom,
      ayant_travaille, parties, pourquoi,
      case when exists (select 1 from {MEMBERSHIPS} a
                        where a.chambre = :chamber and a.elu_id = t.elu_id)
      then (select nullif(groupe, '{NO_GROUP}') from {MEMBERSHIPS} a
            where a.chambre = :chamber and a.elu_id = t.elu_id
              and debut <= :day and (fin = '' or fin >= :day) order by debut desc limit 1)
      else team.elu_groupe end as elu_groupe, null as mandat_fin
    from {TEAMS} t left join team using (elu_id) left join {MEMBERS} n using (chambre, elu_id)
    where t.chambre = :chamber and case
      when exists (select 1 from {MANDATES} m where m.chambre = :chamber and m.elu_id = t.elu_id)
      then exists (select 1 from {MANDATES} m where m.chambre = :chamber and m.elu_id = t.elu_id
        and debut <= :day and coalesce(nullif(fin, ''), t.mandat_fin, :day) >= :day)
      else (select min(debut) <= :day and max(fin_apres) >= :day from {TENURES} c
            where c.chambre = :chamber and c.elu_id = t.elu_id) end
    order by t.rowid
"""


def index(view: View) -> Context:
    """The three chambers, each with its members and its last list."""
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
    seats = sorted(map(_seat, rows), key=lambda seat: seat["key"])
    letters = [_letters(seats[at : at + ON_PAGE]) for at in range(0, len(seats), ON_PAGE)]
    page = _number(view.query["page"], len(letters))
    part = {"le": day, "mandat": OVER if over and sitting else "", "groupe": group}
    return {
        "chamber": name,
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
        "total": len(seats),
        "seats": seats[(page - 1) * ON_PAGE : page * ON_PAGE],
        "reasons": {} if day else {row["pourquoi"] for row in sitting},
        "letters": letters,
        "page": page,
        "link": lambda **changes: view.site.path(f"/elus/{name}", **part | changes),
    }


def teams(view: View, chamber: str, day: str = "") -> list[sqlite3.Row]:
    """The rows of `equipes` of a chamber with names; with the `day` of a list, of those who sat then."""
    return view.rows(_TEAMS_THEN if day else _TEAMS_NOW, chamber=chamber, day=day)


def list_by(view: View, chamber: str, le: str) -> str:
    """The day of the last accepted list by the day `le`; "" where that is the last of all, or `le` is no day.

    Raises PageMissing where there is none.
    """
    lists = view.coverage[chamber]
    if not is_date(le) or le >= lists.last:
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


def name_of(row: Mapping[str, Any] | sqlite3.Row) -> tuple[str, str]:
    """The family name and the given name of a row with `nom`, `prenom`, `elu_nom` and `elu_cle`."""
    family, given, name = row["nom"], row["prenom"], row["elu_nom"]
    if not family:
        family, given = split_name(name, row["elu_cle"] or "")
    # Other pages have the spelling of lists; the members' file tells where the family name begins.
    words = name.split()
    begin = len(words) - len(family.split())
    written = " ".join(words[begin:])
    if begin > 0 and sorted(plain(written).split()) == sorted(plain(family).split()):
        return written, " ".join(words[:begin])
    return family, given


def _seat(row: sqlite3.Row) -> dict[str, Any]:
    """A row with the parts of the name, and where it stands from A to Z."""
    family, given = name_of(row)
    particle, family = split_particle(family)
    key = plain(family), plain(given), row["elu_id"]
    return dict(row) | {"family": family, "given": given, "particle": particle, "key": key}


def split_particle(family: str) -> tuple[str, str]:
    """The particle that stands after the given name, and the family name: « d’ », « Arguillères »."""
    match = _PARTICLE.match(family)
    return (match[0].strip(), family[match.end() :]) if match else ("", family)


def _letters(seats: Sequence[Mapping[str, Any]]) -> str:
    """From which letter to which a page goes: « A à C »."""
    first, last = (seats[place]["key"][0][:1].upper() for place in (0, -1))
    return first if first == last else f"{first} à {last}"


def _number(text: str, most: int) -> int:
    """The number of a page, 1 where the text is that of none."""
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text) <= most else 1
