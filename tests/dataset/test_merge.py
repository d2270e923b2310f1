"""Whatever is given and whatever goes, a file that was changed is the one that is written anew."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest

from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.dataset.schema import TABLE, TENURES
from datasette_mouvements.dataset.stays.tenure_questions import QUESTIONS
from datasette_mouvements.dataset.writer import replacing, write
from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from tests.updating.written_anew import content, differences, written_anew

NOW = datetime.datetime(2026, 9, 30, tzinfo=datetime.UTC)
NAMES = [f"{one}{other}" for one in ("ABA", "ELO", "IRU", "OSI") for other in "BCDF"]
GROUPS = ["GEST", "GRA", ""]


def day(chance: Random) -> str:
    return f"2026-09-{chance.randrange(1, 9):02}"


def stay(number: int, chance: Random) -> Tenure:
    begun = day(chance)
    # Some end before others of the same name begin: these return, or are seen next.
    last = int(begun[-2:]) + chance.randrange(1, 4)
    ended = f"2026-09-{last:02}" if chance.random() < 0.7 else ""
    return Tenure(
        id=f"col_{number:020}",
        chambre=chance.choice(["senat", "assemblee"]),
        elu_id=f"9900{chance.randrange(8)}Z",
        elu_cle="numero elue",
        elu_nom="Élue Numéro",
        elu_groupe=chance.choice(GROUPS),
        collab_nom=chance.choice(NAMES),
        collab_prenom="Ida",
        debut=begun,
        debut_apres="",
        fin=ended,
        fin_apres=ended or "2026-09-29",
    )


def movement(number: int, chance: Random) -> Movement:
    kind = chance.choice(["arrivee", "depart"])
    return Movement(
        id=f"mvt_{number:020}",
        date_event=day(chance),
        chambre=chance.choice(["senat", "assemblee"]),
        type=kind,
        collab_nom=chance.choice(NAMES),
        collab_prenom="Ida",
        elu_id=f"9900{chance.randrange(8)}Z",
        elu_groupe=chance.choice(GROUPS),
    )


def changed(before: dict[str, Any], make: Any, chance: Random) -> tuple[dict[str, Any], set[str]]:
    """What is given of movements or stays: the same again, another of the same identifier, new ones; what goes."""
    given = {}
    for id in chance.sample(sorted(before), chance.randrange(len(before))):
        other = make(int(id[4:]), chance)
        given[id] = chance.choice([before[id], other, before[id]._replace(elu_groupe="GRA")])
    for number in chance.sample(range(100, 120), chance.randrange(4)):
        one = make(number, chance)
        given[one.id] = one
    return given, set(chance.sample(sorted(before), chance.randrange(4)))


def rows(stays: dict[str, Tenure]) -> list[tuple[str | None, ...]]:
    return [tuple(value or None for value in one) for one in stays.values()]


@pytest.mark.parametrize("seed", range(25))
def test_what_is_given_and_what_goes_make_the_file_of_all_that_is_left(seed: int) -> None:
    chance = Random(seed)
    movements = {one.id: one for one in (movement(n, chance) for n in range(1, 30))}
    stays = {one.id: one for one in (stay(n, chance) for n in range(1, 30))}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        write(path, [("x", enumerate(movements.values(), 1))], {TENURES: rows(stays)}, NOW)
        for _ in range(3):
            given, gone = changed(movements, movement, chance)
            told, ended = changed(stays, stay, chance)
            inputs = [("x", enumerate(given.values(), 1))]
            tables = {TENURES: rows(told)}
            dropped = {TABLE: gone, TENURES: ended}
            with replacing(path, inputs, tables, NOW, gone=dropped):
                pass
            movements = {id: m for id, m in movements.items() if id not in gone} | given
            stays = {id: s for id, s in stays.items() if id not in ended} | told
            found = content(path)
            assert {row[1:] for row in found[TENURES]} == {*rows(stays)}
            assert {row[1] for row in found[TABLE]} == movements.keys()
            assert {row[1:3] + row[11:12] for row in found[TABLE]} == {
                (m.id, m.date_event, m.elu_groupe or None) for m in movements.values()
            }
            assert differences(found, written_anew(path)) == []
            faults = inspect(path)
            # The stays are nobody's: what lists would tell of them is not asked.
            assert [one for one in faults if one.split(" ", 1)[1] not in QUESTIONS] == []
