"""Two lists -> who is lost, gained, respelled and renamed: who is the same person, and who never is."""

from __future__ import annotations

import pytest

from parlement_lists.tracking.people import TwoPeople, compare
from parlement_lists.tracking.reading.formats import Pair
from parlement_lists.tracking.reading.lists import List
from tests.tracking.lists import Staff, list_, many, member


def compared(before: Staff, after: Staff) -> tuple[list[tuple[str, str]], ...]:
    """(member, given name) of each pair lost, then gained."""
    found = compare(list_("senat", "2026-09-01", before), list_("senat", "2026-09-02", after))
    return tuple([(p.member, p.given) for p in pairs] for pairs in (found.lost, found.gained))


def test_pairs_are_lost_and_gained_in_the_order_of_members_and_persons() -> None:
    staff = many(20)
    lost, gained = compared(staff, {})
    assert gained == []
    assert len(lost) == 40
    assert [one for one, _ in lost] == sorted(one for one, _ in lost)
    assert compared({}, staff) == ([], lost)


def test_one_name_out_and_two_near_ones_in_are_a_respelling_and_an_arrival() -> None:
    after = {1: ["Ada MOREAU-FOREZ", "Ada MOREAU-VASSOR"]}
    assert compared({1: ["Ada MOREAU"]}, after) == ([], [(member("senat", 1), "Ada")])


def test_a_name_out_here_and_a_near_one_in_there_are_two_changes() -> None:
    one, two = member("senat", 1), member("senat", 2)
    found = compared({1: ["Ada MOREAU"], 2: ["Bo B"]}, {2: ["Bo B", "Ada MOREAU-FOREZ"]})
    assert found == ([(one, "Ada")], [(two, "Ada")])


def renamed(
    before: Staff,
    after: Staff,
    day: str = "2026-09-02",
    two_people: TwoPeople = lambda old, new: False,
) -> list[tuple[str, str]]:
    """The family names, before and after, of who is one person under another name."""
    old, new = list_("assemblee", "2026-09-01", before), list_("assemblee", day, after)
    found = compare(old, new, two_people)
    assert found.renamed == found.respelled
    assert len(found.lost) + len(found.renamed) == len(old.pairs.keys() - new.pairs.keys())
    assert len(found.gained) + len(found.renamed) == len(new.pairs.keys() - old.pairs.keys())
    return [(one.family, other.family) for one, other in found.renamed]


MARRIED = [("MOREAU", "VASSOR")]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({1: ["Ada MOREAU"]}, {1: ["Ada VASSOR"]}, MARRIED),
        ({1: ["Ada MOREAU"]}, {1: ["Áda VASSOR"]}, MARRIED),
        ({1: ["Anne-Ada MOREAU"]}, {1: ["Anne-ada VASSOR"]}, MARRIED),
        # Others come and go.
        ({1: ["Ada MOREAU", "Bo LENGLET"]}, {1: ["Ada VASSOR", "Cleo GALLIET"]}, MARRIED),
        # At both members at once.
        (
            {1: ["Ada MOREAU"], 2: ["Ada MOREAU"]},
            {1: ["Ada VASSOR"], 2: ["Ada VASSOR"]},
            2 * MARRIED,
        ),
        # Another given name, civility or member.
        ({1: ["Ada MOREAU"]}, {1: ["Eda VASSOR"]}, []),
        ({1: ["Ada MOREAU"]}, {1: ["Ada-Anne VASSOR"]}, []),
        ({1: ["Ada MOREAU"]}, {2: ["Ada VASSOR"]}, []),
        # Two of that name out, or two in: nobody knows who is who.
        ({1: ["Ada MOREAU", "Ada LENGLET"]}, {1: ["Ada VASSOR"]}, []),
        ({1: ["Ada MOREAU"]}, {1: ["Ada VASSOR", "Ada LENGLET"]}, []),
        # Who is still there under the old name elsewhere, or was there under the new one, is another.
        ({1: ["Ada MOREAU"], 2: ["Ada MOREAU"]}, {1: ["Ada VASSOR"], 2: ["Ada MOREAU"]}, []),
        ({1: ["Ada MOREAU"], 2: ["Ada VASSOR"]}, {1: ["Ada VASSOR"], 2: []}, []),
    ],
)
def test_one_out_and_one_in_of_a_civility_and_given_name_are_one_person(
    before: Staff, after: Staff, expected: list[tuple[str, str]]
) -> None:
    assert renamed(before, after) == expected


def test_another_civility_is_another_person() -> None:
    before = list_("assemblee", "2026-09-01", {1: ["Dominique MOREAU"]})
    after = list_("assemblee", "2026-09-02", {1: ["Dominique VASSOR"]})
    pairs = {key: pair._replace(civility="M.") for key, pair in after.pairs.items()}
    assert len(compare(before, after).renamed) == 1
    assert compare(before, after._replace(pairs=pairs)).renamed == []


def test_names_without_a_given_name_say_nothing() -> None:
    before, after = (
        list_("senat", day, {1: [f"Ada {name}"]})
        for day, name in (("2026-09-01", "MADONNETTE"), ("2026-09-02", "SUZON"))
    )
    bare, other = (
        list_._replace(pairs={k: pair._replace(given="") for k, pair in list_.pairs.items()})
        for list_ in (before, after)
    )
    assert len(compare(before, after).renamed) == 1
    assert compare(bare, other).renamed == []


