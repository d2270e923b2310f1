from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest

from parlement_lists.tracking.guard import examine
from parlement_lists.tracking.reading.lists import List, ListRefused, Reader
from tests.tracking.lists import data, list_, many

STAFF = many(200, 3)
BEFORE = list_("senat", "2026-09-01", STAFF)
RENEWAL = [datetime.date(2026, 9, 2)]


def refusal(
    after: List, before: List | None = BEFORE, renewals: list[datetime.date] | None = None
) -> str:
    try:
        examine(after, before, renewals or ())
    except ListRefused as refused:
        return f"{refused.reason} {refused}"
    return ""


def shifted() -> dict[int, list[str]]:
    """From some row on, the column of staff is one row too high."""
    names = [name for staff in STAFF.values() for name in staff]
    moved = names[:100] + names[101:] + names[100:101]
    return {n: moved[3 * n - 3 : 3 * n] for n in STAFF}


def test_an_ordinary_day_passes() -> None:
    after = {**STAFF, 7: [*STAFF[7], "Une NOUVELLE"], 9: STAFF[9][1:], 12: []}
    assert refusal(list_("senat", "2026-09-02", after)) == ""


@pytest.mark.rule("record-list-beside")
@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({}, "empty"),
        ({n: s for n, s in STAFF.items() if n % 8}, "vanished 12.5%"),
        (shifted(), "shifted 27."),
        (
            {n: [f"{name}x" * 3 for name in s[:2]] + s[2:] for n, s in STAFF.items()},
            "changed 66.7%",
        ),
        ({n: s[:1] for n, s in STAFF.items()}, "changed 66.7%"),
        (
            {n: [f"Mxe9lody {s[0]}", *s[1:]] if n < 20 else s for n, s in STAFF.items()},
            "encoding 3.2%",
        ),
        (
            {n: [f"MÃ©lody {s[0]}", *s[1:]] if n < 20 else s for n, s in STAFF.items()},
            "encoding 3.2%",
        ),
    ],
)
def test_a_broken_list_is_refused_with_its_figure(after: dict[int, list[str]], said: str) -> None:
    assert refusal(list_("senat", "2026-09-02", after)).startswith(said)


@pytest.mark.rule("record-list-alone")
def test_rows_without_a_member_refuse_a_first_list_too() -> None:
    good = list_("senat", "2026-09-01", STAFF)
    assert "3.3% rows without a member" in refusal(good._replace(without_member=20), before=None)
    assert refusal(good._replace(without_member=6), before=None) == ""
    assert "not what the header says" in refusal(good._replace(unreadable=20), before=None)


def test_a_hiring_wave_passes_within_weeks_and_twice_the_staff_never() -> None:
    few = list_("senat", "2026-09-01", {n: s[:2] for n, s in STAFF.items()})
    assert refusal(list_("senat", "2026-09-12", STAFF), before=few) == ""
    assert "33.3% new pairs" in refusal(list_("senat", "2026-09-02", STAFF), before=few)
    assert refusal(list_("senat", "2026-09-02", STAFF), few, RENEWAL) == ""
    twice = {n: [*s, *(f"AUTRE{name}" for name in s)] for n, s in STAFF.items()}
    for day, renewals in (("2026-09-02", RENEWAL), ("2026-10-20", None)):
        assert "50.0% new pairs" in refusal(list_("senat", day, twice), renewals=renewals)


def test_within_days_less_may_change_than_within_weeks() -> None:
    several = {n: [*s[:2], f"Une{n} NOUVELLE{n}"] if n % 2 else s for n, s in STAFF.items()}
    assert "16.7% pairs replaced within days" in refusal(list_("senat", "2026-09-11", several))
    assert refusal(list_("senat", "2026-09-12", several)) == ""
    assert refusal(list_("senat", "2026-09-11", several), renewals=RENEWAL) == ""
    fewer = {n: s[:2] if n % 2 else s for n, s in STAFF.items()}
    assert "16.7% pairs gone" in refusal(list_("senat", "2026-09-11", fewer))
    assert refusal(list_("senat", "2026-09-12", fewer)) == ""


