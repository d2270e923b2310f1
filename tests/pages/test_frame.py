"""The frame of every page: what it says of the site, of sharing, of invented data, and core's pages in it."""

from __future__ import annotations

import logging
import re
from urllib.parse import urljoin

import pytest

from tests.contract import environment
from tests.tracking import lists

from .conftest import Read, head, site

STAFF = "/collaborateurs/ormevalle-louis-ferreol"
CORES = ["/-/versions", "/-/plugins", "/-/logout", "/-/auth-token", "/-/databases"]
CORES += ["/-/schema", "/movements/-/schema", "/-/queries", "/movements/-/queries"]
PUBLIC = {"public_url": "https://exemple.fr"}
CONTACT = {"contact": "a@exemple.fr"}


async def text(datasette, path: str) -> str:
    return (await datasette.client.get(path)).text


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
    (address,) = re.findall(r'@import url\("([^"]+)"\) layer', layer)
    assert (await datasette.client.get(urljoin(sheets[0], address))).status_code == 200


async def test_how_to_reuse_a_page_is_told_once_in_the_footer(shared):
    datasette = await shared(PUBLIC)
    html = await text(datasette, "/sources")
    _, footer = html.split("<footer")
    assert html.count('class="reuse no-print"') == footer.count('class="reuse no-print"') == 1
    assert "https://exemple.fr/sources, licence Open Database License" in Read(footer).plain
    assert 'class="reuse' not in await text(datasette, "/-/cle")


async def test_without_a_public_address_no_host_becomes_the_canonical_one(datasette):
    answer = await datasette.client.get("/documentation", headers={"Host": "autre.exemple"})
    assert 'rel="canonical"' not in answer.text
    assert "og:url" not in head(answer.text)


async def test_the_canonical_address_leaves_out_what_the_page_does_not_read(shared):
    datasette = await shared(PUBLIC, base_url="/suivi/")
    html = await text(datasette, "/sources?chambre=senat")
    assert '<link rel="canonical" href="https://exemple.fr/sources">' in html


@pytest.mark.parametrize("settings", [{}, PUBLIC])
async def test_a_page_has_one_address_however_its_first_visitor_spelled_it(make, settings):
    odd, usual = await make(settings), await make(settings)
    spelled = await text(odd, STAFF.replace("/orm", "/%6Frm"))
    assert "%6F" not in spelled
    assert spelled == await text(usual, STAFF)
    assert f"{settings.get('public_url', '')}{STAFF}." in spelled


async def test_the_footer_names_the_sources_of_the_lists(make, tmp_path):
    for day in ("2023-10-30", "2026-09-12"):
        lists.write(tmp_path / "lists", "senat", day, lists.STAFF)
    environment.done("build", tmp_path / "x.db", "--lists", tmp_path / "lists")
    datasette = await make(path=tmp_path / "x.db")
    page = await text(datasette, "/documentation")
    owed = site(datasette).credits
    assert [(credit.publisher, last) for credit, last in owed] == [
        ("Sénat", "2026-09-12"),
        ("Regards Citoyens", "2023-10-31"),
    ]
    for credit, _ in owed:
        assert f'<a href="{credit.address}">{credit.publisher}</a>, {credit.licence}' in page


@pytest.mark.parametrize("contact", ["", "a@exemple.fr"])
async def test_a_page_says_that_there_is_no_contact(shared, contact):
    page = await text(await shared(PUBLIC | {"contact": contact}), "/documentation")
    assert ("L’adresse de contact de ce site n’est pas renseignée." in page) is not bool(contact)


@pytest.mark.parametrize(
    ("settings", "warned"),
    [({}, True), (PUBLIC | {"contact": " "}, True), (PUBLIC | CONTACT, False), (CONTACT, False)],
)
async def test_a_start_warns_where_there_is_nobody_to_write_to(make, caplog, settings, warned):
    with caplog.at_level(logging.WARNING):
        await make(settings)
    assert ("contact is not set" in caplog.text) is warned
