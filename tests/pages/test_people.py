"""What the pages of members and staff tell of the movements."""

from __future__ import annotations

import csv
from contextlib import closing

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.pages.people import staff_member
from datasette_mouvements.pages.words import french
from parlement_lists.movement import FIELD_NAMES, slug_of
from tests.contract import environment, sample

from .conftest import Read, site

pytestmark = pytest.mark.asyncio


def here(elu: str) -> list[dict[str, str]]:
    """The movements of one member, those that leave them by transfer included, newest first."""
    name = sample.matching(elu=elu)[0]["elu_nom"]
    return [
        row
        for row in sample.in_order()
        if row["elu_id"] == elu or (row["type"] == "transfert" and row["elu_origine_nom"] == name)
    ]


@pytest.mark.parametrize("elu", ["PA999001", "PA999006", "PA999012"])
async def test_without_lists_a_member_s_page_shows_movements_and_infers_nothing(datasette, elu):
    text = Read((await datasette.client.get(f"/elus/assemblee/{elu}")).text).text
    assert french.counted(len(here(elu)), "mouvement") in text
    assert "Qui travaille ici n’est pas connu" in text
    assert "ces mouvements sont publiés sans listes" in text
    assert "Personnes parties" not in text
    assert "Présence" not in text


async def test_without_lists_where_a_person_works_is_not_said(datasette):
    page = Read((await datasette.client.get("/collaborateurs/ormevalle-louis-ferreol")).text).text
    assert "Où travaille cette personne n’est pas connu" in page
    assert "Pas de liste connue." in Read((await datasette.client.get("/")).text).text


async def test_a_home_page_without_groups_does_not_count_them(make, tmp_path):
    path = tmp_path / "movements.db"
    environment.done("build", path, "--movements", environment.SAMPLE)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("update mouvements set elu_groupe = null")
    home = Read((await (await make(path=path)).client.get("/")).text)
    assert "Par chambre et par groupe" in home.text
    assert "; par groupe" not in home.text
    assert not [link for link in home.links if "/groupes/" in link]


async def test_a_namesake_s_transfers_are_said_to_be_left_out(datasette):
    rows = sample.in_order()
    ids: dict[str, set[str]] = {}
    for row in rows:
        ids.setdefault(row["elu_nom"], set()).add(row["elu_id"])
    left = {row["elu_origine_nom"] for row in rows if row["type"] == "transfert"}
    shared = [name for name, known in ids.items() if len(known) > 1 and name in left]
    for name in shared:
        for elu in ids[name]:
            page = (await datasette.client.get(f"/elus/assemblee/{elu}")).text
            assert "s’appellent" in page


async def test_an_unknown_member_is_a_404_that_leads_on(datasette):
    answer = await datasette.client.get("/elus/senat/PA999001")  # of the other chamber
    assert answer.status_code == 404
    assert 'name="q"' in answer.text


async def test_a_staff_member_s_page_warns_of_namesakes(datasette):
    page = (await datasette.client.get("/collaborateurs/ormevalle-louis-ferreol")).text
    assert "des homonymes sont possibles" in page
    assert "equipe=PA999001" in page


async def test_another_spelling_of_the_address_leads_to_the_one_address(datasette):
    answer = await datasette.client.get("/collaborateurs/ORMEVALLE%20Louis-Ferr%C3%A9ol")
    assert answer.status_code == 301
    assert answer.headers["location"] == "/collaborateurs/ormevalle-louis-ferreol"


async def test_every_staff_member_of_the_sample_has_a_page(datasette):
    facts = await site(datasette).facts()
    rows = sample.in_order()
    for name in {(row["collab_nom"], row["collab_prenom"]) for row in rows}:
        slug = slug_of(*name)
        same = [r for r in rows if slug_of(r["collab_nom"], r["collab_prenom"]) == slug]
        assert len((await staff_member.of_name(facts.reader, slug)).movements) == len(same)


async def test_a_name_that_was_withdrawn_is_shown_as_such_everywhere(make, tmp_path):
    rows = [dict(row) for row in sample.matching(elu="PA999001")]
    for row in rows[:2]:
        row["collab_nom"] = row["collab_prenom"] = row["collab_civilite"] = ""
    source, path = tmp_path / "m.csv", tmp_path / "movements.db"
    with source.open("w", newline="", encoding="utf-8") as lines:
        names = [name for name in FIELD_NAMES if name != "id"]
        writer = csv.DictWriter(lines, names)
        writer.writeheader()
        writer.writerows(rows)
    environment.done("build", path, "--movements", source)
    datasette = await make(path=path)
    for page in ("/", "/movements/mouvements", "/elus/assemblee/PA999001", "/flux"):
        answer = await datasette.client.get(page)
        assert answer.status_code == 200
        assert "nom retiré" in answer.text
        assert "None" not in answer.text
    assert (await datasette.client.get("/collaborateurs/-")).status_code == 404


async def test_a_name_that_is_not_there_is_not_told_from_one_withdrawn(datasette):
    answer = await datasette.client.get("/collaborateurs/personne")
    assert answer.status_code == 404
    assert "retiré à la demande de la personne" in answer.text
