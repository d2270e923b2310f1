"""The page of a member: who works there as of the last list, who left in twelve months, mandates, an earlier day."""

from __future__ import annotations

import datetime
import re
from itertools import pairwise
from typing import Any

import pytest

from datasette_mouvements.pages.members import legislatures
from tests.contract import environment
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import member

from . import years
from .conftest import Read, text_of


def of(number: int, chamber: str = "senat") -> str:
    """The address of a member's page."""
    return f"/elus/{chamber}/{member(chamber, number)}"


def lead(html: str) -> str:
    return Read(re.search(r'<p class="lead">.*?</p>', html, re.DOTALL)[0]).plain.strip()  # type: ignore[index]


async def test_who_is_missing_for_some_days_has_not_left(year: Any) -> None:
    text = await text_of(year, of(years.TEAM))
    assert "Absences qui ne sont pas tranchées : 1 personne" in text
    gone = "nom absent de la liste du 21 septembre 2026"
    assert f"{years.EVE} depuis le 4 août 2025 au plus tard, {gone}" in text
    assert f"Ont quitté l’équipe : 1 personne {years.CLEO} depuis" in text


async def test_a_day_shows_the_team_as_of_the_last_list_by_then(year: Any) -> None:
    page = (await year.client.get(of(years.TEAM) + "?le=2025-10-01")).text
    assert lead(page) == (
        "4 personnes travaillaient ici d’après la liste du 29 septembre 2025 :"
        f" {years.EVE}, {years.RENAMED}, {years.CLEO} et {years.ADA}."
    )
    text = Read(page).plain
    assert years.DINA not in text
    assert "Départs en douze mois" not in text
    assert of(years.TEAM) in Read(page).links
    assert (await year.client.get(of(years.TEAM) + "?le=2025-01-01")).status_code == 404


@pytest.mark.parametrize(("end", "is_told"), [("2026-09-30", True), ("2026-10-05", False)])
async def test_a_mandate_that_ends_after_the_last_list_is_told_once_it_has(
    changed: Any, listed: Any, end: str, is_told: bool
) -> None:
    team = member("senat", years.TEAM)
    sql = f"update _mandats set fin = '{end}' where elu_id = '{team}'"
    service = await changed(listed, sql, now=datetime.datetime(2026, 10, 5, tzinfo=datetime.UTC))
    for page in (of(years.TEAM), "/collaborateurs/un-ada"):
        told = re.search(r"Depuis.{,15}, le mandat .*a pris fin", await text_of(service, page))
        assert bool(told) == is_told


async def test_leave_is_of_the_last_list_that_names_somebody(month: Any) -> None:
    """Of an earlier day nothing is counted."""
    text = await text_of(month, of(13) + "?le=2026-09-10")
    assert "3 personnes travaillaient ici d’après la liste du 10 septembre 2026 :" in text
    assert "en congé sans solde à la liste du 30 septembre 2026" in text


@pytest.mark.parametrize(
    ("since", "until", "names"),
    [
        ("2022-06-22", "2024-06-09", "XVIe législature (2022-2024)"),
        ("2022-06-19", "2023-01-27", "XVIe législature (2022-2024)"),
        ("2007-06-20", "2012-06-19", ""),
        ("", "2024-06-09", ""),
    ],
)
def test_a_mandate_is_told_with_its_legislature(since: str, until: str, names: str) -> None:
    assert legislatures("assemblee", since, until) == names
    assert legislatures("senat", since, until) == ""


async def test_without_stays_the_movements_stand_alone(shared: Any, database: Any) -> None:
    service = await shared()
    sql = "select chambre || '/' || elu_id from mouvements where elu_id is not null"
    page = (await service.client.get(f"/elus/{Published(database).rows(sql)[0][0]}")).text
    assert "ces mouvements sont publiés sans listes" in lead(page)
    assert re.search(r"\d+ mouvements?, par année", Read(page).plain)
    assert "Départs en douze mois" not in page
    answer = await service.client.get("/elus/senat/personne")
    assert answer.status_code == 404
    assert "Ni mouvement ni équipe n’est connu" in answer.text


# An office through which very many have passed, and to which others come back all the time.
MOST = 60_000
BIG, CHAMBER = 1, "europarl"
FIRST = datetime.date(2024, 1, 1)
WEEKS = 130
# Every name unlike the others: one in and one out of the same given name would be one person renamed.
NAMES = lists.many(1, WEEKS + 308)[1][300:]
OTHERS = lists.many(1, 292)[1][280:]


def office(week: int) -> list[str]:
    """A week's list of the office: one comes and one goes each week; the others are there for two in eight."""
    back = [name for number, name in enumerate(OTHERS) if (week + number) // 2 % 4 == 0]
    return [*NAMES[week : week + 9], *back]


async def test_the_page_of_a_very_big_office_stays_light_and_leads_to_what_it_leaves_out(
    make, tmp_path
):
    for week in range(WEEKS):
        day = (FIRST + datetime.timedelta(7 * week)).isoformat()
        lists.write(tmp_path / "lists", CHAMBER, day, lists.many(60) | {BIG: office(week)})
    environment.done("build", tmp_path / "movements.db", "--lists", tmp_path / "lists")
    datasette = await make(path=tmp_path / "movements.db")
    answer = await datasette.client.get(f"/elus/{CHAMBER}/{member(CHAMBER, BIG)}")
    read = Read(answer.text)
    assert len(answer.content) < MOST
    # One line a person, however often there.
    drawn = answer.text.count('class="lane-plot"')
    assert f"{WEEKS + 8 + len(OTHERS) - drawn} autres personnes avant" in read.plain
    assert re.search(r"et \d+ fois avant", read.plain)
    moved = sum(len({*a} ^ {*b}) for a, b in pairwise(map(office, range(WEEKS))))
    assert f"{moved:_} mouvements, par année".replace("_", " ") in read.plain
    assert answer.text.count('class="badge ') >= 30
    assert "Les autres sont dans le tableau" in read.plain
    assert any(link.startswith("/movements/collaborations?") for link in read.links)
