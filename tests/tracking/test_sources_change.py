"""The first list of another source: told, and matched more loosely."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Sequence

import pytest

from parlement_lists.movement import Movement
from parlement_lists.tracking.correction import Entry
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.people import compare
from parlement_lists.tracking.reading.formats import Pair, recognise
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.lists import List, Reader
from parlement_lists.tracking.report import Record
from parlement_lists.tracking.track import Tracked
from tests.tracking.lists import (
    NOW,
    OPEN_DATA,
    SENAT,
    SENAT_FIRST,
    Staff,
    data,
    list_,
    list_file,
    many,
    tracked,
)
from tests.tracking.windows import DATA, MISSING, available, list_files

DAY = datetime.date(2026, 3, 1)
STAFF = many(60)
WINDOWS = available()


def on(day: str, staff: Staff, source: str = "") -> ListFile:
    """A list as if it were of a form of that source."""
    file = list_file("assemblee", day, staff)

    def made() -> List:
        list_ = file.read(Reader())
        return list_._replace(source=source or list_.source)

    return dataclasses.replace(file, data=made)


def run(*files: ListFile, said: Sequence[Entry] = ()) -> Tracked:
    return tracked(files, corrections=Corrections(said), kind="suivi")


def told(found: Tracked) -> list[tuple[str, str, str]]:
    return [(r.status, *r.row()[4:6]) for r in found.report.records]


# Who is written otherwise by the second source, and would be two people within one source.
SPELT = [
    (["Marie-Claude LENGLET-PERROT"], ["Marie LENGLET-VASSOR"]),
    (["Alexandre MOREAU"], ["Alex MOREAU"]),
    (["Ada MOREAU"], ["A. MOREAU"]),
    (["Ada MOREAU", "Cleo MOREAU"], ["A. MOREAU", "C. MOREAU"]),
]
# Who is not taken for one person even then.
TWO_PEOPLE = [
    (["Ada MOREAU"], ["Bo MOREAU"]),
    (["Ada BEN MOREAU"], ["A BEN LENGLET"]),
    (["Ada MOREAU"], ["A LENGLET"]),
    # Either may be either.
    (["Ada MOREAU", "Annie MOREAU"], ["A. MOREAU"]),
    (["A. MOREAU"], ["Ada MOREAU", "Annie MOREAU"]),
]


def changed(before: list[str], after: list[str], source: str) -> tuple[int, int, int]:
    """How many are lost, gained and renamed where one member's staff changes."""
    one, other = (list_("senat", f"2026-03-0{n}", {1: s}) for n, s in enumerate((before, after), 1))
    found = compare(one, other._replace(source=source) if source else other)
    return len(found.lost), len(found.gained), len(found.renamed)


@pytest.mark.parametrize(("before", "after"), SPELT)
def test_another_spelling_is_no_movement_at_a_change_of_source_alone(
    before: list[str], after: list[str]
) -> None:
    assert changed(before, after, "senat-pdf") == (0, 0, len(before))
    assert changed(before, after, "") == (len(before), len(after), 0)


@pytest.mark.parametrize(("before", "after"), TWO_PEOPLE)
def test_who_may_be_two_people_stays_two(before: list[str], after: list[str]) -> None:
    assert changed(before, after, "senat-pdf") == (len(before), len(after), 0)


def test_nobody_takes_the_name_of_who_is_elsewhere_or_was_said_to_be_another() -> None:
    before = list_("senat", "2026-03-01", {1: ["Alexandre MOREAU"], 2: ["Cleo VASSOR"]})
    after = {1: ["Alex MOREAU"], 2: ["Cleo VASSOR"]}
    other = list_("senat", "2026-03-02", after)._replace(source="senat-pdf")
    assert len(compare(before, other).renamed) == 1
    assert compare(before, other, lambda one, other: True).renamed == []
    still = list_("senat", "2026-03-02", {**after, 2: ["Cleo VASSOR", "Alexandre MOREAU"]})
    assert compare(before, still._replace(source="senat-pdf")).renamed == []


def test_a_man_and_a_woman_are_two_people_however_alike() -> None:
    before = list_("senat", "2026-03-01", {1: ["Alexandre MOREAU"]})
    after = list_("senat", "2026-03-02", {1: ["Alex MOREAU"]})._replace(source="senat-pdf")
    man = {key: pair._replace(civility="M.") for key, pair in after.pairs.items()}
    assert compare(before, after._replace(pairs=man)).renamed == []
    assert len(compare(before, without_civility(after)).renamed) == 1


def without_civility(list_: List) -> List:
    pairs = {key: pair._replace(civility="") for key, pair in list_.pairs.items()}
    return list_._replace(pairs=pairs)


def test_a_civility_that_one_source_lacks_is_no_difference_in_a_new_family_name() -> None:
    before = list_("senat", "2026-03-01", {1: ["Ada MOREAU"]})
    after = without_civility(list_("senat", "2026-03-02", {1: ["Ada LENGLET"]}))
    assert compare(before, after).renamed == []
    assert len(compare(before, after._replace(source="senat-pdf")).renamed) == 1
    other = {key: pair._replace(civility="M.") for key, pair in after.pairs.items()}
    assert compare(before, after._replace(source="senat-pdf", pairs=other)).renamed == []


def test_the_forms_of_one_archive_are_one_source_and_those_of_others_are_not() -> None:
    def source(chamber: str, header: str) -> str:
        return Reader().read(data(chamber, {1: ["Ada MOREAU"]}, header), chamber, DAY).source

    assert {source("senat", header) for header in (SENAT_FIRST, SENAT, NOW)} == {"regards-citoyens"}
    assert source("assemblee", NOW) == "regards-citoyens"
    form = recognise(NOW.split(","))
    assert form
    assert form.exchanged
    assert form.exchanged.source == "regards-citoyens"
    assert source("assemblee", OPEN_DATA) == "assemblee-csv"
    assert source("europarl", "") == "parltrack"


