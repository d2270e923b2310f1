"""The first page: how far the lists go, the last days, two years by month; and how mandates are told apart."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta

import pytest
import pytest_asyncio

from datasette_mouvements.dataset.coverage import Gap
from datasette_mouvements.pages.charts import months
from datasette_mouvements.pages.charts.months import Turn
from datasette_mouvements.pages.offices import office_table
from tests.contract import environment, sample
from tests.tracking import lists
from tests.tracking.lists import member
from tests.tracking.windows import DATA, MISSING, unpacked

from . import sealed, years
from .conftest import Read, site
from .invented import movement, publish

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def datasette(shared, listed):
    return await shared(path=listed, now=years.TODAY)


@pytest_asyncio.fixture
async def home(datasette):
    return (await datasette.client.get("/")).text


def words(html: str) -> str:
    """The page in words, with plain spaces."""
    return Read(html).plain


def part(html: str, name: str) -> str:
    """One section of the page."""
    return html.partition(f'aria-labelledby="{name}"')[2].partition("</section>")[0]


async def test_each_chamber_says_how_far_its_lists_go(home):
    said = words(part(home, "couverture"))
    assert "Sénat liste du 21 septembre 2026 ✓ à jour" in said
    assert "Assemblée nationale liste du 3 août 2026 il y a 50 jours" in said
    assert "Parlement européen pas de liste connue" in said
    assert said.count("il y a 50 jours") == 2  # as text, and in the words of its band
    assert "Ce qui a changé depuis une dernière liste n’est pas connu." in said
    labels = re.findall(r'role="img" aria-label="([^"]*)"', part(home, "couverture"))
    assert [label.replace("\u00a0", " ") for label in labels] == [
        "Assemblée nationale : listes du 4 août 2025 au 3 août 2026, 1 interruption, la dernière il y a 50 jours",
        "Sénat : listes du 4 août 2025 au 21 septembre 2026",
        "Parlement européen : pas de liste connue",
    ]


async def test_the_interruption_is_in_a_table_with_its_length(home):
    said = words(part(home, "couverture"))
    assert "L’interruption en tableau" in said
    assert "Assemblée nationale 12 janvier 2026 23 février 2026 42 jours" in said


@pytest.mark.parametrize(("day", "age"), [({"month": 11}, "2 mois"), ({"day": 24}, "3 jours")])
async def test_a_new_day_makes_a_list_late(shared, listed, day, age):
    later = await shared(path=listed, now=years.TODAY.replace(**day))
    said = words((await later.client.get("/")).text)
    assert f"Sénat liste du 21 septembre 2026 il y a {age}" in said


async def test_the_last_seven_days_are_those_of_lists_not_of_the_clock(home):
    said = words(part(home, "semaine"))
    assert "En sept jours : aucun mouvement Du 15 au 21 septembre 2026." in said
    assert "Assemblée pas de liste connue" in said
    assert "Sénat 0 0 0" in said


async def test_the_last_seven_days_have_the_numbers_of_their_movements(shared):
    """Those of a file made without lists are the days up to its latest movement."""
    movements = sample.in_order()
    until = date.fromisoformat(max(one["date_event"] for one in movements))
    since = (until - timedelta(6)).isoformat()
    counts = Counter(one["type"] for one in movements if one["date_event"] >= since)
    assert counts.total() > 1
    started = await shared()
    said = words(part((await started.client.get("/")).text, "semaine"))
    nouns = (("arrivee", "arrivée"), ("depart", "départ"), ("transfert", "transfert"))
    told = ", ".join(
        f"{counts[kind]} {noun}{'s' * (counts[kind] > 1)}"
        for kind, noun in nouns
        if counts[kind] or kind != "transfert"
    )
    assert f"En sept jours : {told}" in said


async def test_days_in_which_a_hole_ends_have_no_total(make, tmp_path):
    """What changed in the hole is dated there: neither the title nor the chamber has a number."""
    for day in ("2026-01-05", *years.HOLE):
        staff = {**lists.many(60), 7: [years.ADA] * (day == years.HOLE[1])}
        lists.write(tmp_path / "lists", "assemblee", day, staff)
    for day in ("2026-02-16", years.HOLE[1]):
        lists.write(tmp_path / "lists", "senat", day, lists.many(60))
    environment.done("build", tmp_path / "movements.db", "--lists", tmp_path / "lists")
    started = await make(path=tmp_path / "movements.db")
    home = words(part((await started.client.get("/")).text, "semaine"))
    assert "En sept jours : nombre non calculable Du 17 au 23 février 2026." in home
    assert years.ADA in home
    assert "Assemblée non calculable Sénat 0 0 0" in home
    assert "Assemblée nationale : pas de liste du 13 janvier au 22 février 2026. Tout" in home


async def test_months_without_lists_have_no_number_and_no_bar(datasette, home):
    said = words(part(home, "mois"))
    assert "septembre 2026 pas de liste après le 3 août 2026" in said
    for month in ("janvier", "février"):
        assert f"{month} 2026 pas de liste du 13 janvier au 22 février 2026" in said
    assert "août 2026, jusqu’au 3 août 2026 0 0 0" in said
    # The twelve months of the Assemblée have a hole within, and nothing is known of the European Parliament.
    year = (
        r"En douze mois, \d+ arrivées? et \d+ départs?, sans liste du 13 janvier au 22 février 2026"
    )
    assert len(re.findall(year, said)) == 1
    assert "Parlement européen" not in said
    facts = await site(datasette).facts()
    assert list(facts.unlisted["assemblee"])[-4:] == ["2025-07", "2026-01", "2026-02", "2026-09"]
    assert "2025-08" not in facts.unlisted["senat"]
    assert facts.unlisted["europarl"] == {}


async def test_a_chamber_of_which_no_month_is_whole_had_lists_all_the_same(make, listed, tmp_path):
    path = tmp_path / "movements.db"
    with sealed.changing(listed, path) as db:
        db.execute(
            "delete from listes where chambre = 'assemblee' and date not in (?, ?)",
            [years.FIRST, years.LATE],
        )
    started = await make(path=path)
    home = part((await started.client.get("/")).text, "mois")
    why = (
        "Aucun mois calculable : une période de plus de dix jours sans liste touche chacun de ceux"
    )
    why += " qui ne sont pas d’avant la première liste ou d’après la dernière"
    assert f"Assemblée nationale {why} " in words(home)
    assert "Pas de liste connue dans ces deux ans" not in words(home)
    # Its chart has nothing that a scale would measure.
    charts = dict(re.findall(r'aria-label="(Assemblée|Sénat)[^"]*">(.*?)</svg>', home))
    assert 'class="y"' in charts["Sénat"]
    assert 'class="y"' not in charts["Assemblée"]


async def test_a_title_says_the_figures_of_the_twelve_months(datasette, home):
    facts = await site(datasette).facts()
    rows = await facts.reader.movements(
        "where chambre = 'senat' and contexte = '' and date_event between '2025-09-22' and ?",
        [years.LAST],
    )
    counts = Counter(row["type"] for row in rows)
    arrivals, departures = counts["arrivee"], counts["depart"]
    assert arrivals
    told = f"En douze mois, {arrivals} arrivée{'s' * (arrivals > 1)}"
    told += f" et {departures} départ{'s' * (departures > 1)}"
    assert told in words(part(home, "mois"))
    assert "vont du 22 septembre 2025 au 21 septembre 2026" in words(part(home, "mois"))


async def test_what_comes_with_mandates_is_counted_apart_and_nothing_is_lost(datasette):
    facts = await site(datasette).facts()
    for chart in await months.read(facts):
        rows = await facts.reader.movements("where chambre = ?", [chart.chamber])
        for month, *drawn in chart.rows:
            here = [row for row in rows if row["date_event"].startswith(month)]
            assert sum(drawn) == sum(not row["contexte"] for row in here)
            assert chart.whole_teams[month] == sum(bool(row["contexte"]) for row in here)
        told = sum(turn.counts.total() for turn in chart.turns)
        assert told + chart.others == sum(bool(row["contexte"]) for row in rows)


def ends_of_mandates(html: str) -> tuple[list[str], list[str]]:
    """How many movements the last days and the note of the chart say of the end of mandates."""
    above = re.findall(r"([\d ]*\d) mouvements vident des équipes e", words(part(html, "semaine")))
    note = r"équipes entières parties ou nouvelles : (\d[\d ]*) départs\."
    return [one.strip() for one in above], re.findall(note, words(part(html, "mois")))


async def test_days_and_months_tell_the_same_of_mandates_of_which_some_are_not_known(
    make, tmp_path
):
    """Of a third of the members an end years before is known, of a third none."""
    day = "2026-09-21"
    ended = {"type": "depart", "contexte": "elu_sortant", "date_event": day, "chambre": "senat"}
    gone = [movement(n, elu_id=f"99{n:03}Z", **ended) for n in range(60)]
    written = publish(tmp_path / "written.db", [*gone, movement(60, chambre="senat")])
    with sealed.changing(written, tmp_path / "movements.db") as db:
        for n in range(40):
            until = "2026-09-20" if n < 20 else "2024-03-01"
            db.execute("insert into _mandats values ('senat', ?, '', ?)", [f"99{n:03}Z", until])
    started = await make(path=tmp_path / "movements.db")
    assert ends_of_mandates((await started.client.get("/")).text) == (["60"], ["60"])


@pytest.mark.skipif(not DATA.is_dir(), reason=MISSING)
async def test_days_and_months_tell_the_same_of_the_end_of_a_legislature(make, tmp_path):
    """The last real lists: of half of the members only the mandate before is known."""
    folder = unpacked(DATA / "audit" / "an-derniere-2024.tar.xz")
    given = ("--lists", folder, "--members", DATA / "elus")
    environment.done("build", tmp_path / "movements.db", *given)
    home = (await (await make(path=tmp_path / "movements.db")).client.get("/")).text
    # One person left two days before the rest of a team: the chart's mark is of all these days.
    assert ends_of_mandates(home) == (["1 173"], ["1 174"])
    week = words(part(home, "semaine"))
    came, went = re.findall(r"En sept jours : (\d+) arrivées?, ([\d ]+) départs ", week)[0]
    assert f"Assemblée {came} {went} 0 Sénat pas de liste connue" in week


async def test_whole_teams_of_days_that_follow_are_one_mark_and_few_movements_none():
    days = {
        "2024-10-01": Counter(arrivee=10),
        "2024-09-21": Counter(depart=10),  # ten days before: together they are many
        "2024-09-10": Counter(depart=19),  # eleven days before that
        "2024-06-12": Counter(depart=30),
    }
    assert months.turns_of(days) == [
        Turn(1, "2024-06-12", "2024-06-12", Counter(depart=30)),
        Turn(2, "2024-09-21", "2024-10-01", Counter(depart=10, arrivee=10)),
    ]


async def test_chambers_lead_to_their_members_and_groups(home):
    links = Read(part(home, "groupes")).links
    assert {"/elus/assemblee", "/elus/senat", "/elus/europarl"} <= set(links)


async def test_the_days_say_how_many_changes_wait_for_later_lists(datasette, home):
    """One is missing in the last list, and may be back in the next."""
    for page in (home, (await datasette.client.get("/semaine", follow_redirects=True)).text):
        assert "1 changement récent n’y est pas encore : un nom absent" in words(page)
    before = (await datasette.client.get("/semaine/2026-W37", follow_redirects=True)).text
    assert "n’y est pas encore" not in words(before)


async def test_a_masked_name_is_not_on_the_first_page(home):
    assert years.IDA.split()[1].lower() not in home.lower()
    assert f"/elus/senat/{member('senat', years.MASKED)}/" not in home


async def test_the_first_page_is_not_indexed_and_light(datasette):
    answer = await datasette.client.get("/")
    assert "noindex" in answer.headers["x-robots-tag"]
    assert len(answer.content) < 60_000


async def test_a_chamber_counts_those_who_sit(datasette, home):
    facts = await site(datasette).facts()
    sitting = len(await office_table.sitting(site(datasette), facts, "senat"))
    assert sitting < sum(not one.ended(years.TODAY.date()) for one in facts.members["senat"])
    assert f"Sénat {sitting} membres" in words(part(home, "groupes"))


async def test_the_median_presence_is_one_of_stays(datasette):
    said = words((await datasette.client.get("/classements")).text)
    assert re.search(r"Présence médiane des \d+ collaborations de la dernière liste", said)


async def test_why_no_month_has_a_number_is_told_of_the_months_there_are() -> None:
    hole, late = Gap("2026-01-05", "2026-03-02"), Gap("2026-03-02", "")
    within = months.why_uncounted(["2026-02"], {"2026-02": hole}, "2026-03-02")
    assert within.endswith("touche chacun d’eux")
    outside = months.why_uncounted(["2026-04"], {"2026-04": late}, "2026-04-01")
    assert (
        outside
        == "Aucun mois calculable : ils sont d’avant la première liste ou d’après la dernière"
    )
    both = {"2026-02": hole, "2026-04": late}
    mixed = months.why_uncounted(list(both), both, "2026-03-02")
    assert mixed.startswith(within.removesuffix(" d’eux"))
    assert mixed.endswith("qui ne sont pas d’avant la première liste ou d’après la dernière")
    assert months.why_uncounted(["2026-01", "2026-02"], {"2026-02": hole}, "2026-03-02") == ""
    assert months.why_uncounted(["2026-04"], {"2026-04": late}, "2026-03-02").startswith("Pas de")
