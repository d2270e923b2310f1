"""The pages of the invented sample that a first start serves: what they weigh, how they are described."""

from __future__ import annotations

import html as markup
import re
import sqlite3
from contextlib import closing

import pytest

from datasette_mouvements.pages.words import french
from tests.browser.places import EXPLORER, PAGES, STAFF, TOLD

from .conftest import PUBLIC, Read
from .test_frame import head

pytestmark = pytest.mark.asyncio
ROWS = 40
# Bytes of HTML of Datasette's table pages as they open.
HEAVIEST = dict.fromkeys((EXPLORER, "/movements/mouvements", "/movements/collaborations"), 60_000)


def rows(html: str) -> int:
    return len(re.findall("<tr", html)) - 1


@pytest.mark.parametrize("path", HEAVIEST)
async def test_a_table_page_opens_with_forty_rows_and_shows_more_on_demand(served, path):
    html = (await served.client.get(path)).text
    assert rows(html) == ROWS
    assert len(html.encode()) < HEAVIEST[path]
    more = f"{path}{'&' if '?' in path else '?'}_size=100"
    assert rows((await served.client.get(more)).text) == 100


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", r"Hirondelle – Union du printemps, 22 membres"),
        ("/", r"liste du 6 novembre 2026 il y a 15 jours"),
        ("/semaine", r"Médiane : [\d,]+ mouvements? par semaine"),
        ("/explorer", r"À côté de chaque valeur, le nombre de mouvements\."),
        ("/movements/collaborations", r"À côté de chaque valeur, le nombre de collaborations\."),
    ],
)
async def test_a_number_says_what_it_counts(served, path, said):
    html = (await served.client.get(path, follow_redirects=True)).text
    assert re.search(said, re.sub(r"[\s\u00a0\u202f]+", " ", Read(html).text))


def canonical(html: str) -> str:
    found = re.search(r'<link rel="canonical" href="([^"]*)">', html)
    return markup.unescape(found[1]).removeprefix(PUBLIC) if found else ""


async def test_every_page_that_may_be_indexed_describes_itself_unlike_any_other(served):
    described: dict[str, str] = {}
    for path in TOLD.values():
        answer = await served.client.get(path)
        told = head(answer.text)
        if answer.status_code == 200 and canonical(answer.text) == path and "og:url" in told:
            assert told["og:description"] == told["description"]
            described[path] = told["description"]
        # Others are another's, in another order or as a figure, or tell of nobody whom they name.
        elif answer.status_code == 200 and "x-robots-tag" not in answer.headers:
            assert canonical(answer.text) != path
    assert {"/", "/elus/senat", "/groupes", "/groupes/europarl/BOR", "/documentation"} <= set(
        described
    )
    assert len(set(described.values())) == len(described) > 20
    for said in described.values():
        assert 60 < len(said) < 200
        assert said[0].isupper() or said[0].isdigit()
        assert said.endswith(".")
        assert not re.search(r" [:;?!%]|'", said)


async def test_no_page_is_shared_under_a_name_of_staff(served, sample):
    with closing(sqlite3.connect(sample)) as db:
        rows = db.execute("select distinct collab_nom from collaborations where collab_nom <> ''")
        names = {str(name).lower() for (name,) in rows}
        (movement,) = db.execute("select id from mouvements where collab_nom <> '' limit 1")
        (stay,) = db.execute("select id from collaborations limit 1")
    rows = [f"/movements/mouvements/{movement[0]}", f"/movements/collaborations/{stay[0]}"]
    for path in (*PAGES.values(), *rows):
        html = (await served.client.get(path, follow_redirects=True)).text
        shared = markup.unescape(" ".join(head(html).values())).lower()
        assert [name for name in names if name in shared] == [], path
    own = head((await served.client.get(STAFF)).text)
    assert own["og:description"] != head((await served.client.get("/")).text)["og:description"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("/elus/assemblee?page=2", "/elus/assemblee?page=2"),
        ("/elus/assemblee?groupe=HIR&mandat=en-cours", "/elus/assemblee?groupe=HIR"),
        ("/elus/assemblee?mandat=termine&x=1", "/elus/assemblee?mandat=termine"),
        ("/elus/assemblee?tri=equipe&page=2", "/elus/assemblee"),
        ("/elus/assemblee?groupe=rien&page=99", "/elus/assemblee"),
        ("/classements/assemblee?min=5&sens=montant", "/classements/assemblee?min=5"),
        ("/groupes/assemblee/HIR?tri=equipe", "/groupes/assemblee/HIR"),
        ("/semaine", "/semaine/2026-W47"),
        ("/semaine/2026-W46?page=2", "/semaine/2026-W46"),  # there is none
        ("/recherche?q=hautecloque", "/recherche"),
    ],
)
async def test_the_canonical_address_says_which_part_is_shown_and_not_in_which_order(
    served, asked, told
):
    html = (await served.client.get(asked)).text
    assert canonical(html) == told
    assert f"{PUBLIC}{told}." in Read(html).text  # where it is printed from


