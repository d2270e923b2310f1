"""Which lists are refused: by themselves, and beside the last accepted one, up to each limit and past it."""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections.abc import Callable, Sequence

import pytest

from parlement_lists.tracking.guard import AWAY, examine, mostly_back
from parlement_lists.tracking.reading.lists import List, ListRefused, read_list
from tests.tracking.lists import Staff, data, list_, many, of_senate

DAY = datetime.date(2026, 3, 1)
STAFF = many(200, 5)
BEFORE = list_("senat", "2026-03-01", STAFF)
Change = Callable[[int], tuple[Staff, Staff]]


def fault(after: List, before: List | None = BEFORE, renewals: Sequence[datetime.date] = ()) -> str:
    try:
        examine(after, before, renewals)
    except ListRefused as refused:
        return f"{refused.reason} {refused}"
    return ""


def later(staff: Staff, gap: int = 1) -> List:
    return list_("senat", str(DAY + datetime.timedelta(gap)), staff)


def moved(count: int) -> tuple[Staff, Staff]:
    """So many of the 1,000 pairs have the person of the next of them."""
    first = [staff[0] for staff in STAFF.values()][:count]
    first = first[1:] + first[:1]
    return STAFF, {n: [*first[n - 1 : n], *s[n <= count :]] for n, s in STAFF.items()}


def lost(count: int) -> tuple[Staff, Staff]:
    """So many of the 1,000 pairs are gone, at members who keep others."""
    each, more = divmod(count, len(STAFF))
    return STAFF, {n: s[each + (n <= more) :] for n, s in STAFF.items()}


def gained(count: int) -> tuple[Staff, Staff]:
    """So many of the 1,000 pairs are new."""
    after, before = lost(count)
    return before, after


def grown(count: int) -> tuple[Staff, Staff]:
    """So many new pairs, at members whom the list of 1,000 pairs had not."""
    return STAFF, STAFF | {200 + n: ["Ada MOREAU"] for n in range(1, count + 1)}


def replaced(count: int) -> tuple[Staff, Staff]:
    """So many of the 1,000 pairs have a person nobody had before."""
    each, more = divmod(count, len(STAFF))
    new = {n: [f"Une{i} NOUVELLE{n}" for i in range(each + (n <= more))] for n in STAFF}
    return STAFF, {n: [*s[len(new[n]) :], *new[n]] for n, s in STAFF.items()}


def vanished(count: int, members: int = 1000) -> tuple[Staff, Staff]:
    """So many of the members have no row."""
    staff = many(members, 1)
    return staff, {n: s for n, s in staff.items() if n > count}


of_a_hundred = functools.partial(vanished, members=100)


def all_replaced(pairs: int) -> tuple[Staff, Staff]:
    """Lists of so many pairs, none of them the same."""
    return {n: ["Ada MOREAU"] for n in range(pairs)}, {n: ["Bo LENGLET"] for n in range(pairs)}


def tripled(pairs: int) -> tuple[Staff, Staff]:
    """A list of so many pairs, and one of three times as many at the same members."""
    after = many(pairs, 3)
    return {n: s[:1] for n, s in after.items()}, after


@pytest.mark.rule("record-list-beside")
@pytest.mark.parametrize(
    ("change", "gap", "passes", "said"),
    [
        (moved, 1, 20, "shifted 2.1% staff who change member at once"),
        (moved, 124, 40, "shifted 4.1% staff who change member at once"),
        (lost, 10, 150, "changed 15.1% pairs gone"),
        (lost, 11, 250, "changed 25.1% pairs gone"),
        (lost, 62, 250, "changed 25.1% pairs gone"),
        (lost, 63, 254, "changed 25.5% pairs gone"),
        (gained, 10, 250, "changed 25.1% new pairs"),
        (gained, 11, 400, "changed 40.1% new pairs"),
        (gained, 93, 600, "changed 60.1% new pairs"),
        (grown, 10, 333, "changed 25.0% new pairs"),
        (replaced, 10, 120, "changed 12.1% pairs replaced within days"),
        (vanished, 10, 30, "vanished 3.1% members who vanish"),
        (vanished, 11, 50, "vanished 5.1% members who vanish"),
        (vanished, 124, 100, "vanished 10.1% members who vanish"),
        (of_a_hundred, 10, 5, "6 of 100 (limit 5)"),
        (of_a_hundred, 11, 6, "7 of 100 (limit 6)"),
        (of_a_hundred, 124, 12, "13 of 100 (limit 12)"),
        (all_replaced, 1, 19, "changed 100.0% pairs replaced within days"),
        (tripled, 11, 19, "changed 66.7% new pairs"),
    ],
)
def test_one_more_than_a_limit_is_refused(change: Change, gap: int, passes: int, said: str) -> None:
    (before, good), (other, bad) = change(passes), change(passes + 1)
    assert fault(later(good, gap), list_("senat", str(DAY), before)) == ""
    assert f" {said}" in f" {fault(later(bad, gap), list_('senat', str(DAY), other))}"


@pytest.mark.rule("record-list-alone")
@pytest.mark.parametrize(
    ("field", "passes", "said"),
    [
        ("without_member", 10, "without_member 1.1% rows without a member"),
        ("unreadable", 10, "unreadable 1.1% rows that are not what the header says"),
        ("broken", 20, "encoding 2.1% names with broken letters"),
    ],
)
def test_one_bad_row_more_than_a_limit_is_refused(field: str, passes: int, said: str) -> None:
    for bad in (passes, passes + 1):
        if field == "broken":
            broken = {
                key: pair._replace(broken=number < bad)
                for number, (key, pair) in enumerate(BEFORE.pairs.items())
            }
            spoiled = dataclasses.replace(BEFORE, pairs=broken)
        else:
            spoiled = dataclasses.replace(BEFORE, **{field: bad})
        told = fault(spoiled, None)
        assert told == "" if bad == passes else told.startswith(said)


