"""The search for a name, and the explorer's filters."""

from __future__ import annotations

import re

import pytest

from datasette_mouvements.pages.explorer import table_defaults, table_page
from datasette_mouvements.pages.people import name_search
from tests.contract import sample

from . import years
from .conftest import Read
from .invented import movement, publish


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("ormev", "ORMEVALLE"),
        ("ORMEVALLE louis", "ORMEVALLE"),
        ("l'ecureuil", "L’ÉCUREUIL"),
        ("l’écureuil", "L’ÉCUREUIL"),
        ("oeillette", "ŒILLETTE"),
        ("Œillette", "ŒILLETTE"),
        ("celik", "ÇELIKSOY"),
        ("eglantine valdorge", "Églantine Valdorge"),
        ('orme" OR "x', None),
        ("zzzz", None),
    ],
)
@pytest.mark.asyncio
async def test_a_name_is_found_by_its_beginning_whatever_the_accents(datasette, typed, found):
    page = (await datasette.client.get("/recherche", params={"q": typed})).text
    text = Read(page).text
    if found:
        assert found in text
    else:
        assert "Aucune personne de ce nom parmi les équipes connues des trois chambres" in text


@pytest.mark.asyncio
async def test_who_is_found_stands_with_the_office_and_the_day_of_the_last_list(shared, listed):
    service = await shared(path=listed, now=years.TODAY)

    async def found(typed: str) -> str:
        return Read((await service.client.get("/recherche", params={"q": typed})).text).plain

    here = "Ada UN équipe : Élue Numéro, Sénat · liste du 21 septembre 2026 ; équipe : Élue NUMÉRO7"
    assert f"{here}, Assemblée nationale · liste du 3 août 2026" in await found("un")
    left = await found("trois")
    assert "Cléo TROIS dernière équipe connue : Élue" in left, left
    assert "vu jusqu’à la liste du 23 février 2026" in left
    members = await found("elue numero")
    assert "Élue Numéro GRA Sénat · mandat terminé le 10 septembre 2026" in members
    members = await found("numero8")
    assert "1 parlementaire Élue NUMÉRO8 Assemblée nationale · 1 personne dans l’équipe" in members
    assert "dans l’équipe, liste du 3 août 2026 Noms proches" in members
    assert "mouvement" not in members.partition("1 parlementaire")[2].partition("Tous les")[0]


@pytest.mark.asyncio
async def test_a_former_name_of_a_member_finds_the_member(make, tmp_path):
    named = [movement(1, elu_id="7", elu_nom="Zoé Ancien"), movement(2, elu_id="7")]
    service = await make(path=publish(tmp_path / "movements.db", named))
    links = Read((await service.client.get("/recherche?q=ancien")).text).links
    assert links.count("/elus/europarl/7") >= 1


@pytest.mark.asyncio
async def test_members_who_share_a_name_are_all_found_and_lead_to_each_other(make, tmp_path):
    name = {"elu_nom": "Camille Rochebelette"}
    named = [movement(n, elu_id=f"{n}", **name) for n in (1, 2)]
    named.append(movement(3, elu_id="3", chambre="senat", **name))
    service = await make(path=publish(tmp_path / "movements.db", named))
    page = (await service.client.get("/recherche?q=rochebelette")).text
    assert "3 parlementaires" in Read(page).plain
    assert {"/elus/europarl/1", "/elus/europarl/2", "/elus/senat/3"} <= set(Read(page).links)
    for path, other in (
        ("/elus/europarl/1", "2"),
        ("/elus/europarl/2", "1"),
        ("/elus/senat/3", ""),
    ):
        read = Read((await service.client.get(path)).text)
        warning = read.plain.partition(
            "Un même nom, plusieurs personnes élues au Parlement européen."
        )
        assert bool(warning[2]) is (f"/elus/europarl/{other}" in read.links) is bool(other)


@pytest.mark.asyncio
async def test_a_former_name_of_staff_leads_to_the_next_and_to_the_office(shared, listed):
    service = await shared(path=listed, now=years.TODAY)
    page = (await service.client.get("/recherche?q=treize")).text
    assert (
        "Joé TREIZE nom suivant : Joé VINGTAIN équipe : Élue NUMÉRO9, Sénat · liste du"
        in Read(page).plain
    )
    assert {"/collaborateurs/treize-joe", "/collaborateurs/vingtain-joe"} <= set(Read(page).links)
    page = (await service.client.get("/recherche?q=vingtain")).text
    assert "nom suivant" not in page
    page = (await service.client.get("/recherche?q=sixieme")).text
    assert "nom suivant" not in page


@pytest.mark.asyncio
async def test_few_who_are_found_stand_with_those_one_letter_away(datasette):
    page = (await datasette.client.get("/recherche?q=valdorje")).text
    assert (
        "Aucune personne de ce nom parmi les équipes connues des trois chambres depuis 20" in page
    )
    assert "Églantine Valdorge" in Read(page).plain.partition("Noms proches Parlementaires")[2]
    nobody = (await datasette.client.get("/recherche?q=zzzz")).text
    assert "Noms proches" not in nobody
    assert "Les parlementaires ne sont ici qu’une fois leur équipe nommée par une liste" in nobody
    assert {"/elus"} <= set(Read(nobody).links)


@pytest.mark.asyncio
async def test_who_is_found_is_not_told_once_more_as_near(make, tmp_path):
    named = [movement(1, collab_nom="MARTIN", collab_prenom="Martine", elu_nom="Zoé Martina")]
    service = await make(path=publish(tmp_path / "movements.db", named))
    page = (await service.client.get("/recherche?q=martin")).text
    assert page.count('href="/collaborateurs/martin-martine"') == 1
    assert "Noms proches" not in page


