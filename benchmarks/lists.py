"""Invented daily lists of ten years that give movements in any number, and the database built of them."""

from __future__ import annotations

import csv
import hashlib
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from datasette.utils.sqlite import sqlite3

from datasette_mouvements import building, dataset
from datasette_mouvements.dataset import schema
from parlement_lists import movement, tracking

from .invented import DAYS, FIRST_DAY, FOLDER

SEATS = {"assemblee": 577, "senat": 348, "europarl": 81}
GROUPS = 11
TEAM = 4
WEEK = 7
LAST_DAY = FIRST_DAY + timedelta(days=DAYS)
# Lists of more movements than this in ten years are of more decades, with three weeks between two: a list in
# which most of a team is new is refused.
MOST_A_DECADE = 120_000
# One person in so many goes on with another member, so that pages of names have several lines.
GOES_ON = 5
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LIST_COLUMNS = (
    "chambre elu_id elu_nom elu_prenom groupe collab_civilite collab_nom collab_prenom fonction"
).split()


class Member(NamedTuple):
    """An elected member, and the code of the group."""

    chamber: str
    identifier: str
    family: str
    given: str
    group: str


class Stay(NamedTuple):
    """One person in one team, on the lists from `since` on and before `until`."""

    member: Member
    family: str
    given: str
    since: date
    until: date


def members() -> list[Member]:
    """Every seat of the three chambers, held by one member for ten years."""
    forms = {"assemblee": "PA98{:04}", "senat": "98{:03}Z", "europarl": "98{:04}"}
    return [
        Member(
            chamber,
            forms[chamber].format(seat),
            f"Élu{_word(number)}",
            "Inventé",
            f"G{seat % GROUPS:02}",
        )
        for chamber in movement.CHAMBERS
        for number, seat in enumerate(
            range(SEATS[chamber]), 1000 * movement.CHAMBERS.index(chamber)
        )
    ]


def span(movements: int) -> tuple[date, int]:
    """The first day of the lists of so many movements, and how many days lie between two lists."""
    decades = max(1, movements // MOST_A_DECADE)
    return LAST_DAY - timedelta(days=DAYS * decades), WEEK if decades == 1 else 3 * WEEK


def stays(movements: int) -> Iterator[Stay]:
    """Stays that give about so many movements: in each place of a team one person after the other."""
    draw = Random(15)
    elected = members()
    first = span(movements)[0]
    # Two movements a stay, and as many stays in each place.
    mean = (LAST_DAY - first).days / (movements / 2 / (TEAM * len(elected)))
    number = 0
    for member in elected:
        for _ in range(TEAM):
            day = first - timedelta(days=draw.randrange(int(mean)))
            while day < LAST_DAY:
                family, given = f"NOM{_word(number)}", ("Zoé", "Maëlle", "Jean-Noël")[number % 3]
                left = day + timedelta(days=WEEK + int(draw.expovariate(1 / (mean - WEEK))))
                yield Stay(member, family, given, day, left)
                if number % GOES_ON == 0:
                    to = draw.choice(elected)
                    yield Stay(to, family, given, left, left + timedelta(days=int(mean) // 3))
                number += 1
                day = left


def _word(number: int) -> str:
    """The number in letters: five of them, another word for every number."""
    return "".join(_LETTERS[number // 26**place % 26] for place in range(4, -1, -1))


def write(folder: Path, movements: int) -> None:
    """Write `listes/CHAMBRE/DAY.csv`, one a week, and `elus/` into a folder."""
    begin, step = span(movements)
    days = [begin + timedelta(days=n) for n in range(0, (LAST_DAY - begin).days, step)]
    rows: dict[tuple[str, date], set[tuple[str, ...]]] = {}
    for stay in stays(movements):
        first = max(0, -((begin - stay.since).days // step))
        for day in days[first:]:
            if day >= stay.until:
                break
            listed = (*stay.member, "", stay.family, stay.given, "Collaborateur parlementaire")
            rows.setdefault((stay.member.chamber, day), set()).add(listed)
    for (chamber, day), listed_rows in rows.items():
        _write(folder / "listes" / chamber / f"{day}.csv", LIST_COLUMNS, sorted(listed_rows))
    since = begin.isoformat()
    elected = members()
    header = "chambre elu_id nom_complet nom prenom civilite debut fin motif_fin origine".split()
    mandates = (
        (
            m.chamber,
            m.identifier,
            f"{m.given} {m.family}",
            m.family,
            m.given,
            "",
            since,
            "",
            "",
            "inventé",
        )
        for m in elected
    )
    _write(folder / "elus/mandats.csv", header, mandates)
    header = "chambre elu_id groupe depuis jusqua origine".split()
    groups = ((m.chamber, m.identifier, m.group, since, "", "inventé") for m in elected)
    _write(folder / "elus/groupes.csv", header, groups)


def _write(path: Path, header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def database(movements: int) -> Path:
    """The database of lists that give about so many movements; made if it is not there, or made otherwise."""
    folder = FOLDER / f"listes-{movements}"
    made, stamp = folder / "movements.db", folder / "made-by"
    rooms = (dataset, tracking, building)
    sources = [Path(__file__), *(path for room in rooms for path in _modules(room.__path__[0]))]
    makers = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    if stamp.exists() and stamp.read_text() == makers:
        return made
    stamp.unlink(missing_ok=True)
    print(f"making invented lists of about {movements} movements in {folder}", file=sys.stderr)
    write(folder, movements)
    command = [*(sys.executable, "-m", "datasette", "mouvements", "build", str(made))]
    command += ["--invented", "--lists", str(folder / "listes"), "--members", str(folder / "elus")]
    subprocess.run(command, check=True, stdout=sys.stderr)
    stamp.write_text(makers)
    return made


def _modules(folder: str) -> list[Path]:
    return sorted(Path(folder).rglob("*.py"))


def count(made: Path) -> int:
    """How many movements a database holds."""
    with closing(sqlite3.connect(f"file:{made}?mode=ro", uri=True)) as db:
        return int(db.execute(f"select count(*) from {schema.TABLE}").fetchone()[0])
