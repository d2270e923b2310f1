"""The home page: the last seven days first, then ten years of headcount, then the movements of those days."""

from __future__ import annotations

import re

from datasette_mouvements.dataset.coverage import Coverage, Gap
from datasette_mouvements.pages.drawing import Scale, headcount_path

from .conftest import Read, text_of
from .invented import publish


async def test_headcounts_are_hatched_where_there_is_no_list(year):
    page = (await year.client.get("/")).text
    assert page.count('fill="url(#trou)"') >= 3  # before, within and after the Assemblée's lists


def test_an_area_is_the_numbers_of_lists_and_breaks_at_a_hole():
    lists = Coverage("2026-01-01", "2026-03-31", holes=(Gap("2026-01-31", "2026-03-01"),))
    scale = Scale("2026-01-01", "2026-04-01")
    points = [("2026-01-01", 10), ("2026-01-31", 20), ("2026-03-01", 5), ("2026-03-31", 5)]
    first, second = headcount_path(scale, points, lists, 20).split("M")[1:]
    assert first == "0 100.0L0 50.0L330 0.0L330 0.0L330 100.0Z"
    assert second.startswith("649 100.0L649 75.0L")


async def test_a_file_without_lists_says_so_and_an_empty_one(datasette, make, tmp_path):
    text = await text_of(datasette, "/")
    assert re.search(r"\d+ mouvements, publiés sans listes", text)
    started = await make(path=publish(tmp_path / "movements.db", []))
    assert "Aucun mouvement n’est encore publié." in await text_of(started, "/")


async def test_the_page_leads_to_what_it_names(year):
    links = Read((await year.client.get("/")).text).links
    assert {"/elus/senat", "/elus/assemblee", "/groupes", "/semaine", "/flux"} <= set(links)
