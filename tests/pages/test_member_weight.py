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
BIG, CHAMBER = 1, "europarl"
FIRST = datetime.date(2024, 1, 1)
WEEKS = 130
# Every name unlike the others: one in and one out of the same given name would be one person renamed.
NAMES = lists.many(1, WEEKS + 308)[1][300:]


def staff(week: int) -> dict[int, list[str]]:
    """A week's list: in the big office one comes and one goes each week, the others stay as they are."""
    found = lists.many(60)
    found[BIG] = NAMES[week : week + 9]
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
