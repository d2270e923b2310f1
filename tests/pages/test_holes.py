"""A hole within the twelve months stands beside every figure of them, on every page and in every file."""

from __future__ import annotations

import csv
import io
import re

import pytest
import pytest_asyncio

from datasette_mouvements.dataset.turnover import Median, Turnover
from tests.tracking.lists import member

from . import years
from .conftest import site, told
from .test_downloads import bearer, key

pytestmark = pytest.mark.asyncio
SAID = "sans liste du 13 janvier au 22 février 2026"
# What stands before the days of the hole, wherever a page shows a figure of twelve months.
FIGURES = (
    r"\d+ sur \d+ personnes? parties? en douze mois(?:, toutes équipes du groupe)?",
    r"(?:\d+ arrivées?|Aucune arrivée) en douze mois",
    r"En douze mois, \d+ arrivées? et \d+ départs?",
    r"de départs en douze mois",
    r"départs dans l’équipe médiane ; \d+ % pour la chambre",
    r"du 22 septembre 2025 au 21 septembre 2026",
    r"[dD]éparts(?: :)? depuis le 22 septembre 2025",
    r"départs en douze mois, équipes d’au moins trois personnes",
)
# Each with how many figures of twelve months it shows, after words with which its part of the chamber begins.
PAGES = [
    ("/", 2, "Parlement européen En douze mois"),
    ("/groupes", 1, "Groupes du Parlement européen"),
    ("/groupes/europarl/GRA", 4, ""),
    ("/classements", 2, "200 équipes"),
    ("/classements/europarl", 2, ""),
    (f"/elus/europarl/{member('europarl', 1)}", 3, ""),
]


@pytest_asyncio.fixture
async def datasette(shared, grouped):
    return await shared(path=grouped, now=years.TODAY)


@pytest.mark.parametrize(("path", "number", "begin"), PAGES)
async def test_every_figure_of_the_year_on_a_page_has_the_hole_beside_it(
    datasette, path, number, begin
):
    text = await told(datasette, path)
    text = text[text.index(begin) :]
    found = [match.end() for shape in FIGURES for match in re.finditer(shape, text)]
    alone = [text[at - 60 : at + 60] for at in found if not text[at:].startswith(f", {SAID}")]
    assert (len(found), alone) == (number, [])


async def test_a_year_without_a_hole_says_nothing_of_one(datasette):
    for path in ("/groupes/senat/GRA", "/classements/senat"):
        assert "sans liste" not in await told(datasette, path)


async def test_a_page_of_whose_office_nobody_left_says_that_nobody_is_known_to_have_left(datasette):
    text = await told(datasette, f"/elus/europarl/{member('europarl', 1)}")
    assert "Aucun départ n’est connu du 22 septembre 2025 au 21 septembre 2026" in text
    assert "Personne n’a quitté" not in text
    assert "Une personne arrivée puis repartie quand les listes manquent n’est pas comptée." in text


@pytest.mark.parametrize("path", ["/classements/europarl.csv", "/groupes/europarl.csv"])
async def test_a_file_has_the_days_without_a_list_beside_every_figure(datasette, path):
    answer = await datasette.client.get(path, headers=bearer(await key(datasette)))
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["sans_liste"] for row in rows} == {"2026-01-13/2026-02-22"}
    answer = await datasette.client.get(
        path.replace("europarl", "senat"), headers=bearer(await key(datasette))
    )
    assert {row["sans_liste"] for row in csv.DictReader(io.StringIO(answer.text))} == {""}


async def test_no_figure_is_counted_without_its_holes(datasette):
    """The year of a chamber is one: what pages count of it and its turnover have the same holes."""
    facts = await site(datasette).facts()
    for chamber, figures in facts.figures.items():
        holes = facts.years[chamber].holes
        assert bool(holes) == (chamber == "europarl")
        every = [figures.whole, *figures.groups.values(), *figures.offices.values()]
        shown = [one for of in every for one in of if isinstance(one, Turnover | Median)]
        assert bool(shown) == (chamber != "assemblee")
        assert {one.holes for one in shown} <= {holes}
