"""Who is on unpaid leave is told to be, on every page that tells or counts a team."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.contract import environment
from tests.tracking import lists

pytestmark = pytest.mark.asyncio
NOW = datetime.datetime(2026, 9, 3, 10, tzinfo=datetime.UTC)
STAFF = {number: [f"Ada UNE{number}", f"Zoé DEUX{number}"] for number in range(1, 31)}
STAFF[3].append("Eve TROIS")
LEFT = [*STAFF[4], "Eva PARTIE"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two are on leave: one in the last list, one until she left."""
    folder = tmp_path_factory.mktemp("leave")
    for day in ("2026-09-01", "2026-09-02", "2026-09-03"):
        there = STAFF | ({4: LEFT} if day < "2026-09-03" else {})
        rows = [list(row) for row in lists.rows("senat", there)]
        for row in rows:
            if row[5] == "PARTIE" or (row[5] == "UNE3" and day == "2026-09-03"):
                row[10] = "Congé sans solde"
        lists.write(folder / "lists", "senat", day, lists.text(rows))
    elus, path = folder / "elus", folder / "movements.db"
    elus.mkdir()
    group = [f"senat,{lists.member('senat', n)},GRA,2023-10-02," for n in STAFF]
    (elus / "groupes.csv").write_text("\n".join(["chambre,elu_id,groupe,depuis,jusqua", *group]))
    (elus / "mandats.csv").write_text("chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin\n")
    environment.done("build", path, "--lists", folder / "lists", "--members", elus)
    environment.done("check", path)
    return path


@pytest_asyncio.fixture
async def read(shared: Any, built: Path) -> Any:
    started = await shared(path=built, now=NOW)

    async def text(path: str) -> str:
        answer = await started.client.get(path, follow_redirects=True)
        assert answer.status_code == 200, path
        return " ".join(re.sub(r"<[^>]*>", " ", answer.text).replace("\xa0", " ").split())

    return text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/elus/senat/99003Z", "3 personnes travaillent ici d’après la liste du"),
        ("/elus/senat/99003Z", "3 septembre 2026, dont 1 en congé sans solde : "),
        (
            "/elus/senat/99003Z",
            "Ada UNE3 depuis le 1 er septembre 2026 au plus tard, en congé sans solde",
        ),
        ("/elus/senat/99004Z", "en congé sans solde à la liste du 2 septembre 2026"),
        ("/collaborateurs/une3-ada", "en congé sans solde"),
        ("/elus/senat", "61 collaborations, dont 1 en congé sans solde, à la liste du"),
        # What a stay has is of the last list that names it: of an earlier day nothing is counted.
        ("/elus/senat?le=2026-09-02", "62 collaborations, à la liste du"),
        ("/elus/senat/99003Z?le=2026-09-02", "d’après la liste du 2 septembre 2026 : "),
        (
            "/elus/senat/99003Z?le=2026-09-02",
            "en congé sans solde à la liste du 3 septembre 2026",
        ),
    ],
)
async def test_who_is_on_leave_is_told_to_be(read: Any, path: str, said: str) -> None:
    assert said.replace(" ,", ",") in (await read(path)).replace(" ,", ",")


async def test_where_nobody_is_on_leave_nothing_is_said(read: Any) -> None:
    assert "congé sans solde" not in await read("/elus/senat/99001Z")
    assert "congé sans solde" not in await read("/collaborateurs/une1-ada")


async def test_leave_is_no_movement_and_a_stay_has_it(shared: Any, built: Path, read: Any) -> None:
    assert "Aucun mouvement" in await read("/collaborateurs/une3-ada")
    started = await shared(path=built, now=NOW)
    rows = await started.get_database("movements").execute(
        "select collab_nom, conge, fin from collaborations where conge is not null order by 1"
    )
    assert [tuple(row) for row in rows] == [
        ("PARTIE", "sans solde", "2026-09-03"),
        ("UNE3", "sans solde", None),
    ]
