"""Who is one person under two names, and who never is: what lists tell of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from parlement_lists.tracking.corrections import Corrections, Entry
from parlement_lists.tracking.people import compare
from tests.tracking.lists import Days, list_, movements, of_days, of_senate, told
from tests.tracking.scenarios import PEOPLE, days_of, scenarios, told_of

A, B = "Ada MOREAU", "Bo LENGLET"
SHORT, LONG = A, "Ada MOREAU-FOREZ"


def of(staff: Sequence[str]) -> dict[int, list[str]]:
    """A list in which the first member has these people beside one who stays; two others have one each."""
    return {1: ["Zia PRESENTE", *staff], 2: [B], 3: ["Cleo GALLIET"]}


def of_team(*days: tuple[int, Sequence[str]], corrections: Corrections | None = None) -> list[str]:
    """What is told of the first member's staff on these days."""
    return told({day: of(staff) for day, staff in days}, corrections)


def next_day(old: str, new: str, day: int = 2) -> list[str]:
    return of_team((1, [old]), (day, [new]))


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
        (A, "Eda VASSOR", False),
        # Civilities that contradict one another.
        ("M. Louis MOREAU", "Louise MOREAU", False),
        ("M. Louis MOREAU", "M. Louise MOREAU", True),
        ("M. Louis MOREAU", "- Louise MOREAU", True),
        # A family name in place of the given name may be anybody's of that family.
        ("Martin MARTIN", "- Julie MARTIN", False),
        ("- Martin MARTIN", "- Julie MARTIN", False),
        ("Rival RIVAL", "Leslie RIVAL", True),
        ("Leslie RIVAL", "Rival RIVAL", True),
        # Another family name: one civility and given name.
        (A, "Ada VASSOR", True),
        ("Anne-Ada MOREAU", "Anne-ada VASSOR", True),
        (A, "Ada-Anne VASSOR", False),
        ("Dominique MOREAU", "M. Dominique VASSOR", False),
    ],
)
def test_one_out_and_one_in_at_a_member(old: str, new: str, one: bool) -> None:
    assert next_day(old, new) == ([] if one else left_and_came(old, new))


