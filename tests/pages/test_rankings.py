"""Offices side by side, and their files, by numbers made by hand (see groups_made)."""

from __future__ import annotations

import csv
import io
import re

import pytest
import pytest_asyncio

from datasette_mouvements.pages import offices, rankings
from tests.tracking.lists import member

from . import groups_made
from .conftest import Read, site
from .test_downloads import bearer, key, used

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return groups_made.build(tmp_path_factory.mktemp("rankings"))


@pytest_asyncio.fixture
async def datasette(make, made):
    started = await make(path=made)
    site(started).service.clock = lambda: groups_made.TODAY
    return started


def plain(html: str) -> str:
    return re.sub(r"[\s\u00a0\u202f]+", " ", Read(html).text)


async def section(datasette, chamber: str, query: str = "") -> str:
    answer = await datasette.client.get(f"/classements?{query}")
    found = answer.text.partition(f'id="{chamber}"')[2].partition("</section>")[0]
    assert found
    return found


def shown(html: str) -> list[str]:
    return re.findall(r'/elus/senat/99(\d+)Z"', html)


async def test_the_method_comes_before_any_table_and_the_longest_presence_first(datasette):
    html = (await datasette.client.get("/classements")).text
    assert 0 < html.index("Ce que cela ne dit pas") < html.index("<table")
    assert "a bien des raisons" in plain(html)
    assert set(re.findall(r'aria-sort="(\w+)"><a href="[^"]*sens=(\w+)', html)) == {
        ("descending", "montant")
    }
    for word in ("classement des", "pire", "top ", "instable", "turnover", "aujourd’hui"):
        assert word not in plain(html).lower()
    assert "<td>1</td>" not in html  # nobody has a rank


async def test_offices_of_a_size_are_compared(datasette):
    # Six of seven have three people or more on the last list; one of two goes on without them.
    assert sorted(shown(await section(datasette, "senat"))) == ["001", "003", "005"]
    assert "3 équipes d’au moins 3 personnes" in plain(await section(datasette, "senat"))
    assert shown(await section(datasette, "senat", "min=5")) == []
    assert shown(await section(datasette, "senat", "min=4")) != []  # none of the set: as usual


async def test_departures_sort_both_ways(datasette):
    rows = shown(await section(datasette, "senat", "tri=departs"))
    assert rows[-1] == "001"
    assert shown(await section(datasette, "senat", "tri=departs&sens=descendant"))[0] == "001"
    text = plain(await section(datasette, "senat", "tri=departs"))
    assert "1 sur 4" in text
    assert "Équipe médiane : 33 % de départs en douze mois" in text


async def test_a_hole_keeps_departures_from_being_told(datasette):
    text = plain(await section(datasette, "europarl"))
    assert "non calculables, pas de liste du 13 janvier 2026 au 22 février 2026" in text
    assert "non calculable" in text
    assert " sur " not in text.partition("Parties en douze mois")[2].partition("CSV")[0]


async def test_the_first_offices_are_shown_and_the_rest_is_paged(datasette):
    html = await section(datasette, "assemblee")
    assert html.count('scope="row"') == rankings.AT_FIRST
    assert "118 autres équipes" in plain(html)
    found: list[str] = []
    for number in (1, 2, 3):
        answer = await datasette.client.get(f"/classements/assemblee?page={number}")
        assert len(answer.content) < 55_000
        found += re.findall(r'/elus/assemblee/PA999(\d+)"', answer.text)
    assert len(found) == len(set(found)) == groups_made.MANY
    weight = site(datasette).cache.weight
    for number in range(5):
        query = f"page={number + 7}&min={number + 20}&tri=x{number}&a={number}"
        await datasette.client.get(f"/classements/assemblee?{query}")
    assert site(datasette).cache.weight == weight


async def test_without_lists_nothing_is_compared(make):
    answer = await (await make()).client.get("/classements")
    assert "ces mouvements sont publiés sans listes" in plain(answer.text)
    assert "<table" not in answer.text


@pytest.mark.parametrize(
    ("address", "page", "rows"),
    [
        ("/classements/senat.csv", "/classements", 59),
        ("/groupes/senat/GRA.csv", "/groupes/senat/GRA", 9),
    ],
)
async def test_files_have_every_office_and_why_a_share_is_missing(datasette, address, page, rows):
    refused = await datasette.client.get(address)
    assert (refused.status_code, refused.headers["cache-control"]) == (401, "private, no-store")
    preflight = await datasette.client.options(address)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, "*")
    made = await key(datasette)
    answer = await datasette.client.get(address, headers=bearer(made))
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    found = {row["elu_id"]: row for row in csv.DictReader(io.StringIO(answer.text))}
    assert len(found) == rows
    one, two = found[member("senat", 2)], found[member("senat", 6)]
    assert tuple(one) == offices.CSV_HEADER
    assert (one["personnes"], one["parties"], one["passees"], one["part"]) == (
        *("1", "2", "3", "0.6667"),
    )
    assert (one["presence_au_moins"], one["presence_mediane_jours"]) == ("oui", "413")
    assert (two["part"], two["non_calculable"]) == ("", "moins de 3 personnes")
    assert member("senat", groups_made.ENDED) not in found
    assert (await used(datasette, made)).used == 1
    read = Read((await datasette.client.get(page)).text)
    assert address in read.links
    assert re.search(r"il faut une clé", re.sub(r"\s+", " ", read.text))


async def test_a_file_says_of_a_hole_from_when_to_when(datasette):
    headers = bearer(await key(datasette))
    answer = await datasette.client.get("/classements/europarl.csv", headers=headers)
    reasons = {row["non_calculable"] for row in csv.DictReader(io.StringIO(answer.text))}
    assert {re.sub(r"\s", " ", one) for one in reasons} == {
        "pas de liste du 13 janvier 2026 au 22 février 2026"
    }
