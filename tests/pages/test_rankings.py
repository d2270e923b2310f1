"""The page that compares offices: which stand there, in which order, on which page, and in the file."""

from __future__ import annotations

import csv
import io
import re

import pytest
import pytest_asyncio

from datasette_mouvements.dataset.turnover import Turnover
from datasette_mouvements.pages.offices import office_table, rankings
from tests.tracking.lists import member

from . import years
from .conftest import Read, site, told

pytestmark = pytest.mark.asyncio
ALL = "/classements/senat"


@pytest_asyncio.fixture
async def datasette(shared, grouped):
    return await shared(path=grouped, now=years.TODAY)


async def shown(datasette, path: str, chamber: str = "senat") -> list[str]:
    page = (await datasette.client.get(path)).text
    return re.findall(rf'<th scope="row" role="rowheader"><a href="/elus/{chamber}/(\w+)"', page)


def senat(*numbers: int) -> list[str]:
    return [member("senat", number) for number in numbers]


async def test_every_chamber_has_its_first_offices_and_leads_to_the_others(datasette):
    text = await told(datasette, "/classements")
    assert "23 équipes d’au moins 3 personnes." in text
    assert len(await shown(datasette, "/classements")) == rankings.AT_FIRST
    page = Read((await datasette.client.get("/classements")).text)
    assert {"/classements/senat", "/classements/senat.csv", "/classements/europarl"} <= set(
        page.links
    )
    assert "11 autres équipes" in text
    assert "188 autres équipes" in text
    assert "Une fin de contrat a bien des raisons" in text
    assert not re.search(r"turnover|instable|pire|\btop\b|\brang\b|1er ", text, re.I)
    assert "Départs en douze mois : non calculables, pas de liste du 16 septembre au" in text


async def test_it_opens_on_the_longest_presence_with_ties_by_name(datasette):
    page = (await datasette.client.get(ALL)).text
    assert re.findall(r'aria-sort="(\w+)"><a href="([^"]*)"', page) == [
        ("descending", f"{ALL}?sens=montant")
    ]
    found = await shown(datasette, ALL)
    facts = await site(datasette).facts()
    presence = [facts.figures["senat"].offices[one].presence.days for one in found]
    assert presence == sorted(presence, reverse=True)
    named = [m.identifier for m in facts.members["senat"] if m.identifier in found]
    assert sorted(found) == sorted(named)
    by_name = await shown(datasette, f"{ALL}?tri=nom")
    assert by_name[0] == member("senat", 9)  # « Absie Élue d’ »


async def test_an_order_is_turned_and_what_is_not_known_stays_last(datasette):
    fewest = await shown(datasette, f"{ALL}?tri=departs")
    most = await shown(datasette, f"{ALL}?tri=departs&sens=descendant")
    assert sorted(fewest) == sorted(most)
    facts = await site(datasette).facts()
    rates = [facts.figures["senat"].offices[one].turnover for one in most]
    known = [one.rate for one in rates if isinstance(one, Turnover)]
    assert known == sorted(known, reverse=True)
    largest = await shown(datasette, f"{ALL}?tri=equipe")
    assert largest[:4] == senat(2, 3, 6, 11)
    for way in ("", "&sens=descendant"):  # a hole: no share of any, by name either way
        found = await shown(datasette, f"/classements/assemblee?tri=departs{way}", "assemblee")
        assert found == await shown(datasette, "/classements/assemblee?tri=nom", "assemblee")


async def test_the_smallest_size_is_one_of_three(datasette):
    assert set(senat(1, 4, 5, 7, 17)) & set(await shown(datasette, ALL)) == set()
    assert await shown(datasette, f"{ALL}?min=5") == []
    whole = await told(datasette, ALL)
    for least in ("3", "1", "0", "4", "-3", "05", "x", "²"):
        assert await told(datasette, f"{ALL}?min={least}") == whole
    assert "0 équipe d’au moins 8 personnes." in await told(datasette, f"{ALL}?min=8")
    page = (await datasette.client.get(f"{ALL}?min=5")).text
    assert '<option value="5" selected>' in page


async def test_offices_of_members_whose_mandate_ended_are_left_out(datasette):
    everyone = await shown(datasette, f"{ALL}?tri=nom")
    assert not set(senat(20, 21)) & set(everyone)
    assert set(senat(22, 19, 8)) <= set(everyone)
    assert "dont le mandat est terminé au dernier jour ne sont pas montrées" in await told(
        datasette, ALL
    )


async def test_every_office_stands_on_one_page_that_is_light(datasette):
    path, found = "/classements/europarl?tri=nom", []
    for number in range(1, 5):
        answer = await datasette.client.get(f"{path}&page={number}")
        assert len(answer.content) < 60_000
        read = Read(answer.text)
        assert len(read.ids) == len(set(read.ids))
        assert not read.inline
        found.append(await shown(datasette, f"{path}&page={number}", "europarl"))
    assert [len(page) for page in found] == [60, 60, 60, 20]
    assert len({one for page in found for one in page}) == 200
    assert await shown(datasette, f"{path}&page=5", "europarl") == found[0]
    answer = await datasette.client.get("/classements")
    assert len(answer.content) < 60_000
    assert (
        "/classements/europarl?tri=nom&page=2"
        in Read((await datasette.client.get(path)).text).links
    )


async def test_other_values_fill_no_cache(datasette):
    for path in ("/classements", ALL):
        await datasette.client.get(path)
        weight = site(datasette).cache.weight
        for n in range(5):
            query = f"min={n}&tri=x{n}&sens={n}&page=9{n}&autre={n}"
            await datasette.client.get(f"{path}?{query.replace('min=3', 'min=2')}")
        await datasette.client.get(f"{path}?tri=presence&sens=descendant&min=3&page=1")
        assert site(datasette).cache.weight == weight


async def test_the_file_has_every_office_and_is_open(datasette):
    answer = await datasette.client.get(f"{ALL}.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    found = {row["elu_id"]: row for row in csv.DictReader(io.StringIO(answer.text))}
    assert tuple(found[member("senat", 1)]) == office_table.CSV_HEADER
    assert set(found) == {member("senat", n) for n in range(1, 31) if n not in (20, 21)}
    assert found[member("senat", 11)]["elu_groupe"] == "A/B"
    answer = await datasette.client.get("/classements/assemblee.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["part"] for row in rows} == {""}
    whys = {row["non_calculable"].replace("\u00a0", " ") for row in rows}
    assert whys == {"pas de liste du 16 septembre au 5 octobre 2025"}


async def test_chambers_without_lists_compare_nothing(shared):
    started = await shared()
    for path in ("/classements", ALL):
        text = await told(started, path)
        assert "ces mouvements sont publiés sans listes" in text
        assert "Équipes d’au moins" not in text
    answer = await started.client.get(f"{ALL}.csv")
    assert answer.text.strip() == ",".join(office_table.CSV_HEADER)
