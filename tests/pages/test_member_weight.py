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
    answer = await datasette.client.get(f"/elus/{CHAMBER}/{member(CHAMBER, BIG)}")
    read = Read(answer.text)
    assert len(answer.content) < MOST
    drawn = answer.text.count('class="lane-plot"')
    assert f"{WEEKS - 1 - (drawn - 9)} autres personnes avant" in read.plain
    assert f"{2 * (WEEKS - 1)} mouvements, par année" in read.plain
    assert answer.text.count('class="badge ') >= 30
    assert "Les autres sont dans le tableau" in read.plain
    assert any(link.startswith("/movements/collaborations?") for link in read.links)


async def test_the_page_of_an_office_where_everyone_comes_back_stays_light(shared, built):
    datasette = await shared(path=built)
    answer = await datasette.client.get(f"/elus/{CHAMBER}/{member(CHAMBER, TURNING)}")
    assert len(answer.content) < MOST
    # One line a person, however often there: those of the last list, and of the others what room there is.
    drawn = answer.text.count('class="lane-plot"')
    text = Read(answer.text).plain
    assert f"{len(OTHERS) - drawn} autres personnes avant" in text
    assert re.search(r"et \d+ fois avant", text)
    assert answer.text.count('class="badge ') >= 30
