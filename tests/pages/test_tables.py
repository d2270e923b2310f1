"""Datasette's pages of the public tables, as people read them."""

from __future__ import annotations

import re

import pytest

from datasette_mouvements.dataset import schema
from datasette_mouvements.pages.core import tables
from datasette_mouvements.serving.exports import OPEN_FILES, TABLES

from .conftest import Read

STAY = {"debut": "2024-03-09", "debut_apres": "2024-03-03", "fin": None, "fin_apres": "2024-04-01"}


def test_every_public_table_and_each_of_its_columns_has_words():
    assert {*tables.TABLES, schema.TABLE} == TABLES
    for name in TABLES:
        for column, _ in schema.columns(name):
            assert tables.label(column, name) != column, (name, column)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("date", "2026-09-01", "1ᵉʳ\u00a0septembre 2026"),
        ("statut", "refusee", "refusée"),
        ("resultat", "echouee", "pas de liste"),
        ("chambre", "senat", "Sénat"),
        ("paires", 1234, "1\u202f234"),
        ("presence_mediane", 165.5, "166"),
        ("part_mediane", 0.25, "25\u202f%"),
        ("mesure", "3,5 %", "3,5 %"),
        ("mesure", "100,0 %", "100 %"),
        ("liste", "senat/2026-09-01", "senat/2026-09-01"),
        ("collab_nom", None, "nom retiré"),
        ("motif", None, ""),
    ],
)
def test_values_are_written_in_french(column, value, words):
    assert tables.table_cell(column, value) == words


@pytest.mark.parametrize(
    ("column", "row", "words"),
    [
        ("debut", {}, "entre le 3 et le 9\u00a0mars 2024"),
        ("debut", {"debut_apres": None}, "au moins depuis le 9\u00a0mars 2024"),
        ("fin", {}, "sur la liste du 1ᵉʳ\u00a0avril 2024"),
        ("fin", {"fin": "2024-05-02"}, "entre le 1ᵉʳ\u00a0avril et le 2\u00a0mai 2024"),
    ],
)
def test_the_days_of_a_stay_have_the_bounds_that_pages_give(column, row, words):
    stay = STAY | row
    assert tables.table_cell(column, stay[column], stay) == words


async def test_who_and_when_stand_before_identifiers(shared, listed):
    datasette = await shared(path=listed)
    page = (await datasette.client.get("/movements/collaborations?_size=3")).text
    heads = [head.strip() for head in re.findall(r"<th scope[^>]*><a[^>]*>([^<]*)", page)]
    first = ("collab_nom", "collab_prenom", "elu_nom", "debut", "fin")
    assert heads[:5] == [tables.label(name) for name in first]
    assert heads[-1] == "Identifiant"
    assert not {tables.label(name) for name in ("fin_apres", "elu_id", "mouvement_fin")} & {*heads}
    alone = (await datasette.client.get("/movements/collaborations?_col=fin_apres")).text
    assert tables.label("fin_apres") in alone


@pytest.mark.parametrize("table", sorted(TABLES - {schema.TABLE}))
async def test_a_table_is_counted_sorted_and_paged_in_french(shared, listed, table):
    datasette = await shared(path=listed)
    title, _ = tables.TABLES[table]
    what = title.lower()[:-1]
    answer = await datasette.client.get(f"/movements/{table}")
    assert len(answer.content) < 60_000
    text = Read(answer.text).plain
    rows = await datasette.get_database("movements").execute(f"select count(*) from {table}")
    count = rows.single_value()
    assert f"{count} {what}{'s' if count > 1 else ''}." in text.replace("\u202f", "")
    assert not re.search(r"\b(rows?|sorted|license|Next page|Data)\b", text)
    if count > 1:
        first = (await datasette.client.get(f"/movements/{table}?_size=1")).text
        [link] = [link for link in Read(first).links if "_next=" in link]
        rest = Read((await datasette.client.get(link)).text)
        assert "Revenir au début" in rest.text
        # A page without values that narrow it need not count them.
        assert "_nofacet=1" in link
    page = Read((await datasette.client.get(f"/movements/{table}?chambre=senat&_size=1")).text)
    [export] = [link for link in page.links if link.startswith(f"/movements/{table}.csv?")]
    assert export == f"/movements/{table}.csv?chambre=senat&_size=max&_stream=1"
    assert (" (clé ou compte)" in page.plain) == (f"{table}.csv" not in OPEN_FILES)


async def test_rows_lead_to_pages_of_people_and_groups(shared, grouped):
    datasette = await shared(path=grouped)
    for table, address in (
        ("equipes", r"/elus/assemblee/PA\w+"),
        ("groupes", "/groupes/senat/GRA"),
        ("collaborations", r"/elus/\w+/\w+"),
        ("collaborations", r"/collaborateurs/[\w-]+"),
        ("collaborations", r"/movements/collaborations/col_\w+"),
    ):
        links = Read((await datasette.client.get(f"/movements/{table}?_size=60")).text).links
        assert any(re.fullmatch(address, link) for link in links), (table, address)


async def test_a_row_is_told_in_words(shared, listed):
    datasette = await shared(path=listed)
    database = datasette.get_database("movements")
    sql = "select id, elu_nom from collaborations where fin <> '' and debut_apres <> '' limit 1"
    id, member = tuple((await database.execute(sql)).first())
    answer = await datasette.client.get(f"/movements/collaborations/{id}")
    page = Read(answer.text)
    assert f"Collaboration auprès d’{member}" in page.plain
    assert re.search(r"arrivée (le|entre le) .*, départ (le|entre le) ", page.plain)
    assert answer.headers["x-robots-tag"] == "noindex"
    assert page.inline == []
    team = Read((await datasette.client.get("/movements/equipes/senat,99001Z")).text).plain
    assert "Équipe senat 99001Z" in team
    assert "Présence médiane (jours)" in team


async def test_the_tables_can_be_found(datasette):
    links = Read((await datasette.client.get("/movements")).text).links
    assert {f"/movements/{name}" for name in tables.TABLES} <= {*links}


def test_a_configuration_prevails_over_these_options():
    from datasette.app import Datasette

    own = {"movements": {"tables": {"listes": {"size": 7, "sort": "nom"}}}}
    datasette = Datasette(config={"databases": own})
    tables.configure(datasette, "movements")
    configured = datasette.config["databases"]["movements"]["tables"]
    assert configured["listes"] == {"size": 7, "sort_desc": "date", "sort": "nom"}
    assert configured["nuits"]["size"] == tables.SIZE
    assert own["movements"]["tables"] == {"listes": {"size": 7, "sort": "nom"}}
