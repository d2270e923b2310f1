"""The search: who has a name, now or before, and whether one of two people worked for the other."""

from __future__ import annotations

import pytest

from tests.tracking import lists
from tests.tracking.lists import member

from . import databases, years
from .conftest import Read
from .invented import movement, publish

NOBODY = "Rien n’est publié sous ce nom."


async def search(datasette, typed: str) -> Read:
    answer = await datasette.client.get("/recherche", params={"q": typed})
    assert answer.status_code == 200
    return Read(answer.text)


async def of_names(make, folder, *names: tuple[str, str]):
    """A service on movements of these family and given names."""
    rows = [
        movement(number, collab_nom=family, collab_prenom=first)
        for number, (family, first) in enumerate(names)
    ]
    return await make(path=publish(folder / "movements.db", rows))


def order(read: Read) -> list[str]:
    """The names of staff that a page lists, by their addresses."""
    return [link.rpartition("/")[2] for link in read.links if "/collaborateurs/" in link]


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        *(("ormev", "ORMEVALLE"), ("ORMEVALLE louis", "ORMEVALLE"), ("oeillette", "ŒILLETTE")),
        *(("l'ecureuil", "L’ÉCUREUIL"), ("l’écureuil", "L’ÉCUREUIL"), ("Œillette", "ŒILLETTE")),
        *(("celik", "ÇELIKSOY"), ("eglantine valdorge", "Églantine Valdorge")),
    ],
)
async def test_a_name_is_found_by_its_beginning_whatever_the_accents(datasette, typed, name):
    assert name in (await search(datasette, typed)).text


@pytest.mark.parametrize("typed", ["zzzz", 'orme" OR "x', "ormevalle zzzz"])
async def test_of_a_name_that_nobody_has_nothing_is_said_to_be_published(datasette, typed):
    read = await search(datasette, typed)
    assert NOBODY in read.plain
    assert "/elus" in read.links


@pytest.mark.parametrize("typed", ["é", "'", "- -", "a b c"])
async def test_one_letter_is_too_little(datasette, typed):
    assert "Donnez au moins deux lettres." in (await search(datasette, typed)).text


async def test_without_a_text_nobody_is_looked_for(datasette):
    assert "Donnez un nom, ou les deux noms" in (await search(datasette, "")).text


async def test_what_was_typed_is_shown_as_text_in_the_form_of_the_header(datasette):
    page = (await datasette.client.get("/recherche", params={"q": '<b>"aa</b>'})).text
    assert "<b>" not in page.partition("<main")[2].partition("</main>")[0]
    assert 'value="&lt;b&gt;&#34;aa&lt;/b&gt;"' in page


async def test_exact_family_names_come_first_then_beginnings_then_given_names(make, tmp_path):
    names = [
        *(("AUBRAC", "Martin"), ("MARTIN", "Zoé"), ("MARTIN", "Ada"), ("MARTINET", "Bo")),
        *(("DES MARTINS", "Éva"), ("LE GOFF", "Maëlle"), ("MARTIN-ROC", "Al"), ("D’ORVAL", "Jo")),
    ]
    datasette = await of_names(make, tmp_path, *names)
    expected = ["martin-ada", "martin-zoe", "martin-roc-al", "des-martins-eva", "martinet-bo"]
    assert order(await search(datasette, "martin")) == [*expected, "aubrac-martin"]
    assert order(await search(datasette, "legoff")) == ["le-goff-maelle"]
    assert order(await search(datasette, "maelle goff")) == ["le-goff-maelle"]
    assert order(await search(datasette, "d orval")) == ["d-orval-jo"]
    assert order(await search(datasette, "artin")) == []


async def test_of_many_thirty_are_told_with_the_exact_number(make, tmp_path):
    names = [(f"NOM-{'ab'[n % 2]}{n:03}", "Ida") for n in range(60)]
    datasette = await of_names(make, tmp_path, *names, ("NOM", "Ida"))
    read = await search(datasette, "nom")
    assert order(read) == ["nom-ida", *(f"nom-a{n:03}-ida" for n in range(0, 58, 2))]
    assert "61 noms de membres d’équipes" in read.plain
    assert "Les 30 premiers sur 61" in read.plain


async def test_a_name_near_what_was_typed_is_offered(make, tmp_path):
    datasette = await of_names(make, tmp_path, ("VALDORGE", "Ida"), ("VALMY", "Ida"))
    read = await search(datasette, "valdorje")
    assert "Noms proches : VALDORGE." in read.plain
    assert "/recherche?q=VALDORGE" in read.links