SCENARIOS = """
a new family name while others come and go [record-renamed]
    1: ZAB Z Z | 2: ZMD Z Z
    02 arrivee D 1 | 02 depart B 1
a new family name at two members at once
    1: ZA ZA Z | 2: ZM ZM Z
    nothing
two of that given name out: nobody knows who is who
    1: ZAL Z Z | 2: ZM Z Z
    02 arrivee M 1 | 02 depart L 1 | 02 depart A 1
two of that given name in
    1: ZA Z Z | 2: ZML Z Z
    02 arrivee L 1 | 02 arrivee M 1 | 02 depart A 1
who is still there under the old name elsewhere
    1: ZA ZA Z | 2: ZM ZA Z
    02 arrivee M 1 | 02 depart A 1
who was there under the new name elsewhere
    1: ZA ZM Z | 2: ZM Z Z
    02 depart A 1 | 02 transfert M 2>1
a former family name is taken again, though somebody at another member bears the one that goes
    1: ZA Z Z | 2: ZM Z Z | 3: ZM ZM Z | 4: ZA ZM Z
    03 arrivee M 2
a new family name at another member
    1: ZA Z Z | 2: Z ZM Z
    02 arrivee M 2 | 02 depart A 1
of two near names nobody knows which is the respelling [record-respelling]
    1: ZA Z Z | 2: ZFG Z Z
    02 arrivee F 1 | 02 arrivee G 1 | 02 depart A 1
nor of whom one name is
    1: ZFG Z Z | 2: ZA Z Z
    02 arrivee A 1 | 02 depart F 1 | 02 depart G 1
nor where one of them was missing
    1: ZFG B C | 2: ZG B C | 4: ZA B C
    02 depart F 1 | 04 arrivee A 1 | 04 depart G 1
a near name is taken before a given name
    1: ZAL Z Z | 2: ZNM Z Z
    nothing
missing for seven days, and back under a near name
    1: ZA B C | 2: Z B C | 9: ZN B C
    nothing
missing for eight days
    1: ZA B C | 2: Z B C | 10: ZN B C
    02 depart A 1 | 10 arrivee N 1 moyen
missing, and a new family name comes
    1: ZA B C | 2: Z B C | 4: ZM B C
    02 depart A 1 | 04 arrivee M 1
not under a near name where the very name is back
    1: ZA B C | 2: Z B C | 4: ZAP B C
    04 arrivee P 1
who is back under the very name did not take it from who leaves
    1: ZAI B C | 2: ZI B C | 4: ZA B C
    04 depart I 1
nor as a new family name
    1: ZAM B C | 2: ZM B C | 4: ZA B C
    04 depart M 1
nor after a month
    1: ZAI B C | 2: ZI B C | 34: ZI B C | 35: ZA B C
    02 depart A 1 | 35 arrivee A 1 | 35 depart I 1
back under a near name, and written as before again
    1: ZA B C | 2: Z B C | 4: ZN B C | 20: ZA B C
    nothing
under a new name, which leaves
    1: ZA B C | 2: ZM B C | 3: Z B C
    03 depart M 1
missing at another member for seven days: the departure is held, the person known
    1: A BM C | 2: A B C | 8: A B C | 9: M B C
    02 depart M 2 | 09 arrivee M 1 | 09 depart A 1
two names at two members are two people
    1: Z B | 2: ZA BF
    02 arrivee A 1 | 02 arrivee F 2
written twice, at first the shorter way [record-written-twice]
    1: ZA B C | 2: ZAF B C
    nothing
written twice, then the shorter way, and back
    1: ZF B C | 2: ZFA B C | 3: ZA B C | 4: ZFA B C | 5: ZF B C
    nothing
left under the shorter name, and back under both: goes on under either
    1: ZA B C | 2: Z B C | 11: Z B C | 12: ZAF B C | 13: ZA B C | 14: ZF B C
    02 depart A 1 | 12 arrivee F 1
the fuller name had left long before: nobody's new name, but for who stands under both
    1: ZF B C | 2: Z B C | 11: Z B C | 12: ZA B C | 13: ZAF B C | 14: ZF B C
    02 depart F 1 | 12 arrivee A 1
within two others it is one of theirs
    1: ZAFG B C | 2: ZAF B C | 3: ZA B C | 4: ZFD B C
    02 depart G 1 | 04 arrivee D 1
"""


@pytest.mark.parametrize(("days", "expected"), scenarios(SCENARIOS))
def test_who_is_one_person_and_who_never_is(days: Days, expected: list[str]) -> None:
    assert told(days) == expected


def test_names_without_a_given_name_are_nobodys_new_name() -> None:
    before, after = (
        list_("senat", day, of([f"Ada {name}"]))
        for day, name in (("2026-09-01", "MOREAU"), ("2026-09-02", "VASSOR"))
    )
    assert len(compare(before, after).joined) == 1
    bare = [
        replace(one, pairs={key: pair._replace(given="") for key, pair in one.pairs.items()})
        for one in (before, after)
    ]
    assert compare(*bare).joined == []


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
    ],
)
def test_in_a_step_of_more_than_ten_days_less_is_taken_for_one_person(
    old: str, new: str, more: list[str], soon: bool, later: bool
) -> None:
    for day, one in ((11, soon), (12, later)):
        found = of_team((1, [old]), (day, [new, *more]))
        assert any("depart" in line for line in found) == (not one)


