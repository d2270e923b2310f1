"""The pages of groups: who counts, who left, and what is not known, as of the chamber's last list."""

from __future__ import annotations

import pytest

from tests.tracking.lists import member

from .conftest import Read, text_of

GRA = "/groupes/senat/GRA"


async def test_groups_stand_by_the_part_that_left(groups):
    senate = (await text_of(groups, "/groupes")).partition(" Sénat liste du")[2]
    places = [senate.index(name) for name in ("A/B 6", "Granite", "HIR 3")]
    assert places == sorted(places)


async def test_a_group_marks_itself_among_the_others(groups):
    answer = await groups.client.get(GRA)
    assert answer.text.count('<tr class="here">') == 1
    links = Read(answer.text).links
    assert {"/groupes/senat/A%2FB", f"/elus/senat/{member('senat', 1)}"} <= set(links)
    assert GRA not in links


@pytest.mark.parametrize("code", ["RIEN", "gra", "A"])
async def test_an_unknown_group_has_no_page(groups, code):
    answer = await groups.client.get(f"/groupes/senat/{code}")
    assert answer.status_code == 404
    assert "Aucun groupe de cette chambre" in answer.text


async def test_a_large_group_stays_light(groups):
    answer = await groups.client.get("/groupes/europarl/GRA")
    assert len(answer.content) < 60_000
    assert "Les 200 membres" in Read(answer.text).plain


async def test_movements_without_lists_make_no_figure(datasette):
    text = await text_of(datasette, "/groupes")  # of a file of movements alone
    assert "sur" not in text.partition("Les groupes politiques")[2].partition("Une fin de")[0]


@pytest.mark.parametrize(
    "page", ["/groupes", GRA, "/elus/senat", f"/elus/senat/{member('senat', 1)}"]
)
async def test_beside_departures_stands_that_lists_do_not_tell_why(groups, page):
    text = await text_of(groups, page)
    assert "1 départ sur 3" in text or "2 départs sur 31" in text
    assert text.count("Une fin de contrat a bien des raisons") == 1
