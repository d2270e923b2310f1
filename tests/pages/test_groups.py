"""The pages of groups: who counts, who left, and what is not known, as of the chamber's last list."""

from __future__ import annotations

import pytest
import pytest_asyncio

from tests.tracking.lists import member

from . import years
from .conftest import Read, told

pytestmark = pytest.mark.asyncio
GRA = "/groupes/senat/GRA"


@pytest_asyncio.fixture
async def datasette(shared, grouped):
    return await shared(path=grouped, now=years.TODAY)


def section(text: str, chamber: str, following: str) -> str:
    """What the index says of a chamber."""
    return text.partition(f" {chamber} liste du")[2].partition(f" {following} ")[0]


async def test_groups_stand_by_the_part_that_left_and_unknown_ones_last(datasette):
    senate = section(await told(datasette, "/groupes"), "Sénat", "Parlement européen")
    places = [senate.index(name) for name in ("A/B 6", "Granite", "HIR 3")]
    assert places == sorted(places)
    assembly = section(await told(datasette, "/groupes"), "Assemblée nationale", "Sénat")
    # A hole crosses the first day of its year.
    assert "pas de liste du 16 septembre au 5 octobre 2025" in assembly


async def test_a_group_marks_itself_among_the_others(datasette):
    answer = await datasette.client.get(GRA)
    assert answer.text.count('<tr class="here">') == 1
    links = Read(answer.text).links
    assert {"/groupes/senat/A%2FB", f"/elus/senat/{member('senat', 1)}"} <= set(links)
    assert GRA not in links


@pytest.mark.parametrize("code", ["RIEN", "gra", "A"])
async def test_an_unknown_group_has_no_page(datasette, code):
    answer = await datasette.client.get(f"/groupes/senat/{code}")
    assert answer.status_code == 404
    assert "Aucun groupe de cette chambre" in answer.text


async def test_a_large_group_stays_light(datasette):
    answer = await datasette.client.get("/groupes/europarl/GRA")
    assert len(answer.content) < 60_000
    assert "Les 200 membres" in Read(answer.text).plain


async def test_movements_without_lists_make_no_figure(datasette, shared):
    service = await shared({"contact": "contact@exemple.fr"})  # a file of movements alone
    text = await told(service, "/groupes")
    assert "sur" not in text.partition("Les groupes politiques")[2].partition("Une fin de")[0]


@pytest.mark.parametrize(
    "page", ["/groupes", GRA, "/elus/senat", f"/elus/senat/{member('senat', 1)}"]
)
async def test_beside_departures_stands_that_lists_do_not_tell_why(datasette, page):
    text = await told(datasette, page)
    assert "1 départ sur 3" in text or "2 départs sur 31" in text
    assert text.count("Une fin de contrat a bien des raisons") == 1
