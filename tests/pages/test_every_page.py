"""Every page of the invented sample that a first start serves: what it says of itself, in which words, how it weighs."""

from __future__ import annotations

import html as markup
import itertools
import re

import pytest

from datasette_mouvements.addresses import GONE
from datasette_mouvements.pages import french
from datasette_mouvements.pages.core.middleware import LOOSE
from datasette_mouvements.pages.routes import PAGES as ROWS
from datasette_mouvements.pages.runner import STRICT
from parlement_lists.meanings import TRANSFERS_COUNT
from tests.browser.places import PAGES, STAFF, TOLD
from tests.published import Published

from .conftest import PUBLIC, Read, head

HEAVIEST = 60_000  # bytes of HTML of a page
# Words before the first fact of a page: a number, a day, or a name of the data.
WORDS = 40
# Pages that core itself answers at addresses of no table.
CORES = (TOLD["unknown"], PAGES["versions"], PAGES["refused"])
STATUSES = {TOLD["absent"]: 404, TOLD["unknown"]: 404, PAGES["refused"]: 403}
# A number of transfers, in a sentence or as a column of a table.
COUNTED = re.compile(r"\d\W+transferts?\b|>Transf\.<|>Transferts<|abbr title=\"Transferts\"")
NAMING = ("home", "search", "member", "staff", "week", "movement")
INDEXED = [pattern for pattern, page in ROWS.items() if page.template not in NAMING]


@pytest.fixture(scope="module")
def kept() -> dict[str, tuple[int, str]]:
    """What was asked of the pages before."""
    return {}


async def pages(served, kept) -> dict[str, tuple[int, str]]:
    """The status and the HTML of each page of PAGES; the headers are looked at as they come."""
    if not kept:
        for path in PAGES.values():
            answer = await served.client.get(path, follow_redirects=True)
            kept[path] = (answer.status_code, answer.text)
            plain = path.partition("?")[0]
            indexed = answer.status_code == 200 and any(re.match(one, plain) for one in INDEXED)
            assert answer.headers["content-type"] == "text/html; charset=utf-8", path
            policy = LOOSE if path in CORES else STRICT
            assert answer.headers["content-security-policy"] == policy, path
            # What names people stays out of search engines.
            assert answer.headers.get("x-robots-tag") == (None if indexed else "noindex"), path
    return kept


async def test_a_page_is_french_light_with_one_title_and_loads_nothing_from_elsewhere(served, kept):
    for path, (status, html) in (await pages(served, kept)).items():
        assert status == STATUSES.get(path, 200), path
        assert '<html lang="fr">' in html, path
        assert len(html.encode()) <= HEAVIEST, path
        assert len(re.findall("<h1", html)) == 1, path
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), path
        read = Read(html)
        assert read.inline == [], path
        assert [
            address for address in read.addresses if not address.startswith(("/", PUBLIC))
        ] == [], path
        assert len(set(read.ids)) == len(read.ids), path


async def test_every_page_has_a_search_the_menu_and_what_is_printed(served, kept):
    for path, (_, html) in (await pages(served, kept)).items():
        assert html.count('<form class="head-search" action="/recherche" method="get"') == 1, path
        assert '<label class="unseen" for="chercher">Chercher une personne</label>' in html
        assert "<p>Données publiées le " in html
        assert '<div class="address"><p>Page imprimée depuis ' in html


async def test_links_lead_somewhere_and_none_to_what_is_gone(served, kept):
    links: dict[str, str] = {}
    for path, (_, html) in (await pages(served, kept)).items():
        for link in Read(html).links:
            links.setdefault(link.partition("#")[0], path)
    gone = [
        link for link in links if any(re.fullmatch(one, link.partition("?")[0]) for one in GONE)
    ]
    assert gone == []
    kinds: dict[str, int] = {}
    for link, path in links.items():
        # Of each kind some; files, accounts and exports want a key or another plugin.
        kind = "/".join(link.split("/")[:3]).partition("?")[0]
        kinds[kind] = kinds.get(kind, 0) + 1
        apart = link.startswith(("/fichiers/", "/-/login")) or ".csv" in link
        if link.startswith("/") and not apart and kinds[kind] <= 5:
            answer = await served.client.get(link, follow_redirects=True)
            assert answer.status_code == 200, (path, link)


def canonical(html: str) -> str:
    address = re.search(r'<link rel="canonical" href="([^"]*)">', html)
    return markup.unescape(address[1]).removeprefix(PUBLIC) if address else ""


