"""Members whom lists have no row of for some days, and who are then back with one of their people."""

from __future__ import annotations

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.state import TrackingState, from_json, to_json
from parlement_lists.tracking.tracker import Tracker
from tests.tracking.lists import Staff, list_, many

WHOLE = many(30, 3)
HIDDEN = {number: staff for number, staff in WHOLE.items() if number > 2}
STAYS, LEAVES, LATER = WHOLE[1]
OTHER, MEETS = WHOLE[9][0], WHOLE[2][0]
NEW = "Neo VENU"
BACK = {**WHOLE, 1: [STAYS, LATER, NEW]}
# A day of October 2023, the list of it, and of whom nothing was read.
Day = tuple[int, Staff] | tuple[int, Staff, str]


def follow(
    *days: Day, reloaded: bool = False, after_refused: int = 0
) -> tuple[list[Movement], list[Tenure]]:
    """All movements and stays; the tracker is saved and loaded between lists where it is `reloaded`."""
    tracker = Tracker("senat", Members())
    movements: dict[str, Movement] = {}
    stays: dict[str, Tenure] = {}
    for day, staff, *unread in days:
        found = list_("senat", f"2023-10-{day:02}", staff)._replace(unread=tuple(unread))
        change = tracker.feed(found, "suivi", day == after_refused)
        movements |= {one.id: one for one in change.added}
        stays |= {one.id: one for one in change.ended}
        if reloaded:
            text = to_json(TrackingState(chambers={"senat": tracker}))
            tracker = from_json(text, Members()).chambers["senat"]
    movements |= {one.id: one for one in tracker.pending().added}
    stays |= {one.id: one for one in tracker.tenures()}
    return sorted(movements.values()), sorted(stays.values())


def days_of(stays: list[Tenure], name: str) -> list[tuple[str, ...]]:
    """Of each stay of a person, in their order: the two days that bound its begin, and those of its end."""
    given, family = name.split(" ", 1)
    found = [s for s in stays if (s.collab_prenom, s.collab_nom) == (given, family.upper())]
    bounds = [(s.debut_apres, s.debut, s.fin_apres, s.fin) for s in found]
    return sorted(tuple(day[8:] for day in days) for days in bounds)


def told(found: list[Movement], name: str) -> list[tuple[str, ...]]:
    given, family = name.split(" ", 1)
    of = [m for m in found if (m.collab_prenom, m.collab_nom) == (given, family.upper())]
    return sorted((m.date_event[8:], m.type, m.elu_id, m.confiance) for m in of)


def test_lists_without_a_members_rows_do_not_say_when_somebody_came_or_left_there() -> None:
    seen = {9: WHOLE[9][1:], 10: [*WHOLE[10], "Aux AUTRE"]}
    second = {**HIDDEN, 9: seen[9]}
    found, stays = follow((1, WHOLE), (2, second), (3, second), (4, {**BACK, **seen}))
    assert days_of(stays, LEAVES) == [("", "01", "01", "04")]
    assert days_of(stays, NEW) == [("01", "04", "04", "")]
    assert days_of(stays, STAYS) == [("", "01", "04", "")]
    assert told(found, LEAVES) == [("04", "depart", "99001Z", "bot")]
    # Members whose rows every list has.
    assert days_of(stays, OTHER) == [("", "01", "01", "02")]
    assert days_of(stays, "Aux AUTRE") == [("03", "04", "04", "")]


def test_a_member_who_is_back_with_others_had_lost_all_staff() -> None:
    _, stays = follow((1, WHOLE), (2, HIDDEN), (4, {**WHOLE, 1: [NEW]}))
    assert days_of(stays, LEAVES) == [("", "01", "01", "02")]
    assert days_of(stays, NEW) == [("02", "04", "04", "")]


def test_who_had_left_before_the_members_rows_were_gone_left_then() -> None:
    days = (1, WHOLE), (2, {**WHOLE, 1: [STAYS, LATER]}), (3, HIDDEN), (4, {**WHOLE, 1: [STAYS]})
    _, stays = follow(*days)
    assert days_of(stays, LEAVES) == [("", "01", "01", "02")]
    assert days_of(stays, LATER) == [("", "01", "02", "04")]


def test_a_list_of_the_same_day_with_the_members_rows_says_who_had_left() -> None:
    days = (1, WHOLE), (1, {**WHOLE, 1: [STAYS, LATER]}), (1, HIDDEN), (3, {**WHOLE, 1: [STAYS]})
    _, stays = follow(*days)
    assert days_of(stays, LEAVES) == [("", "01", "01", "01")]
    assert days_of(stays, LATER) == [("", "01", "01", "03")]


def test_the_return_of_one_who_left_before_the_others_hides_nothing() -> None:
    first = {**WHOLE, 1: [STAYS, LATER]}
    _, stays = follow((1, WHOLE), (2, first), (3, HIDDEN), (4, {**WHOLE, 1: [LEAVES, NEW]}))
    assert days_of(stays, STAYS) == [("", "01", "02", "03")]
    assert days_of(stays, NEW) == [("03", "04", "04", "")]


