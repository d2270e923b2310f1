"""The page of one movement: who, when and how well that is known, what the lists show, what follows."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.pages.movement import precision
from parlement_lists.movement import plain

from . import years
from .conftest import Read, text_of
from .invented import movement, publish

ROW = {"type": "arrivee", "confiance": "fort", "date_event": "2026-01-02"}


def movements(path, rest: str) -> list[sqlite3.Row]:
    """Movements of a file: `rest` is what follows the table in the query."""
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        return db.execute(f"select * from mouvements {rest}").fetchall()


def of_name(path, family: str) -> list[str]:
    """The pages of the movements of a family name at the Sénat, in the order of days."""
    where = f"where chambre = 'senat' and collab_nom = '{family}' order by rowid"
    return [f"/mouvements/{row['id']}" for row in movements(path, where)]


async def test_a_departure_is_told_with_its_bounds_and_how_well_the_day_is_known(year, listed):
    (path,) = of_name(listed, "TROIS")
    text = await text_of(year, path)
    assert "Départ entre le 23 février et le 2 mars 2026 Cléo TROIS quitte Élue Numéro GRA" in text
    lead = "au Sénat ; date connue à 7 jours près, listes du 23 février et du 2 mars 2026."
    assert lead in text
    stay = "Prend fin : collaboration auprès d’ Élue Numéro, sur les listes du 4 août 2025 au 23 février 2026"
    assert f"{stay}, déjà sur la première." in text
    assert "La date est approximative" not in text


async def test_a_transfer_ends_one_collaboration_and_begins_another(year, listed):
    (path,) = of_name(listed, "TREIZE")
    text = await text_of(year, path)
    assert f"{years.JOE} quitte Élue Numéro" in text
    assert "Prend fin : collaboration auprès d’ Élue Numéro," in text
    assert "Commence : collaboration auprès d’ Élue NUMÉRO9," in text
    assert "sur les listes du 1 er juin au 21 septembre 2026" in text


async def test_the_page_says_what_the_two_lists_show(year, listed):
    """And asks nobody to believe it: each list by its name and digest, and what it has of that person."""
    kinds = {row["type"]: row for row in movements(listed, "where collab_nom is not null")}
    assert set(kinds) == {"arrivee", "depart", "transfert"}
    for kind, row in kinds.items():
        text = await text_of(year, f"/mouvements/{row['id']}")
        proof = text.partition("Ce que montrent les deux listes")[2].partition("Les collabora")[0]
        before, after = proof.split("Après :")
        person = f"nomme {row['collab_prenom']} {row['collab_nom']} dans l’équipe"
        missing = f"ne nomme pas {row['collab_prenom']} {row['collab_nom']} dans l’équipe"
        assert (missing in before, f" {person}" in before) == (kind == "arrivee", kind != "arrivee")
        assert (missing in after, f" {person}" in after) == (kind == "depart", kind != "depart")
        left = row["elu_origine_nom"] if kind == "transfert" else row["elu_nom"]
        assert plain(left) in plain(before)
        assert plain(row["elu_nom"]) in plain(after)
        html = (await year.client.get(f"/mouvements/{row['id']}")).text
        assert len(set(re.findall("<code>([0-9a-f]{64})</code>", html))) == 2


async def test_all_fields_a_correction_and_the_call_are_there(year, listed):
    row = movements(listed, "where collab_nom = 'QUATRE' limit 1")[0]
    answer = await year.client.get(f"/mouvements/{row['id']}")
    fields = answer.text.partition("<summary>Tous les champs")[2].partition("</details>")[0]
    for name in ("id", "elu_id", "elu_cle"):
        assert f"<td><code>{row[name]}</code></td>" in fields
    assert f"<td>{row['collab_nom']}</td>" in fields
    assert f'/v1/mouvements/{row["id"]}"' in answer.text
    assert any(link.startswith("mailto:contact@exemple.fr?") for link in Read(answer.text).links)
    assert answer.headers["x-robots-tag"] == "noindex"
    assert not Read(answer.text).inline
    head = answer.text.partition("</head>")[0]
    assert "QUATRE" not in head


async def test_a_departure_on_a_list_that_was_late_has_no_day(changed, listed):
    datasette = await changed(
        listed,
        "update collaborations set fin_apres = '2026-03-01' where collab_nom = 'TROIS'",
        "update mouvements set confiance = 'faible' where collab_nom = 'TROIS'",
    )
    name = await text_of(datasette, "/collaborateurs/trois-cleo")
    # Of two collaborations, and of the movement of each.
    assert name.count("nom absent de la liste du 2 mars 2026, jour du départ inconnu") == 4
    assert "le 2 mars 2026 au" not in name
    (page,) = of_name(listed, "TROIS")
    text = await text_of(datasette, page)
    assert "Départ vu sur la liste du 2 mars 2026" in text
    assert "date approximative, listes du 1 er et du 2 mars 2026" in text
    assert "la liste de la veille a encore ce nom" in text
    assert "Départ le 2 mars" not in text


async def test_an_emptied_team_is_no_departure(changed, listed):
    datasette = await changed(
        listed,
        "update collaborations set fin_apres = '2026-03-01' where collab_nom = 'TROIS'",
        "update mouvements set contexte = 'elu_sortant', confiance = 'faible' where collab_nom = 'TROIS'",
    )
    name = await text_of(datasette, "/collaborateurs/trois-cleo")
    assert "nom absent de la liste du 2 mars 2026, avec toute l’équipe" in name
    assert "départ inconnu" not in name
    (page,) = of_name(listed, "TROIS")
    text = await text_of(datasette, page)
    assert "Nom absent de la liste du 2 mars 2026" in text
    assert "Cléo TROIS : sortie de la liste, équipe d’ Élue Numéro vidée ou mandat fini" in text
    assert "quitte" not in text.partition("Tous les champs")[0]


async def test_a_movement_without_a_name_names_nobody(changed, listed):
    masked = "set collab_nom = null, collab_prenom = null where collab_nom = 'QUATRE'"
    tables = ("mouvements", "collaborations")
    datasette = await changed(listed, *(f"update {table} {masked}" for table in tables))
    text = await text_of(datasette, of_name(listed, "QUATRE")[0])
    assert "nom retiré rejoint Élue Numéro" in text
    assert "Ce que montrent les deux listes" in text
    assert "nomme" not in text
    assert "QUATRE" not in text


async def test_what_was_withdrawn_says_so_and_names_nobody(make, tmp_path):
    stays, goes = movement(1), movement(2)
    datasette = await make(path=publish(tmp_path / "movements.db", [stays, goes], [stays]))
    answer = await datasette.client.get(f"/mouvements/{goes.id}")
    assert answer.status_code == 410
    assert "a été publié, puis retiré" in answer.text
    assert '<html lang="fr">' in answer.text
    assert "PERSONNE" not in answer.text
    assert answer.headers["x-robots-tag"] == "noindex"
    assert (await datasette.client.get(f"/mouvements/{stays.id}")).status_code == 200
    unknown = await datasette.client.get("/mouvements/mvt_0")
    assert unknown.status_code == 404
    assert "Aucun mouvement n’a jamais été publié sous cet identifiant." in unknown.text


async def test_returns_and_where_a_name_is_seen_next_stand_on_the_page(month, month_of_lists):
    left, back = [await text_of(month, page) for page in of_name(month_of_lists, "RETOUR")]
    assert "Nom revenu chez Élue NUMÉRO1 11 jours après." in left
    returned = "nom déjà chez Élue NUMÉRO1 jusqu’au 5 septembre 2026, puis absent 11 jours"
    assert f"Retour : {returned}." in back
    gone, _ = [await text_of(month, page) for page in of_name(month_of_lists, "SUITE")]
    assert "Nom vu ensuite chez Élue NUMÉRO3, 12 jours après." in gone


async def test_nothing_is_told_of_a_stay_of_a_few_days_or_of_a_masked_name(month, month_of_lists):
    left, *_ = [await text_of(month, page) for page in of_name(month_of_lists, "TROP-BREF")]
    masked = movements(month_of_lists, "where collab_nom is null and type = 'depart'")
    for text in (left, await text_of(month, f"/mouvements/{masked[0]['id']}")):
        assert "quitte Élue" in text
        assert not re.search(r"[nN]om (vu|revenu|déjà)", text)


@pytest.mark.parametrize(
    ("row", "after", "words"),
    [
        ({}, "2026-01-01", "au jour près"),
        ({}, "2025-12-30", "à 3 jours près"),
        ({"type": "depart", "confiance": "faible"}, "2026-01-01", "approximative"),
        ({"confiance": "faible"}, "", "approximative"),
        ({}, "", "à trois jours près"),
        ({"confiance": "moyen"}, "", "à dix jours près"),
        ({"confiance": "manuel"}, "", "donnée à la main"),
        ({"confiance": "manuel"}, "2026-01-01", "au jour près"),
    ],
)
def test_it_says_how_well_a_day_is_known(row, after, words):
    text = precision(ROW | row | {"apres": after}).replace("\u00a0", " ")
    assert text.partition(", liste")[0] == words
    assert text.endswith("donnée à la main") == (row.get("confiance") == "manuel")
