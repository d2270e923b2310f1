"""The pages of groups: who counts, months, exchanges, members, and what is not known."""

from __future__ import annotations

import csv
import io
import re

import pytest
import pytest_asyncio

from datasette_mouvements.pages.offices import groups
from datasette_mouvements.pages.offices import office_table as offices
from datasette_mouvements.pages.words import french
from tests.tracking.lists import member

from . import sealed, three_groups, years
from .conftest import Read, site, told
from .invented import movement, publish
from .test_downloads import bearer, key, used

pytestmark = pytest.mark.asyncio
GRA = "/groupes/senat/GRA"


@pytest_asyncio.fixture
async def datasette(shared, grouped):
    return await shared(path=grouped, now=years.TODAY)


def rows(text: str, table: str) -> list[str]:
    """The first numbers of the lines of a table, as they can be read."""
    part = text.partition(table)[2].partition("</tbody>")[0]
    lines = [Read(one).plain for one in part.split("<tr")[2:]]
    return [line.partition(">")[2].strip() for line in lines]


async def test_the_index_tells_of_each_group_its_members_and_their_teams(datasette):
    page = (await datasette.client.get("/groupes")).text
    text = await told(datasette, "/groupes")
    found = rows(page, "Groupes du Sénat")
    # Of 30 three left, three moved to or within, one came; of OLD nobody sits.
    assert found == ["A/B 6 19 0 %", 'Granite "dur" & fils (GRA) 10 29 0 %', "HIR 3 8 0 %"]
    assert "Le groupe de 9 membres sur 28 du Sénat n’est pas connu au jour de la liste" in text
    assert "1 groupe sans membre connu dont le mandat se poursuit" in text
    # Of the other chambers all are.
    assert text.count("n’est pas connu au jour de la liste") == 1
    assert "non calculable, pas de liste du 16 septembre au 5 octobre 2025" in text
    assert "Une fin de contrat a bien des raisons" in text
    links = Read(page).links
    assert {GRA, "/groupes/senat/A%2FB", "/groupes/senat/OLD", "/groupes/europarl/GRA"} <= set(
        links
    )


async def test_a_group_counts_people_once_and_members_who_sit(datasette, grouped, make, tmp_path):
    text = await told(datasette, GRA)
    assert "10 membres" in text
    assert "29 personnes dans les équipes, liste du 21 septembre 2026" in text
    assert "2 sur 31 personnes parties en douze mois" in text
    # One who works for two members of the group is one person in two collaborations.
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        db.execute(
            "update collaborations set (collab_nom, collab_prenom) ="
            " (select collab_nom, collab_prenom from collaborations where elu_id = ? limit 1)"
            " where rowid = (select rowid from collaborations where elu_id = ? limit 1)",
            [member("senat", 8), member("senat", 9)],
        )
    started = await make(path=path)
    assert "28 personnes dans les équipes" in await told(started, GRA)
    assert "(GRA) 10 29" in rows((await started.client.get("/groupes")).text, "du Sénat")[1]


async def test_a_former_group_has_a_page_without_members_whatever_the_list_names(datasette):
    text = await told(datasette, "/groupes/senat/OLD")
    assert "aucun membre connu dont le mandat se poursuit" in text
    assert "dans les équipes, liste" not in text
    page = (await datasette.client.get("/groupes/senat/OLD")).text
    assert f"/elus/senat/{member('senat', 21)}" not in Read(page).links
    assert (
        f"/elus/senat/{member('senat', 20)}"
        not in Read((await datasette.client.get("/groupes/senat/HIR")).text).links
    )