def test_a_list_of_another_source_is_told_and_the_next_one_is_not() -> None:
    less = {**STAFF, 7: STAFF[7][1:]}
    days = [
        on("2026-03-01", STAFF, "assemblee-csv"),
        on("2026-03-02", less, "assemblee-zip"),
        on("2026-03-03", {**less, 8: STAFF[8][1:]}, "assemblee-zip"),
    ]
    found = run(*days)
    change = ("autre source que la liste précédente", "assemblee-csv → assemblee-zip")
    assert told(found) == [("accepted", "", ""), ("accepted", *change), ("accepted", "", "")]
    report = found.report
    assert [line for line in report.lines() if line.startswith("source")] == [
        "source    assemblee/2026-03-02: assemblee-csv -> assemblee-zip: 0 gained, 1 lost"
    ]
    lists = report.as_json()["lists"]
    assert [(one["source_before"], one["source"]) for one in lists] == [
        ("", "assemblee-csv"),
        ("assemblee-csv", "assemblee-zip"),
        ("", "assemblee-zip"),
    ]
    # Whom the new source lacks may have been gone before.
    later = run(*days, on("2026-03-13", {**less, 8: STAFF[8][1:]}, "assemblee-zip"))
    assert {m.date_event: m.confiance for m in later.movements} == {
        "2026-03-02": "moyen",
        "2026-03-03": "bot",
    }


def test_a_refused_list_is_compared_with_the_last_source_until_a_maintainer_accepts_one() -> None:
    # People are written so that nobody could say that they are the same.
    other = {**STAFF, **{n: [f"Une{n} AUTRE{n}", *STAFF[n][1:]] for n in range(1, 16)}}
    days = [on("2026-03-01", STAFF, "assemblee-csv")]
    days += [on(f"2026-03-0{n}", other, "assemblee-zip") for n in (2, 3)]
    found = run(*days)
    assert told(found)[1:] == [("refused", "trop de changements", "12,5 %")] * 2
    assert found.movements == []
    accepted = Entry(1, "2026-03-04", "x", "accepter", "assemblee/2026-03-02")
    again = run(*days, said=[accepted])
    change = ("autre source que la liste précédente", "assemblee-csv → assemblee-zip")
    assert told(again)[1:] == [("accepted", *change), ("accepted", "", "")]
    # The old source's list, should it come again, changes nothing where the new one was refused.
    back = run(*days, on("2026-03-04", STAFF, "assemblee-csv"))
    assert told(back)[3] == ("accepted", "", "")


def test_lists_of_two_sources_on_one_day_follow_one_another() -> None:
    less = {**STAFF, 7: STAFF[7][1:]}
    found = run(
        on("2026-03-02T0700", STAFF, "assemblee-csv"),
        on("2026-03-02T0800", less, "assemblee-zip"),
        on("2026-03-02T0800", STAFF, "assemblee-csv"),
        on("2026-03-01", STAFF, "assemblee-csv"),
    )
    assert [status for status, *_ in told(found)] == ["accepted", "accepted"]
    assert found.report.passed_over == ["assemblee/2026-03-02T0800", "assemblee/2026-03-01"]
    assert found.held == {("assemblee", DAY.replace(day=2)): 1}


def test_the_row_of_a_refused_list_has_its_reason_alone() -> None:
    record = Record("x", "senat", DAY, "", "refused", "changed", figure="3.4%")
    assert record.row()[4:6] == ("trop de changements", "3,4 %")


real = pytest.mark.skipif(not WINDOWS, reason=f"{MISSING} ({DATA})")
CALM = ("an-calme-2022", "se-calme-2019", "se-quotidien-2018", "ep-suivi-2022")


@real
@pytest.mark.parametrize("name", CALM)
def test_a_change_of_source_that_changes_nothing_is_accepted_and_moves_nobody(name: str) -> None:
    """From the middle of a window on its lists are said to come from elsewhere."""
    files = list_files(WINDOWS[name])
    there = files[len(files) // 2 :]
    noted = [elsewhere(file) if file in there else file for file in files]

    def found(files: Sequence[ListFile]) -> tuple[list[Movement], list[str]]:
        made = tracked(files)
        movements = [movement._replace(confiance="") for movement in made.movements]
        return movements, [record.status for record in made.report.records]

    assert found(noted) == found(files)


def elsewhere(file: ListFile) -> ListFile:
    reader = Reader()

    def made() -> List:
        return file.read(reader)._replace(source="elsewhere")

    return dataclasses.replace(file, data=made)


def initials(pair: Pair) -> Pair:
    given = f"{pair.given[:1]}."
    person = " ".join(sorted({*pair.family.lower().split(), given[0].lower()}))
    return pair._replace(given=given, person=person, civility="")


@real
def test_a_source_that_writes_initials_moves_almost_nobody() -> None:
    files = list_files(WINDOWS["se-calme-2019"])
    before, after = (file.read(Reader()) for file in files[:2])
    pairs = {pair.key: pair for pair in map(initials, after.pairs.values())}
    changed = compare(before, after._replace(pairs=pairs, source="senat-initiales"))
    assert len(changed.lost) < 0.01 * len(before.pairs)
    same = compare(before, after._replace(pairs=pairs))
    assert len(same.lost) > 0.5 * len(before.pairs)
