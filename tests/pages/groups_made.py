"""Invented lists of a year in which groups differ by numbers made by hand.

At the Sénat, in the year that ends with the last list, of each office with three people or more:
GRA 1 sur 4, 2 sur 3, 0 sur 4, 1 sur 3, 0 sur 3 (median 25 %); CED 2 sur 4; MAR 1 sur 3; chamber 33 %.
At the Assemblée nobody leaves; at the European Parliament lists are missing.
"""

from __future__ import annotations

import datetime
from pathlib import Path

from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import Staff, member

TODAY = datetime.datetime(2026, 9, 22, 10, 30, tzinfo=datetime.UTC)
FIRST, LAST = datetime.date(2025, 8, 4), "2026-09-21"
HOLE = ("2026-01-12", "2026-02-23")
# So many members has the one group of the Assemblée.
MANY = 130
GRA, CED, MAR = range(1, 11), (11, 12), (21,)
ENDED = 10  # of GRA, whose mandate ended before the last list
OTHER, WITHIN = "Xénia DIXMUDE", "Yves ONZAIN"  # who change from CED to GRA, and within GRA
# Member -> the names of those who are there, with the first and the last day that have not it any more.
_TEAMS: dict[int, dict[str, tuple[str, str]]] = {
    1: {"Ada UN": ("", "2026-03-02"), "Béa DEUX": ("", ""), "Cléo TROIS": ("", "")}
    | {"Dina QUATRE": ("", "")},
    2: {"Ève CINQ": ("", "2026-02-02"), "Fanny SIX": ("", "2026-05-04"), "Gus SEPT": ("", "")},
    3: {"Hal HUIT": ("", ""), "Ida NEUVIC": ("", ""), "Joé DIX": ("", "")}
    | {OTHER: ("2026-06-01", "")},
    4: {WITHIN: ("", "2026-07-06"), "Kim DOUZE": ("", ""), "Lou TREIZE": ("", "")},
    5: {"Max QUATORZE": ("", ""), "Noé QUINZE": ("", ""), WITHIN: ("2026-07-06", "")},
    11: {OTHER: ("", "2026-06-01"), "Oda SEIZE": ("", "2026-08-03"), "Paul VINGT": ("", "")}
    | {"Rose TRENTE": ("", "")},
    21: {"Sam CENT": ("", "2026-04-06"), "Théa MILLE": ("", ""), "Ugo MILLION": ("", "")},
}


def staff(day: str) -> Staff:
    """Who works for whom at the Sénat on a day; two with everyone of whom nothing is told above."""
    found: dict[int, list[str]] = lists.many(60)
    for number, team in _TEAMS.items():
        found[number] = [
            name for name, (begin, end) in team.items() if begin <= day and (not end or day < end)
        ]
    return found


def build(folder: Path) -> Path:
    """The database of these lists, one a week, with groups, names of groups and a mandate that ended."""
    day = FIRST
    while day.isoformat() <= LAST:
        text = day.isoformat()
        lists.write(folder / "lists", "senat", text, staff(text))
        lists.write(folder / "lists", "assemblee", text, lists.many(MANY, 3))
        if not HOLE[0] < text < HOLE[1]:
            lists.write(folder / "lists", "europarl", text, lists.many(60, 3))
        day += datetime.timedelta(7)
    members, database = folder / "members", folder / "movements.db"
    members.mkdir()
    _write(
        members / "mandats.csv",
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin",
        f"senat,{member('senat', ENDED)},Élue Numéro10,Numéro10,Élue,Mme,2023-10-02,2026-09-10",
    )
    _write(
        members / "groupes.csv",
        "chambre,elu_id,groupe,depuis,jusqua",
        *(
            f"senat,{member('senat', number)},{code},2023-10-02,"
            for code, of in (("GRA", GRA), ("CED", CED), ("MAR", MAR))
            for number in of
        ),
        f"senat,{member('senat', 30)},OLD,2024-10-02,2025-12-31",
        *(f"assemblee,{member('assemblee', n)},LONG,2024-07-18," for n in range(1, MANY + 1)),
    )
    _write(
        members / "noms_groupes.csv",
        "chambre,groupe,nom,couleur",
        "senat,GRA,Granite – Ligne de crête,#8b8f98",
        "senat,OLD,Ormeau – Jadis,",
    )
    given = ("--lists", folder / "lists", "--members", members)
    environment.done("build", database, *given)
    return database


def _write(path: Path, *lines: str) -> None:
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
