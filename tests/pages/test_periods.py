"""Pages and files of an earlier time: they tell what they told then, and a period what its lists have."""

from __future__ import annotations

import csv
import io
import re
import shutil
from pathlib import Path

import pytest
import pytest_asyncio

from datasette_mouvements.dataset.coverage import Coverage, Gap
from datasette_mouvements.dataset.turnover import FEWEST, Turnover
from datasette_mouvements.pages.counts import past
from datasette_mouvements.pages.offices import office_table
from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from . import three_groups, years
from .conftest import Read, site, told

DAY, SINCE = "2026-05-25", "2025-08-18"
# A member's group changes after DAY; that of another changed before.
CHANGES = {5: ("HIR", "2026-07-01"), 6: ("HIR", "2026-01-05")}
THEN = f"depuis={SINCE}&jusqua={DAY}"
WHOLE, CUT = "whole.db", "cut.db"


@pytest.fixture(scope="session")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the file of all lists, and that of those up to DAY."""
    folder = tmp_path_factory.mktemp("periods")
    three_groups.build(folder)
    groups = folder / "elus" / "groupes.csv"
    rows = []
    for row in groups.read_text("utf-8").splitlines():
        changed = next((n for n in CHANGES if row.startswith(f"senat,{member('senat', n)},")), 0)
        rows.append(row + CHANGES[changed][1] if changed else row)
        if changed:
            code, day = CHANGES[changed]
            rows.append(f"senat,{member('senat', changed)},{code},{day},")
    groups.write_text("\n".join(rows) + "\n", encoding="utf-8")
    given = ("--members", folder / "elus")
    environment.done("build", folder / WHOLE, "--lists", folder / "lists", *given)
    shutil.copytree(folder / "lists", folder / "until")
    for path in (folder / "until").rglob("*"):
        if path.is_file() and path.name[:10] > DAY:
            path.unlink()
    environment.done("build", folder / CUT, "--lists", folder / "until", *given)
    return folder


@pytest_asyncio.fixture
async def whole(shared, twice):
    return await shared(path=twice / WHOLE, now=years.TODAY)


@pytest_asyncio.fixture
async def cut(shared, twice):
    return await shared(path=twice / CUT, now=years.TODAY.replace(month=5, day=26))


async def rows(datasette, path: str) -> dict[str, dict[str, str]]:
    answer = await datasette.client.get(path)
    assert answer.status_code == 200, path
    return {row["elu_id"]: row for row in csv.DictReader(io.StringIO(answer.text))}


@pytest.mark.parametrize("chamber", ["senat", "europarl"])
@pytest.mark.asyncio
async def test_the_files_of_a_day_are_those_that_the_service_gave_on_that_day(whole, cut, chamber):
    facts = await site(cut).facts()
    since, until = facts.coverage[chamber].year
    asked = f"depuis={since}&jusqua={until}"
    for path in (f"/classements/{chamber}.csv", f"/elus/{chamber}.csv"):
        now, then = await rows(cut, path), await rows(whole, f"{path}?{asked}")
        assert now
        assert then == now, path
    groups = [
        (await one.client.get(path)).text
        for one, path in (
            (cut, f"/groupes/{chamber}.csv"),
            (whole, f"/groupes/{chamber}.csv?{asked}"),
        )
    ]
    assert groups[0] == groups[1]
    # The last group known is another than that of the day.
    named = await rows(whole, "/classements/senat.csv")
    assert named[member("senat", 5)]["elu_groupe"] == "HIR"
    if chamber == "senat":
        assert then[member("senat", 5)]["groupe"] == "GRA"
        assert then[member("senat", 20)]["mandat"] == "en-cours"


@pytest.mark.asyncio
async def test_the_figures_of_a_period_are_those_of_its_lists(whole):
    found = await rows(whole, f"/classements/senat.csv?{THEN}")
    days = [day for day in years.days(years.LAST) if day <= DAY]
    begun = max(day for day in days if day < SINCE)
    for number in range(1, 31):
        row = found[member("senat", number)]
        there = [set(three_groups.staff(day)[number]) for day in days if day >= begun]
        worked = set().union(*there)
        left = worked - there[-1]
        assert row["personnes"] == str(len(there[-1]))
        assert (row["liste"], row["depuis"], row["jusqua"]) == (DAY, SINCE, DAY)
        few = len(worked) < FEWEST
        assert (row["parties"], row["passees"]) == (
            ("", "") if few else (str(len(left)), str(len(worked)))
        )


@pytest.mark.asyncio
async def test_a_page_of_a_period_says_so_and_keeps_it_in_its_links(whole):
    path = f"/classements/senat?{THEN}"
    text = await told(whole, path)
    assert "18 août 2025 – 25 mai 2026." in text
    assert "Parties dans la période" in text
    assert "en douze mois" not in text.partition("Comment lire")[0]
    links = Read((await whole.client.get(path)).text).links
    sorts = [link for link in links if "tri=" in link or "sens=" in link]
    assert sorts
    assert all(THEN in link for link in sorts)
    assert f"/classements/senat.csv?{THEN}" in links
    groups = await whole.client.get(f"/groupes?chambre=senat&{THEN}")
    assert f"/groupes/senat/GRA?{THEN}" in Read(groups.text).links
    group = await told(whole, f"/groupes/senat/GRA?{THEN}")
    members = re.search(r"Les (\d+) membres", group)
    assert members
    # Number 6 had left the group by then, number 5 had not.
    assert members[1] == str(len(three_groups.GRA) - 1)


@pytest.mark.parametrize("path", ["/classements/senat", "/elus/senat", "/groupes/senat/GRA"])
@pytest.mark.asyncio
async def test_the_title_of_a_period_has_its_days_without_markup(whole, path):
    text = (await whole.client.get(f"{path}?depuis=2026-01-01&jusqua={DAY}")).text
    title = text.partition("<title>")[2].partition("</title>")[0]
    assert ", 1ᵉʳ\u00a0janvier 2026 – 25\u00a0mai 2026" in title
    assert "<" not in title


@pytest.mark.asyncio
async def test_years_and_renewals_are_two_clicks_from_the_first_page(whole):
    first = Read((await whole.client.get("/")).text).links
    assert "/classements" in first
    links = Read((await whole.client.get("/classements")).text).links
    assert "/classements/senat?depuis=2025-08-04&jusqua=2025-12-31" in links
    assert "/classements/senat?depuis=2026-01-01&jusqua=2026-09-21" in links


@pytest.mark.parametrize(
    "query",
    [
        "depuis=2026-05-25&jusqua=2025-08-18",
        "depuis=2026-05-25",
        "jusqua=2026-05-25",
        "depuis=25%20mai&jusqua=2026-05-25",
        "depuis=20260101&jusqua=2026-05-25",
        "depuis=1990-01-01&jusqua=1990-12-31",
        "depuis=2040-01-01&jusqua=2040-12-31",
    ],
)
@pytest.mark.asyncio
async def test_a_period_that_is_none_is_told_and_loses_nothing(whole, query):
    text = await told(whole, f"/classements/senat?{query}")
    assert "Cette période n’est pas connue : les listes vont du 4 août 2025 au" in text
    assert "équipes d’au moins 3 personnes." in text
    assert await rows(whole, f"/classements/senat.csv?{query}") == await rows(
        whole, "/classements/senat.csv"
    )


@pytest.mark.asyncio
async def test_a_period_beyond_the_lists_has_no_share_and_the_people_of_the_last_list(whole):
    last = await rows(whole, "/classements/senat.csv?depuis=2025-08-04&jusqua=2026-09-21")
    for days in ("depuis=0001-01-01&jusqua=9999-12-31", "depuis=2025-08-04&jusqua=2027-12-31"):
        found = await rows(whole, f"/classements/senat.csv?{days}")
        assert {row["part"] for row in found.values()} == {""}
        assert all("pas de liste" in row["non_calculable"] for row in found.values())
        assert {name: row["personnes"] for name, row in found.items()} == {
            name: row["personnes"] for name, row in last.items()
        }
        for path in ("/classements/senat", "/elus/senat", "/groupes", "/groupes/senat/GRA"):
            text = await told(whole, f"{path}?chambre=senat&{days}")
            assert "iste du 21 septembre 2026" in text, path


@pytest.mark.asyncio
async def test_the_days_that_visitors_choose_push_out_nothing_else(whole):
    shown = site(whole)
    await whole.client.get("/classements/senat")
    await whole.client.get("/groupes/senat/GRA")
    known = {key for key in shown.cache if key[0] in ("seats", "group counts")}
    for day in range(1, 20):
        await whole.client.get(f"/groupes/senat/GRA?depuis=2025-09-{day:02}&jusqua={DAY}")
    assert known
    assert {key for key in shown.cache if key[0] in ("seats", "group counts")} == known
    kept = [key for key in shown.past_cache if key[0] == "past"]
    assert kept
    assert shown.past_cache.weight <= shown.past_cache.most < shown.cache.most


@pytest.mark.asyncio
async def test_where_a_hole_crosses_an_end_no_share_is_given(whole):
    first, last = three_groups.ACROSS
    found = await rows(whole, f"/classements/assemblee.csv?depuis=2025-09-22&jusqua={DAY}")
    assert {row["part"] for row in found.values()} == {""}
    assert all("pas de liste du" in row["non_calculable"] for row in found.values())
    answer = await whole.client.get(f"/classements/assemblee?depuis=2025-09-22&jusqua={DAY}")
    assert f"/classements/assemblee?depuis=2025-10-07&jusqua={DAY}" in Read(answer.text).links
    within = await rows(whole, f"/classements/assemblee.csv?depuis={first}&jusqua={DAY}")
    assert {row["part"] for row in within.values()} == {"0.0000"}
    assert {row["sans_liste"] for row in within.values()} == {"2025-09-16/2025-10-05"}
    assert last not in {row["liste"] for row in within.values()}


@pytest.mark.asyncio
async def test_where_nobody_sits_the_last_twelve_months_are_told(whole):
    site(whole).service.clock = lambda: years.TODAY.replace(year=2030)
    try:
        text = await told(whole, "/classements/europarl")
        assert "Aucun mandat en cours n’est connu depuis : voici les douze derniers mois" in text
        assert "200 équipes d’au moins 3 personnes." in text
        assert "La dernière liste du Parlement européen date du 21 septembre 2026" in text
        figures = (await site(whole).facts()).figures["europarl"]
        assert isinstance(figures.whole.turnover, Turnover)
    finally:
        site(whole).service.clock = lambda: years.TODAY


def test_of_a_dissolved_assembly_the_members_of_the_eve_are_told() -> None:
    assert past.sat_on("assemblee", "2024-06-12") == "2024-06-08"
    assert past.sat_on("assemblee", "2024-06-08") == "2024-06-08"
    assert past.sat_on("assemblee", "2024-07-08") == "2024-07-08"
    assert past.sat_on("senat", "2023-10-02") == "2023-10-02"


def test_choices_are_within_the_lists_and_say_which_have_no_share() -> None:
    hole = Gap("2018-12-20", "2019-01-20")
    found, terms = past.choices("assemblee", Coverage("2017-02-22", "2019-05-01", "", (hole,)))
    assert [one[:3] for one in found] == [
        ("2019", "2019-01-01", "2019-05-01"),
        ("2018", "2018-01-01", "2018-12-31"),
        ("2017", "2017-02-22", "2017-12-31"),
    ]
    assert [one.gap for one in found] == [hole, hole, None]
    assert [(one.since, one.until) for one in terms] == [
        ("2017-06-21", "2019-05-01"),
        ("2017-02-22", "2017-06-20"),
    ]
    assert past.choices("senat", Coverage()) == ([], [])


def test_the_columns_of_a_period_name_it() -> None:
    assert office_table.columns(True)[-1].label == "Parties dans la période"
    assert office_table.columns(False) == office_table.COLUMNS


@pytest.mark.asyncio
async def test_days_that_one_chamber_has_alone_are_not_remembered_as_those_of_all(make, tmp_path):
    for chamber, days in (
        ("senat", ("2025-09-01", "2025-09-08", "2026-09-14")),
        ("assemblee", ("2026-09-07", "2026-09-14")),
    ):
        for day in days:
            lists.write(tmp_path / "lists", chamber, day, lists.many(60))
    environment.done("build", tmp_path / WHOLE, "--lists", tmp_path / "lists")
    datasette = await make(path=tmp_path / WHOLE, now=years.TODAY)
    asked = await told(datasette, "/classements?depuis=2025-09-01&jusqua=2025-09-08")
    assert "1er septembre 2025 – 8 septembre 2025." in asked.replace("1 er", "1er")
    usual = await told(datasette, "/classements")
    assert "8 septembre 2025." not in usual
