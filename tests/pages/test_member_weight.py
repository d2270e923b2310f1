"""The page of an office through which very many have passed is cut, and says where the rest is."""

from __future__ import annotations

import datetime
import re

import pytest

from tests.contract import environment
from tests.tracking import lists
from tests.tracking.lists import member

from .conftest import Read

pytestmark = pytest.mark.asyncio
MOST = 60_000
BIG, TURNING, CHAMBER = 1, 2, "europarl"
FIRST = datetime.date(2024, 1, 1)
WEEKS = 130
# Every name unlike the others: one in and one out of the same given name would be one person renamed.
NAMES = lists.many(1, WEEKS + 308)[1][300:]
OTHERS = lists.many(1, 292)[1][280:]


def staff(week: int) -> dict[int, list[str]]:
    """A week's list: in the big office one comes and one goes each week, the others stay as they are."""
    found = lists.many(60)
    found[BIG] = NAMES[week : week + 9]
    # Here everyone leaves, is with another office some weeks later, and comes back.
    found[TURNING], found[TURNING + 1] = [], []
    for number, name in enumerate(OTHERS):
        turn = ((week + number) // 2) % 4
        if turn in (0, 2):
            found[TURNING + turn // 2].append(name)
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weight")
    for week in range(WEEKS):
        day = (FIRST + datetime.timedelta(7 * week)).isoformat()
        lists.write(folder / "lists", CHAMBER, day, staff(week))
    environment.done("build", folder / "movements.db", "--lists", folder / "lists")
    return folder / "movements.db"


async def test_the_page_of_a_very_big_office_stays_light_and_leads_to_what_it_leaves_out(
    shared, built
):
    datasette = await shared(path=built)
    address = f"/elus/{CHAMBER}/{member(CHAMBER, BIG)}"
    answer = await datasette.client.get(address)
    read = Read(answer.text)
    text = read.plain
    assert len(answer.content) < MOST
    assert f"Ont quitté l’équipe : {WEEKS - 1} personnes" in text
    drawn = int(re.search(r"les plus récentes \((\d+) personnes sur 129\)", text)[1])
    assert answer.text.count('class="lane-plot"') == 9 + drawn
    assert f"{2 * (WEEKS - 1)} mouvements" in text
    shown = int(re.search(r"Les (\d+) plus récents sont ici", text)[1])
    assert answer.text.count('class="badge ') == shown
    assert any(link.startswith("/movements/collaborations?") for link in read.links)
    assert any(link.startswith("/explorer?") for link in read.links)


async def test_the_page_of_an_office_where_everyone_comes_back_stays_light(shared, built):
    datasette = await shared(path=built)
    answer = await datasette.client.get(f"/elus/{CHAMBER}/{member(CHAMBER, TURNING)}")
    assert len(answer.content) < MOST
    text = Read(answer.text).plain
    assert "nom vu ensuite chez Élue Numéro3, 8 à 20 jours après" in text
    shown = answer.text.count('class="badge ')
    assert shown >= 30
    assert text.count("retour : nom déjà ici") + text.count("nom revenu ici") > shown * 2 // 3


async def test_the_page_of_who_is_in_two_offices_in_turn_stays_light(shared, built):
    datasette = await shared(path=built)
    given, family = OTHERS[0].lower().split()
    answer = await datasette.client.get(f"/collaborateurs/{family}-{given}")
    assert len(answer.content) < 56_000
    assert Read(answer.text).plain.count("retour : nom déjà ici") > 20
