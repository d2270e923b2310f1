"""The pages of groups and what others may embed, by numbers made by hand (see groups_made)."""

from __future__ import annotations

import re
from contextlib import closing

import pytest
import pytest_asyncio
from datasette.utils.sqlite import sqlite3

from . import groups_made
from .conftest import Read, site

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return groups_made.build(tmp_path_factory.mktemp("groups"))


@pytest_asyncio.fixture
async def datasette(make, made):
    started = await make(path=made)
    site(started).service.clock = lambda: groups_made.TODAY
    return started


def plain(html: str) -> str:
    return re.sub(r"[\s\u00a0\u202f]+", " ", Read(html).text).replace(" ;", ";")


async def told(datasette, path: str) -> str:
    answer = await datasette.client.get(path)
    assert answer.status_code == 200
    return plain(answer.text)


async def test_the_index_has_the_groups_of_each_chamber_with_names_members_and_people(datasette):
    html = (await datasette.client.get("/groupes")).text
    senat = html.partition('id="senat"')[2].partition("</section>")[0]
    cells = {
        plain(row.partition("</th>")[0] + "</a>").strip(): re.findall(r"<td[^>]*>(.*?)</td>", row)
        for row in re.findall(r'<tr role="row"><th scope="row".*?</tr>', senat)
    }
    assert {name: [plain(cell).strip() for cell in row] for name, row in cells.items()} == {
        "CED": ["2", "4", "50 %"],
        "Granite – Ligne de crête (GRA)": ["9", "21", "25 %"],
        "MAR": ["1", "2", "33 %"],
    }
    assert "1 groupe sans membre dont le mandat se poursuit" in plain(senat)
    assert "Ormeau – Jadis (OLD) , adhésions connues jusqu’au 31 décembre 2025" in plain(senat)


async def test_a_group_is_told_by_its_people_those_who_left_and_medians(datasette):
    text = await told(datasette, "/groupes/senat/GRA")
    assert "Granite – Ligne de crête (GRA)" in text
    assert "21 personnes dans les équipes, liste du 21 septembre 2026" in text
    # 4 + 3 + 4 + 3 + 2 people of five offices, two in each of five others; who moved within is one.
    assert "3 sur 26 personnes parties en douze mois" in text
    assert re.search(r"25 % départs dans l’équipe médiane ?; 33 % pour la chambre", text)
    assert "GRA 5 équipes" in text.replace("Granite – Ligne de crête ", "")
    assert "Sénat 7 équipes" in text


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("GRA", "On quitte les équipes du groupe moins souvent que celles du Sénat"),
        ("CED", "On quitte les équipes du groupe plus souvent que celles du Sénat"),
        ("MAR", "Les équipes du groupe se répartissent comme celles du Sénat"),
    ],
)
async def test_the_title_says_what_the_medians_say(datasette, code, title):
    for address in ("/groupes/senat/", "/figures/groupes/senat/"):
        assert title in await told(datasette, address + code)


async def test_months_count_who_comes_from_another_group_as_an_arrival(datasette):
    text = await told(datasette, "/groupes/senat/GRA")
    assert "En douze mois, 1 arrivée et 3 départs" in text
    for month in (
        *("février 2026 0 1 0", "mars 2026 0 1 0", "mai 2026 0 1 0", "juin 2026 1 0 0"),
        *("juillet 2026 0 0 1", "août 2026 0 0 0"),
    ):
        assert month in text
    assert "juillet 2025 pas de liste" in text
    text = await told(datasette, "/groupes/senat/CED")
    assert "En douze mois, 0 arrivée et 2 départs" in text


async def test_movements_that_come_with_a_mandate_are_told_beside_the_chart(make, made, tmp_path):
    path = tmp_path / "movements.db"
    path.write_bytes(made.read_bytes())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("update mouvements set contexte = 'elu_sortant' where date_event = '2026-05-04'")
    text = await told(await make(path=path), "/groupes/senat/GRA")
    assert "avec des mandats qui commencent ou s’achèvent : 1 départ." in text
    assert "mai 2026 0 0 0" in text
    assert "1 arrivée et 2 départs" in text


