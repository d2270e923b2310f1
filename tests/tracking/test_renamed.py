"""Who is one person under another name: at once, after days away, and where a correction says no."""

from __future__ import annotations

import re

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tracking.correction import Entry
from parlement_lists.tracking.corrections import Corrections
from tests.tracking.lists import Staff, list_file, many, tracked
from tests.tracking.windows import DATA, MISSING, lists_of

MONTHLY = DATA / "archives" / "se-mensuel.tar.xz"

A, B, C = "Ada MOREAU", "Bo LENGLET", "Cleo GALLIET"
EVERYONE = {1: [A], 2: [B], 3: [C]}


def movements(*days: tuple[str, Staff], corrections: Corrections | None = None) -> list[Movement]:
    """The movements between lists of (day, staff), departures of a day first."""
    files = [list_file("senat", day, staff) for day, staff in days]
    found = tracked(files, corrections=corrections).movements
    return sorted(found, key=lambda m: (m.date_event, m.type != "depart"))


@pytest.mark.rule("record-respelling")
def test_who_is_missing_comes_back_under_a_near_name() -> None:
    near = EVERYONE | {1: ["Ada MORREAU", B]}
    days = [("2026-09-01", EVERYONE | {1: [A, B]}), ("2026-09-02", EVERYONE | {1: [B]})]
    assert movements(*days, ("2026-09-09", near)) == []
    assert [m.type for m in movements(*days, ("2026-09-10", near))] == ["depart", "arrivee"]
    elsewhere = EVERYONE | {1: [B], 2: [B, "Ada MORREAU"]}
    assert [m.type for m in movements(*days, ("2026-09-09", elsewhere))] == ["depart", "arrivee"]


def test_who_is_missing_and_back_under_another_family_name_left_and_arrived() -> None:
    days = [("2026-09-01", EVERYONE | {1: [A, B]}), ("2026-09-02", EVERYONE | {1: [B]})]
    back = ("2026-09-04", EVERYONE | {1: ["Ada VASSOR", B]})
    assert [m.type for m in movements(*days, back)] == ["depart", "arrivee"]


@pytest.mark.parametrize("other", ["Aba MOREAU", "Ada MORIAU"])
def test_who_is_back_under_the_very_name_is_no_near_one(other: str) -> None:
    """Whichever of the two names comes first in the list and in the order of the keys."""
    days = [("2026-09-01", EVERYONE | {1: [A, B]}), ("2026-09-02", EVERYONE | {1: [B]})]
    both = ("2026-09-04", EVERYONE | {1: [A, B, other]})
    assert [(m.type, m.collab_nom, m.collab_prenom) for m in movements(*days, both)] == [
        ("arrivee", other.split()[1], other.split()[0])
    ]


def test_an_absence_is_ended_by_one_near_name_only() -> None:
    days = [("2026-09-01", EVERYONE | {1: [A, B]}), ("2026-09-02", EVERYONE | {1: [B]})]
    both = ("2026-09-04", EVERYONE | {1: ["Ada MORREAU", B, "Ada MOREEAU"]})
    assert [(m.type, m.collab_nom) for m in movements(*days, both)] == [("arrivee", "MORREAU")]


@pytest.mark.parametrize("leaving", ["Ada MORIAU", "Ada VASSOR"])
def test_who_is_back_under_the_very_name_did_not_take_it_from_who_leaves(leaving: str) -> None:
    days = [
        ("2026-09-01", EVERYONE | {1: [A, leaving]}),
        ("2026-09-02", EVERYONE | {1: [leaving]}),
        ("2026-09-04", EVERYONE | {1: [A]}),
    ]
    assert [(m.date_event, m.type, m.collab_nom) for m in movements(*days)] == [
        ("2026-09-04", "depart", leaving.split()[1])
    ]


@pytest.mark.rule("record-renamed")
def test_who_marries_did_not_move_and_leaves_under_the_new_name() -> None:
    married, gone = EVERYONE | {1: ["Ada VASSOR"]}, EVERYONE | {1: ["Dan X"]}
    days = [("2026-09-01", EVERYONE), ("2026-09-02", married), ("2026-09-03", gone)]
    assert [(m.date_event, m.type, m.collab_nom) for m in movements(*days)] == [
        ("2026-09-03", "depart", "VASSOR"),
        ("2026-09-03", "arrivee", "X"),
    ]