def misspaced(html: str) -> list[str]:
    """Where a page has not the space that French wants, in what is read and in titles."""
    text = re.sub(r"(?s)<(pre|code|script|style)\b.*?</\1>", "", html)
    text += " ".join(re.findall(r'(?:title|aria-label|content|placeholder)="([^"]*)"', text))
    text = markup.unescape(re.sub("<[^>]*>", "|", text))
    wrong = rf" [:;!?%»]|« |\u00a0[;!?%]|\d[ \u202f](?:{'|'.join(french.MONTH_NAMES)})\b"
    return re.findall(rf"[^|\n]{{0,20}}(?:{wrong})[^|\n]{{0,10}}", text)


async def test_spaces_are_those_of_french(served):
    pages = {*PAGES.values(), "/groupes/senat/GRA", "/semaine/2025-W16"}
    for path in pages:
        html = (await served.client.get(path, follow_redirects=True)).text
        assert misspaced(html) == [], path


def broken_numbers(html: str) -> list[str]:
    """Numbers that a line may end after, before the word that they count; years stand alone."""
    text = re.sub(r"(?s)<(head|pre|code|script|style|textarea)\b.*?</\1>", "", html)
    text = re.sub(r"</?(?:b|strong|span|abbr|time)\b[^>]*>", "", text)
    text = re.sub(r"<[^>]*>", "|", text)
    return re.findall(r"[^|\n]{0,20}(?<!\d)\d{1,3}[ \n]+[^\W\d_][^|\n]{0,10}", text)


async def test_no_number_is_broken_from_its_word(served):
    whole = 0
    for path in (*PAGES.values(), "/elus/senat", "/semaine/2025-W16"):
        html = (await served.client.get(path, follow_redirects=True)).text
        assert broken_numbers(html) == [], path
        whole += len(re.findall(r"\d\u00a0[a-z]", html))
    assert whole > 1000


async def test_who_left_between_a_mandate_s_end_and_an_empty_team_is_told_to_have(served, sample):
    """The renewal of 2026-10-01, after which the lists have some of the staff for a few days."""
    with closing(sqlite3.connect(sample)) as db:
        left = dict(
            db.execute(
                """
                select c.elu_id, count(distinct c.collab_nom || ' ' || c.collab_prenom)
                from collaborations c join _mandats m using (chambre, elu_id)
                join mouvements d on d.id = c.mouvement_fin
                where m.fin = '2026-09-30' and c.fin > m.fin and d.contexte = ''
                  and not exists (select 1 from _mandats n where n.elu_id = c.elu_id and n.debut > m.fin)
                group by 1
                """
            )
        )
    assert left
    for member, number in left.items():
        text = Read((await served.client.get(f"/elus/senat/{member}")).text).plain
        if "après la fin du mandat" in text:
            assert f"en douze mois, dont {number} après la fin du mandat" in text
        else:  # fewer than three people have no figure
            assert "en douze mois : moins de trois personnes" in text, member


async def test_a_name_with_one_line_has_no_words_about_several(served):
    one = Read((await served.client.get("/collaborateurs/llano-gardemoulin-yse")).text).plain
    several = Read((await served.client.get(STAFF)).text).plain
    for words in ("deux barres", "Le gris hachuré est propre", "entre deux périodes"):
        assert words not in one
        assert words in several


async def test_the_week_says_how_many_movements_are_of_one_contract(served, sample):
    with closing(sqlite3.connect(sample)) as db:
        [(number,)] = db.execute(
            "select count(*) from mouvements where date_event >= '2026-11-16' and fonction like '%(grouping)%'"
        )
    assert number == 18
    text = Read((await served.client.get("/semaine")).text).plain
    assert "s’écrit sur une ligne : 18 mouvements cette semaine." in text
