"""Who is one person under two names, and who never is: what lists tell of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from parlement_lists.tracking.correction import Entry
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.people import compare
from tests.tracking.lists import list_, list_file, told, tracked

A, B = "Ada MOREAU", "Bo LENGLET"
SHORT, LONG = A, "Ada MOREAU-FOREZ"


def of(staff: Sequence[str]) -> dict[int, list[str]]:
    """A list in which the first member has these people beside one who stays; two others have one each."""
    return {1: ["Zia PRESENTE", *staff], 2: [B], 3: ["Cleo GALLIET"]}


def of_member(
    *days: tuple[int, Sequence[str]], corrections: Corrections | None = None
) -> list[str]:
    """What is told of the first member's staff on these days."""
    return told({day: of(staff) for day, staff in days}, corrections)


def next_day(old: str, new: str, day: int = 2) -> list[str]:
    return of_member((1, [old]), (day, [new]))


def left_and_came(old: str, new: str, day: str = "02") -> list[str]:
    """What is told where they are two people."""
    old, new = (re.sub(r"^(M\.|-) ", "", name) for name in (old, new))
    return sorted([f"{day} depart {old} 1", f"{day} arrivee {new} 1"])


@pytest.mark.rule("record-respelling", "record-civilities", "record-doubled")
@pytest.mark.parametrize(
    ("old", "new", "one"),
    [
        # Near names.
        (A, "Ada MORREAU", True),
        (A, LONG, True),
        (A, "Eda VASSOR", False),
        # Civilities that contradict one another.
        ("M. Louis MOREAU", "Louise MOREAU", False),
        ("M. André MOREAU", "Andrée MOREAU", False),
        ("M. Michel MOREAU", "Michèle MOREAU", False),
        ("M. Daniel MOREAU", "Danielle MOREAU", False),
        ("M. Louis MOREAU", "M. Louise MOREAU", True),
        ("M. Louis MOREAU", "- Louise MOREAU", True),
        ("- Louis MOREAU", "- Louise MOREAU", True),
        # A family name in place of the given name may be anybody's of that family.
        ("M. Martin MARTIN", "Julie MARTIN", False),
        ("- Martin MARTIN", "Julie MARTIN", False),
        ("Martin MARTIN", "- Julie MARTIN", False),
        ("- Martin MARTIN", "- Julie MARTIN", False),
        ("Rival RIVAL", "Leslie RIVAL", True),
        ("Leslie RIVAL", "Rival RIVAL", True),
        ("Martin MARTIN", "Julie MARTINEZ", False),
        # Another family name: one civility and given name.
        (A, "Ada VASSOR", True),
        (A, "Áda VASSOR", True),
        ("Anne-Ada MOREAU", "Anne-ada VASSOR", True),
        (A, "Ada-Anne VASSOR", False),
        ("Dominique MOREAU", "M. Dominique VASSOR", False),
    ],
)
def test_one_out_and_one_in_at_a_member(old: str, new: str, one: bool) -> None:
    assert next_day(old, new) == ([] if one else left_and_came(old, new))


