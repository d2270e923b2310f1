"""Members of whom nothing was read: lists repeat their rows, or leave out those who were not known yet."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from parlement_lists.tracking.reading.lists import unknown
from tests.tracking.lists import Staff, member
from tests.tracking.test_hidden_members import NEW, WHOLE, days_of, follow, told

FIRST = member("senat", 1)
# As a PDF has the name.
UNKNOWN, ANOTHER = unknown("NUMÉRO1 Élue"), unknown("NUMÉRO77 Élue")
STAYS, LEAVES, LATER = WHOLE[1]
SYLLABLES = "bel", "cor", "dan", "fou", "gri", "hau", "lem", "mir", "nol", "pra", "que", "ros"
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


@pytest.mark.parametrize("seed", range(20))
def test_every_stay_lies_within_its_bounds(seed: int) -> None:
    """Of days of which some have no list, and of lists that say nothing of some members."""
    chance = random.Random(seed)
    team: dict[int, list[str]] = defaultdict(list)
    came: dict[str, int] = {}
    left: dict[str, int] = {}
    last: dict[int, list[str]] = {}  # what is known of each member
    seen: list[dict[int, list[str]]] = []
    until: dict[int, int] = {}  # the day on which something is known of a member again
    days: list[tuple[int, Staff, *tuple[str, ...]]] = []
    for day in range(1, 32):
        for number in range(1, 9):
            if chance.random() < 0.2 or day == 1:
                person = f"Prénom{len(came)} {''.join(chance.sample(SYLLABLES, 4)).upper()}"
                came[person] = day
                team[number].append(person)
            elif team[number] and chance.random() < 0.15:
                gone = team[number].pop(chance.randrange(len(team[number])))
                left[gone] = day
            if until.get(number, 0) <= day and chance.random() < 0.1:
                until[number] = day + chance.randint(1, 7)
        if chance.random() < 0.25:
            continue
        silent = [number for number in team if until.get(number, 0) > day]
        rows = {n: staff for n, staff in team.items() if n not in silent}
        # Those of another day, as where what tracking refused is taken for right.
        stale = chance.choice(seen or [{}])
        rows |= {n: chance.choice((last[n], stale.get(n, []))) for n in silent if n in last}
        shown = {n: [*staff] for n, staff in rows.items() if staff}
        seen.append(shown)
        last = {n: [*staff] for n, staff in team.items() if staff and n not in silent} | {
            n: last[n] for n in silent if n in last
        }
        unread = [member("senat", n) if n in last else unknown(f"Élue NUMÉRO{n}") for n in silent]
        days.append((day, shown, *unread))
    found = follow(*days)
    assert found == follow(*days, reloaded=True)
    for stay in found[1]:
        person = f"{stay.collab_prenom} {stay.collab_nom}"
        begin, end = (f"2023-10-{when.get(person, 99):02}" for when in (came, left))
        assert not stay.debut_apres or stay.debut_apres < begin
        assert begin <= stay.debut <= stay.fin_apres
        assert not stay.fin or stay.fin_apres < end <= stay.fin
