"""The tables that say where movements come from, as people read them."""

from __future__ import annotations

import re

import pytest
from datasette.utils.sqlite import sqlite3
from markupsafe import Markup

from datasette_mouvements.dataset.schema import TABLES
from datasette_mouvements.pages.frame import sidebar_tables
from tests.contract import environment

from .conftest import Read


def test_every_column_has_a_label():
    with_columns = sqlite3.connect(":memory:")
    for name, table in sidebar_tables.TABLES.items():
        with_columns.execute(TABLES[name])
        columns = [row[1] for row in with_columns.execute(f"pragma table_info({name})")]
        assert list(table.labels) == columns
    with_columns.close()


def test_values_are_written_in_french():
    assert sidebar_tables.cell("date", "2026-09-01") == Markup("1<sup>er</sup>\u00a0septembre 2026")
    assert sidebar_tables.cell("statut", "refusee") == "refusée"
    assert sidebar_tables.cell("chambre", "senat") == "Sénat"
    assert sidebar_tables.cell("paires", 1234) == "1\u202f234"
    assert sidebar_tables.cell("mesure", "3,5 %") == "3,5\u202f%"


def test_the_days_of_a_stay_have_the_bounds_that_pages_give():
    stay = {"debut": "2024-03-09", "debut_apres": "2024-03-03", "fin": "2024-05-02"}
    shown = sidebar_tables.cell("debut", stay["debut"], stay)
    assert shown == "entre le 3 et le 9\u00a0mars 2024"
    assert "au moins depuis" in sidebar_tables.cell(
        "debut", "2024-03-09", stay | {"debut_apres": None}
    )
    assert sidebar_tables.cell("fin", "2024-05-02", stay) == sidebar_tables.cell(
        "fin", "2024-05-02"
    )
    stay |= {"fin_apres": "2024-04-01"}
    assert "entre le 1" in sidebar_tables.cell("fin", "2024-05-02", stay)


@pytest.mark.asyncio
async def test_who_and_when_stand_before_identifiers(shared, listed):
    datasette = await shared(path=listed)
    page = (await datasette.client.get("/movements/collaborations?_size=3")).text
    heads = re.findall(r"<th scope[^>]*><a[^>]*>([^<]*)", page)
    labels = sidebar_tables.TABLES["collaborations"].labels
    said = ("debut_apres", "fin_apres", "elu_id", "elu_cle", "mouvement_debut", "mouvement_fin")
    assert set(map(str.strip, heads)) == {labels[name] for name in labels if name not in said}
    alone = (await datasette.client.get("/movements/collaborations?_col=fin_apres")).text
    assert labels["fin_apres"] in alone
    shown = [labels[name] for name in ("collab_nom", "collab_prenom", "elu_nom", "debut", "fin")]
    assert [one.strip() for one in heads[:5]] == shown
    [first, *_] = re.findall(r"<tbody[^>]*><tr[^>]*>(.*?)</tr>", page, re.DOTALL)
    cells = re.findall(r"<td [^>]*>(.*?)</td>", first, re.DOTALL)
    assert re.search(r"20\d\d", cells[3])
    assert "col_" in cells[heads.index(labels["id"])]


@pytest.mark.asyncio
async def test_lists_are_counted_and_paged_in_french(make, tmp_path):
    path = tmp_path / "movements.db"
    environment.done("build", path, "--lists", environment.SAMPLE.parent / "listes")
    datasette = await make(path=path)
    first = (await datasette.client.get("/movements/listes?_size=20")).text
    read = Read(first)
    assert "24\u00a0listes" in read.text
    assert "Assemblée nationale" in read.text
    assert "acceptée" in read.text
    assert not re.search(r"\b(rows?|sorted|license|Next page|Data)\b", read.text)
    [following] = [link for link in read.links if "_next=" in link]
    assert following.startswith("/movements/listes?")  # of the address by which a visitor came
    rest = Read((await datasette.client.get(following)).text)
    assert "Revenir au début" in rest.text
    assert not any("_next=" in link for link in rest.links)


@pytest.mark.parametrize("path", ["/movements", "/documentation"])
@pytest.mark.asyncio
async def test_the_tables_can_be_found(datasette, path):
    links = Read((await datasette.client.get(path)).text).links
    assert {f"/movements/{name}" for name in sidebar_tables.TABLES} <= set(links)


@pytest.mark.asyncio
async def test_the_documentation_says_what_is_not_counted_and_which_header_is_read(datasette):
    text = Read((await datasette.client.get("/documentation")).text).plain
    assert "une réponse 304, 401, 429 ou 503 ne compte pas" in text
    assert "OPTIONS" in (await datasette.client.get("/documentation")).text
    assert "il est ignoré" in text