def test_a_change_tells_who_was_renamed_and_counts_nobody() -> None:
    days = [("2026-09-01", EVERYONE), ("2026-09-02", EVERYONE | {1: ["Ada VASSOR"]})]
    _, record = tracked([list_file("senat", *day) for day in days]).report.records
    assert [(r["old"], r["new"]) for r in record.renamed] == [("Mme Ada MOREAU", "Mme Ada VASSOR")]
    assert (record.lost, record.gained) == (0, 0)


@pytest.mark.parametrize(
    ("new", "back"), [("Ada VASSOR", "02"), ("Ada MORREAU", "02"), ("Ada MORREAU", "03")]
)
def test_a_correction_says_that_two_names_are_two_people(new: str, back: str) -> None:
    said = Entry(1, "2026-10-01", "x", "deux_personnes", {"noms": [A, new]})
    corrections = Corrections([said])
    staff = {"01": {1: [A, B]}, "02": {1: [B]}, "03": {1: [B]}} | {back: {1: [new, B]}}
    days = [(f"2026-09-{day}", EVERYONE | of_one) for day, of_one in staff.items()]
    assert [m.type for m in movements(*days[: int(back)])] == []
    found = movements(*days[: int(back)], corrections=corrections)
    assert [(m.type, m.collab_nom) for m in found] == [
        ("depart", "MOREAU"),
        ("arrivee", new.split()[1]),
    ]
    corrections.check_matched()


@pytest.mark.parametrize("leaving", ["Ada MORIAU", "Ada VASSOR"])
def test_who_left_and_comes_back_under_the_very_name_did_not_take_it_from_who_leaves(
    leaving: str,
) -> None:
    days = [
        ("2026-08-01", EVERYONE | {1: [A, leaving]}),
        ("2026-08-02", EVERYONE | {1: [leaving]}),
        ("2026-09-04", EVERYONE | {1: [leaving]}),
        ("2026-09-05", EVERYONE | {1: [A]}),
    ]
    assert [(m.date_event, m.type, m.collab_nom) for m in movements(*days)] == [
        ("2026-08-02", "depart", "MOREAU"),
        ("2026-09-05", "depart", leaving.split()[1]),
        ("2026-09-05", "arrivee", "MOREAU"),
    ]


def test_who_was_only_missing_and_came_back_respelled_may_be_spelt_as_before() -> None:
    days = [
        ("2026-09-01", EVERYONE | {1: [A, B]}),
        ("2026-09-02", EVERYONE | {1: [B]}),
        ("2026-09-04", EVERYONE | {1: ["Ada MORREAU", B]}),
        ("2026-09-20", EVERYONE | {1: [A, B]}),
    ]
    assert movements(*days) == []


@pytest.mark.parametrize(
    ("day", "found"),
    [
        # Missing at the other member for so few days: the departure is held, the person known.
        ("09", [("depart", "VASSOR"), ("depart", "MOREAU"), ("arrivee", "VASSOR")]),
        ("10", [("depart", "VASSOR")]),
    ],
)
def test_who_has_just_left_another_member_is_not_a_colleague_of_the_same_given_name(
    day: str, found: list[tuple[str, str]]
) -> None:
    days = [
        ("2026-09-01", EVERYONE | {2: [B, "Ada VASSOR"]}),
        ("2026-09-02", EVERYONE),
        ("2026-09-08", EVERYONE),
        (f"2026-09-{day}", EVERYONE | {1: ["Ada VASSOR"]}),
    ]
    assert [(m.type, m.collab_nom) for m in movements(*days)] == found


def test_the_report_names_each_of_many() -> None:
    staff, files = many(30), []
    for day in range(1, 12):
        files.append(list_file("senat", f"2026-09-{day:02}", {n: [*s] for n, s in staff.items()}))
        for n in range(3 * day - 2, min(3 * day, 30) + 1):
            staff[n][0] = f"{staff[n][0].split()[0]} MOREAU-{n}"
    lines = tracked(files).report.lines()
    assert len([line for line in lines if line.startswith("renamed ")]) == 30


@pytest.mark.skipif(not MONTHLY.exists(), reason=MISSING)
def test_of_lists_a_month_apart_who_has_another_family_name_is_a_woman_or_keeps_a_word_of_it() -> (
    None
):
    report = tracked(lists_of(MONTHLY)).report
    told = [change for record in report.records for change in record.renamed]
    men = [c for c in told if not c["old"].startswith("Mme ")]
    assert (len(told), len(men)) == (26, 1)
    assert {*men[0]["old"].split()[2:]} & {*re.split("[ -]", men[0]["new"])}
    lines = report.lines()
    assert sum(line.startswith("renamed ") for line in lines) == 26
