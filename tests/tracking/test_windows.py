"""The windows of real lists, beside an independent reading of them, at once and day by day."""

from __future__ import annotations

import pytest

from parlement_lists.movement import Movement
from tests.tracking.lists import tracked
from tests.tracking.windows import (
    MISSING,
    REFERENCE,
    available,
    counts,
    followed,
    known_members,
    list_files,
    renamed,
)

WINDOWS = available()
pytestmark = pytest.mark.skipif(not WINDOWS, reason=MISSING)
DAILY = [name for name, window in WINDOWS.items() if window["source"] == "suivi"]


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


@pytest.mark.rule("record-same")
@pytest.mark.parametrize("name", DAILY)
def test_a_window_day_by_day_is_the_window_at_once(name: str) -> None:
    """Rebuilt after each of six of its lists, spread over it; the last is the whole."""
    files = list_files(WINDOWS[name])
    published: dict[str, Movement] = {}
    for number in [*range(1, len(files), max(1, len(files) // 6)), len(files)]:
        now = {m.id: m for m in tracked(files[:number], known_members(), kind="suivi").movements}
        for id, movement in published.items():
            # A later list may put a label right: whether the member left, how sure the day is.
            labels = {"contexte": movement.contexte, "confiance": movement.confiance}
            assert now[id]._replace(**labels) == movement
        published = now
    assert published.keys() <= {m.id for m in followed(name).movements}
