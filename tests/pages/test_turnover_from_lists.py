"""The turnover of the Sénat's real offices over a hole: as the lists alone give it, ten of them counted by hand."""

from __future__ import annotations

import random
from contextlib import closing

import pytest

from datasette_mouvements.dataset.served.snapshot import Snapshot
from datasette_mouvements.dataset.turnover import ChamberFigures, NotGiven, Turnover
from datasette_mouvements.pages.counts.counting import count
from parlement_lists.tracking.reading.walk import walk
from tests.tracking.windows import DATA, MISSING

from .expected_pages import Chamber
from .test_pages_from_lists import built

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=MISSING)
# All lists of 2018, but for 10 to 30 January.
LISTS, HOLE = "se-quotidien-2018", ("2018-01-09", "2018-01-31")
SEED = 24
# Who left, of how many, in the order in which the offices are drawn: counted on the rows of the lists. Of the
# second one person left in the hole, as of the eighth; of the fourth one is back; of the seventh all left
# with the member.
BY_HAND = [(0, 3), (2, 5), (0, 3), (2, 6), (1, 4), (2, 5), (0, 3), (3, 7), (1, 3), (0, 3)]


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[ChamberFigures, Chamber]:
    """The figures of the chamber, and its lists."""
    folder = tmp_path_factory.mktemp("turnover")
    files = list(walk([DATA / "archives" / f"{LISTS}.tar.xz"]).files)
    real = built(folder, files, "2019-01-01")
    with closing(Snapshot(real.database)) as snapshot:
        return count(snapshot).figures["senat"], real.chambers["senat"]


def test_ten_offices_drawn_by_a_seed_are_as_counted_by_hand(
    counted: tuple[ChamberFigures, Chamber],
) -> None:
    figures, lists = counted
    names: dict[str, list[frozenset[str]]] = {}
    for day in lists.days.values():
        for member, there in day.items():
            names.setdefault(member, []).extend(there)
    changed = [
        member
        for member, of in sorted(names.items())
        if len(set(of)) > 2 and any(of.count(name) < len(lists.days) for name in of)
    ]
    drawn = [figures.offices[m].turnover for m in random.Random(SEED).sample(changed, len(BY_HAND))]
    assert [(one.left, one.people) for one in drawn if isinstance(one, Turnover)] == BY_HAND
    assert {one.holes for one in drawn} == {(HOLE,)}


def test_every_office_is_as_the_lists_give_it(counted: tuple[ChamberFigures, Chamber]) -> None:
    figures, lists = counted
    assert lists.inside == [HOLE]
    wrong, given = [], 0
    for member in {stay.member for stay in lists.stays}:
        year, found = lists.year(lists.by_member[member]), figures.offices[member].turnover
        if isinstance(found, NotGiven):
            wrong += [member] * (year.rate is not None or found.gap is not None)
        else:
            given += 1
            wrong += [member] * (found[:2] != (len(year.left), len(year.people)))
    assert (wrong, given) == ([], 255)
