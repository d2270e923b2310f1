"""Nothing false about a person: what pages tell of who works where, from lists."""

from __future__ import annotations

import re

import pytest
import pytest_asyncio

from datasette_mouvements.pages.counts import directory as listed_members
from parlement_lists.movement import plain
from tests.tracking.lists import member

from . import sealed, years
from .conftest import Read, site, told

pytestmark = pytest.mark.asyncio
LAST = "21 septembre 2026"


@pytest_asyncio.fixture
async def datasette(shared, listed):
    return await shared(path=listed, now=years.TODAY)


async def of_member(datasette, number: int, chamber: str = "senat") -> tuple[str, str, str]:
    """What the member's page says of the team, of who left, and of movements."""
    text = await told(datasette, f"/elus/{chamber}/{member(chamber, number)}")
    team, _, rest = text.partition(" Les dates en tableau")
    turnover, _, movements = rest.partition("Départs des douze derniers mois")[2].partition(
        "Tous les mouvements"
    )
    return team, turnover, movements


async def test_who_is_missing_for_some_days_has_not_left(datasette):
    team, _, _ = await of_member(datasette, years.TEAM)
    assert "; une de plus, absente de cette liste depuis quelques jours" in team
    missing = team.partition("Absences qui ne sont pas tranchées : 1 personne ")[2]
    assert (
        f"{years.EVE} au moins 13 mois déjà là le 4 août 2025 dernier jour sur une liste :"
        " 14 sept. 2026"
    ) in missing.partition("A quitté")[0]
    page = await told(datasette, "/collaborateurs/cinq-eve")
    assert f"nom absent de la liste du {LAST}" in page
    assert f"sur la liste du {LAST}" not in page.replace("absent de la liste", "")
    assert "0 mouvement Aucun mouvement n’est encore établi." in page


async def test_a_respelled_person_who_left_is_no_ghost(datasette):
    team, _, _ = await of_member(datasette, years.LEFT)
    assert f"Personne dans l’équipe, liste du {LAST}" in team
    nobody = "Aucun nom ne figure à côté de celui d’Élue NUMÉRO11 sur la liste du"
    assert f"{nobody} {LAST}, ni sur aucune depuis celle du 4 mai 2026." in team
    assert team.count("Fanny") == 1
    assert f"{years.RESPELLED} entre 6 et 7 mois début : 29 sept. – 6 oct. 2025 fin :" in team
    page = await told(datasette, "/collaborateurs/sixieme-fanny")
    assert f"Autres noms ou graphies réunis ici : {years.FANNY}." in page
    assert "4 mouvements" in page  # of both chambers, the arrivals under the old spelling too
    found = await told(datasette, "/recherche?q=sixieme")
    assert found.count("Fanny") == 1


async def test_staff_who_never_moved_are_shown_and_found(datasette):
    team, _, _ = await of_member(datasette, years.STILL)
    assert f"{years.GUS} au moins 13 mois déjà là le 4 août 2025" in team
    page = await told(datasette, "/collaborateurs/neuvic-gus")
    assert f"avant le 4 août 2025 ou ce jour-là toujours sur la liste du {LAST}" in page
    assert "0 mouvement Aucun mouvement sur les listes connues." in page
    assert years.GUS in await told(datasette, "/recherche?q=neuvic")
    feed = await datasette.client.get("/collaborateurs/neuvic-gus/flux")
    assert (feed.status_code, "<entry>" in feed.text) == (200, False)
    of_chamber = Read((await datasette.client.get("/elus/senat")).text).links
    assert f"/elus/senat/{member('senat', years.STILL)}" in of_chamber
    members = Read((await datasette.client.get("/recherche?q=numero9")).text).links
    assert f"/elus/senat/{member('senat', years.STILL)}" in members


