"""The page of a member: who works there as of the last list, who left in twelve months, mandates, an earlier day."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Any

import pytest
import pytest_asyncio
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.pages.members import legislatures
from tests.tracking.lists import member

from . import years
from .conftest import Read, told

pytestmark = pytest.mark.asyncio
LAST = "21 septembre 2026"


def of(number: int, chamber: str = "senat") -> str:
    """The address of a member's page."""
    return f"/elus/{chamber}/{member(chamber, number)}"


@pytest_asyncio.fixture
async def service(shared: Any, listed: Any) -> Any:
    """The lists of `years`."""
    return await shared(path=listed, now=years.TODAY)


def lead(html: str) -> str:
    return Read(re.search(r'<p class="lead">.*?</p>', html, re.DOTALL)[0]).plain.strip()  # type: ignore[index]


async def test_who_is_missing_for_some_days_has_not_left(service: Any) -> None:
    text = await told(service, of(years.TEAM))
    assert "Absences qui ne sont pas tranchées : 1 personne" in text
    gone = f"nom absent de la liste du {LAST}"
    assert f"{years.EVE} depuis le 4 août 2025 au plus tard, {gone}" in text
    assert f"Ont quitté l’équipe : 1 personne {years.CLEO} depuis" in text


async def test_a_day_shows_the_team_as_of_the_last_list_by_then(service: Any) -> None:
    page = (await service.client.get(of(years.TEAM) + "?le=2025-10-01")).text
    assert lead(page) == (
        "4 personnes travaillaient ici d’après la liste du 29 septembre 2025 :"
        f" {years.EVE}, {years.RENAMED}, {years.CLEO} et {years.ADA}."
    )
    text = Read(page).plain
    assert years.DINA not in text
    assert "Départs en douze mois" not in text
    assert of(years.TEAM) in Read(page).links
    assert (await service.client.get(of(years.TEAM) + "?le=2025-01-01")).status_code == 404


@pytest.mark.parametrize(
    ("since", "until", "names"),
    [
        ("2022-06-22", "2024-06-09", "XVIe législature (2022-2024)"),
        ("2022-06-19", "2023-01-27", "XVIe législature (2022-2024)"),
        ("2007-06-20", "2012-06-19", ""),
        ("", "2024-06-09", ""),
    ],
)
async def test_a_mandate_is_told_with_its_legislature(since: str, until: str, names: str) -> None:
    assert legislatures("assemblee", since, until) == names
    assert legislatures("senat", since, until) == ""


async def test_without_stays_the_movements_stand_alone(shared: Any) -> None:
    service = await shared()
    with closing(sqlite3.connect(service.get_database("movements").path)) as db:
        row = db.execute(
            "select chambre, elu_id from mouvements where elu_id is not null"
        ).fetchone()
    page = (await service.client.get(f"/elus/{row[0]}/{row[1]}")).text
    assert "ces mouvements sont publiés sans listes" in lead(page)
    assert re.search(r"\d+ mouvements?, par année", Read(page).plain)
    assert "Départs en douze mois" not in page
    answer = await service.client.get("/elus/senat/personne")
    assert answer.status_code == 404
    assert "Ni mouvement ni équipe n’est connu" in answer.text
