"""The page of a member: who works there as of the last list, who left in twelve months, mandates, an earlier day."""

from __future__ import annotations

import datetime
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.pages.members import legislatures
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from . import three_groups, years
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


@pytest_asyncio.fixture
async def groups(shared: Any, grouped: Any) -> Any:
    """The lists of `three_groups`."""
    return await shared(path=grouped, now=years.TODAY)


def lead(html: str) -> str:
    return Read(re.search(r'<p class="lead">.*?</p>', html, re.DOTALL)[0]).plain.strip()  # type: ignore[index]


async def test_the_first_sentence_says_who_works_there_and_by_which_list(service: Any) -> None:
    answer = await service.client.get(of(years.TEAM))
    assert lead(answer.text) == (
        f"3 personnes travaillent ici d’après la liste du {LAST} :"
        f" {years.RENAMED}, {years.ADA} et {years.DINA}."
    )
    assert answer.headers["x-robots-tag"] == "noindex"
    text = Read(answer.text).plain
    assert f"Sur la liste du {LAST} : 3 personnes" in text
    assert f"{years.ADA} depuis le 4 août 2025 au plus tard" in text
    # Absent from the last list only.
    assert "Absences qui ne sont pas tranchées : 1 personne" in text
    assert (
        f"{years.EVE} depuis le 4 août 2025 au plus tard, nom absent de la liste du {LAST}" in text
    )
    assert (
        f"Ont quitté l’équipe : 1 personne {years.CLEO} depuis le 4 août 2025 au plus tard" in text
    )
    assert f"{years.DINA} depuis une date comprise entre le 30 mars et le 6 avril 2026" in text


async def test_a_masked_name_is_said_to_be_withdrawn_and_leads_nowhere(service: Any) -> None:
    page = (await service.client.get(of(years.MASKED))).text
    assert lead(page) == f"1 personne travaille ici d’après la liste du {LAST} : nom retiré."
    assert "Un nom est retiré à la demande de la personne" in page
    assert "ONZAIN" not in page.upper()
    assert not [link for link in Read(page).links if link.startswith("/collaborateurs/")]


async def test_a_mandate_that_ended_is_told_first_with_the_team_of_then(service: Any) -> None:
    page = (await service.client.get(of(years.ENDED))).text
    assert lead(page) == (
        "Sénatrice jusqu’au 10 septembre 2026. 1 personne travaillait ici à la dernière liste d’alors,"
        f" du 7 septembre 2026 : {years.HAL}."
    )
    text = Read(page).plain
    assert f"La liste du {LAST} nomme encore 1 personne ici : {years.HAL}." in text
    assert f"Encore sur la liste du {LAST} : 1 personne" in text
    assert "Sénatrice du 2 octobre 2023 au 10 septembre 2026" in text


async def test_nobody_there_is_said_with_the_list_since_which_nobody_is(service: Any) -> None:
    page = (await service.client.get(of(years.LEFT))).text
    assert lead(page) == (
        f"Personne ne travaille ici d’après la liste du {LAST}, ni d’après aucune depuis celle du 4 mai 2026."
    )
    assert "mandat non connu à cette liste" in page


async def test_namesakes_are_told_apart(service: Any) -> None:
    answer = await service.client.get(of(years.TEAM))
    assert "Un même nom, plusieurs personnes élues au Sénat" in Read(answer.text).plain
    assert of(years.ENDED) in Read(answer.text).links


async def test_who_left_is_the_one_measure_with_the_group_beside_it(groups: Any) -> None:
    text = await told(groups, of(1))
    assert "Départs en douze mois : 1 départ sur 3" in text
    assert "Du 22 septembre 2025 au 21 septembre 2026" in text
    leaver = three_groups.PEOPLE[1][0]
    assert f"{leaver}, entre le 23 février et le 2 mars 2026." in text
    assert re.search(r"Dans la moitié (au moins )?des équipes du groupe .*GRA", text)
    assert "Une fin de contrat a bien des raisons" in text
    assert "aucun départ (3 personnes)" in await told(groups, of(8))
    joined = await told(groups, of(4))
    assert (
        f"{three_groups.PEOPLE[4][0]}, entre le 25 mai et le 1 er juin 2026 ; a rejoint" in joined
    )


