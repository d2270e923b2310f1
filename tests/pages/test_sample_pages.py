"""All pages, on the invented sample that a first start serves: how they are described, spelled and weighed."""

from __future__ import annotations

import html as markup
import itertools
import re
import sqlite3
from contextlib import closing

import pytest

from datasette_mouvements.pages.words import french
from tests.browser.places import PAGES, STAFF, TOLD

from .conftest import PUBLIC, Read
from .test_frame import head

pytestmark = pytest.mark.asyncio
HEAVIEST = 60_000  # bytes of HTML of a page
# Words before the first fact of a page: a number, a day, or a name of the data.
WORDS = 40


@pytest.fixture(scope="module")
def kept() -> dict[str, tuple[int, str]]:
    """What was asked of the pages before."""
    return {}


async def pages(served, kept) -> dict[str, tuple[int, str]]:
    """The status and the HTML of each page of PAGES."""
    if not kept:
        for path in PAGES.values():
            answer = await served.client.get(path, follow_redirects=True)
            kept[path] = (answer.status_code, answer.text)
    return kept


def canonical(html: str) -> str:
    address = re.search(r'<link rel="canonical" href="([^"]*)">', html)
    return markup.unescape(address[1]).removeprefix(PUBLIC) if address else ""


async def test_a_page_has_little_html_one_title_and_nothing_inline(served, kept):
    for path, (_, html) in (await pages(served, kept)).items():
        assert len(html.encode()) <= HEAVIEST, path
        assert len(re.findall("<h1", html)) == 1, path
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), path
        read = Read(html)
        assert read.inline == [], path
        assert len(set(read.ids)) == len(read.ids), path


async def test_every_page_that_may_be_indexed_describes_itself_unlike_any_other(served, kept):
    described: dict[str, str] = {}
    for path in TOLD.values():
        status, html = (await pages(served, kept))[path]
        meta = head(html)
        if status == 200 and canonical(html) == path and "og:url" in meta:
            assert meta["og:description"] == meta["description"]
            described[path] = meta["description"]
    assert {"/", "/elus/senat", "/groupes", "/groupes/europarl/BOR", "/sources"} <= set(described)
    assert len(set(described.values())) == len(described)
    for words in described.values():
        assert 60 < len(words) < 200
        assert words[0].isupper() or words[0].isdigit()
        assert words.endswith(".")
        assert not re.search(r" [:;?!%]|'", words)


async def test_no_page_is_shared_under_a_name_of_staff(served, kept, sample):
    with closing(sqlite3.connect(sample)) as db:
        rows = db.execute("select distinct collab_nom from collaborations where collab_nom <> ''")
        names = {str(name).lower() for (name,) in rows}
    asked = await pages(served, kept)
    for path, (_, html) in asked.items():
        shared = markup.unescape(" ".join(head(html).values())).lower()
        assert [name for name in names if name in shared] == [], path
    assert head(asked[STAFF][1])["og:description"] != head(asked["/"][1])["og:description"]


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
        assert misspaced(html) == [], path
        assert broken_numbers(html) == [], path


def words_before_a_fact(html: str) -> int:
    """The words of `main` before its first number, or before the end where it has none."""
    (main,) = re.findall(r"(?s)<main\b.*?</main>", html)
    main = re.sub(r"(?s)<(nav|form|h1)\b.*?</\1>|<svg\b.*?</svg>", " ", main)
    text = markup.unescape(re.sub("<[^>]*>", " ", main))
    return len(re.split(r"\d", text)[0].split())


@pytest.mark.parametrize(
    "name", ["home", "week", "chambers", "chamber", "groups", "group", "sources"]
)
async def test_a_page_begins_with_its_fact(served, kept, name):
    _, html = (await pages(served, kept))[TOLD[name]]
    assert words_before_a_fact(html) <= WORDS