@pytest.mark.asyncio
async def test_of_many_so_many_are_told_on_a_light_page_in_the_order_of_names(make, tmp_path):
    many = [movement(n, collab_nom=f"NOM-{'ab'[n % 2]}{n:03}") for n in range(60)]
    many += [movement(99, collab_nom="NOM")]
    service = await make(path=publish(tmp_path / "movements.db", many))
    answer = await service.client.get("/recherche?q=nom")
    told = re.findall(r'href="/collaborateurs/(nom[^"]*)-ida"', answer.text)
    assert told == ["nom", *(f"nom-a{n:03}" for n in range(0, 58, 2))]
    assert "Les 30 premiers noms sur 61" in Read(answer.text).plain
    assert "Noms proches" not in answer.text
    assert len(answer.content) < 60_000
    assert answer.headers["x-robots-tag"] == "noindex"


@pytest.mark.asyncio
async def test_one_letter_is_too_little(datasette):
    text = (await datasette.client.get("/recherche", params={"q": "é"})).text
    assert "Donnez au moins deux lettres." in text


@pytest.mark.asyncio
async def test_what_was_typed_is_shown_as_text(datasette):
    page = (await datasette.client.get("/recherche", params={"q": "<b>aa</b>"})).text
    assert "<b>aa</b>" not in page


@pytest.mark.parametrize(
    ("typed", "written"),
    [("lukasz", "łukasz"), ("michal", "michał"), ("soren", "søren"), ("strauss", "strauß")],
)
def test_letters_that_are_no_accented_form_are_found_by_the_plain_ones(typed, written):
    assert f'"{written}"*' in name_search.expression(typed)


@pytest.mark.parametrize("typed", ["", "é", "'", "- -", '"*', "a b c"])
def test_what_has_no_word_gives_no_expression(typed):
    assert name_search.expression(typed) == ""


@pytest.mark.parametrize(
    "asked",
    [
        {"chambre": "senat"},
        {"depuis": "2026-01-01", "jusqua": "2026-06-30"},
        {"type": "depart", "elu": "PA999001"},
        {"groupe": "CED"},
    ],
)
@pytest.mark.asyncio
async def test_the_explorer_takes_the_interface_s_filters(datasette, asked):
    answer = await datasette.client.get("/explorer", params=asked, follow_redirects=True)
    assert answer.status_code == 200
    group = asked.get("groupe", "")
    filters = {name: value for name, value in asked.items() if name != "groupe"}
    expected = [m for m in sample.matching(**filters) if group in ("", m["elu_groupe"])]
    assert Read(answer.text).text.count("Détail du mouvement ") == min(
        table_defaults.SIZE, len(expected)
    )
    assert f"{len(expected)}\u00a0mouvement" in answer.text


@pytest.mark.asyncio
async def test_empty_fields_of_the_form_filter_nothing(datasette):
    given = dict.fromkeys(table_page.NATIVE, "")
    answer = await datasette.client.get("/explorer", params=given)
    assert answer.headers["location"] == "/movements/mouvements"


@pytest.mark.asyncio
async def test_the_explorer_shows_the_same_call_of_the_interface(datasette):
    same = (await datasette.client.get("/movements/mouvements?chambre=senat&type=depart")).text
    assert "/v1/mouvements?chambre=senat&amp;type=depart" in same
    other = (await datasette.client.get("/movements/mouvements?_q=orm")).text
    assert "VOTRE_CLE" not in other


@pytest.mark.asyncio
async def test_columns_that_a_visitor_chose_are_shown(datasette):
    page = await datasette.client.get("/movements/mouvements?_col=elu_nom")
    assert page.status_code == 200
    assert '<th scope="col">Parlementaire</th>' in page.text


@pytest.mark.asyncio
async def test_a_movement_s_page_explains_it(datasette):
    faint = next(m for m in sample.in_order() if m["confiance"] == "faible")
    home = await datasette.client.get(
        "/movements/mouvements", params={"elu_id": faint["elu_id"], "confiance": "faible"}
    )
    link = next(link for link in Read(home.text).links if "/mouvements/mvt_" in link)
    page = await datasette.client.get(link)
    assert page.status_code == 200
    assert "La date est approximative" in page.text
    assert f"/v1/mouvements/{link.rpartition('/')[2]}" in page.text


@pytest.mark.parametrize(("typed", "said"), [("o", True), ('"*', True), ("or", False), ("", False)])
@pytest.mark.asyncio
async def test_the_explorer_says_when_a_name_filters_nothing(datasette, typed, said):
    page = await datasette.client.get("/movements/mouvements", params={"_q": typed})
    assert ("Donnez au moins deux lettres" in page.text) is said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("depuis=zzz", "« depuis » a reçu « zzz »"),
        ("depuis=2026-02-01&jusqua=2026-01-01", "est antérieur à « depuis »"),
        ("depuis=2026-01-01", None),
    ],
)
@pytest.mark.asyncio
async def test_the_explorer_says_what_the_interface_would_refuse(datasette, given, said):
    page = await datasette.client.get(f"/explorer?{given}", follow_redirects=True)
    assert page.status_code == 200
    notices = page.text.count('class="notice"')
    assert (notices, "VOTRE_CLE" in page.text) == ((1, False) if said else (0, True))
    assert said is None or said in page.text
