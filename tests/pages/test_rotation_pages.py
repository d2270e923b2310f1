"""The pages of figures of years and terms, and their file."""

from __future__ import annotations

import csv
import io

import pytest
import pytest_asyncio

from datasette_mouvements.pages.offices import rotation_pages
from tests.contract import environment
from tests.tracking import lists

from . import sealed, years
from .conftest import Read, told

pytestmark = pytest.mark.asyncio
SENAT = "/chiffres/senat"


@pytest_asyncio.fixture
async def datasette(shared, grouped):
    return await shared(path=grouped)


async def rows(datasette, path: str = f"{SENAT}.csv") -> list[dict[str, str]]:
    answer = await datasette.client.get(path)
    return list(csv.DictReader(io.StringIO(answer.text)))


async def test_each_chamber_has_its_terms_and_years(datasette):
    text = await told(datasette, "/chiffres")
    assert "Sénat de 2023 à 2026" in text
    assert "Législature depuis 2024" in text
    assert "Législature de 2024 à 2029" in text
    assert "2025 non calculable : pas de liste avant le 4 août 2025" in text
    assert "2026 non calculable : pas de liste après le 21 septembre 2026" in text
    links = Read((await datasette.client.get("/chiffres")).text).links
    assert {SENAT, f"{SENAT}.csv", f"{SENAT}?periode=2023-2026#groupes"} <= set(links)


async def test_a_page_says_what_the_file_says(datasette):
    text = await told(datasette, f"{SENAT}?periode=2023-2026")
    every = [row for row in await rows(datasette) if row["genre"] == "legislature"]
    found = {(row["groupe"], row["sexe"]): row for row in every}
    for group, label in (("", "Ensemble"), ("GRA", "GRA"), ("A/B", "A/B")):
        row = found[group, ""]
        mean = f"{float(row['effectif_moyen']):.1f}".removesuffix(".0").replace(".", ",")
        percent = f"{100 * float(row['taux_par_an']):.0f} %"
        moved = f"{row['arrivees']} {row['departs']} {percent}"
        left = f"{row['parties']} sur {row['personnes']}"
        assert f"{label} {mean} – {moved} {left}" in text
    # All are women, so no share is told: of nobody else the civility is known.
    assert ("", "femmes") in found
    assert ("", "hommes") not in found


async def test_a_hole_within_is_told_and_a_month_that_it_touches_has_no_number(datasette):
    text = await told(datasette, "/chiffres/europarl")
    assert "du 5 août 2025 au 21 septembre 2026, 41 jours sans liste" in text
    assert "sans liste du 13 janvier au 22 février 2026" in text
    assert "janvier 2026 trop peu de listes" in text
    months = {
        r["periode"]: r for r in await rows(datasette, "/chiffres/europarl.csv") if not r["sexe"]
    }
    assert months["2025-12"]["effectif_moyen"] == "600.00"
    assert months["2026-02"]["effectif_moyen"] == ""
    assert "13 janvier au 22 février 2026" in months["2026-02"]["non_calculable"].replace(
        "\u00a0", " "
    )
    assert months["2024-2029"]["sans_liste"] == "2026-01-13/2026-02-22"


async def test_a_term_of_less_than_a_year_of_lists_has_no_figure(shared, listed):
    started = await shared(path=listed)
    text = await told(started, "/chiffres/assemblee")
    assert "Législature depuis 2024 non calculable : moins d’un an de listes" in text
    assert "par groupe" not in text
    refused = [
        row for row in await rows(started, "/chiffres/assemblee.csv") if row["genre"] != "mois"
    ]
    assert [row["non_calculable"] != "" for row in refused] == [True] * 3
    assert {row["taux"] + row["effectif_moyen"] + row["personnes"] for row in refused} == {""}
    # Groups are not known there.
    assert "groupe non connu de la plupart des membres" in await told(started, SENAT)


