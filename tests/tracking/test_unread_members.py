"""Members of whom nothing was read: lists repeat their rows, or leave out those who were not known yet."""

from __future__ import annotations

import pytest

from parlement_lists.tracking.reading.lists import unknown
from tests.tracking.lists import member
from tests.tracking.test_hidden_members import NEW, WHOLE, days_of, follow, told

FIRST = member("senat", 1)
# As a PDF has the name.
UNKNOWN, ANOTHER = unknown("NUMÉRO1 Élue"), unknown("NUMÉRO77 Élue")
STAYS, LEAVES, LATER = WHOLE[1]
AFTER = {**WHOLE, 1: [STAYS, LATER, NEW]}
WITHOUT_FIRST = {number: staff for number, staff in WHOLE.items() if number > 1}


@pytest.mark.parametrize("reloaded", [False, True])
def test_lists_that_repeat_a_members_rows_do_not_say_who_was_there(reloaded: bool) -> None:
    here = {**AFTER, 9: WHOLE[9][1:]}
    days = (1, WHOLE), (3, WHOLE, FIRST), (4, WHOLE, FIRST), (6, here)
    found, stays = follow(*days, reloaded=reloaded)
    assert days_of(stays, LEAVES) == [("", "01", "01", "06")]
    assert days_of(stays, NEW) == [("01", "06", "06", "")]
    assert days_of(stays, STAYS) == [("", "01", "06", "")]
    # Five days say less than two, and only of that member.
    assert told(found, LEAVES) == [("06", "depart", FIRST, "moyen")]
    assert told(found, NEW) == [("06", "arrivee", FIRST, "moyen")]
    assert days_of(stays, WHOLE[9][0]) == [("", "01", "04", "06")]
    assert told(found, WHOLE[9][0])[0][3] == "bot"


def test_a_member_who_goes_unread_was_seen_last_when_somebody_was_read() -> None:
    _, stays = follow((1, WHOLE), (3, WHOLE, FIRST), (4, WITHOUT_FIRST), (12, WITHOUT_FIRST))
    assert days_of(stays, LEAVES) == [("", "01", "01", "04")]


def test_what_is_read_again_says_who_was_there() -> None:
    days = (1, WHOLE), (2, WHOLE, FIRST), (3, WHOLE), (4, WHOLE, FIRST), (5, AFTER), (7, WHOLE)
    _, stays = follow(*days)
    assert days_of(stays, NEW) == [("03", "05", "05", "07")]


@pytest.mark.parametrize("reloaded", [False, True])
def test_who_was_not_known_yet_may_have_been_there(reloaded: bool) -> None:
    known = {**WITHOUT_FIRST, 9: [*WHOLE[9], NEW]}
    days = (1, WITHOUT_FIRST), (3, WITHOUT_FIRST, UNKNOWN), (4, known, UNKNOWN), (5, WHOLE | known)
    last = {**WHOLE, **known, 2: [*WHOLE[2], "Aux AUTRE"]}
    found, stays = follow(*days, (6, last), reloaded=reloaded)
    assert days_of(stays, STAYS) == [("01", "05", "06", "")]
    assert told(found, STAYS) == [("05", "arrivee", FIRST, "moyen")]
    # At those who were known.
    assert days_of(stays, NEW) == [("03", "04", "06", "")]
    assert days_of(stays, "Aux AUTRE") == [("05", "06", "06", "")]


def test_another_who_is_not_known_says_nothing_of_a_member() -> None:
    found, stays = follow((1, WITHOUT_FIRST, ANOTHER), (3, WITHOUT_FIRST, ANOTHER), (4, WHOLE))
    assert days_of(stays, STAYS) == [("03", "04", "04", "")]
    assert told(found, STAYS) == [("04", "arrivee", FIRST, "bot")]


@pytest.mark.parametrize("unread", [FIRST, UNKNOWN])
@pytest.mark.parametrize("reloaded", [False, True])
def test_the_first_list_of_which_a_member_is_read_tells_nobody_as_come(
    unread: str, reloaded: bool
) -> None:
    days = (1, WITHOUT_FIRST, unread), (3, WITHOUT_FIRST, unread), (4, WHOLE), (5, AFTER)
    found, stays = follow(*days, reloaded=reloaded)
    assert days_of(stays, STAYS) == [("", "04", "05", "")]
    assert told(found, STAYS) == []
    assert days_of(stays, LEAVES) == [("", "04", "04", "05")]
    assert days_of(stays, NEW) == [("04", "05", "05", "")]


def test_a_first_list_that_repeats_rows_has_nobody_before_it() -> None:
    _, stays = follow((1, WHOLE, FIRST), (2, AFTER))
    assert days_of(stays, LEAVES) == [("", "01", "01", "02")]
    assert days_of(stays, NEW) == [("01", "02", "02", "")]
