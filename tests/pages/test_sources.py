"""The page of the sources: a square a night, in words too, and nothing said of nights nobody knows of."""

from __future__ import annotations

import datetime
import re
import shutil
from collections import Counter
from contextlib import closing

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.nights import COLUMNS, LISTED, Night
from datasette_mouvements.pages.charts.year_of_nights import MOST_SPELLS, Square, draw
from datasette_mouvements.pages.sources import SIGNS, squares, why
from datasette_mouvements.pages.words.labels import OUTCOMES

from .conftest import Read

NOW = datetime.datetime(2026, 9, 16, 12, tzinfo=datetime.UTC)
TODAY = NOW.date()


def night(day, source, outcome, *others, **named):
    return Night(day, source, source, outcome, *others, **named)


NIGHTS = [
    night("2026-09-13", "", "reussie"),
    night("2026-09-13", "senat", "nouvelle", original="par-senateur.pdf"),
    night("2026-09-15", "", "alarme"),
    night("2026-09-15", "senat", "refusee", "trop d’élus disparus", "25,0 %"),
    night(
        "2026-09-15",
        "assemblee",
        "echouee",
        "original non obtenu",
    ),
]


def test_every_outcome_of_a_source_has_a_sign_of_its_own_and_words():
    assert len(set(SIGNS.values())) == len(SIGNS)
    assert SIGNS.keys() - {""} < OUTCOMES.keys()


def test_a_night_without_a_run_is_silent_and_one_before_the_first_or_today_is_not_known():
    days = [f"2026-09-{day}" for day in range(12, 17)]
    own = [one for one in NIGHTS if one.source == "senat"]
    found = [square.outcome for square in squares(own, days)]
    assert found == ["", "nouvelle", "muette", "refusee", ""]


def test_a_reason_is_told_with_its_figure():
    told = why(NIGHTS[3])
    assert told == "liste refusée, trop d’élus disparus (25,0\u202f%)"


def publish(path, nights):
    """Put nights into a file."""
    with closing(sqlite3.connect(path)) as db, db:
        places = ", ".join("?" * len(Night._fields))
        db.executemany(f"insert into nuits ({COLUMNS}) values ({places})", nights)


@pytest.mark.asyncio
async def test_thirty_nights_are_a_table_that_is_read_without_colour(make, listed, tmp_path):
    path = tmp_path / "movements.db"
    shutil.copy(listed, path)
    empty = await make(path=path, now=NOW)
    assert "Aucun passage n’est noté" in Read((await empty.client.get("/sources")).text).text
    publish(path, NIGHTS)
    datasette = await make(path=path, now=NOW)
    answer = await datasette.client.get("/sources")
    assert answer.status_code == 200
    html = answer.text
    heads = re.findall(r'<th scope="col"><abbr title="([^"]+)">(\d+)</abbr>', html)
    assert [number for _, number in heads] == ["13", "14", "15", "16"]
    chambers = re.findall(r'<th scope="row">.*?(Assemblée|Sénat)', html)
    assert chambers[:2] == ["Assemblée", "Sénat"]
    squares_of = re.findall(
        r'<span aria-hidden="true">(.)</span><span class="unseen">([^<]+)', html
    )
    assert [sign for sign, _ in squares_of] == ["!", "+", "–", "×"]
    assert all(told for _, told in squares_of)


def test_a_year_has_a_square_for_each_night_and_each_bad_night_in_words():
    days = [(TODAY - datetime.timedelta(n)).isoformat() for n in reversed(range(371))]
    outcomes = ("nouvelle", "identique", "identique", "echouee", "echouee", "refusee", "")
    own = [
        Square(day, outcomes[n * n % 7], "?", f"raison {n // 30}")
        for n, day in enumerate(days)
        if n not in range(20, 30)
    ]
    year = draw(own, TODAY, LISTED)
    # Its Monday is the top of the last column, and nothing is before the first one.
    own = [one for one in own if one.day >= "2025-09-15"]
    drawn: Counter[str] = Counter()
    for part in year.parts:
        for outcome, path in part.paths.items():
            marks = re.findall(r"M(\d+) (\d+)h11v(\d+)h-11z", path)
            assert "".join(f"M{x} {y}h11v{h}h-11z" for x, y, h in marks) == path
            assert all(int(x) < part.width and int(y) + int(h) <= 77 for x, y, h in marks)
            drawn[outcome] += sum(int(h) // 11 for _, _, h in marks)
    assert drawn == year.counts == Counter(one.outcome for one in own if one.outcome)
    assert year.parts[-1].width == 11 * 11
    assert all(spell.since <= spell.until for spell in year.spells)
    named = {
        day: spell.told
        for spell in year.spells
        for day in days
        if spell.since <= day <= spell.until
    }
    bad = {one.day: one.told for one in own if one.outcome not in ("", *LISTED)}
    assert len(year.spells) == MOST_SPELLS
    assert named == {day: told for day, told in bad.items() if day >= min(named)}
    assert year.older


@pytest.mark.asyncio
async def test_the_worst_year_of_three_chambers_is_a_page_of_less_than_60_kb(
    make, listed, tmp_path
):
    path = tmp_path / "movements.db"
    shutil.copy(listed, path)
    worst = [
        night(
            (NOW.date() - datetime.timedelta(n)).isoformat(),
            source,
            ("nouvelle", "echouee", "echouee", "refusee")[n % 4],
            "" if n % 4 == 0 else "original non obtenu",
            "" if n % 4 == 0 else f"{n} pages",
        )
        for n in range(399)
        for source in ("assemblee", "senat", "europarl")
    ]
    publish(path, worst)
    html = (await (await make(path=path, now=NOW)).client.get("/sources")).text
    assert len(html.encode()) < 60_000
    assert html.count('class="annee"') == 3
    assert html.count("plus anciennes sont dans le tableau") == 3


@pytest.mark.asyncio
async def test_invented_lists_have_their_nights(shared, sample):
    html = (await (await shared(path=sample)).client.get("/sources")).text
    assert html.count('<span class="unseen">') >= 60
    assert "liste nouvelle" in html
