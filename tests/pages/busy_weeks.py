"""Invented lists of some weeks in which each case that the page of a week tells of happens once."""

from __future__ import annotations

import datetime
from pathlib import Path

from tests.tracking import lists
from tests.tracking.lists import member

from . import databases

NOW = datetime.datetime(2026, 9, 29, 10, 30, tzinfo=datetime.UTC)
# The week in which it all happens; the Sénat has no list of it, the Assemblée's hole ends on its Monday.
WEEK, MONDAY, CHANGED = "2026-W38", "2026-09-14", "2026-09-16"
DAYS = {
    "assemblee": ["2026-08-31", "2026-09-01", MONDAY, CHANGED, "2026-09-21", "2026-09-28"],
    "senat": ["2026-08-31", "2026-09-07", "2026-09-21"],
    "europarl": ["2026-09-07", MONDAY, "2026-09-15", CHANGED, "2026-09-28"],
}
REFUSED = "2026-09-17"
LEFT, CAME, MASKED, MOVED, SHARED = (
    *("Ada UN", "Béa DEUX", "Ida ONZAIN"),
    *("Joé TREIZE", "Gus NEUVIC"),
)
# Members: one whom all leave or join; one of the hole; of a contract, three.
TEAM, HOLE, FORMER = 7, 8, 9
CONTRACT = (11, 12, 13)


def _staff(chamber: str, day: str) -> lists.Staff:
    offices = lists.many(60)
    if chamber == "assemblee":
        changed = day >= CHANGED
        offices[TEAM] = [CAME, MOVED] if changed else [LEFT, MASKED]
        offices[HOLE] = ["Léa SEPT"] if day >= MONDAY else []
        offices[FORMER] = [] if changed else [MOVED]
    return offices


def _europarl(day: str) -> bytes:
    rows = lists.rows("europarl", _staff("europarl", day))
    if day >= CHANGED:
        grouping = "Accredited assistants (grouping)"
        rows += [
            (member("europarl", number), f"Élue Numéro{number}", "GRA", SHARED, grouping)
            for number in CONTRACT
        ]
    return lists.text(rows)


def write(folder: Path) -> Path:
    """Write the lists, one to be refused, and the folder of members, of whom one changes group; it is returned."""
    into = folder / "lists"
    for chamber, days in DAYS.items():
        for day in days:
            content = _europarl(day) if chamber == "europarl" else _staff(chamber, day)
            lists.write(into, chamber, day, content)
    lists.write(into, "assemblee", REFUSED, lists.many(12))
    deputies = {number: member("assemblee", number) for number in range(TEAM, 20)}
    groups = [f"assemblee,{deputies[number]},GRA,2024-07-18," for number in range(8, 20)]
    groups.append(f"assemblee,{deputies[TEAM]},GRA,2024-07-18,2026-09-15")
    groups.append(f"assemblee,{deputies[TEAM]},AUR,2026-09-16,")
    mandates = [
        f"assemblee,{deputies[number]},Élue Numéro{number},Numéro{number},Élue,Mme,2024-07-08,"
        for number in (TEAM, HOLE, FORMER)
    ]
    return databases.members(folder, mandats=mandates, groupes=groups)


def build(folder: Path) -> Path:
    """The database of these lists, with a mask of their week."""
    return databases.build(folder, write(folder), f"masquer: {{nom: {MASKED}}}", on="2026-09-18")
