"""The first list of another source is told, and less sure."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Sequence

from parlement_lists.tracking.corrections import Corrections, Entry
from parlement_lists.tracking.reading.lists import ListFile
from parlement_lists.tracking.track import Tracked
from tests.tracking.lists import AFTER, STAFF, Staff, list_, list_file, tracked

CHANGE = ("autre source que la liste précédente", "assemblee-csv → assemblee-zip")


def on(day: str, staff: Staff, source: str) -> ListFile:
    """A list as if it were of a form of that source."""
    read = list_("assemblee", day, staff)
    return list_file("assemblee", day, dataclasses.replace(read, source=f"assemblee-{source}"))


def run(*files: ListFile, said: Sequence[Entry] = ()) -> Tracked:
    return tracked(files, corrections=Corrections(said), kind="suivi")


def told(found: Tracked) -> list[tuple[str, str, str]]:
    return [(r.status, *r.row()[4:6]) for r in found.report.records]


def test_a_list_of_another_source_is_told_and_the_next_one_is_not() -> None:
    last = {**AFTER, 8: STAFF[8][1:]}
    days = [on("2026-03-01", STAFF, "csv"), on("2026-03-02", AFTER, "zip")]
    days.append(on("2026-03-03", last, "zip"))
    found = run(*days)
    assert told(found) == [("accepted", "", ""), ("accepted", *CHANGE), ("accepted", "", "")]
    assert [line for line in found.report.lines() if line.startswith("source")] == [
        "source    assemblee/2026-03-02: assemblee-csv -> assemblee-zip: 0 gained, 1 lost"
    ]
    assert [(one["source_before"], one["source"]) for one in found.report.as_json()["lists"]] == [
        ("", "assemblee-csv"),
        ("assemblee-csv", "assemblee-zip"),
        ("", "assemblee-zip"),
    ]
    # Whom the new source lacks may have been gone before.
    later = run(*days, on("2026-03-13", last, "zip"))
    assert {m.date_event: m.confiance for m in later.movements} == {
        "2026-03-02": "moyen",
        "2026-03-03": "bot",
    }


def test_a_refused_list_is_compared_with_the_last_source_until_a_maintainer_accepts_one() -> None:
    # People are written so that nobody could say that they are the same.
    other = {**STAFF, **{n: [f"Une{n} AUTRE{n}", *STAFF[n][1:]] for n in range(1, 16)}}
    days = [on("2026-03-01", STAFF, "csv")]
    days += [on(f"2026-03-0{n}", other, "zip") for n in (2, 3)]
    found = run(*days)
    assert told(found)[1:] == [("refused", "trop de changements", "12,5 %")] * 2
    assert found.movements == []
    accepted = Entry(1, "2026-03-04", "x", "accepter", "assemblee/2026-03-02")
    assert told(run(*days, said=[accepted]))[1:] == [("accepted", *CHANGE), ("accepted", "", "")]
    # The old source's list, should it come again, changes nothing where the new one was refused.
    back = run(*days, on("2026-03-04", STAFF, "csv"))
    assert told(back)[3] == ("accepted", "", "")


def test_lists_of_two_sources_on_one_day_follow_one_another() -> None:
    found = run(
        on("2026-03-02T0700", STAFF, "csv"),
        on("2026-03-02T0800", AFTER, "zip"),
        on("2026-03-02T0800", STAFF, "csv"),
        on("2026-03-01", STAFF, "csv"),
    )
    assert [status for status, *_ in told(found)] == ["accepted", "accepted"]
    assert found.report.passed_over == ["assemblee/2026-03-02T0800", "assemblee/2026-03-01"]
    assert found.held == {("assemblee", datetime.date(2026, 3, 2)): 1}
