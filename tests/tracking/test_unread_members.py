"""Members of whom nothing was read: lists repeat their rows, or leave out those who were not known yet."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.lists import unknown
from parlement_lists.tracking.state import TrackingState, from_json, to_json
from parlement_lists.tracking.tracker import Tracker
from tests.tracking.lists import Staff, list_, many, member

FIRST = member("senat", 1)
# As a PDF has the name.
UNKNOWN, ANOTHER = unknown("NUMÉRO1 Élue"), unknown("NUMÉRO77 Élue")
WHOLE = many(30, 3)
STAYS, LEAVES, LATER = WHOLE[1]
NEW = "Neo VENU"
SYLLABLES = "bel", "cor", "dan", "fou", "gri", "hau", "lem", "mir", "nol", "pra", "que", "ros"
AFTER = {**WHOLE, 1: [STAYS, LATER, NEW]}
WITHOUT_FIRST = {number: staff for number, staff in WHOLE.items() if number > 1}
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
