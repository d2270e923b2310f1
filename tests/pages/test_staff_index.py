"""The index of staff: every name once under its letter, with the office and the day of the list that has it."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
import pytest_asyncio

from tests.tracking.lists import member

from . import sealed, years
from .conftest import Read, site
from .invented import contract, movement, publish

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def datasette(shared, listed):
    return await shared(path=listed, now=years.TODAY)


async def lines(datasette, letter: str) -> dict[str, str]:
    """What the first page of a letter says of each name, with plain spaces."""
    page = (await datasette.client.get(f"/collaborateurs?lettre={letter}")).text
    found = {}
    for row in re.findall(r'<tr role="row"><th scope="row".*?</tr>', page):
        text = Read(row).plain.strip()
        found[Read(row).links[0].rpartition("/")[2]] = text
    return found


async def test_a_name_stands_with_the_offices_of_the_last_lists_and_their_days(datasette):
    told = await lines(datasette, "U")
    assert told["un-ada"] == (
        f"UN Ada Élue Numéro Sénat liste du 21 septembre 2026 Élue NUMÉRO{years.TEAM}"
        " Assemblée nationale liste du 3 août 2026"
    )


async def test_who_left_stands_with_the_last_office_and_the_day_until_which_lists_had_the_name(
    datasette,
):
    told = (await lines(datasette, "T"))["trois-cleo"]
    assert told.startswith("TROIS Cléo ")
    assert re.findall(r"(vu jusqu’à la liste du|liste du|mouvement du) (\d+ \w+ \d+)", told) == [
        ("vu jusqu’à la liste du", "23 février 2026")
    ]


async def test_nobody_is_on_the_list_of_a_member_whose_mandate_ended(datasette):
    told = (await lines(datasette, "D"))["dixmude-hal"]
    # The Assemblée's mandate is not known to have ended.
    assert f"Élue NUMÉRO{years.ENDED} Assemblée nationale liste du 3 août 2026" in told
    assert re.findall(r"\S+ sur la liste du 21 septembre 2026 ?, (.*)", told) == ["mandat terminé"]


async def test_a_name_that_no_stay_has_is_told_by_a_movement(make, tmp_path):
    earlier = movement(1, date_event="2026-08-03", elu_nom="Élu Autre")
    path = publish(tmp_path / "movements.db", [movement(1), earlier._replace(id=f"mvt_{2:020x}")])
    told = await lines(await make(path=path), "P")
    assert told["personne1-ida"] == (
        "PERSONNE1 Ida Élu Numéro1 Parlement européen mouvement du 31 août 2026"
    )


async def test_a_name_withheld_is_nowhere(datasette):
    names = []
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ":
        names += await lines(datasette, letter)
    assert not [name for name in names if "onzain" in name]
    page = (await datasette.client.get("/collaborateurs")).text
    assert "nom retiré" not in page
    text = Read(page).plain
    # Every name is counted, that one is not.
    assert f"{len(names)} noms, par nom de famille" in text


async def test_spellings_of_one_address_are_one_name_as_the_latest_stay_has_it(
    make, listed, tmp_path
):
    with sealed.changing(listed, tmp_path / "movements.db") as db:
        stays = db.execute(
            "select chambre, fin_apres from collaborations where collab_nom = ?", ["SIXIÈME"]
        )
        assert sorted(stays) == [("assemblee", "2026-04-27"), ("senat", "2026-04-27")]
        db.execute(
            "update collaborations set collab_nom = 'SIXIEME', fin_apres = '2026-04-28'"
            " where collab_nom = 'SIXIÈME' and chambre = 'senat'"
        )
    datasette = await make(path=tmp_path / "movements.db", now=years.TODAY)
    told = {slug: of for slug, of in (await lines(datasette, "S")).items() if "fanny" in slug}
    assert list(told) == ["sixieme-fanny"]
    assert told["sixieme-fanny"].startswith("SIXIEME Fanny ")


async def test_the_index_is_not_for_search_engines_and_other_letters_fill_no_cache(datasette):
    first = await datasette.client.get("/collaborateurs")
    assert first.headers["x-robots-tag"] == "noindex"
    weight = site(datasette).cache.weight
    for query in ("lettre=É", "lettre=UN", "lettre=%23", "lettre=&page=3", "autre=1"):
        assert (await datasette.client.get(f"/collaborateurs?{query}")).text == first.text
    assert site(datasette).cache.weight == weight


def many(number: int) -> list:
    """As many names of one letter, some with several offices, one with many."""
    people = [
        movement(
            n, collab_nom=f"NOM-DE-FAMILLE-COMPOSÉ-{n:04}", chambre="senat", elu_id=f"9{n:04}Z"
        )
        for n in range(number)
    ]
    odd = [movement(5000, collab_nom="’", collab_prenom="42"), movement(5001, collab_nom="")]
    return people + odd + contract(6000, 30)


async def test_every_name_stands_once_on_pages_that_are_light(make, tmp_path):
    datasette = await make(path=publish(tmp_path / "many.db", many(400)))
    shown: list[str] = []
    page = "/collaborateurs?lettre=N"
    while page:
        answer = await datasette.client.get(page)
        assert len(answer.content) < 60_000
        read = Read(answer.text)
        assert not read.inline
        shown += re.findall(r"NOM-DE-FAMILLE-COMPOSÉ-(\d+)</strong>", answer.text)
        found = re.search(r'href="([^"]*)" rel="next"', answer.text)
        page = found[1].replace("&amp;", "&") if found else ""
    assert shown == [f"{n:04}" for n in range(400)]
    links = Read((await datasette.client.get("/collaborateurs")).text).links
    assert [link.partition("=")[2] for link in links if "lettre=" in link] == [*"CIN", "autres"]
    assert "42" in (await datasette.client.get("/collaborateurs?lettre=autres")).text


def named(folder, *names: str):
    """A file of a movement of each name, the family name before a comma."""
    rows = [
        movement(n, collab_nom=family, collab_prenom=given)
        for n, (family, _, given) in enumerate(name.partition(",") for name in names)
    ]
    return publish(folder / "movements.db", rows)


async def test_names_are_in_the_order_of_family_names_without_accents(make, tmp_path):
    spelled = ["ÉTÉ,Zoé", "ETE,Ada", "ÉTÉ,Aa", "EAU,Ada", "Eau,ADA", ",", ",Un"]
    spelled += ["UN-DEUX,Ada", "UN,Zoé", "UN,Bo", "LE,Zoé", "LE GOFF,Ada", "LE,Goff Ada"]
    datasette = await make(path=named(tmp_path, *spelled))
    assert list(await lines(datasette, "E")) == ["eau-ada", "ete-aa", "ete-ada", "ete-zoe"]
    # Of addresses, un-deux-ada would stand before un-zoe.
    assert list(await lines(datasette, "U")) == ["un", "un-bo", "un-zoe", "un-deux-ada"]
    # Two ways to part a name make one address, which stands where the first does.
    assert list(await lines(datasette, "L")) == ["le-goff-ada", "le-zoe"]
    page = Read((await datasette.client.get("/collaborateurs")).text).plain
    letters = re.findall(r"\b([A-Z]) ?, (\d noms?)", page)
    assert letters == [("E", "4 noms"), ("L", "2 noms"), ("U", "4 noms")]
    assert "10 noms, par nom de famille" in page


@pytest.mark.parametrize(
    ("name", "letter", "address"),
    [
        *((",Un", "U", "un"), ("SEUL,", "S", "seul"), ("ZED,Ada", "Z", "zed-ada")),
        *(("42,Ada", "autres", "42-ada"), ("Ζήτα,Ada", "autres", "ζητα-ada")),
    ],
)
async def test_every_name_has_its_page_and_stands_under_its_letter_with_its_office(
    make, tmp_path, name, letter, address
):
    datasette = await make(path=named(tmp_path, "AUTRE,Ida", name))
    told = await lines(datasette, letter)
    assert [unquote(slug) for slug in told] == [address]
    assert "mouvement du 31 août 2026" in next(iter(told.values()))
    page = Read((await datasette.client.get("/collaborateurs")).text).plain
    assert re.search(rf"\b{letter} ?, 1 nom\b", page), page
    page = await datasette.client.get(f"/collaborateurs/{address}")
    assert page.status_code == 200
    assert " ".join(reversed(name.split(","))).strip() in Read(page.text).plain


async def test_a_page_has_what_every_spelling_of_its_address_has(make, tmp_path):
    datasette = await make(path=named(tmp_path, "EAU,Ada", "Eau,ADA", "ÉAU,Ada"))
    page = Read((await datasette.client.get("/collaborateurs/eau-ada")).text)
    assert {f"/elus/europarl/9{number}" for number in range(3)} <= set(page.links)


async def test_an_office_leads_to_its_page(datasette):
    page = Read((await datasette.client.get("/collaborateurs?lettre=U")).text)
    assert f"/elus/senat/{member('senat', years.TEAM)}" in page.links


async def test_it_says_where_names_are_as_a_file(datasette):
    page = Read((await datasette.client.get("/collaborateurs")).text)
    said = "les noms en fichier sont dans les fichiers , avec une clé ou un compte"
    assert said in re.sub(r"\s+", " ", page.text)
    assert page.links.count("/fichiers") > 1


async def test_a_page_of_too_many_digits_is_the_first(datasette):
    first = (await datasette.client.get("/collaborateurs?lettre=U")).text
    answer = await datasette.client.get(f"/collaborateurs?lettre=U&page={'1' * 5000}")
    assert (answer.status_code, answer.text) == (200, first)