@pytest.mark.rule("record-written-twice")
@pytest.mark.parametrize(
    ("names", "people"),
    [
        ([SHORT, LONG], 1),
        ([SHORT, f"M. {LONG}"], 2),
        ([SHORT, f"- {LONG}"], 1),
        (["MOREAU MOREAU", A], 2),  # a family name alone
        # A letter doubled or dropped.
        (["Ada BAILIF", "Ada BAILLIF"], 1),
        (["Ada LE BRRE", "Ada LE BERRE"], 1),
        (["Ada BAILIF", "Ada BAILEF"], 2),  # another letter
        (["Ada BAILIF", "Ida BAILLIF"], 2),
        (["Ada BAILIF", "Ada BAILLIFF"], 2),  # two letters more
        (["Michel MOREAU", "Michele MOREAU"], 1),
        (["- Michel MOREAU", "- Michele MOREAU"], 2),
    ],
)
def test_two_names_of_one_list_may_be_one_person(names: list[str], people: int) -> None:
    assert len(of_team((1, []), (2, names))) == people


@pytest.mark.parametrize(
    ("names", "lists", "expected"),
    [
        ("AM", "1: ZA B C | 2: ZM B C", "02 arrivee M 1 | 02 depart A 1"),
        ("AF", "1: ZA B C | 2: ZF B C", "02 arrivee F 1 | 02 depart A 1"),
        ("AN", "1: ZA B C | 2: Z B C | 4: ZN B C", "02 depart A 1 | 04 arrivee N 1"),
        ("AF", "1: ZF B C | 2: ZFA B C", "02 arrivee A 1"),
        # Of two near names the one that is another person is passed over.
        ("AF", "1: ZA B C | 2: ZFG B C", "02 arrivee F 1"),
    ],
)
def test_a_correction_says_two_names_are_two_people(names: str, lists: str, expected: str) -> None:
    value = {"noms": [PEOPLE[letter] for letter in names]}
    corrections = Corrections([Entry(1, "2026-10-01", "x", "deux_personnes", value)])
    assert told(days_of(lists), corrections) == told_of(expected)
    corrections.check_matched()


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        # A doubled name, and two who may be meant.
        ([["Rival RIVAL"], ["Leslie RIVAL", "Eve RIVAL"]], ["depart", "arrivee", "arrivee"]),
        # A row without a civility does not make a woman of a man.
        ([[f"M. {A}"], [f"- {A}"], ["Ada MORREAU"]], ["depart", "arrivee"]),
        ([[f"M. {A}"], ["- Ada MORREAU"], [A]], ["depart", "arrivee"]),
        ([[f"M. {A}"], [f"- {A}"], [], ["Ada MORREAU"]], ["depart", "arrivee"]),
        ([[f"M. {A}"], [], [f"- {A}"], ["Ada MORREAU"]], ["depart", "arrivee"]),
        ([[f"M. {A}"], [f"- {A}"], [f"- {A}", LONG]], ["arrivee"]),
        ([[f"M. {A}"], [f"- {A}"], ["M. Ada MORREAU"]], []),
    ],
)
@pytest.mark.rule("record-civilities")
def test_who_is_nobody_else(days: list[list[str]], expected: list[str]) -> None:
    found = of_team(*enumerate(days, 1))
    assert sorted(line.split()[1] for line in found) == sorted(expected)


def test_the_civility_that_was_given_last_is_kept() -> None:
    names = enumerate((f"M. {A}", f"- {A}", "Bo LENGLET"), 1)
    found = movements(*((f"2026-09-0{day}", of([name])) for day, name in names))
    (departure,) = (m for m in found if m.type == "depart")
    assert departure.collab_civilite == "M."


def test_nobody_s_own_name_is_a_former_one() -> None:
    found = of_days(days_of("1: ZA B C | 2: ZM B C | 3: ZA B C"))
    names = [stay.anciens_noms for stay in found.stays if stay.elu_id == "99001Z"]
    assert sorted(names) == ["", PEOPLE["M"]]


