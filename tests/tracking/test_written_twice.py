"""One person under two names at one member of one list, one name within the other, counts once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tracking.correction import Entry
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.people import written_once
from parlement_lists.tracking.reading.list_file import ListFile, parse_path
from parlement_lists.tracking.reading.lists import List
from tests.tracking.lists import Staff, list_, list_file, tracked
from tests.tracking.raw_lists import letters, raw_lists, raw_rows
from tests.tracking.windows import DATA, MISSING

SHORT, LONG, B = "Ada MOREAU", "Ada MOREAU-FOREZ", "Bo LENGLET"
EVERYONE = {1: [B], 2: [B], 3: ["Cleo GALLIET"]}


def found(
    *staff: Sequence[str], corrections: Corrections | None = None
) -> tuple[list[Movement], list[str]]:
    """The movements of the first member's staff, and who stays, by lists a day apart."""
    files = [
        list_file("senat", f"2026-09-{day:02}", EVERYONE | {1: [B, *names]})
        for day, names in enumerate(staff, 1)
    ]
    told = tracked(files, corrections=corrections)
    stays = sorted(t.collab_nom for t in told.stays if t.elu_id == "99001Z" and not t.fin)
    return told.movements, stays


@pytest.mark.parametrize(
    "days",
    [
        ([SHORT], [SHORT, LONG]),
        ([LONG], [SHORT, LONG]),
        ([LONG], [LONG, SHORT], [SHORT], [LONG, SHORT], [LONG]),
        ([SHORT, LONG], [SHORT, LONG], [LONG]),
    ],
)
def test_a_second_name_within_the_first_is_nobody_else(days: Sequence[Sequence[str]]) -> None:
    assert found(*days) == ([], ["LENGLET", "MOREAU-FOREZ"])


def test_who_left_under_the_shorter_name_and_is_back_under_both_goes_on_under_either() -> None:
    days = [[SHORT], *[[]] * 10, [SHORT, LONG], [SHORT], [LONG]]
    movements, stays = found(*days)
    assert Counter(m.type for m in movements) == {"depart": 1, "arrivee": 1}
    assert stays == ["LENGLET", "MOREAU-FOREZ"]


@pytest.mark.parametrize(
    "names",
    [
        ["Ada MOREAU", "Ada FOREZ"],
        ["MOREAU MOREAU", "Ada MOREAU"],  # a family name alone
    ],
)
def test_other_names_are_other_people(names: Sequence[str]) -> None:
    movements, stays = found([], names)
    assert [m.type for m in movements] == ["arrivee"] * len(names)
    assert len(stays) == len(names) + 1


def test_a_name_within_two_others_is_one_of_theirs() -> None:
    other = "Ada MOREAU-VASSOR"
    movements, stays = found([SHORT, LONG, other], [SHORT, LONG], [SHORT], [LONG, "Dan XAVE"])
    told = {(m.type, m.collab_nom) for m in movements}
    assert told == {("depart", "MOREAU-VASSOR"), ("arrivee", "XAVE")}
    assert stays == ["LENGLET", "MOREAU-FOREZ", "XAVE"]


def left_out(list_: List) -> list[tuple[str, str]]:
    """The names that a list has beside a fuller one of the same person."""
    once = written_once(list_, lambda shorter, longer: False)
    assert len(once.pairs) == len(list_.pairs) - len(once.fuller)
    return [(shorter, longer) for (_, shorter), (_, longer) in once.fuller.items()]


def test_at_two_members_and_of_two_civilities_they_are_two() -> None:
    both: Staff = EVERYONE | {1: [SHORT], 2: [LONG]}
    assert left_out(list_("senat", "2026-09-01", both)) == []
    one = list_("senat", "2026-09-01", EVERYONE | {1: [SHORT, LONG]})
    assert left_out(one) == [("ada moreau", "ada forez moreau")]
    for civility, count in (("M.", 0), ("", 1)):
        pairs = {
            key: pair._replace(civility=civility) if pair.family == "MOREAU" else pair
            for key, pair in one.pairs.items()
        }
        assert len(left_out(one._replace(pairs=pairs))) == count


def test_a_correction_says_that_they_are_two() -> None:
    said = Entry(1, "2026-10-01", "x", "deux_personnes", {"noms": [SHORT, LONG]})
    corrections = Corrections([said])
    movements, stays = found([LONG], [LONG, SHORT], corrections=corrections)
    assert [(m.type, m.collab_nom) for m in movements] == [("arrivee", "MOREAU")]
    assert stays == ["LENGLET", "MOREAU", "MOREAU-FOREZ"]
    corrections.check_matched()


@pytest.mark.rule("record-written-twice")
@pytest.mark.parametrize(
    ("names", "people"),
    [
        (["Ada BAILIF", "Ada BAILLIF"], 1),
        (["Ada VALLI", "Ada VALLLI"], 1),
        (["Ada ROUET-FAU", "Ada ROUET-FAUT"], 1),
        (["Ada LE BRRE", "Ada LE BERRE"], 1),
        (["Ada BAILIF", "Ada BAILEF"], 2),  # another letter
        (["Ada BAILIF", "Ida BAILLIF"], 2),
        (["Ada BAILIF", "Ada BAILLIFF"], 2),  # two letters more
    ],
)
def test_a_letter_doubled_or_dropped_is_nobody_else(names: Sequence[str], people: int) -> None:
    movements, stays = found([], names)
    assert (len(movements), len(stays)) == (people, people + 1)


def test_without_a_civility_a_letter_may_be_another_persons() -> None:
    one = list_("senat", "2026-09-01", EVERYONE | {1: ["Michel MOREAU", "Michele MOREAU"]})
    assert len(left_out(one)) == 1
    pairs = {key: pair._replace(civility="") for key, pair in one.pairs.items()}
    assert left_out(one._replace(pairs=pairs)) == []


def test_who_is_back_under_a_fuller_name_goes_on_where_both_stand() -> None:
    """The fuller name had left that member long before: it is nobody's new name, but for who stands under both."""
    days = [[LONG], *[[]] * 10, [SHORT], [SHORT, LONG], [LONG]]
    movements, stays = found(*days)
    assert [(m.type, m.collab_nom) for m in movements] == [
        ("depart", "MOREAU-FOREZ"),
        ("arrivee", "MOREAU"),
    ]
    assert stays == ["LENGLET", "MOREAU-FOREZ"]


@pytest.mark.skipif(not DATA.exists(), reason=MISSING)
def test_on_the_last_monthly_list_nobody_is_counted_twice() -> None:
    source = DATA / "archives" / "an-mensuel.tar.xz"
    name, data = list(raw_lists(source))[-1]
    staff: dict[str, set[str]] = defaultdict(set)
    for row in raw_rows(data):
        staff[row.member].add(row.full)
    words = {
        member: [{letters(word) for word in name.replace("-", " ").split()} for name in names]
        for member, names in staff.items()
    }
    within = sum(one < other for names in words.values() for one in names for other in names)
    assert within == 1
    place = parse_path(f"{name}.csv")
    assert place is not None
    told = tracked([ListFile(*place, name, data=lambda: data)])
    # One is a letter short: ROUET-FAU beside ROUET-FAUT.
    assert len(told.stays) == sum(map(len, words.values())) - within - 1