async def test_exchanges_are_those_with_other_groups_of_the_chamber(datasette):
    text = await told(datasette, "/groupes/senat/GRA")
    assert "1 transfert depuis d’autres groupes, 0 vers eux" in text
    assert "Transferts connus depuis le 1 er juin 2026" in text.replace("1er", "1 er")
    assert "CED 1 0" in text
    assert "Le transfert entre membres du groupe n’est pas montré." in text
    text = await told(datasette, "/groupes/senat/CED")
    assert "0 transfert depuis d’autres groupes, 1 vers eux" in text
    assert "transfert entre membres" not in text
    assert "d’autres groupes," not in await told(datasette, "/groupes/senat/MAR")


async def test_members_are_those_whose_mandate_goes_on_and_sort_by_links(datasette):
    html = (await datasette.client.get("/groupes/senat/GRA?tri=equipe")).text
    table = html.partition('id="membres"')[2].partition("</table>")[0]
    rows = re.findall(r'/elus/senat/99(\d+)Z"', table)
    assert rows[:3] == ["003", "001", "005"]
    assert len(rows) == 9
    assert f"{groups_made.ENDED:03}" not in rows
    assert re.findall(r'aria-sort="(\w+)"', table) == ["descending"]
    assert "4 au moins 13 mois 0 sur 4" in plain(table)
    assert "2 au moins 13 mois non calculable" in plain(table)


async def test_a_group_that_is_over_says_so_and_an_unknown_one_is_not_there(datasette):
    text = await told(datasette, "/groupes/senat/OLD")
    assert "aucun membre dont le mandat se poursuit" in text
    assert "jusqu’au 31 décembre 2025" in text
    assert "0 personne" not in text
    for address in ("/groupes/senat/XYZ", "/groupes/assemblee/GRA", "/figures/groupes/senat/XYZ"):
        assert (await datasette.client.get(address)).status_code == 404


async def test_a_group_of_very_many_members_is_paged_and_light(datasette):
    shown: list[str] = []
    for number in (1, 2, 3):
        answer = await datasette.client.get(f"/groupes/assemblee/LONG?page={number}")
        assert len(answer.content) < 55_000
        shown += re.findall(r'/elus/assemblee/PA999(\d+)"', answer.text)
    assert len(shown) == len(set(shown)) == groups_made.MANY
    assert "Les 130 membres" in plain(answer.text)
    weight = site(datasette).cache.weight
    for number in range(5):
        await datasette.client.get(f"/groupes/assemblee/LONG?page={number + 7}&tri=x{number}&a=b")
    assert site(datasette).cache.weight == weight


async def test_no_staff_is_named_and_nothing_is_inline(datasette):
    paths = ("/groupes", "/groupes/senat/GRA", "/groupes/senat/CED", "/figures/groupes/senat/GRA")
    for path in (*paths, "/classements", "/classements/senat"):
        answer = await datasette.client.get(path)
        read = Read(answer.text)
        assert not read.inline
        assert len(read.ids) == len(set(read.ids))
        assert len(re.findall("<h1", answer.text)) == 1
        assert not [link for link in read.links if link.startswith("/collaborateurs/")]
        for name in (groups_made.OTHER, groups_made.WITHIN):
            assert name.split()[1] not in answer.text.upper()
        assert "x-robots-tag" not in answer.headers


async def test_only_figures_may_stand_in_pages_of_others(datasette):
    for path in ("/figures/groupes/senat/GRA", "/figures/chambres/senat"):
        for _ in range(2):  # rendered, and remembered
            answer = await datasette.client.get(path)
            policy = answer.headers["content-security-policy"]
            assert "frame-ancestors *" in policy
            assert "frame-ancestors 'none'" not in policy
            assert "x-frame-options" not in answer.headers
    for path in ("/groupes/senat/GRA", "/groupes", "/classements", "/elus/senat", "/figures/x"):
        answer = await datasette.client.get(path)
        assert "frame-ancestors *" not in answer.headers["content-security-policy"]


async def test_a_figure_says_what_it_is_from_when_and_whence(datasette):
    for path, page in (
        ("/figures/groupes/senat/GRA", "/groupes/senat/GRA"),
        ("/figures/chambres/senat", "/elus/senat"),
    ):
        read = Read((await datasette.client.get(path)).text)
        text = re.sub(r"\s+", " ", read.text)
        assert "liste du 21 septembre 2026" in text
        assert "ODbL" in text
        assert any(link.endswith(page) for link in read.links)
        # The page shows how to embed it.
        assert path in (await datasette.client.get(page)).text.partition("&lt;iframe")[2]
    assert "Non calculable" in await told(datasette, "/figures/chambres/europarl")