@pytest.mark.rule("record-renamed")
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Others come and go.
        (
            {1: [A, B]},
            {1: ["Ada VASSOR", "Dan X"]},
            ["02 arrivee Dan X 1", "02 depart Bo LENGLET 1"],
        ),
        # At both members at once.
        ({1: [A], 2: [A]}, {1: ["Ada VASSOR"], 2: ["Ada VASSOR"]}, []),
        # Two of that name out, or two in: nobody knows who is who.
        (
            {1: [A, "Ada LENGLET"]},
            {1: ["Ada VASSOR"]},
            ["02 arrivee Ada VASSOR 1", "02 depart Ada LENGLET 1", "02 depart Ada MOREAU 1"],
        ),
        (
            {1: [A]},
            {1: ["Ada VASSOR", "Ada LENGLET"]},
            ["02 arrivee Ada LENGLET 1", "02 arrivee Ada VASSOR 1", "02 depart Ada MOREAU 1"],
        ),
        # Who is still there under the old name elsewhere, or was there under the new one, is another.
        (
            {1: [A], 2: [A]},
            {1: ["Ada VASSOR"], 2: [A]},
            ["02 arrivee Ada VASSOR 1", "02 depart Ada MOREAU 1"],
        ),
        (
            {1: [A], 2: ["Ada VASSOR"]},
            {1: ["Ada VASSOR"]},
            ["02 depart Ada MOREAU 1", "02 transfert Ada VASSOR 2>1"],
        ),
        # At another member.
        (
            {1: [A]},
            {2: ["Ada VASSOR"]},
            ["02 arrivee Ada VASSOR 2", "02 depart Ada MOREAU 1"],
        ),
        ({1: [A]}, {2: [LONG]}, ["02 arrivee Ada MOREAU-FOREZ 2", "02 depart Ada MOREAU 1"]),
        # Of two near names one is a respelling; a near name is taken before a given name.
        ({1: [A]}, {1: [LONG, "Ada MOREAU-VASSOR"]}, ["02 arrivee Ada MOREAU-VASSOR 1"]),
        ({1: [A, "Ada LENGLET"]}, {1: ["Ada MORREAU", "Ada VASSOR"]}, []),
    ],
)
def test_who_is_one_person_beside_others(before: dict, after: dict, expected: list[str]) -> None:
    def staff(given: dict[int, list[str]]) -> dict[int, list[str]]:
        return {n: ["Zia PRESENTE", *given.get(n, ())] for n in (1, 2, 3)}

    assert told({1: staff(before), 2: staff(after)}) == expected


def test_names_without_a_given_name_are_nobodys_new_name() -> None:
    before, after = (
        list_("senat", day, of([f"Ada {name}"]))
        for day, name in (("2026-09-01", "MOREAU"), ("2026-09-02", "VASSOR"))
    )
    assert len(compare(before, after).renamed) == 1
    bare = [
        one._replace(pairs={key: pair._replace(given="") for key, pair in one.pairs.items()})
        for one in (before, after)
    ]
    assert compare(*bare).renamed == []


