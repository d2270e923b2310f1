"""How far a movements file reaches, by the lists that it tells of."""

from __future__ import annotations

import datetime
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.coverage import Coverage, Gap, coverage, covered

TODAY = datetime.date(2026, 9, 20)


@pytest.mark.parametrize(
    ("lists", "last", "refused"),
    [
        ("", "", ""),
        ("01 acceptee, 02 retenue", "2026-09-02", ""),
        ("01 refusee, 02 acceptee, 03 refusee, 04 refusee", "2026-09-02", "2026-09-03"),
        # Of one day: the time of day tells which came first.
        ("02T0146 acceptee, 02T0800 refusee", "2026-09-02", "2026-09-02"),
        ("02T0146 acceptee, 02T0800 acceptee", "2026-09-02", ""),
        ("02 refusee, 09 refusee", "", "2026-09-02"),
    ],
)
def test_the_last_list_accepted_and_the_first_refused_since(
    database: Path, lists: str, last: str, refused: str
) -> None:
    of_senate = [("senat", *list_.split()) for list_ in filter(None, lists.split(", "))]
    rows = [
        (
            f"{chamber}/2026-09-{day}",
            chamber,
            f"2026-09-{day[:2]}",
            status,
            "",
            "",
            0,
            0,
            0,
            0,
            None,
        )
        for chamber, day, status in (*of_senate, ("europarl", "30", "acceptee"))
    ]
    with closing(sqlite3.connect(database)) as db:
        db.executemany(f"insert into listes values ({', '.join('?' * 11)})", rows)
        found = coverage(db)
    assert found["assemblee"] == Coverage()
    assert (found["senat"].last, found["senat"].refused_since) == (last, refused)
    assert found["senat"].number == lists.count("acceptee") + lists.count("retenue")
    assert found["europarl"] == Coverage("2026-09-30", "2026-09-30", number=1)


def test_a_chamber_is_late_when_its_last_list_is_older_than_so_many_days() -> None:
    one = Coverage("2026-09-01", "2026-09-10")
    assert (one.age(TODAY), one.late(TODAY, 10), one.late(TODAY, 9)) == (10, False, True)


def test_without_lists_nothing_is_late_and_no_period_is_known() -> None:
    none = Coverage(refused_since="2026-09-01")
    assert (none.age(TODAY), none.late(TODAY, 1)) == (None, False)
    assert none.gap_across("2026-09-01", "2026-09-01") == Gap("", "")
    assert none.year == ("", "")
    assert none.gap_across(*none.year) == Gap("", "")


def of_days(*days: str, refused: tuple[str, ...] = ()) -> Coverage:
    rows = [(f"senat/{day}", "senat", day[:10], "acceptee", "") for day in days]
    rows += [(f"senat/{day}", "senat", day[:10], "refusee", "liste vide") for day in refused]
    return covered(reversed(rows))["senat"]


def test_a_refused_list_fills_no_hole_and_a_held_one_does() -> None:
    holed = of_days("2026-01-01", "2026-01-12", refused=("2026-01-06",))
    assert holed.holes == holed.up_to("2026-01-12").holes != ()
    # As it was known on the day of the list before.
    assert holed.up_to("2026-01-01").holes == ()
    held = ("senat/2026-01-06", "senat", "2026-01-06", "retenue", "", "", 0, 0, 0, 3)
    rows = [(f"senat/{day}", "senat", day, "acceptee", "") for day in ("2026-01-01", "2026-01-12")]
    assert covered([*rows, held])["senat"].holes == ()


def test_a_list_that_a_maintainer_refused_is_waited_for_by_nobody() -> None:
    rows = [
        ("senat/2026-01-01", "senat", "2026-01-01", "acceptee", ""),
        ("senat/2026-01-02", "senat", "2026-01-02", "refusee", "refusée par une correction"),
    ]
    assert covered(rows)["senat"] == Coverage("2026-01-01", "2026-01-01", number=1)
    rows += [("senat/2026-01-03", "senat", "2026-01-03", "refusee", "liste vide")]
    assert covered(rows)["senat"].refused_since == "2026-01-03"


def test_a_hole_tells_its_lists_and_the_days_between_them() -> None:
    hole = Gap("2020-07-29", "2020-11-02")
    assert (hole.days, hole.since, hole.until) == (96, "2020-07-30", "2020-11-01")
    assert Gap("", "2015-05-13").since == Gap("2023-10-31", "").until == ""


# Lists of all days, but for 2020-03-11 to 2020-03-30: HOLE is those 20 days.
HOLE = Gap("2020-03-10", "2020-03-31")
ONE = Coverage("2020-01-05", "2020-12-20", "", (HOLE,))


@pytest.mark.parametrize(
    ("since", "until", "gap"),
    [
        ("2020-01-04", "2020-02-01", Gap("", "2020-01-05")),
        ("2020-01-01", "2020-12-31", Gap("", "2020-01-05")),  # the earlier of both
        ("2020-03-01", "2020-03-11", HOLE),  # what changed on that day is dated after it
        ("2020-03-11", "2020-03-30", HOLE),  # all its days, but not the one that dates what changed
        ("2020-03-12", "2020-12-20", HOLE),  # one of its days is before
        # All its days are before, and what changed is dated here.
        ("2020-03-31", "2020-04-30", HOLE),
        ("2020-04-01", "2020-12-21", Gap("2020-12-20", "")),
    ],
)
def test_a_period_with_a_hole_across_an_end_is_not_known(since: str, until: str, gap: Gap) -> None:
    assert ONE.gap_across(since, until) == gap


@pytest.mark.parametrize(
    ("since", "until"),
    [
        ("2020-01-05", "2020-03-10"),  # from the first list to the last before the hole
        ("2020-04-01", "2020-12-20"),  # from the day after it to the last list
        ("2020-03-11", "2020-12-20"),  # it begins on the first day: all changed after that
        ("2020-03-01", "2020-03-31"),  # the last day dates what changed in it
    ],
)
def test_a_hole_within_a_period_leaves_it_known(since: str, until: str) -> None:
    assert ONE.gap_across(since, until) is None


def test_of_two_holes_the_one_across_an_end_is_the_reason() -> None:
    first, second = Gap("2020-02-01", "2020-02-29"), Gap("2020-02-29", "2020-03-31")
    two = ONE._replace(holes=(first, second))
    assert two.gap_across("2020-02-02", "2020-03-31") is None
    assert two.gap_across("2020-02-03", "2020-03-31") == first
    assert two.gap_across("2020-02-02", "2020-03-30") == second
    assert two.gap_across("2020-03-01", "2020-03-31") is None


@pytest.mark.parametrize(("day", "found"), [("2026-01-11", False), ("2026-01-12", True)])
def test_ten_days_across_an_end_of_a_period_are_no_hole(day: str, found: bool) -> None:
    known = of_days("2025-12-31", "2026-01-01", day)
    assert bool(known.gap_across("2026-01-03", day)) == found
    assert bool(known.gap_across("2026-01-01", "2026-01-05")) == found


@pytest.mark.parametrize(
    ("last", "since"),
    [
        ("2026-09-20", "2025-09-21"),
        ("2025-12-31", "2025-01-01"),
        ("2024-02-29", "2023-03-01"),  # 2023 had no such day
        ("2025-02-28", "2024-02-29"),  # 366 days
    ],
)
def test_the_year_is_the_twelve_months_that_end_with_the_last_list(last: str, since: str) -> None:
    assert Coverage("2020-01-01", last).year == (since, last)