async def test_every_page_that_may_be_indexed_describes_itself_unlike_any_other(served, kept):
    described: dict[str, str] = {}
    for path in TOLD.values():
        status, html = (await pages(served, kept))[path]
        meta = head(html)
        if status == 200 and canonical(html) == path and "og:url" in meta:
            assert meta["og:description"] == meta["description"]
            assert meta["og:locale"] == "fr_FR"
            described[path] = meta["description"]
    assert {"/", "/elus/senat", "/groupes", "/groupes/europarl/BOR", "/sources"} <= set(described)
    assert len(set(described.values())) == len(described)
    for words in described.values():
        assert 60 < len(words) < 200
        assert words[0].isupper() or words[0].isdigit()
        assert words.endswith(".")
        assert not re.search(r" [:;?!%]|'", words)


async def test_no_page_is_shared_under_a_name_of_staff(served, kept, sample):
    rows = Published(sample).rows("select collab_nom from collaborations where collab_nom <> ''")
    names = {str(name).lower() for (name,) in rows}
    asked = await pages(served, kept)
    for path, (_, html) in asked.items():
        shared = markup.unescape(" ".join(head(html).values())).lower()
        assert [name for name in names if name in shared] == [], path
    assert head(asked[STAFF][1])["og:description"] != head(asked["/"][1])["og:description"]


async def test_where_transfers_are_counted_it_is_said_what_their_number_depends_on(served, kept):
    counting = set()
    for path, (_, html) in (await pages(served, kept)).items():
        assert "transfert" not in head(html).get("description", ""), path
        if COUNTED.search(html):
            assert TRANSFERS_COUNT in Read(html).plain, path
            counting.add(path)
    assert {TOLD["week"], TOLD["week-before"]} <= counting
    described = (await served.client.get("/v1/openapi.json")).json()
    kind = described["components"]["schemas"]["Mouvement"]["properties"]["type"]
    assert TRANSFERS_COUNT in kind["description"]


async def test_no_robot_follows_an_address_that_holds_a_name(served, kept):
    """It may not read where they lead, so it would keep the address, unread and with the name."""
    pattern = r'href="/[^"?]*\?[^"]*(?:hautecloque|brindavoine|nom=[^&"])'
    named = [
        tag
        for _, html in (await pages(served, kept)).values()
        for tag in re.findall(r"<a [^>]*>", html)
        if re.search(pattern, tag, re.IGNORECASE)
    ]
    assert len(named) > 5
    assert [tag for tag in named if not re.search(r'rel="[^"]*\bnofollow"', tag)] == []


def misspaced(html: str) -> list[str]:
    """Where a page has not the space that French wants, in what is read and in titles."""
    text = re.sub(r"(?s)<(pre|code|script|style)\b.*?</\1>", "", html)
    text += " ".join(re.findall(r'(?:title|aria-label|content|placeholder)="([^"]*)"', text))
    text = markup.unescape(re.sub("<[^>]*>", "|", text))
    wrong = rf" [:;!?%»]|« |\u00a0[;!?%]|\d[ \u202f](?:{'|'.join(french.MONTH_NAMES)})\b"
    return re.findall(rf"[^|\n]{{0,20}}(?:{wrong})[^|\n]{{0,10}}", text)


def broken_numbers(html: str) -> list[str]:
    """Numbers that a line may end after, before the word that they count; years stand alone."""
    text = re.sub(r"(?s)<(head|pre|code|script|style|textarea)\b.*?</\1>", "", html)
    text = re.sub(r"</?(?:b|strong|span|abbr|time)\b[^>]*>", "", text)
    text = re.sub(r"<[^>]*>", "|", text)
    return re.findall(r"[^|\n]{0,20}(?<!\d)\d{1,3}[ \n]+[^\W\d_][^|\n]{0,10}", text)


async def test_spaces_are_those_of_french_and_no_number_is_broken_from_its_word(served, kept):
    for path, (_, html) in (await pages(served, kept)).items():
        if path not in CORES:
            assert misspaced(html) == [], path
            assert broken_numbers(html) == [], path
            text = Read(html).text.replace("D'ORVILLETTE", "")
            assert re.findall(r".{0,20}\w'\w.{0,10}", text) == [], path


@pytest.mark.parametrize("name", "home week chambers chamber groups group sources".split())
async def test_a_page_begins_with_its_fact(served, kept, name):
    _, html = (await pages(served, kept))[TOLD[name]]
    (main,) = re.findall(r"(?s)<main\b.*?</main>", html)
    main = re.sub(r"(?s)<(nav|form|h1)\b.*?</\1>|<svg\b.*?</svg>", " ", main)
    text = markup.unescape(re.sub("<[^>]*>", " ", main))
    assert len(re.split(r"\d", text)[0].split()) <= WORDS