async def test_what_moved_is_told_by_month_and_in_the_year(datasette):
    page = (await datasette.client.get(GRA)).text
    months = rows(page, "mouvements par mois</caption>")
    assert len(months) == 24
    # From another group is an arrival, to another a departure, within the group across the line.
    found = ["mars 2026 0 1 0 0", "avril 2026 1 0 0 0", "mai 2026 1 0 0 0", "juin 2026 0 1 1 0"]
    assert months[17:21] == found
    moved = [m for m in months if re.search(r"( \d){4}$", m) and not m.endswith(" 0 0 0 0")]
    assert moved == ["août 2025 0 1 0 0", *found]
    assert months[0] == "octobre 2024 pas de liste avant le 4 août 2025 0"
    assert "En douze mois, 2 arrivées et 2 départs" in await told(datasette, GRA)


async def test_what_comes_with_mandates_stands_beside_the_chart(datasette):
    text = await told(datasette, "/groupes/senat/HIR")
    assert "En douze mois, 0 arrivée et 1 départ" in text
    assert "1 Le 3 août 2026, équipes entières parties ou nouvelles : 3 départs." in text
    assert "août 2026 0 0 0 3" in text
    page = (await datasette.client.get("/groupes/senat/HIR")).text
    assert page.count('<line class="mandat"') == 1
    other = await told(datasette, GRA)
    assert "équipes entières parties" not in other
    assert "ne sont pas dessinés" not in other


async def test_fewer_movements_than_have_a_mark_are_told_together(make, grouped, tmp_path):
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        changed = db.execute(
            """
            update mouvements set contexte = '' where rowid in (select rowid from mouvements
              where chambre = 'senat' and elu_groupe = 'HIR' and contexte = 'elu_sortant' limit 1)
            """
        )
        assert changed.rowcount == 1
    datasette = await make(path=path, now=years.TODAY)
    text = await told(datasette, "/groupes/senat/HIR")
    assert "À différentes dates, 2 mouvements d’équipes entières parties ou nouvelles" in text
    assert 'class="mandat"' not in (await datasette.client.get("/groupes/senat/HIR")).text


async def test_who_comes_as_a_mandate_begins_is_not_counted_in_the_year(make, grouped, tmp_path):
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        came = "chambre = 'senat' and type = 'arrivee' and date_event = ?"
        changed = db.execute(
            f"update mouvements set contexte = 'elu_entrant' where {came}", [three_groups.ARRIVED]
        )
        assert changed.rowcount == 1
    text = await told(await make(path=path, now=years.TODAY), GRA)
    assert "En douze mois, 1 arrivée et 2 départs" in text


async def test_a_year_that_begins_in_a_hole_is_not_counted_and_its_whole_teams_are_told(datasette):
    text = await told(datasette, "/groupes/assemblee/GRA")
    hole = "pas de liste du 16 septembre au 5 octobre 2025"
    assert f"Douze mois non calculables : {hole}" in text
    assert f"non calculable départs en douze mois : {hole}" in text
    assert f"octobre 2025 {hole}" in text
    # The list that ends the hole dates what came with the mandate's end.
    assert "parties ou nouvelles : 3 départs." in text
    assert "19 membres" in text
    assert "médiane de la chambre" not in text.lower()
    # Each cell says that the share is not known, and why contracts end is said once.
    assert text.count("Une fin de contrat") == 1


async def test_the_year_of_lists_that_stopped_long_ago_is_whole(make, grouped, tmp_path):
    """Two years up to the newest list of all begin after it."""
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        db.execute("update listes set date = '2029-09-21' where chambre = 'europarl'")
    started = await make(path=path)
    text = await told(started, GRA)
    assert "En douze mois, 2 arrivées et 2 départs" in text
    assert "Pas de liste connue dans ces deux ans." in text


async def test_months_that_a_hole_touches_each_are_not_said_to_have_no_list(
    make, grouped, tmp_path
):
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        db.execute("delete from listes where date not in (?, ?)", [years.FIRST, years.LAST])
    text = await told(await make(path=path), GRA)
    why = "une période de plus de dix jours sans liste touche chacun de ceux qui ne sont pas"
    assert f"Aucun mois calculable : {why}" in text
    assert "Pas de liste connue" not in text