async def test_a_return_after_a_short_absence_is_none_and_a_refused_list_is_no_list(
    shared, tmp_path
):
    # Ada is missing for five weeks and is back after 35 days, Béa after 140.
    away = {"Ada UN": ("2025-10-06", "2025-11-10"), "Béa DEUX": ("2025-10-06", "2026-02-23")}
    names = [*away, "Cléo TROIS", "Dina QUATRE", "Ève CINQ"]
    for day in years.days(years.LAST):
        there = [n for n in names if not (n in away and away[n][0] <= day < away[n][1])]
        lists.write(tmp_path / "lists", "senat", day, {1: there, 2: ["Fay SIX"]})
    environment.done("build", tmp_path / "built.db", "--lists", tmp_path / "lists")
    with sealed.changing(tmp_path / "built.db", tmp_path / "movements.db") as db:
        refused = "'senat/2026-09-28', 'senat', '2026-09-28', 'refusee', '', '', 0, 0, 0, 0, ''"
        db.execute(f"insert into listes values ({refused})")
    started = await shared(path=tmp_path / "movements.db")
    whole = next(r for r in await rows(started) if r["genre"] == "legislature")
    assert (whole["arrivees"], whole["departs"], whole["personnes"]) == ("1", "1", "6")
    assert (whole["du"], whole["au"]) == ("2025-08-05", years.LAST)


async def test_the_method_and_the_reasons_stand_beside_every_rate(datasette):
    for path in ("/chiffres", SENAT):
        text = await told(datasette, path)
        assert "absence de moins de 120 jours" in text
        assert "de 7 jours ou moins n’est pas comptée" in text
        assert "Pourquoi il n’est pas la part des personnes parties" in text
        assert "Une fin de contrat a bien des raisons" in text


async def test_charts_say_their_last_number_and_a_table_has_all(datasette):
    page, text = (await datasette.client.get(SENAT)).text, await told(datasette, SENAT)
    assert page.count('<svg class="months"') == 2
    mean = next(row for row in await rows(datasette) if row["periode"] == "2026-09")
    last = f"{float(mean['effectif_moyen']):.0f}"
    assert f"collaborations par mois, en moyenne : {last} pour septembre 2026" in text
    assert f"septembre 2026 {last} {last} 0" in text
    # Fewer than three men are known.
    assert "Part des femmes par mois : pas de chiffre" in text
    # More than half of those who came are there still.
    assert "sont encore là) : pas de chiffre" in text


async def test_a_period_that_nothing_has_is_the_latest(datasette):
    usual = (await datasette.client.get(SENAT)).text
    assert (await datasette.client.get(f"{SENAT}?periode=2019")).text == usual
    asked = await datasette.client.get(f"{SENAT}?periode=2025")
    assert asked.text == usual


async def test_the_file_is_open_and_has_its_header(datasette):
    answer = await datasette.client.get(f"{SENAT}.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert tuple(rows[0]) == rotation_pages.CSV_HEADER
    assert {len(row) for row in rows} == {len(rotation_pages.CSV_HEADER)}


async def test_pages_lead_to_the_figures(datasette):
    for path, to in (
        ("/", "/chiffres"),
        ("/classements", "/chiffres"),
        ("/classements/senat", SENAT),
        ("/elus/senat", SENAT),
    ):
        assert to in Read((await datasette.client.get(path)).text).links, path


async def test_without_lists_nothing_is_counted(shared):
    started = await shared(now=years.TODAY)
    assert "ces mouvements sont publiés sans listes" in await told(started, "/chiffres")
    assert "Pas de liste connue" in await told(started, SENAT)
    answer = await started.client.get(f"{SENAT}.csv")
    assert answer.text.strip() == ",".join(rotation_pages.CSV_HEADER)


async def test_search_engines_may_have_them_because_they_name_nobody(datasette):
    answer = await datasette.client.get(SENAT)
    assert "noindex" not in answer.headers.get("x-robots-tag", "")
    assert answer.headers["cache-control"].startswith("public")
