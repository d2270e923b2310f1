"""The windows of real lists, beside an independent reading of them; day by day: tests/building/test_same.py."""

from __future__ import annotations

from collections import Counter

import pytest

from parlement_lists.movement import words
from parlement_lists.tracking.reading.names import civility_and_name, near
from parlement_lists.tracking.track import Tracked
from tests.real.windows import MISSING, available, known_members, list_files
from tests.tracking.lists import tracked

WINDOWS = available()
pytestmark = pytest.mark.skipif(not WINDOWS, reason=MISSING)


# New family names, and doubled names that were put right; three pairs of names are taken back later.
RENAMED = {
    "an-calme-2022": 1,
    "an-legislature-2022": 9,
    "an-encodage-2018": 1,
    "se-calme-2019": 1,
    "se-asterisques-2017": 3,
    "an-quotidien-2020": 3,
    "se-quotidien-2018": 2,
    "an-mensuel": 26,
    "se-mensuel": 26,
}


REFUSED = {
    "an-encodage-2018": {"assemblee/2018-06-13", "assemblee/2018-06-14"},
    "se-debut-2015": {"senat/2015-05-15T0146", "senat/2015-05-15T0150", "senat/2015-06-01T0315"},
}


# Arrivals, departures and transfers that an independent reading of the same lists counts, transfers in the same step
# only; it calls who has a new family name a departure and an arrival.
REFERENCE = {
    "an-calme-2022": (77, 96, 0),
    "an-legislature-2022": (993, 1344, 18),
    "an-encodage-2018": (52, 20, 0),
    "se-renouvellement-2017": (184, 310, 0),
    "se-trou-2020": (212, 252, 47),
    "se-debut-2015": (18, 12, 0),
    "an-quotidien-2020": (1025, 985, 14),
}


def renamed(found: Tracked) -> int:
    """How many people have a name from one list to the next that is not near the one before."""
    changes = [change for record in found.report.records for change in record.renamed]
    keys = [[words(civility_and_name(c[name])[1]) for name in ("old", "new")] for c in changes]
    return sum(not near(*both) for both in keys)


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_counts_as_the_reference_does_and_only_broken_lists_are_refused(name: str) -> None:
    found = tracked(list_files(WINDOWS[name]), known_members())
    records = found.report.records
    assert len(records) == len(WINDOWS[name]["fichiers"])
    assert {r.name for r in records if r.status == "refused"} == REFUSED.get(name, set())
    more = renamed(found)
    assert more == RENAMED.get(name, 0)
    types = Counter(movement.type for movement in found.movements)
    counted = types["arrivee"] + more, types["depart"] + more, types["transfert"]
    for count, expected in zip(counted, REFERENCE.get(name, counted), strict=True):
        assert abs(count - expected) <= 0.01 * expected
