"""Members kept of a source that dates mandates and groups: its spans replace what they overlap."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlement_lists.sources.originals import Period

from .members_seen import D1, D2, D3, D9, archive, content, dated, day, member, merge, rows
from .test_members import folder as folder


def test_dated_spans_replace_what_they_overlap(folder: Path) -> None:
    archive(
        folder,
        ["A 2012-06-20 2017-06-20", "A 2017-06-21 -", "B 2017-06-21 -", "C 2017-06-30 -"],
        ["A 2017-07-03 2020-05-01 GRA", "A 2020-05-02 - GRB", "C - - GRA"],
    )
    read = dated(
        member("A", ["2017-06-21 2022-06-21", "2022-06-22 -"], ["2020-06-01 - GRC"]),
        member("B", ["2022-06-22 -"]),
        member("C", ["2017-06-21 -"], ["2017-06-28 - GRB"]),
    )
    assert merge(folder, "senat", read, D1)
    assert rows(folder, "mandats.csv") == [
        "A 2012-06-20 2017-06-20 rc",
        "A 2017-06-21 2022-06-21 fichier",
        "A 2022-06-22 - fichier",
        "B 2017-06-21 2022-06-21 rc",
        "B 2022-06-22 - fichier",
        "C 2017-06-21 - fichier",  # nine days are another date of the same beginning
    ]
    assert rows(folder, "groupes.csv") == [
        "A 2017-07-03 2020-05-01 GRA rc",
        "A 2020-05-02 2020-05-31 GRB rc",
        "A 2020-06-01 - GRC fichier",
        "C 2017-06-28 - GRB fichier",
    ]
    before = content(folder)
    assert not merge(folder, "senat", read, D1)
    assert content(folder) == before
    assert not merge(folder, "senat", read, D2)


def test_a_source_that_dates_mandates_that_go_on_only_ends_those_it_has_no_longer(
    folder: Path,
) -> None:
    both = [member(x, ["2022-06-22 -"], ["2022-06-28 - GRA"]) for x in "AB"]
    merge(folder, "senat", dated(*both), D1)
    merge(folder, "senat", dated(member("A", ["2022-06-22 -"], ["2026-09-02 - GRB"])), D3)
    assert rows(folder, "mandats.csv") == [
        "A 2022-06-22 - fichier",
        "B 2022-06-22 2026-09-01 fichier",
    ]
    assert rows(folder, "groupes.csv") == [
        "A 2022-06-28 2026-09-01 GRA fichier",
        "A 2026-09-02 - GRB fichier",
        "B 2022-06-28 2026-09-01 GRA fichier",
    ]
    # Listed again: the day without was an error of the source's.
    merge(folder, "senat", dated(*both), D9)
    assert rows(folder, "mandats.csv") == ["A 2022-06-22 - fichier", "B 2022-06-22 - fichier"]


@pytest.mark.parametrize("origin", ["fichier", "autre"])
def test_a_beginning_that_is_dated_otherwise_is_the_same_span(folder: Path, origin: str) -> None:
    merge(folder, "senat", dated(member("A", ["2022-06-22 -"], ["2022-06-22 - GRA"])), D1)
    later = member("A", ["2022-07-23 -"], ["2022-07-01 - GRA"])
    merge(folder, "senat", dated(later, origin=origin), D2)
    assert rows(folder, "mandats.csv") == [f"A 2022-07-23 - {origin}"]
    assert rows(folder, "groupes.csv") == [f"A 2022-07-01 - GRA {origin}"]
    again = member("A", ["2022-08-24 -"], ["2022-07-02 - GRB"])
    merge(folder, "senat", dated(again, origin="tiers"), D3)
    assert rows(folder, "mandats.csv") == [
        f"A 2022-07-23 2022-08-23 {origin}",
        "A 2022-08-24 - tiers",
    ]
    assert rows(folder, "groupes.csv") == [
        f"A 2022-07-01 2022-07-01 GRA {origin}",
        "A 2022-07-02 - GRB tiers",
    ]


def test_what_was_to_begin_and_did_not_goes(folder: Path) -> None:
    merge(folder, "senat", dated(member("A", ["2022-06-22 -"]), member("B", ["2026-09-09 -"])), D1)
    assert rows(folder, "mandats.csv") == ["A 2022-06-22 - fichier", "B 2026-09-09 - fichier"]
    merge(folder, "senat", dated(member("A", ["2022-06-22 -"])), D2)
    assert rows(folder, "mandats.csv") == ["A 2022-06-22 - fichier"]


def test_a_span_that_its_source_took_back_goes(folder: Path) -> None:
    archive(folder, ["A 2022-01-01 2022-02-01"], [])
    wrong = member("A", ["2017-10-02 2020-09-30", "2021-03-01 2021-04-01", "2023-10-02 -"])
    merge(folder, "senat", dated(wrong), D1)
    right = wrong._replace(mandates=[wrong.mandates[0], wrong.mandates[2]])
    merge(folder, "senat", dated(right), D2)
    assert rows(folder, "mandats.csv") == [
        "A 2017-10-02 2020-09-30 fichier",
        "A 2022-01-01 2022-02-01 rc",
        "A 2023-10-02 - fichier",
    ]
    # What lies before the first span that is shown was true when it was shown.
    merge(folder, "senat", dated(right._replace(mandates=right.mandates[1:])), D3)
    assert len(rows(folder, "mandats.csv")) == 3


def test_a_group_whose_code_is_not_known_leaves_what_was(folder: Path) -> None:
    both = [member(x, ["2022-06-22 -"], ["2022-06-28 - GRA"]) for x in "AB"]
    merge(folder, "senat", dated(*both), D1)
    nameless = both[0]._replace(groups=[Period(day("2022-06-28"))])
    none = both[1]._replace(groups=[Period(day("2022-06-28"), D1, "GRA")])
    merge(folder, "senat", dated(nameless, none), D2)
    assert rows(folder, "groupes.csv") == [
        "A 2022-06-28 - GRA fichier",
        "B 2022-06-28 2026-09-01 GRA fichier",
    ]


def test_a_period_that_covers_no_day_is_left_out(folder: Path) -> None:
    merge(folder, "senat", dated(member("A", ["2022-06-22 2022-06-21", "2022-06-22 -"])), D1)
    assert rows(folder, "mandats.csv") == ["A 2022-06-22 - fichier"]
