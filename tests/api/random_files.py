"""Three versions of a movements file, of random lists and members, each made over the one before."""

from __future__ import annotations

import csv
import datetime
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

CHAMBERS = ("assemblee", "senat", "europarl")
MEMBERS = 30
FIRST = datetime.date(2026, 1, 5)
# So many lists a chamber, of which each version has more.
VERSIONS = (14, 18, 22)
GROUPS = ("GRA", "NI", "HIR", "S&D")
Staff = dict[int, list[str]]


def random_lists(chance: random.Random) -> Iterator[tuple[datetime.date, Staff]]:
    """Lists in which people leave, come back after short and long absences, and go to others."""
    staff = lists.many(MEMBERS, 3)
    staff[1] += ["Ada UN", "Ada DEUX-UN", "Ada DEUX"]  # names that share words
    away: list[tuple[int, str]] = []
    day = FIRST
    for _ in range(max(VERSIONS)):
        yield day, {number: list(names) for number, names in staff.items()}
        day += datetime.timedelta(chance.choice((1, 3, 4, 8, 9, 12)))
        # A list in which more than one of them changes member is refused.
        moves = chance.random() < 0.5
        for _ in range(min(len(away), chance.randrange(3))):
            number, name = away.pop(chance.randrange(len(away)))
            if moves and chance.random() < 0.3:
                number, moves = chance.randint(1, MEMBERS), False
            staff[number].append(name)
        # Mostly the same people leave, so that some come back twice.
        for number in chance.sample(range(1, chance.choice((8, MEMBERS)) + 1), chance.randrange(5)):
            if staff[number]:
                name = staff[number].pop(chance.randrange(len(staff[number])))
                if moves:
                    staff[chance.randint(1, MEMBERS)].append(name)
                    moves = False
                else:
                    away.append((number, name))


def write_members(folder: Path, chance: random.Random, last: datetime.date) -> Path:
    """The mandates and groups of some members; some mandates end about the last list."""
    mandates = [["chambre", "elu_id", "nom_complet", "nom", "prenom", "civilite", "debut", "fin"]]
    groups = [["chambre", "elu_id", "groupe", "depuis", "jusqua"]]
    begun = {"assemblee": "2024-07-08", "senat": "2023-10-02", "europarl": "2024-07-16"}
    for chamber in CHAMBERS:
        for number in chance.sample(range(1, MEMBERS + 1), MEMBERS // 2):
            of = [chamber, member(chamber, number)]
            ended = (last + datetime.timedelta(chance.randint(-10, 20))).isoformat()
            names = [f"Élue Numéro{number}", f"Numéro{number}", "Élue", "Mme"]
            fin = ended if chance.random() < 0.4 else ""
            # A folder of members without a day of the last year says of nobody that the mandate goes on.
            since = "2025-12-15" if number < MEMBERS // 2 else begun[chamber]
            mandates.append([*of, *names, since, fin])
            changed = FIRST + datetime.timedelta(chance.randrange(90))
            one, other = chance.sample(GROUPS, 2)
            groups.append([*of, one, begun[chamber], changed.isoformat()])
            groups.append([*of, other, (changed + datetime.timedelta(1)).isoformat(), ""])
    folder.mkdir()
    for name, rows in (("mandats", mandates), ("groupes", groups)):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    return folder


def build(folder: Path, chance: random.Random) -> tuple[list[Path], datetime.date]:
    """A file of each version, each made over the one before, with the masks of its day; and today."""
    every = {chamber: list(random_lists(chance)) for chamber in CHAMBERS}
    last = max(of[-1][0] for of in every.values())
    members = write_members(folder / "members", chance, last)
    database, corrections = folder / "movements.db", folder / "corrections.yml"
    corrections.touch()
    found = []
    for number, version in enumerate(VERSIONS):
        for chamber, of in every.items():
            for day, staff in of[:version]:
                lists.write(folder / "lists", chamber, day.isoformat(), staff)
        given = ("--members", members, "--corrections", corrections)
        # Only a daily run leaves open whether who is missing has left.
        environment.done(
            "build", database, "--lists", folder / "lists", "--source", "suivi", *given
        )
        found.append(Path(shutil.copy(database, folder / f"{number}.db")))
        name = chance.choice(every["senat"][0][1][chance.randint(1, MEMBERS)])
        with corrections.open("a", encoding="utf-8") as file:
            file.write(f"- {{date: 2026-05-01, raison: Demande, masquer: {{nom: {name}}}}}\n")
    return found, last + datetime.timedelta(5)