async def test_pages_and_the_table_name_the_same_numbers(groups: Any, grouped: Path) -> None:
    with closing(sqlite3.connect(grouped)) as db:
        rows = db.execute(
            "select elu_id, parties, ayant_travaille, presents from equipes"
            " where chambre = 'senat' and mandat_fin is null"
        ).fetchall()
    for identifier, left, people, present in rows:
        page = (await groups.client.get(f"/elus/senat/{identifier}")).text
        assert f"{present} personne" in lead(page).replace("\u00a0", " ")
        if left is None:
            continue
        assert page.count("<li><b>") == left
        sentence = f"{left} départ{'s' * (left > 1)} sur {people}" if left else "aucun départ"
        assert sentence in Read(page).plain


async def test_an_emptied_team_is_told_apart_and_never_as_departures(groups: Any) -> None:
    text = await told(groups, of(20))
    assert "Plus sur les listes (mandat terminé) : 3 personnes" in text
    assert "3 personnes sont sorties de la liste avec toute l’équipe" in text
    assert "2026 3 noms sortis avec toute l’équipe" in text
    assert "Toute l’équipe sort de la liste entre le 27 juillet et le 3 août 2026 :" in text
    assert "quitté l’équipe" not in text
    assert "Départ " not in text.partition("mouvements, par année")[2].partition("Mandats")[0]


async def test_a_share_that_is_not_counted_says_why(groups: Any, service: Any) -> None:
    text = await told(groups, of(1, "assemblee"))
    assert "La part n’est pas calculée. Pas de liste du 16 septembre au 5 octobre 2025." in text
    few = await told(service, of(years.STILL))
    assert "La part n’est pas calculée. Moins de trois personnes." in few


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
        ("2024-05-27", "2024-06-09", "XVIe législature (2022-2024)"),
        ("2017-06-21", "2022-06-21", "XVe législature (2017-2022)"),
        ("2024-07-08", "2026-11-20", "XVIIe législature (depuis 2024)"),
        ("2007-06-20", "2012-06-19", ""),
        ("", "2024-06-09", ""),
    ],
)
async def test_a_mandate_is_told_with_its_legislature(since: str, until: str, names: str) -> None:
    assert legislatures("assemblee", since, until) == names
    assert legislatures("senat", since, until) == ""


FIRST = datetime.date(2026, 3, 2)
BEFORE, SHORT, LONG, BACK = "Max AVANT", "Ada COURTE", "Zoé LONGUE", "Léo RETOUR"


def _staff(day: int) -> dict[int, list[str]]:
    """From 7 on to 8: one for five days, one for good; one leaves and comes back."""
    staff = lists.many(40)
    there = [name for name in (SHORT, LONG) if day < 20] + [BEFORE]
    staff[7] = there + [BACK] * (day < 10 or day >= 30)
    staff[8] = [*staff[8], *[SHORT] * (25 <= day < 30), *[LONG] * (day >= 25)]
    return staff


@pytest_asyncio.fixture
async def moving(make: Any, tmp_path: Path) -> Any:
    for day in range(60):
        date = (FIRST + datetime.timedelta(day)).isoformat()
        lists.write(tmp_path / "lists", "senat", date, _staff(day))
    path = tmp_path / "movements.db"
    environment.done("build", path, "--lists", tmp_path / "lists")
    return await make(path=path, now=datetime.datetime(2026, 5, 1, 8, tzinfo=datetime.UTC))


async def test_where_a_name_is_seen_next_leaves_out_stays_of_a_few_days(moving: Any) -> None:
    text = await told(moving, of(7))
    departures = text.partition("Départs en douze mois")[2].partition("La part")[0]
    assert f"{LONG}, le 22 mars 2026 ; nom vu ensuite chez Élue" in departures
    assert f"{SHORT}, le 22 mars 2026." in departures
    assert BACK not in departures
    assert (
        f"{BACK} depuis le 1 er avril 2026 depuis le 2 mars 2026 au plus tard, départ le 12 mars"
        in text
    )


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