async def test_a_transfer_from_one_of_two_namesakes_is_told_of_the_one_it_left(datasette):
    pages = [await of_member(datasette, number) for number in (years.ENDED, years.TEAM)]
    left = f"{years.JOE} rejoint Élue NUMÉRO9 GRA"
    assert [left in movements for _, _, movements in pages] == [True, False]
    assert "s’appellent" not in "".join(movements for _, _, movements in pages)
    team, turnover, _ = pages[0]
    assert "fin : 25 mai – 1 er juin 2026" in team.partition(years.JOE)[2]
    assert (
        "entre le 25 mai et le 1 er juin 2026, après au moins 9 mois ; a rejoint l’équipe d’ Élue"
        " NUMÉRO9, membre du Sénat GRA."
    ) in turnover
    assert "le même jour" not in turnover  # nobody knows
    _, _, movements = await of_member(datasette, years.STILL)
    assert f"{years.JOE} vient de l’équipe d’Élue Numéro GRA" in movements


async def test_a_stay_and_its_movements_under_another_name_are_on_one_page(datasette):
    married = await told(datasette, "/collaborateurs/vingtain-joe")
    assert f"Autres noms ou graphies réunis ici : {years.JOE}." in married
    assert (
        "Ils sont tenus pour ceux d’une seule personne, ce que les listes ne confirment pas"
        in married
    )
    assert "Deux équipes dans deux chambres depuis 2026, jusqu’à deux en même temps" in married
    assert f"{years.JOE} quitte Élue Numéro " in married
    before = await told(datasette, "/collaborateurs/treize-joe")
    assert f"Autres noms ou graphies réunis ici : {years.MARRIED}." in before
    assert "Quatre équipes dans deux chambres depuis 2025 au moins" in before
    assert before.index("Élue NUMÉRO9") < before.index("Élue Numéro ")  # the latest first


async def test_in_a_year_that_begins_in_a_hole_nothing_is_calculated(shared, grouped):
    datasette = await shared(path=grouped, now=years.TODAY)
    text = await told(datasette, f"/elus/assemblee/{member('assemblee', 1)}")
    hole = "pas de liste du 16 septembre au 5 octobre 2025"
    assert f"Non calculable départs et arrivées en douze mois : {hole}" in text
    assert "n’est connue entre le 15 septembre et le 6 octobre 2025" in text
    assert "ce qui a changé dans cet intervalle est peut-être d’avant les douze mois" in text
    assert "au plus tôt avec la liste du 6 octobre 2026" in text
    assert "%" not in text
    assert f"Douze mois non calculables : {hole}" in await told(datasette, "/")


async def test_a_departure_on_a_list_that_was_late_has_no_day(make, listed, tmp_path):
    path = tmp_path / "movements.db"
    # As of a list of each day, and of one that was late.
    with sealed.changing(listed, path) as db:
        [(gone,)] = db.execute(
            "select mouvement_fin from collaborations"
            " where collab_nom = 'TROIS' and chambre = 'senat'"
        )
        db.execute(
            "update collaborations set fin_apres = '2026-03-01' where mouvement_fin = ?", [gone]
        )
        db.execute("update mouvements set confiance = 'faible' where id = ?", [gone])
    datasette = await make(path=path)
    seen = "absent de la liste du 2 mars 2026 (liste en retard ou fin de mandat : le jour du départ"
    text = await told(datasette, f"/elus/senat/{member('senat', years.TEAM)}")
    assert text.count(seen) == 3  # in the table of stays, among departures and movements
    assert "fin : jour inconnu, hors de la liste du 2 mars 2026" in text
    assert "fin : 2 mars" not in text
    text = await told(datasette, "/collaborateurs/trois-cleo")
    assert text.count(seen) == 3  # first, the stay and the movement
    assert "départ le 2 mars" not in text
    row = await told(datasette, f"/movements/mouvements/{gone}")
    assert "Départ vu sur la liste du 2 mars 2026" in row
    assert "la liste de la veille a encore ce nom" in row
    assert "pas eu de relevé" not in row
    assert seen in await told(datasette, "/movements/mouvements?collab_nom=TROIS&chambre=senat")
    feed = (await datasette.client.get("/collaborateurs/trois-cleo/flux")).text
    assert seen in re.sub(r"[\s\u00a0]+", " ", feed)
    assert "Confiance" not in feed


