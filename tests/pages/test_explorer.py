"""The explorer as people use it: its address, filters dropped one by one, pages."""

from __future__ import annotations

import html
import re

from datasette_mouvements.pages.core import explorer
from parlement_lists.meanings import TRANSFERS_COUNT

from .conftest import Read

TABLE = "/movements/mouvements"


async def shown(datasette, path, **query) -> str:
    answer = await datasette.client.get(path, params=query or None, follow_redirects=True)
    assert answer.status_code == 200
    return str(answer.text)


def leading(page: str, label: str) -> str:
    """Where the link of a label leads."""
    (link,) = re.findall(rf'<a[^>]*href="([^"]*)"[^>]*>(?:<[^>]*>[^<]*</[^>]*>)?{label}', page)
    return html.unescape(link)


def details(page: str) -> list[str]:
    """The movements of a page, by their identifiers."""
    return re.findall(r'/mouvements/(mvt_[0-9a-f]+)"', page)


async def test_filters_are_dropped_one_by_one(datasette):
    page = await shown(datasette, "/explorer", chambre="senat", type="depart", depuis="2026-01-01")
    assert leading(page, "Chambre\u00a0: Sénat") == "/explorer?depuis=2026-01-01&type=depart"
    assert leading(page, "Mouvement\u00a0: Départ") == "/explorer?depuis=2026-01-01&chambre=senat"
    assert leading(page, "Depuis le\u00a0: 1<sup>er</sup>") == "/explorer?chambre=senat&type=depart"
    assert leading(page, "Tout effacer") == "/explorer"


async def test_a_period_includes_its_first_and_its_last_day(datasette):
    """A day that has others before and after it."""
    movements = datasette.get_database("movements")
    days = await movements.execute("select distinct date_event from mouvements order by 1 desc")
    day = days.rows[1][0]
    of_day = await movements.execute("select id from mouvements where date_event = ?", [day])
    page = await shown(datasette, "/explorer", depuis=day, jusqua=day)
    assert {*details(page)} == {id for (id,) in of_day.rows}


async def test_a_filter_given_twice_is_told_and_both_hold(datasette):
    page = await shown(datasette, f"{TABLE}?chambre=senat&chambre=assemblee")
    assert "Aucun mouvement pour ces filtres" in Read(page).plain
    assert 'class="notice"' in page
    assert "/v1/mouvements" not in page
    both = await shown(datasette, f"{TABLE}?_q=ormevalle&_q=valdorge")
    one = await shown(datasette, f"{TABLE}?_q=ormevalle")
    assert {*details(both)} < {*details(one)}
    assert 'class="notice"' not in await shown(datasette, f"{TABLE}?type=depart&type=depart")


async def test_what_the_interface_refuses_is_told_in_its_words(datasette):
    page = await shown(datasette, "/explorer", depuis="2026-02-30")
    assert "AAAA-MM-JJ" in Read(page).text
    assert "ne filtre rien" in await shown(datasette, "/explorer", q="a")


async def test_the_same_is_had_by_feed_and_by_the_interface_where_they_can(datasette):
    page = await shown(datasette, "/explorer", chambre="senat", type="depart")
    following = await shown(datasette, leading(page, "Page suivante"))
    assert leading(following, "Revenir au début") == "/explorer?chambre=senat&type=depart"
    assert "/v1/mouvements?chambre=senat&amp;type=depart" in page
    assert 'href="/flux?chambre=senat&amp;type=depart"' in page
    page = await shown(datasette, "/explorer", chambre="senat", q="ormevalle", groupe="GEST")
    assert "/v1/mouvements?" not in page
    assert 'href="/flux?chambre=senat&amp;groupe=GEST&amp;nom=ormevalle"' in page
    kept = await shown(datasette, "/explorer", confiance="fort")
    assert "/flux?" not in kept
    assert '<input type="hidden" name="confiance" value="fort">' in kept
    assert "/flux?type=depart" in await shown(datasette, f"{TABLE}?type=depart&_facet=type")


async def test_what_the_number_of_transfers_depends_on_is_said_of_a_filter_and_beside_counts(
    datasette,
):
    pages = [
        await shown(datasette, f"{TABLE}?{query}")
        for query in ("_facet=type", "type=depart", "type=transfert")
    ]
    assert (
        TRANSFERS_COUNT in Read(pages[0].partition('class="facets"')[2].partition("</ul>")[0]).plain
    )
    # Its facets count transfers too.
    departures, transfers = (Read(page).plain.count(TRANSFERS_COUNT) for page in pages[1:])
    assert transfers == departures + 1


async def test_the_page_of_a_movement_is_its_own_and_formats_stay(datasette):
    answer = await datasette.client.get(f"{TABLE}/a~2Fb")
    assert (answer.status_code, answer.headers["location"]) == (301, "/mouvements/a%2Fb")
    assert (await datasette.client.get(f"{TABLE}/a.json")).status_code == 401
    assert (await datasette.client.get(f"{TABLE}/-/schema")).status_code == 200


async def test_dates_are_told_without_a_word_of_confidence(datasette):
    page = Read(await shown(datasette, "/explorer", chambre="senat", confiance="faible"))
    assert "Retirer le filtre date approximative" in page.text
    assert "confiance" not in page.text.lower()
    assert "Précision de la date" in page.text
    # Whatever columns a visitor chooses, a movement is told whole.
    assert "Équipe de" in await shown(datasette, f"{TABLE}?_col=type&_size=1")


async def test_the_values_of_a_search_of_a_name_are_counted_where_they_are_asked_for(datasette):
    page = await shown(datasette, "/explorer", q="ormevalle")
    assert "À côté de chaque valeur" not in page
    counted = await shown(datasette, leading(page, "Affiner par chambre, groupe, précision"))
    assert "À côté de chaque valeur" in counted
    assert details(counted) == details(page)
    assert "À côté de chaque valeur" in await shown(datasette, "/explorer", chambre="senat")


def test_a_name_is_searched_by_the_beginnings_of_its_words():
    columns = "{collab_nom collab_prenom elu_nom elu_origine_nom}"
    assert explorer.search_expression("A Brec") == f'{columns} : (("a") AND ("brec"*))'
    assert '"œuvre"*' in explorer.search_expression("oeuvre")
    assert explorer.search_expression("a") == explorer.search_expression("-;") == ""
