"""Every limit of the guard, just below and just above it, and as it widens with the days between lists."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest

from parlement_lists.tracking.guard import examine
from parlement_lists.tracking.reading.lists import ListRefused
from tests.tracking.lists import Staff, list_, many

DAY = datetime.date(2026, 3, 1)
STAFF = many(200, 5)
NAMES = [(n, name) for n, staff in STAFF.items() for name in staff]
Change = Callable[[int], tuple[Staff, Staff]]


def refusal(before: Staff, after: Staff, gap: int) -> str:
    day = DAY + datetime.timedelta(gap)
    lists = (list_("senat", one.isoformat(), s) for one, s in ((day, after), (DAY, before)))
    try:
        examine(*lists)
    except ListRefused as refused:
        return str(refused)
    return ""


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


def vanished_of_a_hundred(count: int) -> tuple[Staff, Staff]:
    return vanished(count, 100)


def all_replaced(pairs: int) -> tuple[Staff, Staff]:
    """Lists of so many pairs, none of them the same."""
    return {n: ["Ada MOREAU"] for n in range(pairs)}, {n: ["Bo LENGLET"] for n in range(pairs)}


@pytest.mark.parametrize(
    ("change", "gap", "passes", "said"),
    [
        (moved, 1, 20, "change member at once"),
        (moved, 62, 20, "change member at once"),
        (moved, 63, 20, "change member at once"),
        (moved, 124, 40, "change member at once"),
        (lost, 10, 150, "pairs gone"),
        (lost, 11, 250, "pairs gone"),
        (lost, 62, 250, "pairs gone"),
        (lost, 63, 254, "pairs gone"),
        (lost, 124, 500, "pairs gone"),
        (gained, 10, 250, "new pairs"),
        (gained, 11, 400, "new pairs"),
        (gained, 62, 400, "new pairs"),
        (gained, 93, 600, "new pairs"),
        (grown, 10, 333, "new pairs"),
        (grown, 11, 666, "new pairs"),
        (replaced, 10, 120, "replaced within days"),
        (replaced, 11, 250, "pairs gone"),
        (vanished, 10, 30, "members who vanish"),
        (vanished, 11, 50, "members who vanish"),
        (vanished, 62, 50, "members who vanish"),
        (vanished, 124, 100, "members who vanish"),
        (vanished_of_a_hundred, 10, 5, "members who vanish"),
        (vanished_of_a_hundred, 11, 6, "members who vanish"),
        (vanished_of_a_hundred, 124, 12, "members who vanish"),
        (all_replaced, 1, 19, "replaced within days"),
    ],
)
def test_one_more_than_a_limit_is_refused(change: Change, gap: int, passes: int, said: str) -> None:
    assert refusal(*change(passes), gap) == ""
    assert said in refusal(*change(passes + 1), gap)


@pytest.mark.parametrize(
    ("field", "passes"), [("without_member", 10), ("unreadable", 10), ("broken", 20)]
)
def test_one_bad_row_more_than_a_limit_is_refused(field: str, passes: int) -> None:
    found = list_("senat", "2026-03-01", STAFF)
    for bad in (passes, passes + 1):
        spoiled = found._replace(**{field: bad}) if field in found._fields else found
        if field == "broken":
            keys = list(found.pairs)[:bad]
            broken = {key: found.pairs[key]._replace(broken=True) for key in keys}
            spoiled = found._replace(pairs=found.pairs | broken)
        if bad == passes:
            examine(spoiled, None)
        else:
            with pytest.raises(ListRefused):
                examine(spoiled, None)


@pytest.mark.parametrize(
    ("renewal", "passes"),
    [(-31, False), (-30, True), (0, True), (4, True), (5, False)],
)
def test_a_renewal_is_believed_from_3_days_before_to_31_days_after_it(
    renewal: int, passes: bool
) -> None:
    before, after = (list_("senat", f"2026-03-0{n + 1}", s) for n, s in enumerate(vanished(100)))
    day = DAY + datetime.timedelta(renewal)
    if passes:
        examine(after, before, [day])
    else:
        with pytest.raises(ListRefused, match="members who vanish"):
            examine(after, before, [day])
