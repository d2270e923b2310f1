"""Who worked for whom on a day of real lists: what the list of that day says, read by another reader."""

from __future__ import annotations

import datetime
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing

import pytest

from datasette_mouvements.dataset.served.snapshot import Snapshot
from datasette_mouvements.dataset.served.stay_index import StayFilter
from parlement_lists.movement import plain
from tests.building.real_file import real_file
from tests.tracking.raw_lists import raw_lists, raw_rows
from tests.tracking.windows import DATA, MISSING

YEARS = {"assemblee": "an-quotidien-2020.tar.xz", "senat": "se-quotidien-2018.tar.xz"}
DAYS = 40
SETTLED = datetime.timedelta(7)  # an absence so long or shorter is none
State = dict[str, set[str]]  # member -> the words of each name


def words(text: str) -> str:
    return " ".join(sorted(set(plain(text).split())))


@pytest.fixture(scope="module")
def states() -> dict[str, dict[str, State]]:
    """Chamber -> day -> what the last list of that day says."""
    if not DATA.is_dir():
        pytest.skip(MISSING)
    found: dict[str, dict[str, State]] = {chamber: {} for chamber in YEARS}
    for chamber, archive in YEARS.items():
        for name, data in raw_lists(DATA / "archives" / archive):
            state: State = defaultdict(set)
            for row in raw_rows(data):
                state[row.member].add(words(row.full))
            found[chamber][name.partition("/")[2][:10]] = state
    return found


@pytest.fixture(scope="module")
def served(states: object) -> Iterator[Snapshot]:
    with closing(Snapshot(real_file())) as snapshot:
        yield snapshot


def away_for(of: dict[str, State], day: str, member: str, name: str) -> datetime.timedelta | None:
    """How long a list lacks somebody whom lists before and after it have; None where one of them does not."""
    days = sorted(of)
    place = days.index(day)
    before = [d for d in days[:place] if name in of[d].get(member, ())]
    after = [d for d in days[place:] if name in of[d].get(member, ())]
    if not before or (not after and days[-1] != day):
        return None
    first = next(d for d in days if d > before[-1])
    until = after[0] if after else days[-1]
    return datetime.date.fromisoformat(until) - datetime.date.fromisoformat(first)


@pytest.mark.parametrize("chamber", YEARS)
def test_the_state_of_a_day_is_that_of_its_list(
    states: dict[str, dict[str, State]], served: Snapshot, chamber: str
) -> None:
    """But for short absences, which are none, and names that were written otherwise then."""
    of = states[chamber]
    unexplained, same = 0, 0
    for day in random.Random(40).sample(sorted(of), DAYS):
        rowids = served.stays.rowids(StayFilter(chamber=chamber, day=day))
        told: State = defaultdict(set)
        for stay in json.loads(b"[%b]" % b"".join(served.stays.lines(rowids))):
            told[stay["elu_id"]].add(words(f"{stay['collab_nom']} {stay['collab_prenom']}"))
        for member in told.keys() | of[day].keys():
            listed = of[day].get(member, set())
            same += len(told[member] & listed)
            extra = {
                name
                for name in told[member] - listed
                if (away := away_for(of, day, member, name)) is None or away > SETTLED
            }
            # Each of the others is written otherwise in this list: they share a word.
            missing = listed - told[member]
            otherwise = {e for e in extra if any(set(e.split()) & set(m.split()) for m in missing)}
            unexplained += len(extra - otherwise) + max(0, len(missing) - len(otherwise))
    assert unexplained == 0
    assert same > 500 * DAYS
