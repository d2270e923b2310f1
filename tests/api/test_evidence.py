"""/v1/mouvements/ID: which stays and which two lists a movement is made of, read again from the lists."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from parlement_lists.movement import words
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import serving

Line = dict[str, Any]
# Day -> who is where, beside forty others: Ada goes and comes back, Béa goes to another member.
STAFF = {
    "01": {1: ["Ada UN", "Béa DEUX"], 2: ["Ida TROIS"]},
    "02": {1: ["Béa DEUX"], 2: ["Ida TROIS"]},
    "03": {1: ["Cléo QUATRE"], 2: ["Ida TROIS", "Béa DEUX"]},
    "14": {1: ["Ada UN", "Cléo QUATRE"], 2: ["Ida TROIS", "Béa DEUX"]},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence")
    for day, staff in STAFF.items():
        lists.write(folder / "lists", "senat", f"2026-09-{day}", lists.many(40) | staff)
    environment.done("build", folder / "movements.db", "--lists", folder / "lists")
    return folder


def answers(database: Path) -> dict[tuple[str, str], Line]:
    """By type and given name, the answers at the addresses of all movements."""
    with serving(database, database.parent) as served:
        every = served.find("/v1/mouvements?limit=500")["mouvements"]
        return {
            (one["type"], one["collab_prenom"]): served.find(f"/v1/mouvements/{one['id']}")
            for one in every
        }


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[tuple[str, str], Line]:
    return answers(folder / "movements.db")


def test_the_two_lists_are_those_that_show_it(folder: Path, told: dict[Any, Line]) -> None:
    assert len(told) == 4
    for answer in told.values():
        movement, proof = answer["mouvement"], answer["preuve"]
        name = words(movement["collab_nom"], movement["collab_prenom"])
        there = {}
        for side in ("avant", "apres"):
            one = proof[side]
            [path] = (folder / "lists").glob(f"{one['liste']}.*")
            assert hashlib.sha256(path.read_bytes()).hexdigest() == one["sha256"]
            staff = STAFF[one["jour"][-2:]]
            there[side] = {
                member("senat", n) for n, people in staff.items() if name in map(words, people)
            }
        assert proof["apres"]["jour"] == movement["date_event"]
        rule = {(False, True): "apparition", (True, False): "disparition"}
        expected = rule.get((bool(there["avant"]), bool(there["apres"])), "deplacement")
        assert proof["regle"] == expected
        if movement["type"] == "transfert":
            assert there == {"avant": {answer["origine"]["elu_id"]}, "apres": {movement["elu_id"]}}
        else:
            assert "origine" not in answer


def test_an_arrival_and_the_departure_that_it_answers_lead_to_each_other(
    told: dict[Any, Line],
) -> None:
    left, back = told["depart", "Ada"], told["arrivee", "Ada"]
    assert left["retour"] == {"mouvement": back["mouvement"]["id"], "jours": 12}
    assert back["retour"] == {"mouvement": left["mouvement"]["id"], "jours": 12}
    assert set(left["collaborations"]) == {"termine"}
    assert set(back["collaborations"]) == {"commence"}
    assert set(told["transfert", "Béa"]["collaborations"]) == {"commence", "termine"}
    assert not any("retour" in answer for (_, name), answer in told.items() if name != "Ada")


def proofs(database: Path) -> dict[str, Line]:
    """By given name, what proves the movements of a file; {} where nothing does."""
    return {name: told.get("preuve", {}) for (_, name), told in answers(database).items()}


def test_of_several_lists_of_one_day_it_is_told_only_which_are_sure(tmp_path: Path) -> None:
    one, two, three = (["Ada UN", "Béa DEUX", "Cléo TROIS"][:number] for number in (1, 2, 3))
    for day, staff in (
        *(("01", one), ("02T0100", one), ("02T0900", two)),
        *(("03T0100", two), ("03T0200", two), ("03T0900", three)),
    ):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", lists.many(40) | {1: staff})
    lists.write(tmp_path / "lists", "senat", "2026-09-02T1000", {})  # it is refused
    environment.done("build", tmp_path / "movements.db", "--lists", tmp_path / "lists")
    told = proofs(tmp_path / "movements.db")
    assert not told["Cléo"]
    assert [told["Béa"][side]["liste"] for side in ("avant", "apres")] == [
        *("senat/2026-09-02T0100", "senat/2026-09-02T0900")
    ]


def test_it_is_sent_again_where_another_list_of_the_day_came(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "again")
    [left] = (folder / "lists" / "senat").glob("2026-09-02*")
    shutil.copy(left, tmp_path / "again" / "lists" / "senat" / "2026-09-02T0900.csv")
    database = tmp_path / "again" / "movements.db"
    environment.done("build", database, "--lists", tmp_path / "again" / "lists")
    tags = []
    for path in (folder / "movements.db", database):
        with serving(path, tmp_path / str(len(tags))) as served:
            [id] = (m["id"] for m in served.find("/v1/mouvements?type=transfert")["mouvements"])
            answer = served.ask(f"/v1/mouvements/{id}")
            tags.append((answer.header("Mouvements-Version"), answer.header("ETag")))
    [(version, tag), (again, other)] = tags
    assert (again, other != tag) == (version, True)


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (("01T0100", "01T0900", "03"), {"Béa": ["01T0100", "01T0900"], "Cléo": ["01T0900", "03"]}),
        (("01", "03T0100", "03T0900"), {"Béa": ["01", "03T0100"], "Cléo": ["03T0100", "03T0900"]}),
    ],
)
def test_a_list_without_rows_of_the_member_is_one_of_the_two_lists(
    tmp_path: Path, days: tuple[str, ...], told: dict[str, list[str]]
) -> None:
    for day, staff in zip(
        days, (["Ada UN", "Béa DEUX"], [], ["Ada UN", "Cléo TROIS"]), strict=True
    ):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", lists.many(40) | {1: staff})
    environment.done("build", tmp_path / "movements.db", "--lists", tmp_path / "lists")
    found = proofs(tmp_path / "movements.db")
    assert told == {
        name: [
            proof[side]["liste"].removeprefix("senat/2026-09-")
            for side in ("avant", "apres")
            if proof
        ]
        for name, proof in found.items()
    }


def test_only_days_rebuilt_from_intervals_are_told_as_such(tmp_path: Path) -> None:
    """A list of which an older version noted no digest is a list all the same."""
    (tmp_path / "intervals" / "europarl").mkdir(parents=True)
    rows = [f"999001,Élue Une,GRA,{name} UN,Local assistants" for name in ("Ada", "Béa")]
    spans = (",2026-09-01,", ",2026-09-08,")
    (tmp_path / "intervals" / "europarl" / "intervalles.csv").write_text(
        "\n".join(
            [
                "mep_id,mep_nom,groupe,collaborateur,fonction,debut,fin",
                *map("".join, zip(rows, spans, strict=True)),
            ]
        )
    )
    for day, staff in (("01", ["Ada UN"]), ("08", ["Ada UN", "Béa UN"])):
        lists.write(tmp_path / "lists", "europarl", f"2026-09-{day}", lists.many(40) | {1: staff})
    told = {}
    for name in ("intervals", "lists"):
        database = tmp_path / name / "movements.db"
        environment.done("build", database, "--lists", tmp_path / name)
        if name == "lists":
            with closing(sqlite3.connect(database)) as db:
                db.execute("update listes set sha256 = null")
                db.commit()
        told[name] = proofs(database)["Béa"]
    assert [one["regle"] for one in told.values()] == ["intervalle", "apparition"]
    assert not any("sha256" in one[side] for one in told.values() for side in ("avant", "apres"))
