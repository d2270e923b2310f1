"""`equipe`: all movements of a member's team, the transfers that leave it too."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from datasette_mouvements.dataset.check import inspect
from tests.contract import environment
from tests.contract.service import InProcess
from tests.contract.situations import PATH
from tests.pages import years
from tests.tracking.lists import member

from .whole_file import movements as rows_of

LEFT, JOINED = member("senat", years.ENDED), member("senat", years.STILL)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return years.build(tmp_path_factory.mktemp("years"))


@pytest.fixture(scope="module")
def served(database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    internal = tmp_path_factory.mktemp("teams") / "i.sqlite3"
    service = InProcess(environment.datasette(database, internal), internal)
    yield service
    service.close()


@pytest.fixture(scope="module")
def reader(served: InProcess) -> dict[str, str]:
    return {"X-API-Key": environment.issue("equipe", served.internal)}


def found(served: InProcess, reader: dict[str, str], query: str) -> list[dict[str, Any]]:
    answer = served.ask(f"{PATH}?{query}&limit=500", reader)
    assert answer.status == 200, answer.body
    movements: list[dict[str, Any]] = answer.json()["mouvements"]
    assert answer.json()["total"] == len(movements)
    return movements


def test_every_team_has_the_movements_that_begin_and_end_its_stays(
    served: InProcess, reader: dict[str, str], database: Path
) -> None:
    begun: dict[str, set[str]] = defaultdict(set)
    ended: dict[str, set[str]] = defaultdict(set)
    with closing(sqlite3.connect(database)) as db:
        for one, first, last in db.execute(
            "select elu_id, mouvement_debut, mouvement_fin from collaborations"
        ):
            begun[one] |= {first} - {None}
            ended[one] |= {last} - {None}
    away = 0
    for one in begun:
        movements = found(served, reader, f"equipe={one}")
        came = [m for m in movements if m["type"] != "depart" and m["elu_id"] == one]
        went = [m for m in movements if m["type"] == "depart" or m["elu_id"] != one]
        assert {m["id"] for m in came} == begun[one]
        assert {m["id"] for m in went} == ended[one]
        away += sum(m["elu_id"] != one for m in movements)
    with closing(sqlite3.connect(database)) as db:
        (transfers,) = db.execute(
            "select count(*) from mouvements where type = 'transfert'"
        ).fetchone()
    assert away == transfers > 0


def test_a_team_is_combined_with_the_other_filters(
    served: InProcess, reader: dict[str, str]
) -> None:
    [away] = found(served, reader, f"equipe={LEFT}&type=transfert")
    assert away["elu_id"] == JOINED
    day = away["date_event"]
    assert [away] == found(served, reader, f"equipe={LEFT}&depuis={day}&jusqua={day}&chambre=senat")
    assert not found(served, reader, f"elu={LEFT}&type=transfert")
    assert not found(served, reader, f"equipe={LEFT}&type=transfert&chambre=europarl")
    assert found(served, reader, f"equipe={JOINED}") == found(served, reader, f"elu={JOINED}")


def test_files_feeds_and_the_explorer_have_the_same(
    served: InProcess, reader: dict[str, str]
) -> None:
    movements = found(served, reader, f"equipe={LEFT}")
    of_file = {row["id"]: row for row in rows_of(served.ask("/fichiers/tout", reader))}
    for m in movements:
        left = LEFT if m["type"] == "transfert" else ""
        assert of_file[m["id"]]["elu_origine_id"] == left
    [away] = [m for m in movements if m["type"] == "transfert"]
    feed = served.ask(f"/flux?equipe={LEFT}", {}).body.decode()
    assert "quitte" in feed
    assert away["collab_nom"] in feed
    for name, there in (("equipe", True), ("elu", False)):
        explorer = served.ask(f"/explorer?{name}={LEFT}", {})
        page = served.ask(explorer.header("Location") or "", {}).body.decode()
        assert (f"/mouvements/{away['id']}" in page) == there


def test_positions_of_a_team_that_are_wrong_are_told(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "movements.db"
    path.write_bytes(database.read_bytes())
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "update _positions set rowids = x'01000000' where filtre = ?", [f"equipe={LEFT}"]
        )
        db.commit()
    assert any("equipe=" in fault for fault in inspect(path))