async def test_the_pages_of_movements_tell_the_days_of_both_lists(datasette):
    text = await told(datasette, "/movements/mouvements?collab_nom=TROIS&chambre=senat")
    assert "entre le 23 février et le 2 mars 2026" in text
    feed = (await datasette.client.get("/collaborateurs/trois-cleo/flux")).text
    assert "Entre le 23\u00a0février et le 2\u00a0mars 2026. Sénat" in feed


async def test_a_list_that_is_late_is_told_where_it_is_shown(datasette):
    warning = "La dernière liste de l’Assemblée nationale date du 3 août 2026, il y a 50 jours."
    assert warning in await told(datasette, f"/elus/assemblee/{member('assemblee', years.TEAM)}")
    assert "La dernière liste" not in await told(datasette, f"/elus/senat/{member('senat', 7)}")
    here = await told(datasette, "/collaborateurs/neuvic-gus")
    assert warning in here
    assert "Assemblée nationale (liste du 3 août 2026)." in here.replace("\u00a0", " ")


async def test_what_is_late_or_ended_changes_with_the_day_not_with_the_data(make, listed):
    datasette = await make(path=listed, now=years.TODAY)
    path = f"/elus/senat/{member('senat', years.TEAM)}"
    assert "il y a" not in await told(datasette, path)
    site(datasette).service.clock = lambda: years.TODAY.replace(month=11)
    assert "il y a 2 mois" in await told(datasette, path)


async def test_a_masked_name_is_nowhere(datasette):
    team, _, _ = await of_member(datasette, years.MASKED)
    assert "1 personne 2025 2026 nom retiré au moins 13 mois déjà là le 4 août 2025" in team
    assert "Un nom est retiré à la demande de la personne." in team
    family = years.IDA.split()[1]
    for path in (
        f"/elus/senat/{member('senat', years.MASKED)}",
        f"/movements/collaborations?elu_id={member('senat', years.MASKED)}",
        "/recherche?q=onzain",
    ):
        page = (await datasette.client.get(path)).text.replace("onzain", "")
        assert family.lower() not in page.lower()
    assert (await datasette.client.get("/collaborateurs/onzain-ida")).status_code == 404


async def test_the_page_of_a_movement_says_what_its_two_lists_show(datasette):
    """And asks nobody to believe it: each list by its name and digest, and what it has of that person."""
    facts = await site(datasette).facts()
    seen = set()
    for row in await facts.reader.movements("order by rowid", []):
        if row["type"] in seen:
            continue
        seen.add(row["type"])
        page = await told(datasette, site(datasette).movement(row["id"]))
        said = page.partition("Ce que montrent les deux listes")[2].partition("Signaler")[0]
        before, after = said.split("Après :")
        person = f"{row['collab_prenom']} {row['collab_nom']}"
        there = f"nomme {person} dans l’équipe"
        missing = f"ne nomme pas {person} dans l’équipe"
        assert (missing in before) == (row["type"] == "arrivee")
        assert (missing in after) == (row["type"] == "depart")
        assert (f" {there}" in before) == (row["type"] != "arrivee")
        assert (f" {there}" in after) == (row["type"] != "depart")
        if row["type"] == "transfert":
            assert plain(row["elu_origine_nom"]) in plain(before)
        html = (await datasette.client.get(site(datasette).movement(row["id"]))).text
        assert len(set(re.findall("<code>([0-9a-f]{64})</code>", html))) == 2
        assert f'/v1/mouvements/{row["id"]}"' in html
    assert seen == {"arrivee", "depart", "transfert"}