async def test_exchanges_are_with_the_other_groups_of_the_chamber(datasette):
    page = (await datasette.client.get(GRA)).text
    assert sorted(rows(page, "les autres groupes du Sénat</caption>")) == ["A/B 0 1", "HIR 1 0"]
    text = await told(datasette, GRA)
    assert "1 transfert depuis d’autres groupes, 1 vers eux" in text
    assert "Un transfert entre membres du groupe n’est pas montré." in text
    assert "Transferts connus depuis le 4 mai 2026" in text
    assert "Transferts connus" not in await told(datasette, "/groupes/senat/OLD")


async def test_members_stand_by_family_name_without_particle_and_sort_by_links(datasette):
    def names(page: str) -> list[str]:
        return re.findall(r"<strong>(.*?)</strong>", page.partition('id="membres"')[2])

    page = (await datasette.client.get(GRA)).text
    assert names(page) == ["Absie", *(f"Numéro{n:02}" for n in three_groups.GRA if n != 9)]
    assert "<strong>Absie</strong> Élue d’" in page
    page = (await datasette.client.get(f"{GRA}?tri=equipe")).text
    # First those whom somebody joined, last those who lost one, each by name.
    assert names(page)[:4] == ["Numéro02", "Numéro03", "Numéro06", "Absie"]
    assert names(page)[-4:] == ["Numéro01", "Numéro04", "Numéro05", "Numéro07"]
    page = (await datasette.client.get(f"{GRA}?tri=departs&sens=descendant")).text
    assert names(page)[:4] == ["Numéro01", "Numéro04", "Numéro05", "Absie"]
    assert names(page)[-1] == "Numéro07"  # two people: no share, last both ways
    page = (await datasette.client.get(f"{GRA}?tri=departs")).text
    assert names(page)[-4:] == ["Numéro01", "Numéro04", "Numéro05", "Numéro07"]
    assert re.findall(r'aria-sort="(\w+)"><a href="([^"]*)"', page) == [
        ("ascending", f"{GRA}?tri=departs&amp;sens=descendant#membres")
    ]


async def test_other_values_change_nothing_and_fill_no_cache(datasette):
    whole = await told(datasette, GRA)
    weight = site(datasette).cache.weight
    for query in ("tri=rang", "sens=haut", "page=2", "page=0", "min=8", "tri=nom&sens=montant"):
        assert await told(datasette, f"{GRA}?{query}") == whole
    assert site(datasette).cache.weight == weight
    await datasette.client.get("/groupes")
    for chamber in ("senat", "europarl"):
        text = await told(datasette, f"/groupes?chambre={chamber}")
        assert f"Groupes {french.OF_CHAMBER[chamber]}" in text
    weight = site(datasette).cache.weight
    await datasette.client.get("/groupes?chambre=cour")
    assert site(datasette).cache.weight == weight


async def test_an_unknown_group_is_a_404_for_page_and_file(datasette):
    made = await key(datasette)
    paths = ("/groupes/senat/XYZ", "/groupes/europarl/HIR", "/groupes/senat/A/B", "/groupes/cour/A")
    for path in (*paths, "/groupes/senat/%20"):
        assert (await datasette.client.get(path)).status_code == 404, path
    answer = await datasette.client.get("/groupes/senat/XYZ.csv", headers=bearer(made))
    assert answer.status_code == 404
    assert (await used(datasette, made)).used == 0


@pytest.mark.parametrize(("letters", "feeds"), [(100, 1), (101, 0)])
async def test_what_would_not_answer_is_not_linked(make, tmp_path, letters, feeds):
    code = "G" * letters
    groups_of = {1: code, 2: ".", 3: ".."}
    rows = [
        movement(n, elu_id=f"9{n}", elu_groupe=group, chambre="senat", contexte="")
        for n, group in groups_of.items()
    ]
    started = await make(path=publish(tmp_path / "movements.db", rows))
    for path in ("/", "/groupes", "/elus/senat/92", "/elus/senat/93"):
        links = Read((await started.client.get(path)).text).links
        assert "/groupes#senat" in links
        assert not {"/groupes/senat/.", "/groupes/senat/.."} & set(links)
    for path in (f"/groupes/senat/{code}", f"/elus/senat?mandat=inconnu&groupe={code}"):
        read = Read((await started.client.get(path)).text)
        found = [one for one in read.links + read.addresses if one.startswith("/flux?")]
        assert len(found) == 2 * feeds, path
        for one in found:
            assert (await started.client.get(one)).status_code == 200


