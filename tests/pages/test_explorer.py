"""The explorer as people use it: filters dropped one by one, pages there and back, how well a day is known."""

from __future__ import annotations

import html
import re
from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from datasette_mouvements.pages.explorer import table_page
from tests.contract import environment, sample
from tests.contract.test_commands import as_csv

from .conftest import Read, site


async def shown(datasette, path, **given) -> str:
    answer = await datasette.client.get(path, params=given or None, follow_redirects=True)
    assert answer.status_code == 200
    return str(answer.text)


def leading(page: str, label: str) -> str:
    """Where the link of a label leads."""
    (found,) = re.findall(rf'<a[^>]*href="([^"]*)"[^>]*>(?:<[^>]*>[^<]*</[^>]*>)?{label}', page)
    return html.unescape(found)


def details(page: str) -> list[str]:
    """The movements of a page, by their identifiers."""
    return re.findall(r'/mouvements/(mvt_[0-9a-f]+)"', page)


@pytest.mark.asyncio
async def test_filters_are_dropped_one_by_one(datasette):
    await site(datasette).facts()
    page = await shown(datasette, "/explorer", chambre="senat", type="depart", depuis="2026-01-01")
    assert leading(page, "Chambre\u00a0: Sénat") == "/explorer?depuis=2026-01-01&type=depart"
    assert leading(page, "Mouvement\u00a0: Départ") == "/explorer?depuis=2026-01-01&chambre=senat"
    assert leading(page, "Depuis le\u00a0: 1<sup>er</sup>") == "/explorer?chambre=senat&type=depart"
    assert leading(page, "Tout effacer") == "/explorer"


@pytest.mark.asyncio
async def test_the_last_seven_days_keep_the_other_filters(datasette):
    page = await shown(datasette, "/explorer", chambre="senat", depuis="2020-01-01")
    latest = date.fromisoformat(max(m["date_event"] for m in sample.in_order()))
    since = (latest - timedelta(6)).isoformat()
    assert leading(page, "Sept derniers jours") == f"/explorer?depuis={since}&chambre=senat"


@pytest.mark.asyncio
async def test_a_group_is_chosen_with_its_chamber(datasette):
    """Two chambers may have groups of one abbreviation."""
    facts = await site(datasette).facts()
    group = facts.groups_of("senat")[0].code
    answer = await datasette.client.get("/explorer", params={"groupe": f"senat/{group}"})
    query = parse_qs(urlsplit(answer.headers["location"]).query)
    assert query == {"elu_groupe": [group], "chambre": ["senat"]}
    page = await shown(datasette, "/explorer", groupe=f"senat/{group}")
    assert f'<option value="senat/{group}" selected>' in page
    expected = [m for m in sample.matching(chambre="senat") if m["elu_groupe"] == group]
    assert f"{len(expected)}\u00a0mouvement" in page


@pytest.mark.asyncio
async def test_pages_lead_back_to_the_page_before(datasette):
    pages = [await shown(datasette, "/movements/mouvements?chambre=senat&_size=5")]
    assert "Page précédente" not in pages[0]
    for _ in range(3):
        pages.append(await shown(datasette, leading(pages[-1], "Page suivante")))
    seen = [details(page) for page in pages]
    assert all(len(set(found)) == 5 for found in seen)
    assert len({one for found in seen for one in found}) == 20
    for before in (2, 1, 0):
        back = await shown(datasette, leading(pages[before + 1], "Page précédente"))
        assert details(back) == seen[before]
        pages[before] = back


@pytest.mark.asyncio
async def test_a_page_whose_way_is_not_known_leads_to_the_beginning_only(datasette):
    page = await shown(datasette, "/movements/mouvements?_size=5")
    alone = re.sub(r"&_pages=[^&]*", "", leading(page, "Page suivante"))
    later = await shown(datasette, alone)
    assert "Page précédente" not in later
    assert leading(later, "Revenir au début") == "/explorer"


@pytest.mark.parametrize(
    ("kind", "confidence", "after", "told"),
    [
        ("arrivee", "fort", "2026-01-01", "au jour près"),
        ("arrivee", "fort", "2025-12-30", "à 3 jours près"),
        ("depart", "faible", "2026-01-01", "approximative"),
        ("depart", "faible", "", "approximative"),
        ("depart", "fort", "", "à trois jours près"),
        ("depart", "moyen", "", "à dix jours près"),
        ("depart", "manuel", "", "donnée à la main"),
    ],
)
def test_a_column_says_how_well_a_day_is_known(kind, confidence, after, told):
    row = {"type": kind, "confiance": confidence, "date_event": "2026-01-02"}
    assert table_page.exact(row, after).replace("\u00a0", " ") == told


@pytest.mark.parametrize(
    ("confidence", "after", "told"),
    [
        ("fort", "2026-01-01", "au jour près, listes du 1<sup>er</sup> et du 2 janvier 2026"),
        ("bot", "2026-01-02", "au jour près, liste du 2 janvier 2026"),
        ("faible", "2025-12-02", "à 31 jours près, listes du 2 décembre 2025 et du 2 janvier 2026"),
        ("manuel", "", "donnée à la main"),
    ],
)
def test_a_movement_s_page_says_between_which_lists_it_was(confidence, after, told):
    row = {"type": "arrivee", "confiance": confidence, "date_event": "2026-01-02"}
    assert table_page.describe_day(row, after).replace("\u00a0", " ") == told


@pytest.mark.asyncio
async def test_the_explorer_has_no_word_of_confidence(datasette):
    page = await shown(datasette, "/explorer", chambre="senat", confiance="faible")
    assert "Retirer le filtre date approximative" in Read(page).text
    read = Read(page)
    assert "confiance" not in read.text.lower()
    assert "Précision de la date" in read.text


@pytest.mark.asyncio
async def test_the_page_of_a_movement_tells_its_day_by_lists_and_names_no_gender(shared, listed):
    service = await shared(path=listed)
    reader = (await site(service).facts()).reader
    rows = await reader.movements("where chambre = 'senat' and confiance <> 'faible'", [])
    assert rows
    for row in rows:
        read = Read(await shown(service, site(service).movement(row["id"])))
        text = read.text.replace("\u00a0", " ")
        assert re.search(r"(au jour près|à \d+ jours? près), listes? du \d", text), text
        assert not re.search(r"[Cc]onfiance|trois jours près|’élu\b|Élu\b|collaborateur\b", text)


@pytest.mark.asyncio
async def test_an_identifier_that_no_call_can_have_is_not_called(make, tmp_path):
    given, path = tmp_path / "movements.csv", tmp_path / "movements.db"
    row = {"chambre": "senat", "type": "arrivee", "collab_nom": "UN", "source": "suivi"}
    row |= {"date_event": "2026-01-05", "elu_id": "1Z", "confiance": "fort"}
    given.write_bytes(as_csv(row | {"id": "a/b"}, row | {"id": "a b"}))
    environment.done("build", path, "--movements", given)
    datasette = await make(path=path)
    pages = [await shown(datasette, f"/movements/mouvements/{id}") for id in ("a~2Fb", "a+b")]
    assert ["/v1/mouvements/a" in page for page in pages] == [False, True]
