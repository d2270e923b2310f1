"""The calendar of weeks: which there are, what the lists of a chamber know of one."""

from __future__ import annotations

import pytest

from datasette_mouvements.dataset.coverage import Coverage, Gap
from datasette_mouvements.pages.weeks import calendar
from datasette_mouvements.pages.weeks.calendar import Account, Calendar, charted, read, week_of


def named(name: str) -> calendar.Week:
    found = read(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("day", "name", "since", "until"),
    [
        ("2026-11-20", "2026-W47", "2026-11-16", "2026-11-22"),
        ("2027-01-03", "2026-W53", "2026-12-28", "2027-01-03"),  # a Sunday of the year before
        ("2025-12-29", "2026-W01", "2025-12-29", "2026-01-04"),
    ],
)
def test_a_week_is_that_of_iso_8601(day: str, name: str, since: str, until: str) -> None:
    week = week_of(day)
    assert (week.name, week.since, week.until) == (name, since, until)
    assert read(name) == week


@pytest.mark.parametrize(
    "name",
    ["", "2026-47", "2026-W00", "2025-W53", "2026-W471", "2026-w47", "0000-W01", "２０２６-W47"],
)
def test_what_is_no_week_is_none(name: str) -> None:
    assert read(name) is None


CALENDAR = Calendar(
    {
        "senat": ["2026-09-01", "2026-09-03", "2026-09-30", "2026-10-08"],
        "assemblee": ["2026-09-02"],
    },
    ["2026-11-04"],
)


def test_there_are_the_weeks_with_a_list_or_a_movement_and_no_others() -> None:
    walked, week = [], CALENDAR.newest
    while week:
        walked.append(week.name)
        assert CALENDAR.has(week)
        before = CALENDAR.before(week)
        assert before is None or CALENDAR.after(before) == week
        week = before
    assert walked == ["2026-W45", "2026-W41", "2026-W40", "2026-W36"]
    assert not CALENDAR.has(named("2026-W37"))
    assert CALENDAR.after(named("2026-W37")) == named("2026-W40")
    assert CALENDAR.after(named("2026-W45")) is None
    assert CALENDAR.last == "2026-11-04"


def test_without_lists_and_movements_there_is_no_week() -> None:
    assert Calendar({}, []).newest is None


def test_a_chamber_s_account_of_a_week_is_its_last_list_or_the_days_without_any() -> None:
    assert CALENDAR.account(named("2026-W36"), "senat") == Account(last="2026-09-03")
    assert CALENDAR.account(named("2026-W38"), "senat") == Account(
        missing=Gap("2026-09-03", "2026-09-30")
    )
    assert CALENDAR.account(named("2026-W35"), "senat") == Account(missing=Gap("", "2026-09-01"))
    assert CALENDAR.account(named("2026-W40"), "assemblee") == Account(
        missing=Gap("2026-09-02", "")
    )
    assert CALENDAR.account(named("2026-W36"), "europarl") is None


@pytest.mark.parametrize(("day", "hole"), [("2026-09-11", False), ("2026-09-12", True)])
def test_more_than_ten_days_to_the_next_list_are_a_hole(day: str, hole: bool) -> None:
    account = Calendar({"senat": ["2026-09-01", day]}, []).account(week_of(day), "senat")
    assert account == Account(day, over=Gap("2026-09-01", day) if hole else None)


def test_the_week_in_which_a_hole_ends_says_which() -> None:
    ended = Account(last="2026-09-30", over=Gap("2026-09-03", "2026-09-30"))
    assert CALENDAR.account(named("2026-W40"), "senat") == ended
    # Eight days are no hole.
    assert CALENDAR.account(named("2026-W41"), "senat") == Account(last="2026-10-08")


KNOWN = {
    "senat": Coverage("2026-06-01", "2026-09-20", holes=(Gap("2026-08-01", "2026-08-20"),)),
    "assemblee": Coverage("2026-07-20", "2026-08-31"),
    "europarl": Coverage(),
}
COUNTS = {
    **{("senat", "2026-07-13"): 8, ("senat", "2026-08-17"): 90, ("senat", "2026-09-14"): 4},
    **{
        ("assemblee", "2026-08-24"): 5,
        ("assemblee", "2026-08-31"): 7,
        ("europarl", "2026-09-14"): 3,
    },
}


def test_the_chart_has_no_number_for_a_week_of_a_hole_or_before_the_first_list() -> None:
    chart = charted(named("2026-W38"), KNOWN, COUNTS)
    # From the week of 29 June to that of 14 September; the hole is in four of them.
    assert [bar.movements for bar in chart.bars] == [0, 0, 8, 0, *[None] * 4, 0, 0, 0, 4]
    assert [bar.height for bar in chart.bars][2:3] == [calendar.BAR_HEIGHT]
    assert chart.median == 0
    # The chamber was first read in the third week that is shown.
    late = charted(named("2026-W38"), {"senat": Coverage("2026-08-31", "2026-09-20")}, COUNTS)
    assert [bar.movements for bar in late.bars][-4:] == [None, None, 0, 4]
    assert late.median is None


def test_a_week_is_compared_with_weeks_of_the_chambers_of_which_it_is_known() -> None:
    chart = charted(named("2026-W38"), KNOWN, COUNTS)
    assert chart.chambers == ["senat"]  # the lists of the Assemblée stopped before
    both = charted(named("2026-W36"), KNOWN, COUNTS)
    assert both.chambers == ["senat", "assemblee"]
    assert [bar.movements for bar in both.bars] == [*[None] * 10, 5, 7]
    # The week in which a hole of one ends is told of the other.
    ended = charted(named("2026-W34"), KNOWN, COUNTS)
    assert ended.chambers == ["assemblee"]
    assert [bar.movements for bar in ended.bars][-5:] == [None, 0, 0, 0, 0]
    assert charted(named("2026-W40"), KNOWN, COUNTS).told is False
