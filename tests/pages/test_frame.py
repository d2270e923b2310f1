"""The frame of every page: what it says of the site, of sharing, of invented data, and core's pages in it."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest

from .conftest import Read, site

pytestmark = pytest.mark.asyncio
STAFF = "/collaborateurs/ormevalle-louis-ferreol"
CORES = ["/-/", "/-/versions", "/-/plugins", "/-/logout", "/-/auth-token", "/-/databases"]
CORES += ["/-/schema", "/movements/-/schema", "/-/queries", "/movements/-/queries"]


async def text(datasette, path: str) -> str:
    return (await datasette.client.get(path)).text


def head(html: str) -> dict[str, str]:
    """The page's description and what it says for sharing, by name."""
    return dict(re.findall(r'<meta (?:name|property)="([a-z:_]+)" content="([^"]*)">', html))


@pytest.mark.parametrize("path", CORES)
async def test_pages_of_core_that_visitors_reach_are_in_french_and_follow_the_theme(shared, path):
    datasette = await shared()
    # Signed out, core's page for signing out leads home.
    html = (await datasette.client.get(path, actor={"id": "lectrice"})).text
    assert '<html lang="fr">' in html
    assert '<meta name="color-scheme" content="light dark">' in html
    assert "app.css" not in html
    assert "<h1>" in html
    read = Read(html)
    assert read.inline == []
    assert not re.search(r"\b(?:rows?|tables? in|hidden|Log ?out|Forbidden|token has)\b", read.text)


async def test_core_s_other_pages_have_core_s_sheet_below_ours(datasette):
    datasette.add_memory_database("autre")
    html = await text(datasette, "/autre")
    sheets = re.findall(r'<link rel="stylesheet" href="([^"?]*)', html)
    assert [sheet.rpartition("/")[2] for sheet in sheets] == ["coeur.css", "mouvements.css"]
    layer = (await datasette.client.get(sheets[0])).text
    found = re.search(r'@import url\("([^"]+)"\) layer', layer)
    assert found
    assert (await datasette.client.get(urljoin(sheets[0], found[1]))).status_code == 200


async def test_nothing_in_the_head_of_a_staff_page_is_meant_for_sharing_a_name(shared):
    datasette = await shared({"public_url": "https://exemple.fr"})
    for path in (STAFF, "/recherche?q=ormevalle"):
        told = head(await text(datasette, path))
        assert "ormevalle" not in " ".join(told.values()).lower()
        assert told["og:title"] == site(datasette).title
        assert "og:url" not in told


async def test_a_page_that_describes_itself_is_shared_by_its_own_words(shared):
    datasette = await shared({"public_url": "https://exemple.fr"})
    html = await text(datasette, "/documentation")
    told = head(html)
    assert told["og:title"].startswith("Documentation")
    assert told["description"] == told["og:description"]
    assert told["description"].startswith("La méthode")
    assert told["og:url"] == "https://exemple.fr/documentation"
    assert '<link rel="canonical" href="https://exemple.fr/documentation">' in html
    assert told["og:locale"] == "fr_FR"
    assert "og:image" not in told


async def test_without_a_public_address_no_host_becomes_the_canonical_one(datasette):
    answer = await datasette.client.get("/documentation", headers={"Host": "autre.exemple"})
    assert 'rel="canonical"' not in answer.text
    assert "og:url" not in head(answer.text)


async def test_the_canonical_address_leaves_the_filters_out(shared):
    datasette = await shared({"public_url": "https://exemple.fr"}, base_url="/suivi/")
    html = await text(datasette, "/fichiers?chambre=senat")
    assert '<link rel="canonical" href="https://exemple.fr/fichiers">' in html


async def test_a_site_without_a_contact_says_so_on_its_pages(shared):
    without, with_one = await shared(), await shared({"contact": "contact@exemple.fr"})
    assert "L’adresse de contact de ce site n’est pas renseignée" in await text(without, "/")
    html = await text(with_one, "/")
    assert "pas renseignée" not in html
    assert 'href="mailto:contact@exemple.fr"' in html


@pytest.mark.parametrize("path", ["/", "/documentation", STAFF, "/-/"])
async def test_what_is_printed_says_whence_and_of_when(datasette, path):
    await text(datasette, "/")
    html = await text(datasette, path)
    assert re.search(r'<div class="address"><p>Page imprimée depuis [^<]*, ' + path, html)
    assert re.search(r"<p>Données publiées le [^<]+ à [^<]+\.</p></div>", html)


async def test_the_menu_says_which_of_its_pages_leads_here(datasette):
    html = await text(datasette, "/elus/assemblee")
    assert html.count('href="/elus" aria-current="true"') == 2
    assert "aria-current" not in await text(datasette, "/fichiers")


async def test_the_method_defines_both_figures_and_says_how_corrections_are_made(datasette):
    html = await text(datasette, "/documentation")
    for anchor in ("methode", "personnes-parties", "presence", "corriger", "donnees-personnelles"):
        assert html.count(f'id="{anchor}"') == 1
    told = Read(html).plain
    assert "Rien n’est donné de moins de 3 personnes" in told
    assert "un mois après (RGPD, article 12)" in told


@pytest.mark.parametrize("settings", [{}, {"public_url": "https://exemple.fr"}])
async def test_a_page_has_one_address_however_its_first_visitor_spelled_it(make, settings):
    odd, usual = await make(settings), await make(settings)
    spelled = await text(odd, STAFF.replace("/orm", "/%6Frm"))
    assert "%6F" not in spelled
    assert spelled == await text(usual, STAFF)
    assert f"{settings.get('public_url', '')}{STAFF}." in spelled
    chamber = await text(odd, "/elus/assemblee")
    assert ('rel="canonical"' in chamber) == bool(settings)