async def test_the_page_of_a_movement_without_a_name_names_nobody(make, listed, tmp_path):
    path = tmp_path / "movements.db"
    with sealed.changing(listed, path) as db:
        (id,) = db.execute("select id from mouvements where type = 'arrivee' limit 1").fetchone()
        db.execute(
            "update mouvements set collab_nom = null, collab_prenom = null where id = ?", [id]
        )
    datasette = await make(path=path, now=years.TODAY)
    said = await told(datasette, site(datasette).movement(id))
    assert "Ce que montrent les deux listes" in said
    assert "nomme" not in said


async def test_stays_have_a_table_and_a_page_each_in_french_with_links(datasette):
    path = f"/elus/senat/{member('senat', years.TEAM)}"
    links = Read((await datasette.client.get(path)).text).links
    [table] = [link for link in links if "/movements/collaborations?" in link]
    page = (await datasette.client.get(table)).text
    read = Read(page)
    assert "5 collaborations pour ces filtres" in re.sub(r"\s", " ", read.text)
    assert path in read.links
    assert "/collaborateurs/quatre-dina" in read.links
    assert "6\u00a0avril 2026" in read.text
    [one, *_] = [link for link in read.links if "/collaborations/col_" in link]
    row = await datasette.client.get(one)
    assert row.status_code == 200
    assert "Collaboration auprès de" in row.text
    assert any("/movements/mouvements/mvt_" in link for link in Read(row.text).links)
    assert "Mouvement de début" in row.text
    assert "Fin après" not in row.text
    assert '<html lang="fr">' in row.text
    chosen = await datasette.client.get("/movements/collaborations?_col=elu_nom&_col=collab_nom")
    assert chosen.status_code == 200


@pytest.mark.parametrize(
    ("name", "said", "label"),
    [
        ("UN", f"au moins depuis le 4 août 2025 · sur la liste du {LAST}", True),
        ("CINQ", f"nom absent de la liste du {LAST}, le dernier jour où", True),
        ("DIXMUDE", f"encore sur la liste du {LAST}, mandat terminé le 10 septembre 2026", True),
        ("TROIS", "départ entre le 23 février et le 2 mars 2026", False),
    ],
)
async def test_the_page_of_a_stay_says_whether_it_is_in_progress(datasette, name, said, label):
    await site(datasette).facts()
    table = (
        await datasette.client.get(f"/movements/collaborations?chambre=senat&collab_nom={name}")
    ).text
    [path] = {link for link in Read(table).links if "/collaborations/col_" in link}
    text = await told(datasette, path)
    assert said in text
    assert ("Dernière liste où figure ce nom" in text) is label
    assert ("Dernière présence" in text) is not label


async def test_links_of_the_pages_lead_somewhere(datasette):
    paths = [f"/elus/senat/{member('senat', number)}" for number in (7, 8, 10)]
    for path in (*paths, "/collaborateurs/quatre-dina", "/movements/collaborations?_size=5"):
        for link in set(Read((await datasette.client.get(path)).text).links):
            if link.startswith("/"):
                found = await datasette.client.get(link.partition("#")[0], follow_redirects=True)
                assert found.status_code == 200, link


async def test_a_member_whose_stays_have_no_group_is_told_with_none_of_earlier_movements(
    make, listed, tmp_path
):
    path = tmp_path / "movements.db"
    with sealed.changing(listed, path) as db:
        db.execute("update collaborations set elu_groupe = ''")
        db.execute(
            "update mouvements set elu_groupe = null where rowid in (select max(rowid) from mouvements"
            " where chambre = 'senat' group by elu_id)"
        )
        plan = str(db.execute(f"explain query plan {listed_members.LATEST_GROUP}", "aa").fetchall())
    assert "idx_mouvements_elu_id_date_event (elu_id=?)" in plan
    datasette = await make(path=path)
    facts = await site(datasette).facts()
    identifier = member("senat", years.TEAM)
    groups = {one.identifier: one.group for one in facts.members["senat"]}
    assert groups[identifier] == ""
    assert "GRA voir le groupe" not in await told(datasette, f"/elus/senat/{identifier}")
