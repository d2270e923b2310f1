from __future__ import annotations

import pytest

from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.run import Run
from parlement_lists.tracking.state import TrackingState
from tests.tracking.windows import (
    DATA,
    MISSING,
    REFERENCE,
    available,
    counts,
    follow,
    list_files,
    renamed,
)

WINDOWS = available()
pytestmark = pytest.mark.skipif(not WINDOWS, reason=MISSING)
DAILY = [name for name, window in WINDOWS.items() if window["source"] == "suivi"]


@pytest.fixture(scope="module")
def members() -> Members:
    return Members.read(DATA / "elus")


@pytest.mark.parametrize("name", REFERENCE)
def test_a_window_counts_as_the_reference_does(name: str, members: Members) -> None:
    run, reference = follow(WINDOWS[name], members), REFERENCE[name]
    mine = counts(run)
    mine = mine._replace(
        arrivals=mine.arrivals + renamed(run), departures=mine.departures + renamed(run)
    )
    assert mine.refused == reference.refused
    for counted, expected in zip(mine, reference, strict=True):
        assert abs(counted - expected) <= 0.01 * expected


# Of 54 in all the lists at hand, 52 are women's; three pairs of names are taken back later.
RENAMED = {
    "an-calme-2022": 1,
    "an-legislature-2022": 8,
    "an-encodage-2018": 1,
    "se-calme-2019": 1,
    "se-asterisques-2017": 3,
    "an-quotidien-2020": 2,
    "se-quotidien-2018": 2,
    "an-mensuel": 24,
    "se-mensuel": 27,
}


@pytest.mark.parametrize("name", WINDOWS)
def test_only_broken_lists_are_refused_and_new_family_names_are_no_movements(
    name: str, members: Members
) -> None:
    run = follow(WINDOWS[name], members)
    assert renamed(run) == RENAMED.get(name, 0)
    records = run.result.report.records
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


@pytest.mark.parametrize("name", DAILY)
def test_a_window_day_by_day_is_the_window_at_once(name: str, members: Members) -> None:
    state = TrackingState()
    published = {}
    for file in list_files(WINDOWS[name]):
        result = Run(state, members, Corrections(), "suivi").feed([file])
        published |= result.added
    published |= Run(state, members, Corrections(), "suivi").settle()
    assert published == follow(WINDOWS[name], members).result.added