def test_a_group_that_is_missing_is_noticed_within_days() -> None:
    staff = many(600)
    before = list_("assemblee", "2026-09-01", staff)
    after = {n: s for n, s in staff.items() if n % 28}
    assert "vanished 3.5%" in refusal(list_("assemblee", "2026-09-02", after), before)
    assert refusal(list_("assemblee", "2026-09-20", after), before) == ""


@pytest.mark.parametrize("codec", ["latin-1", "cp1252", "mac_roman", "cp437", "cp850"])
def test_letters_read_in_another_code_page_are_noticed(codec: str) -> None:
    spoiled = {
        n: [f"Mélodie{n} {name}".encode().decode(codec) for name in s[:1]] + s[1:]
        for n, s in STAFF.items()
    }
    assert refusal(list_("senat", "2026-09-02", spoiled), before=None).startswith("encoding")


@pytest.mark.parametrize("rewrite", [str.upper, str.lower, str.title])
def test_names_all_written_another_way_are_the_same_names(rewrite: Callable[[str], str]) -> None:
    before = {n: [f"{name}-LÉVÊQUE" for name in s] for n, s in STAFF.items()}
    bare = str.maketrans("ÉÊéê", "EEee")
    for table in ({}, bare):
        after = {n: [rewrite(x).translate(table) for x in s] for n, s in before.items()}
        assert (
            refusal(list_("senat", "2026-09-02", after), list_("senat", "2026-09-01", before)) == ""
        )


@pytest.mark.rule("record-list-renewal")
def test_on_a_renewal_half_the_members_may_vanish() -> None:
    half = list_("senat", "2026-09-02", {n: s for n, s in STAFF.items() if n % 2})
    assert "vanished 50.0%" in refusal(half)
    assert refusal(half, renewals=RENEWAL) == ""


def test_the_staff_of_new_members_is_no_hiring_wave() -> None:
    few = {n: s[:1] for n, s in STAFF.items() if n <= 80}
    after = list_("senat", "2026-09-02", {**STAFF, **few})
    assert refusal(after, list_("senat", "2026-09-01", few), RENEWAL) == ""


def test_a_list_rebuilt_from_intervals_is_not_compared() -> None:
    half = list_("senat", "2026-09-02", {n: s for n, s in STAFF.items() if n % 2})
    assert refusal(half._replace(rebuilt=True)) == ""
    assert refusal(half._replace(rebuilt=True, rows=0)).startswith("empty")


@pytest.mark.rule("record-list-alone")
def test_rows_that_say_nothing_are_no_list() -> None:
    (header, *_) = data("senat", STAFF).split(b"\n")
    blank = Reader().read(header + b"\n\n\n\n", "senat", BEFORE.date)
    assert refusal(blank, before=None) == "empty no row of the list can be read"


def test_after_an_empty_list_that_was_accepted_any_list_passes() -> None:
    empty = BEFORE._replace(pairs={}, rows=0)
    assert refusal(list_("senat", "2026-09-02", STAFF), empty) == ""


@pytest.mark.rule("record-list-beside")
def test_after_a_long_gap_the_limits_widen() -> None:
    after = {n: s for n, s in STAFF.items() if n % 8}
    assert "vanished" in refusal(list_("senat", "2026-11-01", after))
    assert refusal(list_("senat", "2027-03-01", after)) == ""


@pytest.mark.parametrize(
    ("chamber", "seats", "passes"),
    [("europarl", 79, 5), ("senat", 348, 10), ("assemblee", 577, 17)],
)
def test_few_members_vanish_overnight_in_any_chamber(chamber: str, seats: int, passes: int) -> None:
    staff = many(seats)
    before = list_(chamber, "2026-09-01", staff)
    for gone, said in ((passes, ""), (passes + 1, f"{passes + 1} of {seats} (limit {passes})")):
        after = {n: s for n, s in staff.items() if n > gone}
        found = refusal(list_(chamber, "2026-09-02", after), before)
        assert found.endswith(said)
        assert bool(found) == bool(said)


def test_more_may_leave_a_small_chamber_within_weeks() -> None:
    staff = many(79)
    before = list_("europarl", "2026-09-01", staff)
    six, seven = ({n: s for n, s in staff.items() if n > gone} for gone in (6, 7))
    assert refusal(list_("europarl", "2026-09-16", six), before) == ""
    assert "7 of 79 (limit 6)" in refusal(list_("europarl", "2026-09-16", seven), before)