async def test_the_file_of_a_group_is_open_and_says_why_a_share_is_not_known(datasette):
    assert "/groupes/senat/GRA.csv" in Read((await datasette.client.get(GRA)).text).links
    answer = await datasette.client.get(f"{GRA}.csv")
    found = list(csv.DictReader(io.StringIO(answer.text)))
    assert tuple(found[0]) == offices.CSV_HEADER
    assert [row["elu_id"] for row in found] == [
        member("senat", n) for n in (9, *(n for n in three_groups.GRA if n != 9))
    ]
    one, few = found[1], next(row for row in found if row["elu_id"] == member("senat", 7))
    assert (one["personnes"], one["parties"], one["passees"], one["part"]) == (
        "2",
        "1",
        "3",
        "0.3333",
    )
    assert (one["liste"], one["depuis"]) == ("2026-09-21", "2025-09-22")
    assert (one["presence_mediane_jours"], one["presence_au_moins"]) == ("413", "oui")
    assert (few["parties"], few["part"], few["non_calculable"]) == ("", "", "moins de 3 personnes")
    answer = await datasette.client.get("/groupes/senat/A%2FB.csv")
    assert len(answer.text.splitlines()) == 7
    assert "equipes-senat-A-B-" in answer.headers["content-disposition"]


async def test_the_file_of_the_groups_has_what_the_index_tells(datasette):
    made = bearer(await key(datasette))
    links = Read((await datasette.client.get("/groupes")).text).links
    files = {}
    for chamber in ("senat", "assemblee"):
        assert f"/groupes/{chamber}.csv" in links
        answer = await datasette.client.get(f"/groupes/{chamber}.csv", headers=made)
        files[chamber] = list(csv.DictReader(io.StringIO(answer.text)))
    told = [tuple(row.values()) for row in files["senat"]]
    last = told[0][3]
    assert told[0] == ("senat", "A/B", "A/B", last, "6", "19", "0.0000", "6", "", "")
    assert [row["membres"] for row in files["senat"]] == ["6", "10", "3", "0"]
    gap = "pas de liste du 16\u00a0septembre au 5\u00a0octobre 2025"
    assert {row["non_calculable"] for row in files["assemblee"]} == {gap}


async def test_an_office_is_told_beside_those_of_its_group(datasette):
    text = await told(datasette, f"/elus/senat/{member('senat', 18)}")
    assert re.search(
        r"Équipe médiane : 0 % dans le groupe HIR \(\d+ équipes?\), 0 % au Sénat", text
    )


async def test_groups_have_no_figures_where_the_group_of_most_members_is_not_known(
    make, grouped, tmp_path
):
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        gone = [member("senat", number) for number in (*three_groups.GRA, *three_groups.AB)]
        marks = ", ".join("?" * len(gone))
        db.execute(f"update collaborations set elu_groupe = '' where elu_id in ({marks})", gone)
    started = await make(path=path, now=years.TODAY)
    said = "Le groupe de 25 membres sur 28 du Sénat n’est pas connu au jour de la liste du 21 septembre 2026."
    assert f"{said} Aucun groupe ne les compte." in await told(started, "/groupes")
    text = await told(started, "/groupes/senat/HIR")
    assert f"{said} Cette page ne les compte pas, et ne dit donc ni départs ni arrivées" in text
    assert not re.search("(En|départs en) douze mois", text)
    office = f"/elus/senat/{member('senat', 18)}"
    assert "dans le groupe" not in await told(started, office)
    made = bearer(await key(started))
    answer = await started.client.get("/groupes/senat.csv", headers=made)
    [row] = [row for row in csv.DictReader(io.StringIO(answer.text)) if row["groupe"] == "HIR"]
    assert row["membres"] == row["part_mediane"] == ""
    assert row["non_calculable"] == "groupe non connu de la plupart des membres"


