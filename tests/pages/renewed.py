"""Invented lists around a renewal of the Sénat, one of the Assemblée and its dissolution."""

from __future__ import annotations

from pathlib import Path

from tests.tracking import lists
from tests.tracking.lists import member

from . import databases

# Senators by the day of their mandate: renewed with the first half, and confirmed by a list or not; of the
# other half, and without staff; in the place of somebody; without a known mandate.
CONFIRMED, RENEWED, OTHER_HALF, REPLACING, NOBODY_KNOWS = 7, 8, 9, 10, 11
MANDATES = {
    CONFIRMED: "2017-10-02",
    RENEWED: "2017-10-02",
    OTHER_HALF: "2020-10-01",
    REPLACING: "2019-03-04",
}
EMPTIED = {RENEWED, OTHER_HALF, REPLACING, NOBODY_KNOWS}
# Deputies of before: without a known mandate; with one that the dissolution closes, of whom the list of three
# days later lacks one of two people; without a known mandate, and without staff on that list.
FORMER, CLOSED, JUST_LEFT = 7, 8, 9


def _about(number: int) -> str:
    return f"Élue Numéro{number},Numéro{number},Élue,Mme"


def write(folder: Path) -> Path:
    """Write the lists, and the folder of members, which it returns."""
    whole = lists.many(60)
    emptied = whole | {number: [] for number in EMPTIED}
    for day in ("2023-09-15", "2023-09-22", "2023-09-30"):
        lists.write(folder / "lists", "senat", day, whole)
    for day in ("2023-10-03", "2023-10-12", "2023-10-31"):
        lists.write(folder / "lists", "senat", day, emptied)
    without = whole | {FORMER: []}
    for day, staff in (
        ("2022-06-01", whole),
        ("2022-06-07", whole),
        ("2022-06-24", without),
        ("2024-06-05", without),
        ("2024-06-07", without),
        # Nothing went yet on the first list after the dissolution.
        ("2024-06-10", without),
        ("2024-06-12", without | {CLOSED: whole[CLOSED][1:], JUST_LEFT: []}),
    ):
        lists.write(folder / "lists", "assemblee", day, staff)
    rows = [f"senat,{member('senat', n)},{_about(n)},{since}," for n, since in MANDATES.items()]
    rows.append(f"assemblee,{member('assemblee', CLOSED)},{_about(CLOSED)},2022-06-22,")
    # The file is of the year of the last list.
    rows.append(f"senat,{member('senat', CONFIRMED + 30)},{_about(CONFIRMED + 30)},2023-05-01,")
    group = f"assemblee,{member('assemblee', CLOSED)},GRA,2022-06-28,"
    return databases.members(folder, mandats=rows, groupes=[group])
