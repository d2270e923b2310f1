"""Invented movements in any number, always the same ones, and the databases built of them."""

from __future__ import annotations

import csv
import datetime
import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from datasette_mouvements.building import publish
from datasette_mouvements.dataset import digest, schema
from parlement_lists import movement

FOLDER = Path("var/bench")
FIRST_DAY = datetime.date(2015, 1, 1)
DAYS = 3653  # ten years
MEMBERS = 2500
COLUMNS = [name for name in movement.FIELD_NAMES if name != "id"]
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Member(NamedTuple):
    """An elected member as the movements name one."""

    chambre: str
    identifier: str
    name: str
    key: str
    group: str


class Data(NamedTuple):
    """One set of movements: the CSV, the database built from it, and how many there are."""

    rows: int
    csv: Path
    database: Path


def members() -> list[Member]:
    """The members of all three chambers, with identifiers of each chamber's form."""
    found = []
    for number in range(MEMBERS):
        chambre = movement.CHAMBERS[number % len(movement.CHAMBERS)]
        identifier = {"assemblee": f"PA{900000 + number}", "senat": f"{90000 + number}Z"}.get(
            chambre, str(970000 + number)
        )
        first = f"Invente{_LETTERS[number % 26]}"
        last = f"Elu{_LETTERS[number // 26 % 26]}{number}"
        key = movement.join_key(last, first)
        found.append(Member(chambre, identifier, f"{first} {last}", key, f"GROUPE{number % 11}"))
    return found


def rows(number: int) -> Iterator[list[str]]:
    """`number` movements as rows of COLUMNS, over ten years, no two with the same identifier."""
    random = Random(7)
    elected = members()
    surnames = ["D'ALMEIDA", "LE GOFF", "ÉTIENNE", "DUPONT-LAJOIE"] + [
        # Each letter twice: names with one error in them are withheld beside a masked one.
        f"NOM{a}{b}{a}{b}".upper()
        for a in _LETTERS
        for b in _LETTERS
    ]
    names = ["Maëlle", "Jean-Noël", "Zoé"] + [
        f"Prenom{a}{b}{a}{b}" for a in _LETTERS for b in "aeiou"
    ]
    seen = set()
    count = 0
    while count < number:
        member = random.choice(elected)
        left = random.choice(elected)
        kind = random.choices(movement.TYPES, (5, 4, 1))[0]
        day = (FIRST_DAY + datetime.timedelta(days=count * DAYS // number)).isoformat()
        surname, name = random.choice(surnames), random.choice(names)
        key = (day, kind, surname, name, member.identifier)
        if key in seen:
            continue
        seen.add(key)
        count += 1
        moved = kind == "transfert"
        row = {
            "date_event": day,
            "chambre": member.chambre,
            "type": kind,
            "collab_nom": surname,
            "collab_prenom": name,
            "collab_civilite": random.choice(movement.CIVILITIES),
            "elu_cle": member.key,
            "elu_id": member.identifier,
            "elu_nom": member.name,
            "elu_groupe": member.group,
            "elu_origine_nom": left.name if moved else "",
            "elu_origine_groupe": left.group if moved else "",
            "fonction": "Collaborateur parlementaire",
            "contexte": random.choice(("", "", "", *movement.CONTEXTS)),
            "source": random.choice(movement.SOURCES),
            "confiance": random.choice(movement.CONFIDENCES),
        }
        yield [row[column] for column in COLUMNS]


def write_csv(path: Path, number: int) -> None:
    """Write `number` invented movements to `path`."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows(number))


def data(number: int) -> Data:
    """The set of `number` movements, made if it is not there or if what makes it has changed."""
    folder = FOLDER / str(number)
    made = Data(number, folder / "mouvements.csv", folder / "movements.db")
    stamp = folder / "made-by"
    sources = (__file__, publish.__file__, digest.__file__, movement.__file__, schema.__file__)
    makers = "".join(hashlib.sha256(Path(s).read_bytes()).hexdigest() for s in sources if s)
    if stamp.exists() and stamp.read_text() == makers:
        return made
    folder.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    print(f"making {number} invented movements in {folder}", file=sys.stderr)
    write_csv(made.csv, number)
    subprocess.run(build_command(made.csv, made.database), check=True, stdout=sys.stderr)
    stamp.write_text(makers)
    return made


def build_command(source: Path, database: Path) -> list[str]:
    """The command that builds `database` from a CSV."""
    return [
        *(sys.executable, "-m", "datasette", "mouvements", "build"),
        *(str(database), "--movements", str(source)),
    ]
