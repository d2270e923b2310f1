"""The windows of real lists, beside an independent reading of them; day by day: tests/building/test_same.py."""

from __future__ import annotations

import pytest

from tests.tracking.windows import (
    MISSING,
    REFERENCE,
    available,
    counts,
    followed,
    renamed,
)

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
    "se-debut-2015": {
        "senat/2015-05-15T0146",
        "senat/2015-05-15T0150",
        "senat/2015-06-01T0315",
    },
}


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_counts_as_the_reference_does_and_only_broken_lists_are_refused(name: str) -> None:
    found = followed(name)
    records = found.report.records
    assert len(records) == len(WINDOWS[name]["fichiers"])
    assert {r.name for r in records if r.status == "refused"} == REFUSED.get(name, set())
    assert renamed(found) == RENAMED.get(name, 0)
    if name in REFERENCE:
        # New family names are no movements here; the reference calls them a departure and an arrival.
        more = renamed(found)
        arrivals, departures, *others = counts(found)
        for count, expected in zip(
            (arrivals + more, departures + more, *others), REFERENCE[name], strict=True
        ):
            assert abs(count - expected) <= 0.01 * expected
