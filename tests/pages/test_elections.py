"""What the page of a year's elections counts: emptied teams, who is seen next and where, each name once."""

from __future__ import annotations

from pathlib import Path

from tests.tracking import lists
from tests.tracking.lists import member

from . import databases
from .conftest import text_of

STAFF = lists.many(60)
BEFORE, AFTER, LATER, LAST = "2022-06-21", "2022-06-23", "2022-07-04", "2022-09-01"
# Deputies who sit no more: one whose whole team passes on at once, one whose people are seen later, and one more
# who has somebody of the first one's team, too.
PASSED, SEEN, BOTH = 1, 2, 3
GONE = {PASSED: [], SEEN: [], BOTH: []}
JOINED = 10
PEOPLE = {BOTH: [*STAFF[BOTH], STAFF[PASSED][0]], SEEN: [*STAFF[SEEN], "Zoé NEUVEGLISE"]}
AT_ONCE = {JOINED: [*STAFF[JOINED], *STAFF[PASSED]]}


def build(folder: Path) -> Path:
    joined = AT_ONCE | {JOINED + 1: [*STAFF[JOINED + 1], *PEOPLE[SEEN]]}
    for day, staff in (
        (BEFORE, STAFF | PEOPLE),
        (AFTER, STAFF | GONE | AT_ONCE),
        (LATER, STAFF | GONE | joined),
        (LAST, STAFF | GONE | joined),
    ):
        lists.write(folder / "lists", "assemblee", day, staff)
    seen, host = member("assemblee", SEEN), member("assemblee", JOINED + 1)
    spans = (f"{seen},OLD,2017-07-01,2022-06-21", f"{host},GRA,2022-06-28,2022-07-31")
    # Under this name the group is known since the autumn alone, as where it has another name by then.
    groups = [f"assemblee,{span}" for span in (*spans, f"{host},NEW,2022-08-01,")]
    return databases.build(folder, databases.members(folder, groupes=groups))


async def test_emptied_teams_are_counted_and_each_name_is_told_once(make, tmp_path):
    text = await text_of(await make(path=build(tmp_path)), "/elections/2022")
    # Of the third team a name passes on from the first, and is among those off the list.
    between = "entre la liste du 21 juin 2022 et celle du 23 juin 2022"
    assert f"3 équipes vidées {between}, 6 noms retirés." in text
    seen = "De ces noms, 4 sont vus ensuite chez un autre membre jusqu’à la liste du 1 er septembre"
    assert f"{seen} 2022 ; 1 autre y passe d’une liste à la suivante." in text
    # The group after is that of the day on which a name is seen next.
    assert "Avant Après Noms OLD GRA 3" in text
    assert "NEW" not in text