async def test_who_is_found_stands_with_the_member_and_the_day_of_the_last_list(year):
    here = "chez Élue Numéro GRA, Sénat, sur la liste du 21 septembre 2026 ; chez Élue NUMÉRO7"
    text = (await search(year, "un")).plain
    assert f"Ada UN {here}" in text.replace(" ,", ",").replace("Groupe politique GRA ", "")
    assert "jusqu’à la liste du 23 février 2026" in (await search(year, "trois")).plain
    members = (await search(year, "elue numero")).plain
    assert "Sénat · mandat connu jusqu’au 10 septembre 2026" in members
    one = (await search(year, "numero8")).plain
    assert "1 parlementaire Élue NUMÉRO8" in one
    assert "1 collaboration sur la liste du 3 août 2026" in one


async def test_a_former_name_of_a_member_finds_the_member(make, tmp_path):
    rows = [movement(1, elu_id="7", elu_nom="Zoé Ancien"), movement(2, elu_id="7")]
    datasette = await make(path=publish(tmp_path / "movements.db", rows))
    assert "/elus/europarl/7" in (await search(datasette, "ancien")).links


async def test_members_who_share_a_name_are_all_found(make, tmp_path):
    name = {"elu_nom": "Camille Rochebelette"}
    rows = [movement(n, elu_id=f"{n}", **name) for n in (1, 2)]
    rows.append(movement(3, elu_id="3", chambre="senat", **name))
    read = await search(await make(path=publish(tmp_path / "movements.db", rows)), "rochebelette")
    assert "3 parlementaires" in read.plain
    assert {"/elus/europarl/1", "/elus/europarl/2", "/elus/senat/3"} <= set(read.links)


@pytest.mark.parametrize("typed", ["deux", "Béa DEUX", "deux be"])
async def test_a_former_name_that_no_movement_has_finds_the_person(year, typed):
    read = await search(year, typed)
    assert order(read) == ["sept-lieues-bea"]
    assert f"{years.RENAMED} (nom précédent : {years.BEA})" in read.plain


async def test_a_former_name_with_collaborations_of_its_own_leads_to_both(year):
    read = await search(year, "treize")
    assert order(read) == ["treize-joe", "vingtain-joe"]
    assert f"{years.JOE} (aussi le nom précédent de {years.MARRIED}" in read.plain
    assert order(await search(year, "vingtain")) == ["vingtain-joe"]


async def test_who_had_several_names_is_one_and_is_told_where_the_present_one_is(make, tmp_path):
    # She arrives under a name that no collaboration has any more.
    names = ("Bo LENGLET", "Ada MOREAU", "Ada MOREAU-VASSOR", "Ada VASSOR", "Ada VASSOR")
    for day, name in enumerate(names, 1):
        staff = {1: [name], 2: ["Zia PRESENTE"]} if day < 5 else {1: ["Bo LENGLET"], 2: [name]}
        lists.write(tmp_path / "lists", "senat", f"2026-09-0{day}", staff)
    datasette = await make(
        path=databases.build(tmp_path, databases.members(tmp_path)), now=years.TODAY
    )
    read = await search(datasette, "ada moreau")
    assert order(read) == ["vassor-ada"]
    assert "1 nom de membre d’équipe" in read.plain
    assert "Ada VASSOR (nom précédent : Ada MOREAU, Ada MOREAU-VASSOR) chez Élue" in read.plain
    assert "sur la liste du 5 septembre 2026" in read.plain


async def test_two_names_are_answered_with_whether_and_when(year):
    text = (await search(year, "dina quatre numero7")).plain
    assert f"Oui : {years.DINA} est sur la liste du 3 août 2026 chez Élue NUMÉRO7" in text
    assert "depuis une date comprise entre le 30 mars et le 6 avril 2026" in text
    text = (await search(year, "numero7 trois")).plain
    assert "a été sur les listes chez Élue NUMÉRO7" in text
    assert "depuis le 4 août 2025 au plus tard, jusqu’au 23 février 2026" in text
    both = (await search(year, "cleo numero")).plain
    assert "2 collaborations entre deux noms qui ont ces mots" in both
    assert (await search(year, "deux numero7")).plain.count("Oui :") == 1  # by a former name


async def test_of_two_people_who_never_worked_together_it_says_no_and_shows_both(year):
    read = await search(year, "dina numero9")
    assert "Non : sur les listes connues, personne de l’un de ces noms n’est chez" in read.plain
    assert {"/collaborateurs/quatre-dina", f"/elus/senat/{member('senat', years.STILL)}"} <= (
        set(read.links)
    )


@pytest.mark.parametrize("typed", ["onzain", "onzin", "ozain", "ida onzain"])
async def test_a_masked_name_is_not_found_even_nearly(year, typed):
    answer = await year.client.get("/recherche", params={"q": typed})
    assert NOBODY in Read(answer.text).plain
    main = answer.text.partition("<main")[2].partition("</main>")[0]
    assert "onzain" not in main.lower()
    assert "nom retiré" not in main


async def test_the_page_offers_the_table_of_the_movements(datasette):
    assert "/explorer?q=ormevalle" in (await search(datasette, "ormevalle")).links
