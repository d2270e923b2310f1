"""The documentation in English and the client files: of the same definitions, whole, and found from the French page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from datasette_mouvements.api import changes
from datasette_mouvements.api.parameters.search_parameters import PARAMETERS
from datasette_mouvements.api.parameters.stay_parameters import MEMBER_PARAMETERS, STAY_PARAMETERS
from datasette_mouvements.dataset.stays.lines import LINE_FIELDS
from datasette_mouvements.pages.files.archive import NOT_KNOWN, NOT_KNOWN_IN_ENGLISH
from datasette_mouvements.refusal import KINDS
from parlement_lists.meanings import MEANINGS, MEANINGS_IN_ENGLISH
from parlement_lists.movement import FIELDS
from tests.contract.environment import ROOT

from .conftest import PUBLIC, Read

pytestmark = pytest.mark.asyncio
FRENCH, ENGLISH = "/documentation", "/documentation/en"
DEFINED = (
    *FIELDS,
    *LINE_FIELDS,
    *PARAMETERS,
    *STAY_PARAMETERS,
    *MEMBER_PARAMETERS,
    *changes.PARAMETERS,
)
# Letters and words that no English sentence of ours has, but for names of institutions.
_FRENCH = re.compile(r"[éèêàçùîôœ’«»]|\b(?:le|la|les|des|une?|est|dans|pour)\b", re.I)
CLIENTS = {
    "client.py": "text/plain; charset=utf-8",
    "client.mjs": "text/javascript; charset=utf-8",
    "client.R": "text/plain; charset=utf-8",
}


def squeezed(text: str) -> str:
    return " ".join(text.split())


async def test_whatever_is_defined_is_on_the_page_in_english(datasette):
    html = (await datasette.client.get(ENGLISH)).text
    told = squeezed(Read(html).text)
    for one in DEFINED:
        assert one.english, one.name
        assert squeezed(one.english) in told, one.name
    for kind in KINDS.values():
        assert f"<code>#{kind.anchor}</code>" in html
        assert all(kind.english)
        assert all(text in told for text in kind.english), kind.anchor
    for field in FIELDS:
        for value in field.values if field.name != "collab_civilite" else ():
            assert MEANINGS_IN_ENGLISH[value] in told
    assert all(line in told for line in NOT_KNOWN_IN_ENGLISH)


async def test_what_is_in_french_is_in_english_too_and_in_no_french():
    assert MEANINGS_IN_ENGLISH.keys() == MEANINGS.keys()
    assert len(NOT_KNOWN_IN_ENGLISH) == len(NOT_KNOWN)
    texts = [one.english for one in DEFINED] + [
        text for one in KINDS.values() for text in one.english
    ]
    for text in (*texts, *MEANINGS_IN_ENGLISH.values(), *NOT_KNOWN_IN_ENGLISH):
        names = r"Assemblée nationale|Sénat|sans solde|\ble\b|\(é is|lists?\b"
        assert not _FRENCH.search(re.sub(names, "", text)), text


async def test_what_identifies_a_member_and_where_the_changes_begin_are_told(datasette):
    html = (await datasette.client.get(ENGLISH)).text
    told = squeezed(Read(html).text)
    # Of movements twice; of stays, and of members.
    assert told.count("PA and a number (Assemblée), like 14263U (Sénat)") == 4
    (cursor,) = re.findall(r"<tr>.*<code>curseur</code>.*</tr>", html)
    assert "<td>from the beginning</td>" in cursor
    assert "not used" not in told


async def test_both_languages_lead_to_each_other_and_say_which_they_are(shared):
    datasette = await shared({"public_url": PUBLIC})
    for path, language, other in ((FRENCH, "fr", ENGLISH), (ENGLISH, "en", FRENCH)):
        answer = await datasette.client.get(path)
        html = answer.text
        assert answer.status_code == 200
        assert f'<html lang="{language}">' in html
        alternates = dict(re.findall(r'<link rel="alternate" hreflang="(..)" href="([^"]+)"', html))
        assert alternates == {"fr": f"{PUBLIC}{FRENCH}", "en": f"{PUBLIC}{ENGLISH}"}
        assert f'<link rel="canonical" href="{PUBLIC}{path}">' in html
        assert re.search(rf'<a href="{other}" hreflang="(..)" lang="\1">', html)
        assert "noindex" not in answer.headers.get("x-robots-tag", "")
        # The frame is in French on both.
        assert '<header class="site-head" lang="fr">' in html
        assert '<footer class="site-foot" lang="fr">' in html


async def test_the_contents_lead_to_every_section(datasette):
    html = (await datasette.client.get(ENGLISH)).text
    wanted = re.findall(r'<li><a href="#([a-z-]+)">', html)
    assert wanted == re.findall(r'<section aria-labelledby="([a-z-]+)">', html)
    for anchor in wanted:
        assert html.count(f'id="{anchor}"') == 1
    # Every region that scrolls has a name, and every table its caption.
    assert html.count('class="scroll"') == html.count("<caption") == 6
    assert Read(html).inline == []


async def test_it_says_the_settings_in_force(shared):
    datasette = await shared({"quota": 250, "contact": "contact@exemple.fr"})
    told = Read((await datasette.client.get(ENGLISH)).text).text
    assert "Requests a day of each key (one key an account)" in told
    assert re.search(r"an account\)\s*250\b", told)
    assert "contact@exemple.fr" in told


@pytest.mark.parametrize("name", CLIENTS)
async def test_a_client_is_served_as_it_stands_in_the_documentation(datasette, name):
    path = f"/exemples/{name}"
    answer = await datasette.client.get(path)
    assert answer.status_code == 200
    assert answer.content == (ROOT / "docs" / "examples" / name).read_bytes()
    assert answer.headers["content-type"] == CLIENTS[name]
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "public, max-age=300"
    again = await datasette.client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert (await datasette.client.head(path)).content == b""
    for page in (FRENCH, ENGLISH):
        assert f'href="{path}"' in (await datasette.client.get(page)).text


@pytest.mark.parametrize(
    "name", ["nothing.py", "..%2Fconfig.py", "%2e%2e%2fconfig.py", "client.py%00"]
)
async def test_nothing_else_of_the_folder_is_served(datasette, name):
    assert (await datasette.client.get(f"/exemples/{name}")).status_code == 404


async def test_the_clients_are_files_of_the_package():
    folder = Path(__file__).parents[2] / "plugins" / "datasette_mouvements" / "examples"
    assert {path.name for path in folder.iterdir() if path.is_file()} == CLIENTS.keys()
    assert not any(path.is_symlink() for path in folder.iterdir())
