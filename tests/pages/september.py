"""Invented lists of a month, daily at the Sénat, in which each case that pages of names tell of happens once."""

from __future__ import annotations

import datetime
from pathlib import Path

from tests.tracking import lists
from tests.tracking.lists import member

from . import databases

NOW = datetime.datetime(2026, 9, 30, 10, tzinfo=datetime.UTC)
BACK, GONE_ON, BRIEF, SEVERAL, MASKED = (
    *("Ria RETOUR", "Sam SUITE", "Tim TROP-BREF", "Tom TRIPLE", "Uma ULTIME"),
)
ON_LEAVE, LEFT_LEAVE = "Eve CONGE", "Eva PARTIE"
SHARED, TWO, ELECTED, MOVED = "Ugo COMMUN", "Zed ZONE", "Élue NUMÉRO30", "Ève MOBILE"
GROUPING = "Accredited assistants (grouping)"


def senate(day: str) -> dict[int, list[str]]:
    """Who works for whom at the Sénat, whose lists are daily."""
    before, after = day < "2026-09-06", day >= "2026-09-18"
    joined: dict[int, list[str]] = {
        1: [BACK] * (before or day >= "2026-09-17"),
        2: [GONE_ON] * before,
        3: [GONE_ON, MASKED] * after,
        4: [BRIEF] * before,
        5: [BRIEF] * ("2026-09-15" <= day < "2026-09-19"),
        6: [SEVERAL],
        7: [SEVERAL],
        8: [SEVERAL],
        9: [MASKED] * before,
        10: [TWO] * before,
        11: [TWO] * after,
        12: [ELECTED],
        13: [ON_LEAVE],
        14: [LEFT_LEAVE] * (day < "2026-09-20"),
        20 + int(day[-2:]): [MOVED],  # another member each day
    }
    return {n: [*people, *joined.get(n, [])] for n, people in lists.many(60).items()}


def senate_list(day: str) -> bytes:
    """The list of a day, which says that two are on unpaid leave, and writes a member's particle last."""
    rows = [list(row) for row in lists.rows("senat", senate(day))]
    for row in rows:
        row[1] = row[1].replace("NUMÉRO15", "NUMÉRO15 (DE)")
        if row[5] in (name.split()[1] for name in (ON_LEAVE, LEFT_LEAVE)):
            row[10] = "Congé sans solde"
    return lists.text(rows)


def europarl(day: str) -> bytes:
    """A contract that 58 members share from the middle of the month on."""
    rows = lists.rows("europarl", lists.many(60))
    if day >= "2026-09-15":
        for number in range(1, 59):
            of_member = member("europarl", number), f"Élue Numéro{number}", "GRA"
            rows.append((*of_member, SHARED, GROUPING))
    return lists.text(rows)


def write(folder: Path) -> Path:
    """Write the lists, and the folder of members, which it returns."""
    for number in range(1, 31):
        day = f"2026-09-{number:02}"
        lists.write(folder / "lists", "senat", day, senate_list(day))
        if number in (1, 10, 20, 30):
            lists.write(folder / "lists", "europarl", day, europarl(day))
    # One of the members of the contract sits no more.
    ended = f"europarl,{member('europarl', 1)},Élue Numéro1,Numéro1,Élue,,2024-07-16,2026-09-25"
    return databases.members(folder, mandats=[ended])


def build(folder: Path) -> Path:
    """The database of these lists, with a mask and a name that is known to be of two people."""
    several = f"homonymes: {{nom: {TWO}, elus: [{member('senat', 11)}]}}"
    return databases.build(folder, write(folder), f"masquer: {{nom: {MASKED}}}", several)
