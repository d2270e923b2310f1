"""Every walk through a table, page by page, gives each row once: any filter, order, size and form.

The tables are those of invented lists, and of the real ones where they are at hand.
"""

from __future__ import annotations

import csv
import html
import io
import random
import re
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.connections import connect_read_only
from datasette_mouvements.serving.exports import TABLES
from tests.building.real_file import real_file
from tests.contract import environment
from tests.real.windows import DATA, MISSING

COMPARISONS = {"": "=", "__gte": ">=", "__lte": "<=", "__not": "<>"}
SIZES = (7, 40, 100)
# Rows from which pages are large, so that a walk is short.
MANY = 3000


class Walk(NamedTuple):
    """What is asked of a table, and the keys of the rows that it has, in any order."""

    table: str
    key: list[str]
    query: dict[str, str]
    keys: list[tuple[str, ...]]


def walks(db: sqlite3.Connection, seed: int) -> Iterator[Walk]:
    """Walks drawn by lot of tables that have rows, without end."""
    draw = random.Random(seed)
    full = [name for name in sorted(TABLES) if db.execute(f"select 1 from {name}").fetchone()]
    while True:
        table = draw.choice([*full, "mouvements", "collaborations"])
        info = db.execute(f"pragma table_info({table})").fetchall()
        columns = [row[1] for row in info]
        key = [row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]]
        query, where, values = {"_size": str(draw.choice(SIZES))}, "1", []
        column, sign = draw.choice(columns), draw.choice([*COMPARISONS])
        rows = db.execute(
            f"select {column} from {table} where {column} is not null order by rowid"
        ).fetchall()
        if rows and draw.random() < 0.6:
            (value,) = draw.choice(rows)
            query[column + sign] = str(value)
            where, values = f"{column} {COMPARISONS[sign]} ?", [value]
        if draw.random() < 0.8:
            query[draw.choice(["_sort", "_sort_desc"])] = draw.choice(columns)
        keys_found = db.execute(f"select {', '.join(key)} from {table} where {where}", values)
        keys = [tuple(map(str, row)) for row in keys_found]
        if len(keys) > MANY:
            query["_size"] = "500"
        yield Walk(table, key, query, keys)


class Reader:
    """Reads tables of a service with a key that pays for all."""

    def __init__(self, datasette: Datasette, internal: Path) -> None:
        self._datasette = datasette
        key = environment.issue("lectrice", internal, "--quota", 1_000_000)
        self._headers = {"X-API-Key": key}

    async def ask(self, path: str, **query: str) -> Any:
        address = f"{path}?{urlencode(query)}" if query else path
        answer = await self._datasette.client.get(address, headers=self._headers)
        assert answer.status_code == 200, (address, answer.text)
        return answer

    async def json(self, walk: Walk) -> list[tuple[str, ...]]:
        keys: list[tuple[str, ...]] = []
        query = dict(walk.query)
        while query.get("_next", "-"):
            page = (await self.ask(f"/movements/{walk.table}.json", **query)).json()
            keys += [tuple(str(row[name]) for name in walk.key) for row in page["rows"]]
            query["_next"] = page["next"] or ""
        return keys

    async def csv(self, walk: Walk) -> list[tuple[str, ...]]:
        answer = await self.ask(f"/movements/{walk.table}.csv", **walk.query, _stream="1")
        rows = csv.DictReader(io.StringIO(answer.text, newline=""))
        return [tuple(row[name] for name in walk.key) for row in rows]

    async def html(self, walk: Walk) -> list[tuple[str, ...]]:
        """By the links of its pages; of tables whose pages show the whole key."""
        keys: list[tuple[str, ...]] = []
        prefix = "mvt" if walk.table == "mouvements" else "col"
        links = [f"/movements/{walk.table}?{urlencode(walk.query)}"]
        while links:
            text = (await self.ask(links[0])).text
            (body,) = re.findall("<tbody.*</tbody>", text, re.DOTALL) or [""]
            keys += [(key,) for key in re.findall(rf'/({prefix}_[0-9a-f]+)"', body)]
            links = [html.unescape(link) for link in re.findall(r'href="([^"]*)" rel="next', text)]
        return keys


async def check(datasette: Datasette, internal: Path, path: Path, count: int, seed: int) -> int:
    """Walk that often; the rows seen. Every fifth walk is made in CSV too, pages with links also in HTML."""
    reader, seen = Reader(datasette, internal), 0
    with closing(connect_read_only(path)) as db:
        for number, walk in enumerate(islice(walks(db, seed), count)):
            expected = sorted(walk.keys)
            assert sorted(await reader.json(walk)) == expected, walk[:3]
            if number % 5 == 0:
                assert sorted(await reader.csv(walk)) == expected, walk[:3]
            if walk.table in ("mouvements", "collaborations") and len(expected) < 300:
                assert sorted(await reader.html(walk)) == expected, walk[:3]
            seen += len(expected)
    return seen


async def test_a_walk_gives_each_row_once(make, grouped, tmp_path):
    datasette = await make(path=grouped)
    assert await check(datasette, tmp_path / "internal-0.sqlite3", grouped, 20, seed=8) > 1000


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=MISSING)
async def test_a_walk_of_the_real_tables_gives_each_row_once(make, tmp_path):
    path = real_file()
    datasette = await make(path=path, allow_csv_stream=True)
    assert await check(datasette, tmp_path / "internal-0.sqlite3", path, 30, seed=46) > 20_000


async def test_all_forms_of_a_page_have_one_order(make, grouped, tmp_path):
    """Most rows have no value in that column: what core would order by chance."""
    reader = Reader(await make(path=grouped), tmp_path / "internal-0.sqlite3")
    with closing(connect_read_only(grouped)) as db:
        sql = "select id from mouvements order by elu_origine_nom {}, id"
        for name, way in (("_sort", ""), ("_sort_desc", "desc")):
            keys = [(key,) for (key,) in db.execute(sql.format(way))]
            walk = Walk("mouvements", ["id"], {"_size": "9", name: "elu_origine_nom"}, keys)
            for forms in (reader.json, reader.csv, reader.html):
                assert await forms(walk) == keys


async def test_a_first_page_shows_no_sign_of_the_order(shared, grouped):
    datasette = await shared({"public_url": "https://exemple.fr"}, path=grouped)
    text = (await datasette.client.get("/movements/mouvements?_size=5&type=depart")).text
    links = [html.unescape(link) for link in re.findall(r'href="([^"]*)"', text)]
    further = [link for link in links if "_next=" in link]
    assert len(further) == 1
    assert '<link rel="canonical" href="https://exemple.fr/movements/mouvements">' in text


async def test_numbers_are_those_of_all_rows_on_every_page(shared, grouped):
    datasette = await shared(path=grouped)
    with closing(connect_read_only(grouped)) as db:
        ((total,),) = db.execute("select count(*) from mouvements")
        ((of_senate,),) = db.execute("select count(*) from mouvements where chambre = 'senat'")
    first = (await datasette.client.get("/movements/mouvements?_size=5")).text
    assert f"{total}\u00a0mouvements." in first
    assert re.search(rf'chambre=senat"[^>]*>Sénat</a> <span[^>]*>{of_senate}<', first)
    (link,) = re.findall(r'href="([^"]*)" rel="next', first)
    second = (await datasette.client.get(html.unescape(link))).text
    assert f"{total}\u00a0mouvements." in second
    # Core counts the rows that are left, so nothing is said of the values.
    assert 'class="facets"' not in second
