"""/v1/mouvements/ID: which stays and which two lists a movement is made of, read again from the lists."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlement_lists.movement import words
from tests.contract import environment
from tests.contract.service import InProcess
from tests.tracking import lists
from tests.tracking.lists import member

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


@pytest.fixture(scope="module")
def told(folder: Path) -> Iterator[dict[tuple[str, str], Line]]:
    """By type and name, the answers at the addresses of all movements."""
    internal = folder / "i.sqlite3"
    service = InProcess(environment.datasette(folder / "movements.db", internal), internal)
    try:
        key = {"X-API-Key": environment.issue("qui", internal)}
        every = service.ask("/v1/mouvements", key).json()["mouvements"]
        yield {
            (one["type"], one["collab_prenom"]): service.ask(
                f"/v1/mouvements/{one['id']}", key
            ).json()
            for one in every
        }
    finally:
        service.close()


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


def test_of_several_lists_of_one_day_it_is_told_only_which_are_sure(tmp_path: Path) -> None:
    for name, staff in (
        ("2026-09-01", {1: ["Ada UN"]}),
        ("2026-09-02T0100", {1: ["Ada UN"]}),
        ("2026-09-02T0900", {1: ["Ada UN", "Béa DEUX"]}),
        ("2026-09-03T0100", {1: ["Ada UN", "Béa DEUX"]}),
        ("2026-09-03T0200", {1: ["Ada UN", "Béa DEUX"]}),
        ("2026-09-03T0900", {1: ["Ada UN", "Béa DEUX", "Cléo TROIS"]}),
    ):
        lists.write(tmp_path / "lists", "senat", name, lists.many(40) | staff)
    database, internal = tmp_path / "movements.db", tmp_path / "i.sqlite3"
    environment.done("build", database, "--lists", tmp_path / "lists")
    service = InProcess(environment.datasette(database, internal), internal)
    try:
        key = {"X-API-Key": environment.issue("qui", internal)}
        proofs = {
            one["collab_prenom"]: service.ask(f"/v1/mouvements/{one['id']}", key)
            .json()
            .get("preuve")
            for one in service.ask("/v1/mouvements", key).json()["mouvements"]
        }
    finally:
        service.close()
    assert proofs["Cléo"] is None
    assert [proofs["Béa"][side]["liste"] for side in ("avant", "apres")] == [
        *("senat/2026-09-02T0100", "senat/2026-09-02T0900")
    ]