@pytest.mark.parametrize(
    ("old", "new", "more", "soon", "later"),
    [
        (A, "Ada VASSOR", [], True, True),
        (A, "Ada VASSOR", [B], True, False),  # somebody else comes
        # Past ten days a man keeps a word of his family name, of four letters or more.
        ("M. Abel FOREZ-DE-DOL", "M. Abel VASSOR", [], True, False),
        ("- Abel FOREZ-DE-DOL", "- Abel VASSOR", [], True, False),
        ("M. Abel FOREZ-DE-DOL", "M. Abel VASSOR-DOL", [], True, False),
        ("M. Abel FOREZ-DE-DOL", "M. Abel FOREZ-VASSOR", [], True, True),
        ("- Abel FOREZ-DE-DOL", "- Abel FOREZ-VASSOR", [], True, True),
    ],
)
def test_in_a_step_of_more_than_ten_days_less_is_taken_for_one_person(
    old: str, new: str, more: list[str], soon: bool, later: bool
) -> None:
    for day, one in ((11, soon), (12, later)):
        found = of_member((1, [old]), (day, [new, *more]))
        assert any("depart" in line for line in found) == (not one)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        # Missing, and back under a near name.
        ([(1, [A]), (2, []), (9, ["Ada MORREAU"])], []),
        (
            [(1, [A]), (2, []), (10, ["Ada MORREAU"])],
            ["02 depart Ada MOREAU 1", "10 arrivee Ada MORREAU 1 moyen"],
        ),
        (
            [(1, [A]), (2, []), (4, ["M. Ada MORREAU"])],
            ["02 depart Ada MOREAU 1", "04 arrivee Ada MORREAU 1"],
        ),
        (
            [(1, [A]), (2, []), (4, ["Ada VASSOR"])],
            ["02 depart Ada MOREAU 1", "04 arrivee Ada VASSOR 1"],
        ),
        # By one near name only; not where the very name is back, whichever comes first.
        ([(1, [A]), (2, []), (4, ["Ada MORREAU", "Ada MOREEAU"])], ["04 arrivee Ada MORREAU 1"]),
        ([(1, [A]), (2, []), (4, [A, "Aba MOREAU"])], ["04 arrivee Aba MOREAU 1"]),
        ([(1, [A]), (2, []), (4, [A, "Ada MORIAU"])], ["04 arrivee Ada MORIAU 1"]),
        # Who is back under the very name did not take it from who leaves.
        ([(1, [A, "Ada MORIAU"]), (2, ["Ada MORIAU"]), (4, [A])], ["04 depart Ada MORIAU 1"]),
        ([(1, [A, "Ada VASSOR"]), (2, ["Ada VASSOR"]), (4, [A])], ["04 depart Ada VASSOR 1"]),
        (
            [(1, [A, "Ada MORIAU"]), (2, ["Ada MORIAU"]), (34, ["Ada MORIAU"]), (35, [A])],
            ["02 depart Ada MOREAU 1", "35 arrivee Ada MOREAU 1", "35 depart Ada MORIAU 1"],
        ),
        (
            [(1, [A, "Ada VASSOR"]), (2, ["Ada VASSOR"]), (34, ["Ada VASSOR"]), (35, [A])],
            ["02 depart Ada MOREAU 1", "35 arrivee Ada MOREAU 1", "35 depart Ada VASSOR 1"],
        ),
        # Back under a near name, and spelt as before again; under a new name, which leaves.
        ([(1, [A]), (2, []), (4, ["Ada MORREAU"]), (20, [A])], []),
        ([(1, [A]), (2, [LONG]), (3, [])], ["03 depart Ada MOREAU-FOREZ 1"]),
        ([(1, [A]), (2, ["Ada VASSOR"]), (3, [])], ["03 depart Ada VASSOR 1"]),
    ],
)
def test_who_is_missing_and_back_under_another_name(
    days: list[tuple[int, list[str]]], expected: list[str]
) -> None:
    assert of_member(*days) == expected


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        # Missing at the other member for so few days: the departure is held, the person known.
        (9, ["02 depart Ada VASSOR 2", "09 arrivee Ada VASSOR 1", "09 depart Ada MOREAU 1"]),
        (10, ["02 depart Ada VASSOR 2"]),
    ],
)
def test_who_has_just_left_another_member_is_not_a_colleague_of_the_same_given_name(
    day: int, expected: list[str]
) -> None:
    everyone = {1: [A], 2: [B], 3: ["Cleo GALLIET"]}
    days = {1: everyone | {2: [B, "Ada VASSOR"]}, 2: everyone, 8: everyone}
    assert told(days | {day: everyone | {1: ["Ada VASSOR"]}}) == expected


@pytest.mark.rule("record-written-twice")
@pytest.mark.parametrize(
    ("names", "people"),
    [
        ([SHORT, LONG], 1),
        ([SHORT, f"M. {LONG}"], 2),
        ([SHORT, f"- {LONG}"], 1),
        ([A, "Ada FOREZ"], 2),
        (["MOREAU MOREAU", A], 2),  # a family name alone
        # A letter doubled or dropped.
        (["Ada BAILIF", "Ada BAILLIF"], 1),
        (["Ada VALLI", "Ada VALLLI"], 1),
        (["Ada ROUET-FAU", "Ada ROUET-FAUT"], 1),
        (["Ada LE BRRE", "Ada LE BERRE"], 1),
        (["Ada BAILIF", "Ada BAILEF"], 2),  # another letter
        (["Ada BAILIF", "Ida BAILLIF"], 2),
        (["Ada BAILIF", "Ada BAILLIFF"], 2),  # two letters more
        (["Michel MOREAU", "Michele MOREAU"], 1),
        (["- Michel MOREAU", "- Michele MOREAU"], 2),
    ],
)
def test_two_names_of_one_list_may_be_one_person(names: list[str], people: int) -> None:
    assert len(of_member((1, []), (2, names))) == people