@pytest.mark.rule("record-list-alone")
def test_a_list_of_no_rows_or_of_rows_that_say_nothing_is_no_list() -> None:
    assert fault(later({})).startswith("empty")
    header = data("senat", STAFF).split(b"\n")[0]
    blank = read_list(header + b"\n\n\n\n", "senat", DAY)
    assert fault(blank, None) == "empty no row of the list can be read"


@pytest.mark.rule("record-list-renewal")
@pytest.mark.parametrize("change", [vanished(500), gained(400), replaced(250)])
def test_at_a_renewal_many_may_go_and_come(change: tuple[Staff, Staff]) -> None:
    before, after = list_("senat", str(DAY), change[0]), later(change[1])
    assert fault(after, before)
    assert fault(after, before, [after.date]) == ""


def test_at_a_renewal_the_staff_of_new_members_is_no_wave_and_twice_the_staff_is() -> None:
    few = {n: s[:1] for n, s in STAFF.items() if n <= 80}
    before, after = list_("senat", str(DAY), few), later({**STAFF, **few})
    assert fault(after, before, [after.date]) == ""
    twice = {n: [*s, *(f"AUTRE{name}" for name in s)] for n, s in STAFF.items()}
    assert "50.0% new pairs" in fault(later(twice), renewals=[after.date])


@pytest.mark.parametrize(
    ("renewal", "passes"), [(-31, False), (-30, True), (0, True), (4, True), (5, False)]
)
def test_a_renewal_is_believed_from_3_days_before_to_31_after(renewal: int, passes: bool) -> None:
    before, after = vanished(100)
    told = fault(
        later(after), list_("senat", str(DAY), before), [DAY + datetime.timedelta(renewal)]
    )
    assert told == "" if passes else "members who vanish" in told


def test_a_list_rebuilt_from_intervals_is_not_compared() -> None:
    half = dataclasses.replace(later({n: s for n, s in STAFF.items() if n % 2}), rebuilt=True)
    assert fault(half) == ""
    assert fault(dataclasses.replace(half, rows=0)).startswith("empty")


def test_after_an_empty_list_that_was_accepted_any_list_passes() -> None:
    assert fault(later(STAFF), dataclasses.replace(BEFORE, pairs={}, rows=0)) == ""


HUNDRED = many(100)
LEFT = {n: s[1:] if n <= 24 else s for n, s in HUNDRED.items()}


def back(count: int, new: int = 1) -> Staff:
    """Some of those who left are back, and some others come who never were there."""
    return {
        n: [*(s if n <= count else LEFT[n]), *([f"Une{n} NOUVELLE{n}"] if n > 100 - new else [])]
        for n, s in HUNDRED.items()
    }


@pytest.mark.rule("record-list-stale")
@pytest.mark.parametrize(
    ("before", "day", "staff", "refused"),
    [
        ("2026-04-02", "2026-04-03", back(24), "24 of 25"),
        ("2026-04-02", "2026-04-02", back(24), ""),  # 31 days after they left
        ("2026-04-02", "2026-04-03", back(20), "20 of 21"),
        ("2026-04-02", "2026-04-03", back(19), ""),
        ("2026-04-02", "2026-04-03", back(24, new=23), "24 of 47"),
        ("2026-04-02", "2026-04-03", back(24, new=24), ""),
        ("2026-04-02", "2026-07-03", back(24), "24 of 25"),  # 92 days without a list
        ("2026-04-02", "2026-08-04", back(24), ""),
        ("2026-09-30", "2026-10-01", back(24), ""),  # a renewal
    ],
)
def test_mostly_people_who_left_long_ago_make_a_stale_list(
    before: str, day: str, staff: Staff, refused: str
) -> None:
    days = [("2026-03-01", HUNDRED), ("2026-03-02", LEFT), (before, LEFT), (f"{day}T1200", staff)]
    records = of_senate(*days).report.records
    told = [f"{refused} new pairs are people back at a member they left more than 31 days before"]
    assert [r.message for r in records if r.status == "refused"] == (told if refused else [])


def test_who_left_is_remembered_for_two_years() -> None:
    keys = list(BEFORE.pairs)[:25]
    departed = dict.fromkeys(keys, datetime.date(2024, 3, 1))
    assert len(mostly_back(departed, keys, datetime.date(2026, 3, 2), AWAY)) == 25
    assert mostly_back(departed, keys, datetime.date(2026, 3, 3), AWAY) == []


@pytest.mark.rule("record-back")
@pytest.mark.parametrize(
    ("before", "day", "staff", "less_sure"),
    [
        ("2026-03-19", "2026-03-20", back(24), 24),
        ("2026-03-19", "2026-03-20", back(24, new=24), 0),
        ("2026-10-01", "2026-10-02", back(24), 0),  # a renewal
    ],
)
def test_who_is_back_with_many_others_is_less_sure_and_who_is_new_as_sure_as_ever(
    before: str, day: str, staff: Staff, less_sure: int
) -> None:
    days = [("2026-03-01", HUNDRED), ("2026-03-02", LEFT), (before, LEFT), (day, staff)]
    arrivals = [m for m in of_senate(*days).movements if m.type == "arrivee"]
    assert {m.confiance for m in arrivals if m.collab_nom.startswith("NOUVELLE")} == {"fort"}
    assert [m.confiance for m in arrivals].count("moyen") == less_sure
