"""The page of the sources: a sign a night, in words too, and nothing said of nights nobody knows of."""

from __future__ import annotations

import datetime
import re

from datasette_mouvements.dataset.nights import Night
from datasette_mouvements.pages.documentation import SIGNS, why
from datasette_mouvements.pages.french import OUTCOMES

from . import databases
from .conftest import Read, text_of

NOW = datetime.datetime(2026, 9, 16, 12, tzinfo=datetime.UTC)


def night(day, source, outcome, *others):
    return Night(day, source, source, outcome, *others)


NIGHTS = [
    night("2026-09-13", "", "reussie", "", "0"),
    night("2026-09-13", "senat", "nouvelle"),
    night("2026-09-15", "", "alarme", "", "2"),
    night("2026-09-15", "senat", "refusee", "trop d’élus disparus", "25,0 %"),
    night("2026-09-15", "assemblee", "echouee", "original non obtenu"),
]


async def with_nights(make, listed, path, nights):
    """A service on the file with these nights."""
    with databases.changing(listed, path) as db:
        places = ", ".join("?" * len(Night._fields))
        db.executemany(f"insert into nuits ({', '.join(Night._fields)}) values ({places})", nights)
    return await make(path=path, now=NOW)


def test_every_outcome_of_a_source_has_a_sign_of_its_own_and_words():
    assert len(set(SIGNS.values())) == len(SIGNS)
    assert SIGNS.keys() - {""} < OUTCOMES.keys()
    assert why(NIGHTS[3]) == "liste refusée, trop d’élus disparus (25 %)"


async def test_nights_are_a_table_that_is_read_without_colour(make, listed, tmp_path):
    datasette = await with_nights(make, listed, tmp_path / "movements.db", NIGHTS)
    html = (await datasette.client.get("/sources")).text
    heads = re.findall(r'<th scope="col"><abbr title="[^"]+">(\d+)</abbr>', html)
    assert heads == ["13", "14", "15", "16"]
    rows = re.findall(
        r'<tr><th scope="row"><span class="cham ..">([^<]+)</span></th>(.*)</tr>', html
    )
    signs = {
        chamber: re.findall(r'<td(?:>| class="\w+"><span aria-hidden="true">(.)<.*?)</td>', cells)
        for chamber, cells in rows
    }
    # Before its first night and today nothing is known, between them a night without a run is silent.
    assert signs["Assemblée"] == ["", "", "!", ""]
    assert signs["Sénat"] == ["+", "–", "×", ""]
    text = Read(html).plain
    assert "Dernier passage le 15 septembre 2026, 2 points à examiner." in text
    assert "Sénat, liste refusée, trop d’élus disparus (25 %) : le 15 septembre 2026" in text
    assert "Assemblée nationale, pas de liste, original non obtenu : le 15" in text


async def test_without_a_run_the_lists_are_told_all_the_same(shared, listed):
    text = await text_of(await shared(path=listed, now=NOW), "/sources")
    assert "Aucun passage n’est noté" in text
    assert re.search(r"Sénat \d+ \w+ 20\d\d", text)
    assert "Trente nuits" not in text


async def test_the_same_reason_of_many_nights_is_said_once(make, listed, tmp_path):
    days = [(NOW.date() - datetime.timedelta(back)).isoformat() for back in range(60)]
    bad = [
        night(day, source, "echouee", "original non obtenu")
        for day in days
        for source in ("assemblee", "senat", "europarl")
    ]
    datasette = await with_nights(make, listed, tmp_path / "movements.db", bad)
    html = (await datasette.client.get("/sources")).text
    assert html.count("30\u00a0nuits, la dernière le 16\u00a0septembre 2026") == 3
    assert len(html.encode()) < 60_000


async def test_invented_lists_have_their_nights(served):
    html = (await served.client.get("/sources")).text
    assert html.count('<span class="unseen">') >= 60
    assert "liste nouvelle" in html