@pytest.mark.parametrize(("back", "left"), [([STAYS], "03"), (["Aux AUTRE"], "02")])
def test_days_are_bounded_by_the_first_rows_that_are_back(back: list[str], left: str) -> None:
    later = {**WHOLE, 1: [*back, LATER, NEW]}
    _, stays = follow((1, WHOLE), (2, HIDDEN), (3, {**WHOLE, 1: back}), (4, later))
    assert days_of(stays, LEAVES) == [("", "01", "01", left)]
    assert days_of(stays, LATER) == [("", "01", "04", "")]
    assert days_of(stays, NEW) == [("03", "04", "04", "")]


@pytest.mark.parametrize(
    ("back", "expected"),
    [
        (9, [("", "01", "10", "")]),
        (10, [("", "01", "01", "08"), ("08", "10", "10", "")]),
    ],
)
def test_seven_days_count_from_the_first_day_missing(
    back: int, expected: list[tuple[str, ...]]
) -> None:
    some = {**WHOLE, 1: [STAYS, LATER]}
    days = [(1, WHOLE), (2, HIDDEN), (8, some), (back, WHOLE)]
    for reloaded in (False, True):
        _, stays = follow(*days, *([(10, WHOLE)] if back < 10 else []), reloaded=reloaded)
        assert days_of(stays, LEAVES) == expected


def test_who_is_at_another_member_before_the_rows_are_back_arrived_and_left_on_two_days() -> None:
    elsewhere = {**HIDDEN, 9: [*WHOLE[9], LEAVES]}
    found, _ = follow((1, WHOLE), (2, elsewhere), (4, {**BACK, 9: elsewhere[9]}))
    assert told(found, LEAVES) == [
        ("02", "arrivee", "99009Z", "bot"),
        ("04", "depart", "99001Z", "bot"),
    ]
    found, stays = follow((1, WHOLE), (2, HIDDEN), (4, {**BACK, 2: [MEETS, LEAVES]}))
    assert told(found, LEAVES) == [("04", "transfert", "99002Z", "bot")]
    assert days_of(stays, LEAVES) == [("", "01", "01", "04"), ("01", "04", "04", "")]


@pytest.mark.parametrize(
    ("first", "back", "after_refused", "expected"),
    [
        (1, 4, 0, "bot"),
        (1, 4, 2, "moyen"),
        (1, 4, 4, "moyen"),
        (1, 5, 0, "moyen"),  # four days after the last rows, three after the list before
        (1, 5, 5, "faible"),
    ],
)
def test_a_day_is_as_doubtful_as_the_worst_of_its_lists(
    first: int, back: int, after_refused: int, expected: str
) -> None:
    days = (first, WHOLE), (2, HIDDEN), (back, BACK)
    found, _ = follow(*days, after_refused=after_refused)
    assert {told(found, name)[0][3] for name in (LEAVES, NEW)} == {expected}


@pytest.mark.parametrize("back", [4, 5, 8])
def test_a_transfer_from_a_hidden_member_is_as_sure_as_a_departure(back: int) -> None:
    hidden = {**WHOLE, 1: []}
    days = (1, WHOLE), *((day, hidden) for day in range(2, back))
    left = {**WHOLE, 1: [STAYS, LATER]}
    [moved], [gone] = (
        told(follow(*days, (back, last))[0], LEAVES)
        for last in ({**left, 9: [*WHOLE[9], LEAVES]}, left)
    )
    assert moved == (f"{back:02}", "transfert", "99009Z", gone[3])
    assert gone[3] == ("bot" if back == 4 else "moyen")


def test_whom_a_later_list_lacks_with_rows_is_not_in_doubt_for_a_half_emptied_one() -> None:
    half = {number: staff for number, staff in WHOLE.items() if number > 25}
    after = {number: staff[:1] for number, staff in WHOLE.items()} | half
    found, _ = follow((1, WHOLE), (2, half))
    assert {m.confiance for m in found} == {"faible"}
    found, _ = follow((1, WHOLE), (2, half), (3, after))
    assert {(m.date_event, m.confiance) for m in found} == {("2023-10-03", "bot")}


def test_who_left_a_hidden_member_by_a_half_emptied_list_is_in_doubt_as_the_others_are() -> None:
    half = {number: staff for number, staff in WHOLE.items() if number > 25}
    found, _ = follow((1, WHOLE), (2, {**WHOLE, 1: []}), (3, {**half, 1: [STAYS, LATER]}))
    assert told(found, LEAVES) == [("03", "depart", "99001Z", "faible")]
    assert {(m.date_event, m.confiance) for m in found} == {("2023-10-03", "faible")}


def test_a_state_kept_between_two_lists_gives_the_same() -> None:
    days = (1, WHOLE), (2, HIDDEN), (4, BACK), (6, {**BACK, 1: [NEW]}), (11, WHOLE)
    assert follow(*days) == follow(*days, reloaded=True)
