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


@pytest.mark.parametrize("name", REFERENCE)
def test_a_window_counts_as_the_reference_does(name: str) -> None:
    found, reference = followed(name), REFERENCE[name]
    mine = counts(found)
    mine = mine._replace(
        arrivals=mine.arrivals + renamed(found), departures=mine.departures + renamed(found)
    )
    assert mine.refused == reference.refused
    for counted, expected in zip(mine, reference, strict=True):
        assert abs(counted - expected) <= 0.01 * expected


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


@pytest.mark.parametrize("name", WINDOWS)
def test_only_broken_lists_are_refused_and_new_family_names_are_no_movements(
    name: str,
) -> None:
    found = followed(name)
    assert renamed(found) == RENAMED.get(name, 0)
    records = found.report.records
    assert len(records) == len(WINDOWS[name]["fichiers"])
    refused = {record.name for record in records if record.status == "refused"}
    assert refused == {
        "an-encodage-2018": {"assemblee/2018-06-13", "assemblee/2018-06-14"},
        "se-debut-2015": {
            "senat/2015-05-15T0146",
            "senat/2015-05-15T0150",
            "senat/2015-06-01T0315",
        },
    }.get(name, set())


@pytest.mark.rule("record-same")
@pytest.mark.parametrize("name", DAILY)
def test_a_window_day_by_day_is_the_window_at_once(name: str) -> None:
    files = list_files(WINDOWS[name])
    published: dict[str, Movement] = {}
    for number in range(1, len(files) + 1, 3):
        now = {m.id: m for m in tracked(files[:number], known_members(), kind="suivi").movements}
        for id, movement in published.items():
            # A later list may put a label right: whether the member left, how sure the day is.
            labels = {"contexte": movement.contexte, "confiance": movement.confiance}
            assert now[id]._replace(**labels) == movement
        published = now
    at_once = {m.id for m in tracked(files, known_members(), kind="suivi").movements}
    assert published.keys() <= at_once <= {m.id for m in followed(name).movements}