def test_at_two_members_two_names_are_two_people() -> None:
    everyone = {1: ["Zia PRESENTE"], 2: [B]}
    days = {1: everyone, 2: {1: ["Zia PRESENTE", SHORT], 2: [B, LONG]}}
    assert len(told(days)) == 2


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([[SHORT], [SHORT, LONG]], []),
        ([[LONG], [SHORT, LONG]], []),
        ([[LONG], [LONG, SHORT], [SHORT], [LONG, SHORT], [LONG]], []),
        ([[SHORT, LONG], [SHORT, LONG], [LONG]], []),
        # Left under the shorter name, and back under both: goes on under either.
        (
            [[SHORT], *[[]] * 10, [SHORT, LONG], [SHORT], [LONG]],
            ["02 depart Ada MOREAU 1", "12 arrivee Ada MOREAU-FOREZ 1"],
        ),
        # The fuller name had left long before: it is nobody's new name, but for who stands under both.
        (
            [[LONG], *[[]] * 10, [SHORT], [SHORT, LONG], [LONG]],
            ["02 depart Ada MOREAU-FOREZ 1", "12 arrivee Ada MOREAU 1"],
        ),
        # Within two others it is one of theirs.
        (
            [[SHORT, LONG, "Ada MOREAU-VASSOR"], [SHORT, LONG], [SHORT], [LONG, "Dan XAVE"]],
            ["02 depart Ada MOREAU-VASSOR 1", "04 arrivee Dan XAVE 1"],
        ),
    ],
)
def test_who_is_written_twice_is_nobody_else_on_the_days_around(
    days: list[list[str]], expected: list[str]
) -> None:
    assert of_member(*enumerate(days, 1)) == expected


@pytest.mark.parametrize(
    ("days", "names", "expected"),
    [
        ([(1, [A]), (2, ["Ada VASSOR"])], [A, "Ada VASSOR"], left_and_came(A, "Ada VASSOR")),
        ([(1, [A]), (2, [LONG])], [A, LONG], left_and_came(A, LONG)),
        (
            [(1, [A]), (2, []), (4, ["Ada MORREAU"])],
            [A, "Ada MORREAU"],
            ["02 depart Ada MOREAU 1", "04 arrivee Ada MORREAU 1"],
        ),
        ([(1, [LONG]), (2, [LONG, SHORT])], [SHORT, LONG], ["02 arrivee Ada MOREAU 1"]),
        # Of two near names the one that is another person is passed over.
        (
            [(1, [A]), (2, [LONG, "Ada MOREAU-VASSOR"])],
            [A, LONG],
            ["02 arrivee Ada MOREAU-FOREZ 1"],
        ),
    ],
)
def test_a_correction_says_that_two_names_are_two_people(
    days: list[tuple[int, list[str]]], names: list[str], expected: list[str]
) -> None:
    corrections = Corrections([Entry(1, "2026-10-01", "x", "deux_personnes", {"noms": names})])
    assert of_member(*days, corrections=corrections) == expected
    corrections.check_matched()


@pytest.mark.rule("record-one-name")
def test_a_man_and_a_woman_of_one_name_at_one_member_are_told() -> None:
    for names, doubles in (
        (["Camille MOREAU", "Camille MOREAU"], []),
        (["M. Camille MOREAU", "Camille MOREAU"], ["99001Z: M. Camille MOREAU"]),
    ):
        report = tracked([list_file("senat", "2026-09-01", of(names))]).report
        assert report.records[0].doubles == doubles
        assert any("Camille MOREAU" in line for line in report.lines()) == bool(doubles)


@pytest.mark.parametrize(
    ("masked", "told_as"),
    [
        ("", "Mme Ada MOREAU -> Mme Ada VASSOR"),
        (A, "(masked) -> Mme Ada VASSOR"),
        ("Ada VASSOR", "Mme Ada MOREAU -> (masked)"),
    ],
)
def test_the_report_names_each_who_was_renamed_unless_masked(masked: str, told_as: str) -> None:
    said = [Entry(1, "2026-10-01", "x", "masquer", {"nom": masked})] if masked else []
    files = [
        list_file("senat", f"2026-09-0{day}", of([name]))
        for day, name in ((1, A), (2, "Ada VASSOR"))
    ]
    report = tracked(files, corrections=Corrections(said)).report
    assert f"renamed   senat/2026-09-02: 99001Z: {told_as}" in report.lines()
    assert (report.records[1].lost, report.records[1].gained) == (0, 0)