@pytest.mark.parametrize(
    ("day", "others", "expected"),
    [
        ("2026-09-11", True, MARRIED),
        ("2026-09-12", True, []),
        ("2026-09-12", False, MARRIED),
        ("2027-09-12", False, MARRIED),
    ],
)
def test_in_a_step_of_more_than_ten_days_nobody_else_may_change_at_the_member(
    day: str, others: bool, expected: list[tuple[str, str]]
) -> None:
    before, after = {1: ["Ada MOREAU"], 2: ["Bo LENGLET"]}, {1: ["Ada VASSOR"], 2: ["Dan X"]}
    after[1] += ["Cleo GALLIET"] if others else []
    assert renamed(before, after, day) == expected


@pytest.mark.parametrize(
    ("civilities", "new", "soon", "later"),
    [
        (("Mme", "Mme"), "VASSOR", 1, 1),
        (("M.", "M."), "VASSOR", 1, 0),
        (("", ""), "VASSOR", 1, 0),
        (("M.", "M."), "LENGLET-DOL", 1, 0),  # a word of three letters
        (("M.", "M."), "FOREZ-LENGLET", 1, 1),
        (("", ""), "FOREZ-LENGLET", 1, 1),
    ],
)
def test_past_ten_days_a_man_keeps_a_word_of_his_family_name(
    civilities: tuple[str, str], new: str, soon: int, later: int
) -> None:
    before = list_("assemblee", "2026-09-01", {1: ["Abel FOREZ-DE-DOL"], 2: ["Bo LENGLET"]})
    for day, expected in (("2026-09-11", soon), ("2026-09-12", later)):
        after = list_("assemblee", day, {1: [f"Abel {new}"], 2: ["Bo LENGLET"]})
        found = compare(*map(with_civility, (before, after), civilities))
        assert len(found.renamed) == expected


def with_civility(list_: List, civility: str) -> List:
    pairs = {key: pair._replace(civility=civility) for key, pair in list_.pairs.items()}
    return list_._replace(pairs=pairs)


def test_a_near_name_is_taken_before_a_given_name() -> None:
    found = compare(
        list_("assemblee", "2026-09-01", {1: ["Ada MOREAU", "Ada LENGLET"]}),
        list_("assemblee", "2026-09-02", {1: ["Ada MORREAU", "Ada VASSOR"]}),
    )
    told = [[(old.family, new.family) for old, new in names] for names in found[2:]]
    assert told == [[("MOREAU", "MORREAU"), ("LENGLET", "VASSOR")], [("LENGLET", "VASSOR")]]


@pytest.mark.parametrize("new", ["Ada VASSOR", "Ada MOREAU-FOREZ"])
def test_two_people_are_lost_and_gained_however_alike(new: str) -> None:
    asked = []

    def two_people(old: Pair, new: Pair) -> bool:
        asked.append((old.family, new.family))
        return True

    assert renamed({1: ["Ada MOREAU"]}, {1: [new]}, two_people=two_people) == []
    assert ("MOREAU", new.partition(" ")[2]) in asked


def test_of_two_near_names_the_one_that_is_another_person_is_passed_over() -> None:
    found = compare(
        list_("assemblee", "2026-09-01", {1: ["Ada MOREAU"]}),
        list_("assemblee", "2026-09-02", {1: ["Ada MOREAU-FOREZ", "Ada MOREAU-VASSOR"]}),
        lambda _, new: new.family == "MOREAU-FOREZ",
    )
    assert [new.family for _, new in found.respelled] == ["MOREAU-VASSOR"]
    assert [pair.family for pair in found.gained] == ["MOREAU-FOREZ"]


@pytest.mark.rule("record-civilities")
@pytest.mark.parametrize(
    ("old", "new", "civilities", "respelled"),
    [
        ("Louis MOREAU", "Louise MOREAU", ("M.", "Mme"), 0),
        ("André MOREAU", "Andrée MOREAU", ("M.", "Mme"), 0),
        ("Michel MOREAU", "Michèle MOREAU", ("M.", "Mme"), 0),
        ("Daniel MOREAU", "Danielle MOREAU", ("M.", "Mme"), 0),
        ("Louis MOREAU", "Louise MOREAU", ("M.", "M."), 1),
        ("Louis MOREAU", "Louise MOREAU", ("M.", ""), 1),
        ("Louis MOREAU", "Louise MOREAU", ("", ""), 1),
    ],
)
def test_near_names_of_two_civilities_are_two_people(
    old: str, new: str, civilities: tuple[str, str], respelled: int
) -> None:
    lists = [list_("assemblee", f"2026-09-0{n}", {1: [name]}) for n, name in ((1, old), (2, new))]
    found = compare(*map(with_civility, lists, civilities))
    assert (len(found.respelled), len(found.lost)) == (respelled, 1 - respelled)


@pytest.mark.rule("record-doubled")
@pytest.mark.parametrize(
    ("old", "new", "civilities", "joined"),
    [
        ("Martin MARTIN", "Julie MARTIN", ("M.", "Mme"), False),
        ("Martin MARTIN", "Julie MARTIN", ("", "Mme"), False),
        ("Martin MARTIN", "Julie MARTIN", ("Mme", ""), False),
        ("Martin MARTIN", "Julie MARTIN", ("", ""), False),
        # A list that wrote the family name twice, corrected by a later one.
        ("Rival RIVAL", "Leslie RIVAL", ("Mme", "Mme"), True),
        ("Leslie RIVAL", "Rival RIVAL", ("Mme", "Mme"), True),
        ("Martin MARTIN", "Julie MARTINEZ", ("Mme", "Mme"), False),
    ],
)
def test_a_doubled_name_is_anybodys_of_that_family(
    old: str, new: str, civilities: tuple[str, str], joined: bool
) -> None:
    lists = [list_("assemblee", f"2026-09-0{n}", {1: [name]}) for n, name in ((1, old), (2, new))]
    found = compare(*map(with_civility, lists, civilities))
    assert (len(found.respelled), len(found.renamed)) == (joined, joined)
