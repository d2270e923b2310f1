"""What keeping a copy costs and loses, measured again: the table of benchmarks/README.md says the same."""

from __future__ import annotations

import pytest

from benchmarks.copies import DAYS, MOVEMENTS, SEED, Figures, Wrong, judged, measure
from benchmarks.copying import AllPages, ChangedFile, CopyFrom, Feed, SinceYesterday, WholeFile
from benchmarks.history import LATE, MASKED, WITHDRAWN, Movement, states
from tests.docs.tables import rows, text

RIGHT = Wrong(0, 0, 0, 0)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Figures]:
    found = measure(MOVEMENTS, DAYS, SEED, tmp_path_factory.mktemp("copies"))
    return {figures.way: figures for figures in found}


@pytest.mark.process
def test_the_table_tells_what_is_measured(measured: dict[str, Figures]) -> None:
    told = rows(text("../benchmarks/README.md"), "way")
    assert [row[0] for row in told] == list(measured)
    for way, charged, kilobytes, *wrong in told:
        figures = measured[way]
        assert (int(charged), [int(one) for one in wrong]) == (figures.charged, [*figures.wrong])
        # Random identifiers and instants are in them.
        assert int(kilobytes) == pytest.approx(figures.bytes / 1000, rel=0.05, abs=1)


@pytest.mark.process
def test_files_and_the_feed_leave_nothing_wrong(measured: dict[str, Figures]) -> None:
    for way in (WholeFile, ChangedFile, Feed, CopyFrom):
        assert measured[way.name].wrong == RIGHT
    assert measured[Feed.name].bytes < measured[ChangedFile.name].bytes / 3
    # The day that published nothing.
    assert measured[ChangedFile.name].charged == measured[WholeFile.name].charged - 1


@pytest.mark.process
def test_asking_for_yesterday_misses_what_is_late_and_keeps_what_is_gone(
    measured: dict[str, Figures],
) -> None:
    wrong = measured[SinceYesterday.name].wrong
    published = DAYS - 1
    assert wrong.doubled == 0
    assert wrong.missing >= published * LATE  # and what was published again without its name
    assert wrong.names >= published * MASKED
    assert 0 < wrong.withdrawn <= DAYS * WITHDRAWN


@pytest.mark.process
def test_a_walk_that_a_publication_tears_doubles_and_misses(measured: dict[str, Figures]) -> None:
    wrong = measured[AllPages.name].wrong
    assert wrong.doubled > 0
    assert wrong.missing > 0
    assert measured[AllPages.name].charged > 5 * measured[Feed.name].charged


def test_a_copy_is_judged_row_by_row() -> None:
    published = [Movement("a", "Zoé INVENTÉE"), Movement("b", ""), Movement("c", "")]
    assert judged(published, published, {"Zoé FICTIVE"}) == RIGHT
    kept = [published[0], published[0], Movement("d", ""), Movement("e", "Zoé FICTIVE")]
    assert judged(kept, published, {"Zoé FICTIVE"}) == Wrong(1, 2, 1, 1)


def test_the_invented_days_are_always_the_same() -> None:
    assert states(50, 3, 1) == states(50, 3, 1)
    assert states(50, 3, 1) != states(50, 3, 2)
