"""Invented lists of more than a year, in which each case that pages tell of happens once."""

from __future__ import annotations

import datetime
from pathlib import Path

from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from . import databases

TODAY = datetime.datetime(2026, 9, 22, 10, 30, tzinfo=datetime.UTC)
FIRST, LAST = "2025-08-04", "2026-09-21"
# The Assemblée's lists stop early, and some are missing.
LATE = "2026-08-03"
HOLE = ("2026-01-12", "2026-02-23")
ADA, BEA, CLEO, DINA, EVE = "Ada UN", "Béa DEUX", "Cléo TROIS", "Dina QUATRE", "Ève CINQ"
RENAMED, FANNY, RESPELLED = "Béa SEPT-LIEUES", "Fanny SIXIEME", "Fanny SIXIÈME"
GUS, HAL, IDA, JOE = "Gus NEUVIC", "Hal DIXMUDE", "Ida ONZAIN", "Joé TREIZE"
MARRIED = "Joé VINGTAIN"
TRANSFER, MARRIAGE = "2026-06-01", "2026-07-06"
# Members: a team in which all happens; one of the same name whose mandate ended, and whom one staff
# member left for the next; one with a person who never moved; one with a masked name; one whose only
# staff member was respelled, then left.
TEAM, ENDED, STILL, MASKED, LEFT = 7, 8, 9, 10, 11


def days(last: str) -> list[str]:
    """A day a week."""
    begin, end = datetime.date.fromisoformat(FIRST), datetime.date.fromisoformat(last)
    weeks = (end - begin).days // 7
    return [(begin + datetime.timedelta(7 * week)).isoformat() for week in range(weeks + 1)]


def _team(day: str) -> list[str]:
    people = [ADA, BEA if day < "2026-02-02" else RENAMED]
    people += [CLEO] * (day < "2026-03-02") + [DINA] * (day >= "2026-04-06")
    return people + [EVE] * (day < LAST)


def staff(day: str) -> dict[int, list[str]]:
    """Who works for whom on a day."""
    offices = lists.many(60)
    moved, joe = day >= TRANSFER, JOE if day < MARRIAGE else MARRIED
    offices |= {TEAM: _team(day), MASKED: [IDA], LEFT: []}
    offices |= {ENDED: [HAL] + [JOE] * (not moved), STILL: [GUS] + [joe] * moved}
    if "2025-10-06" <= day < "2026-05-04":
        offices[LEFT] = [FANNY if day < "2026-01-05" else RESPELLED]
    return offices


def build(folder: Path) -> Path:
    """The database of these lists, with the mandates of two members and a mask.

    The last list is read by a daily run, which waits before it tells of who is missing.
    """
    others = ("--lists", folder / "last", "--source", "suivi")
    database = databases.build(folder, write(folder), f"masquer: {{nom: {IDA}}}", others=others)
    environment.done("check", database)
    return database


def write(folder: Path) -> Path:
    """Write the lists, the last one apart, and the folder of members, which it returns."""
    for chamber, last in (("senat", LAST), ("assemblee", LATE)):
        for day in days(last):
            where = "last" if day == LAST else "lists"
            if chamber == "senat" or not HOLE[0] < day < HOLE[1]:
                lists.write(folder / where, chamber, day, staff(day))
    about = ",Élue Numéro,Numéro,Élue,Mme,2023-10-02,"
    ends = {ENDED: "2026-09-10", TEAM: ""}
    mandates = [f"senat,{member('senat', number)}{about}{end}" for number, end in ends.items()]
    groups = [f"senat,{member('senat', number)},GRA,2023-10-02," for number in range(1, 20)]
    return databases.members(folder, mandats=mandates, groupes=groups)