@pytest.mark.parametrize(
    ("names", "former"),
    [
        # Each a spelling of the next, but the first and the last have no word of the family name in common.
        (["Ada MOREAU", "Ada MOREAU-VASSOR", "Ada VASSOR"], "Ada MOREAU ; Ada MOREAU-VASSOR"),
        (["Ada MOREAU-VASSOR", "Ada MOREAU"], "Ada MOREAU-VASSOR"),
        (["Ada MOREAU", "Ada MORREAU"], ""),
        (["Ada MOREAU", "Ada Bo MOREAU"], ""),
        (["Ada MOREAU", "Ada LE MOREAU"], ""),
        (["Ada MOREAU", "Ada MOREAU-VASSOR", "Ada MOREAU"], "Ada MOREAU-VASSOR"),
    ],
)
def test_a_family_name_with_a_word_more_or_less_is_another_name(
    names: list[str], former: str
) -> None:
    dated = [(f"2026-09-0{day}", {1: [name, "Bo LENGLET"]}) for day, name in enumerate(names, 1)]
    (stay,) = (stay for stay in of_senate(*dated).stays if stay.collab_prenom.startswith("Ada"))
    assert stay.anciens_noms == former


def reported(*days: Sequence[str], masked: str = "") -> list[str]:
    """What the report says of the first member's people on days one after the other."""
    said = [Entry(1, "2026-10-01", "x", "masquer", {"nom": masked})] if masked else []
    dated = ((f"2026-09-0{day}", of(staff)) for day, staff in enumerate(days, 1))
    report = of_senate(*dated, corrections=Corrections(said)).report
    lines = [line for line in report.lines() if line.startswith(("renamed", "one name"))]
    return [re.sub(r"senat/2026-09-0(\d): 99001Z: ", r"\1 ", line) for line in lines]


HE, SHE = "M. Camille MOREAU", "Camille MOREAU"
ALIKE = "a man and a woman, of whom one is told"


@pytest.mark.rule("record-one-name")
@pytest.mark.parametrize(
    ("days", "lines"),
    [
        ([[SHE, SHE]], []),
        ([[HE, SHE]], [f"one name  1 {HE}: {ALIKE}"]),
        # Who was there is kept; the report names the other.
        ([[HE], [HE, SHE], [HE]], [f"one name  2 Mme {SHE}: {ALIKE}"]),
        (
            [[SHE], [HE, SHE], [HE]],
            [f"one name  2 {HE}: {ALIKE}", f"renamed   3 Mme {SHE} -> {HE}"],
        ),
    ],
)
def test_a_man_and_a_woman_of_one_name_are_told(days: list[list[str]], lines: list[str]) -> None:
    assert reported(*days) == lines


@pytest.mark.rule("record-renamed", "record-doubled", "record-civilities")
@pytest.mark.parametrize(
    ("days", "line"),
    [
        ([[A], ["Ada VASSOR"]], f"2 Mme {A} -> Mme Ada VASSOR"),
        ([[A], ["Ada MORREAU"]], f"2 Mme {A} -> Mme Ada MORREAU"),
        ([["Rival RIVAL"], ["Leslie RIVAL"]], "2 Mme Rival RIVAL -> Mme Leslie RIVAL"),
        ([[A], [], ["Ada MORREAU"]], f"3 Mme {A} -> Mme Ada MORREAU"),
        # In one list, once.
        ([[A], [A, LONG], [A, LONG]], f"2 Mme {A} -> Mme {LONG}"),
        # A civility put right, at once, after some days, and after a row without one.
        ([[HE], [SHE], [SHE]], f"2 {HE} -> Mme {SHE}"),
        ([[HE], [f"- {SHE}"], [SHE]], f"3 {HE} -> Mme {SHE}"),
    ],
)
def test_the_report_names_each_who_may_be_two_people(days: list[list[str]], line: str) -> None:
    assert reported(*days) == [f"renamed   {line}"]
    assert len(of_team(*enumerate(days, 1))) == 0


@pytest.mark.parametrize(
    ("masked", "line"), [(A, "(masked) -> Mme Ada VASSOR"), ("Ada VASSOR", f"Mme {A} -> (masked)")]
)
def test_the_report_does_not_name_who_is_masked(masked: str, line: str) -> None:
    assert reported([A], ["Ada VASSOR"], masked=masked) == [f"renamed   2 {line}"]
