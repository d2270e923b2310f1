"""Invented lists of chambers with groups, in which each case that their pages tell of happens once.

Sénat: no hole. Assemblée: a hole across the first day of the year. Parlement européen: 200 members in one group,
a hole within the year.
"""

from __future__ import annotations

from pathlib import Path

from datasette_mouvements.dataset.check import inspect
from tests.tracking import lists
from tests.tracking.lists import member

from . import databases, years

NEW = "Zoé NEUVEGLISE"
# By member; the one member of OLD sits no more, but the list still names the staff.
GRA, AB, HIR, OLD = range(1, 11), range(11, 17), range(17, 21), (21,)
ENDED = {20: "2026-08-01", 21: "2026-09-10"}
# The Assemblée's year begins on 2025-09-22, in its hole, in which a mandate ends.
ACROSS = ("2025-09-15", "2025-10-06")
GONE, GONE_ON = 20, "2025-09-20"
PEOPLE = lists.many(30, each=3)
# The day of the list that shows it -> who leaves whom, for whom ("" and 0: nobody).
STEPS = {
    "2025-08-18": [(7, 1, 0)],  # before the twelve months
    "2026-03-02": [(1, 0, 0)],
    "2026-05-04": [(17, 0, 3)],
    "2026-06-01": [(4, 0, 11)],
    "2026-06-15": [(5, 0, 6)],
    "2026-08-03": [(20, 0, 0), (20, 1, 0), (20, 2, 0)],  # the mandate ended
}
ARRIVED = "2026-04-06"


def staff(day: str) -> dict[int, list[str]]:
    """Who works for whom in the Sénat on a day."""
    offices = {number: list(names) for number, names in PEOPLE.items()}
    for of, steps in STEPS.items():
        for number, index, to in steps if day >= of else ():
            name = PEOPLE[number][index]
            offices[number].remove(name)
            if to:
                offices[to].append(name)
    return offices | {2: offices[2] + [NEW] * (day >= ARRIVED)}


def write(folder: Path) -> Path:
    """Write the lists, and the folder of members, groups and mandates, which it returns."""
    for day in years.days(years.LAST):
        lists.write(folder / "lists", "senat", day, staff(day))
        european = lists.data("europarl", lists.many(200, each=3), lists.KEPT)
        if not years.HOLE[0] < day < years.HOLE[1]:
            lists.write(folder / "lists", "europarl", day, european)
        if not ACROSS[0] < day < ACROSS[1]:
            there = lists.many(20, each=3) | ({GONE: []} if day > GONE_ON else {})
            lists.write(folder / "lists", "assemblee", day, there)
    mandates, groups = [], []
    for code, numbers in (("GRA", GRA), ("A/B", AB), ("HIR", HIR), ("OLD", OLD)):
        for number in numbers:
            family = "d’Absie" if number == 9 else f"Numéro{number:02}"
            about = f"Élue {family},{family},Élue,Mme,2023-10-02,{ENDED.get(number, '')}"
            mandates.append(f"senat,{member('senat', number)},{about}")
            groups.append(f"senat,{member('senat', number)},{code},2023-10-02,")
    groups += [f"assemblee,{member('assemblee', n)},GRA,2024-07-08," for n in range(1, 21)]
    gone = f"assemblee,{member('assemblee', GONE)},Élue Numéro,Numéro,Élue,Mme,2024-07-08"
    mandates.append(f"{gone},{GONE_ON}")
    names = ['senat,GRA,"Granite ""dur"" & fils",#2f7d4f']
    return databases.members(folder, mandats=mandates, groupes=groups, noms_groupes=names)


def build(folder: Path) -> Path:
    """The database of these lists."""
    database = databases.build(folder, write(folder))
    # Pages of so large a group need more members than France has seats: `check` would say so.
    assert inspect(database) == []
    return database