async def test_the_page_of_a_transfer_between_groups_names_the_office_left_without_markup(
    datasette,
):
    facts = await site(datasette).facts()
    rows = await facts.reader.movements("where type = 'transfert' and elu_origine_groupe <> ''", [])
    said = await told(datasette, site(datasette).movement(rows[0]["id"]))
    lists = said.partition("Ce que montrent les deux listes")[2]
    assert f" de {rows[0]['elu_origine_nom']}. " in lists.replace("d’", "de ")
    assert "<" not in lists


async def test_a_large_group_has_pages_that_are_light(make, grouped, tmp_path):
    path = tmp_path / "movements.db"
    with sealed.changing(grouped, path) as db:
        db.execute(
            "insert or replace into elus select distinct chambre, elu_id,"
            " 'Nom-de-famille-assez-long-' || elu_id, 'Prénom-Composé', 'Mme', null"
            " from collaborations where chambre = 'europarl'"
        )
        name = "Groupe du rassemblement des confins, des rivages et des territoires"
        db.execute(
            f"insert or replace into _groupes values ('europarl', 'GRA', '{name}', '#2f7d4f', '', '')"
        )
    started = await make(path=path)
    shown: list[str] = []
    for number in range(1, 5):
        answer = await started.client.get(f"/groupes/europarl/GRA?tri=equipe&page={number}")
        assert len(answer.content) < 60_000
        read = Read(answer.text)
        assert not read.inline
        assert len(read.ids) == len(set(read.ids))
        assert "Les 200 membres" in read.plain
        shown += re.findall(r'/elus/europarl/(\d+)"', answer.text)
        assert ("/groupes/europarl/GRA?tri=equipe#membres" in read.links) == (number > 1)
    assert len(shown) == len(set(shown)) == 200
    assert groups.ON_PAGE * 3 < 200


async def test_no_staff_member_is_named(datasette):
    names = {name.split(" ", 1)[1] for people in three_groups.PEOPLE.values() for name in people}
    names |= {three_groups.NEW.split()[1]}
    paths = ("/groupes", GRA, f"{GRA}?tri=departs", "/groupes/senat/OLD", "/classements")
    for path in (
        *paths,
        "/classements/senat",
    ):
        answer = await datasette.client.get(path)
        assert answer.status_code == 200
        assert "x-robots-tag" not in answer.headers
        assert not [name for name in names if name in answer.text]
        assert "/collaborateurs/" not in answer.text


async def test_a_group_of_a_chamber_without_lists_has_its_members_and_no_team(shared):
    started = await shared()
    facts = await site(started).facts()
    chamber, code = next(
        (c, one.group) for c in facts.members for one in facts.members[c] if one.group
    )
    here = [one for one in facts.members[chamber] if one.group == code]
    text = await told(started, f"/groupes/{chamber}/{code}")
    page = (await started.client.get(f"/groupes/{chamber}/{code}")).text
    assert "Qui travaille dans les équipes n’est pas connu" in text
    links = set(Read(page).links)
    assert {f"/elus/{chamber}/{one.identifier}" for one in here} <= links
    assert "Présence médiane" not in text
    assert "En douze mois, " in text
    assert "pas connu" in await told(started, "/groupes")


async def test_a_share_that_is_not_given_has_its_reason(served):
    facts = await site(served).facts()
    few = 0
    for group in facts.groups_of("senat"):
        members = (await told(served, f"/groupes/senat/{group.code}")).partition("équipes des mem")[
            2
        ]
        assert "non calculable" not in members
        few += members.count("moins de trois personnes")
    assert few
