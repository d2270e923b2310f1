"""The page of a name that very many offices, or members who share a contract, have had stays light."""

from __future__ import annotations

import datetime
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import Read

pytestmark = pytest.mark.asyncio
MOST = 60_000
CONTRACT, MOVED = "Ugo COMMUN", "Ève-Madeleine DE LA TOUR-PRENDS-GARDE"
GROUPING = "Accredited assistants (grouping)"
FIRST = datetime.date(2024, 1, 1)
# Three contracts, each of 58 other members: the first of them -> the weeks. Each week another office.
CONTRACTS = {1: (0, 12), 61: (10, 32), 121: (40, 48)}
STAFF = lists.many(290)
WEEKS, MOVES_TO = 48, 200


def europarl(week: int) -> bytes:
    rows = lists.rows("europarl", STAFF | {MOVES_TO + week: [*STAFF[MOVES_TO + week], MOVED]})
    for first, (begin, end) in CONTRACTS.items():
        if begin <= week <= end:
            members = [(member("europarl", n), f"Élue Numéro{n}") for n in range(first, first + 58)]
            rows += [(*one, "GRA", CONTRACT, GROUPING) for one in members]
    return lists.text(rows)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weight")
    for week in range(WEEKS):
        day = (FIRST + datetime.timedelta(7 * week)).isoformat()
        lists.write(folder / "lists", "europarl", day, europarl(week))
    environment.done("build", folder / "movements.db", "--lists", folder / "lists")
    return folder / "movements.db"


async def test_three_contracts_of_58_members_name_some_and_lead_to_all(shared, built):
    datasette = await shared({"contact": "contact@exemple.fr"}, path=built)
    answer = await datasette.client.get("/collaborateurs/commun-ugo")
    text = re.sub(r"[\s\u00a0\u202f]+", " ", Read(answer.text).text)
    assert len(answer.content) < MOST
    assert "Trois contrats communs à plusieurs membres au Parlement européen" in text
    assert text.count("Les 58 membres du contrat commun") == 3
    assert text.count(" et 38 autres ") == 3
    # The table that holds all of one contract, and of no other.
    [more] = {link for link in Read(answer.text).links if FIRST.isoformat() in link}
    assert parse_qs(urlsplit(more).query)["collab_nom"] == ["COMMUN"]
    assert "58 collaborations" in plain((await datasette.client.get(more)).text)


async def test_a_name_of_very_many_offices_shows_the_latest_and_says_how_many(shared, built):
    datasette = await shared({"contact": "contact@exemple.fr"}, path=built)
    answer = await datasette.client.get("/collaborateurs/de-la-tour-prends-garde-eve-madeleine")
    text = plain(answer.text)
    assert len(answer.content) < MOST
    assert f"{WEEKS} équipes au Parlement européen" in text
    drawn = answer.text.count('class="lane-plot"')
    assert f"Et {WEEKS - drawn} lignes plus anciennes" in text
    assert f"Élue Numéro{MOVES_TO + WEEKS - 1}" in text


def plain(html: str) -> str:
    return re.sub(r"[\s\u00a0\u202f]+", " ", Read(html).text)
