"""Lists of the Assemblée whose `nom` and `prénom` are the wrong way round, as for six days of July 2017."""

from __future__ import annotations

import csv
import datetime
import io
import itertools
from collections.abc import Sequence

import pytest

from parlement_lists.movement import identifier, plain, words
from parlement_lists.tracking.reading.lists import List, Reader
from parlement_lists.tracking.reading.names import civility_and_name
from tests.tracking import lists
from tests.tracking.windows import DATA, MISSING, lists_of

DAY = datetime.date(2017, 7, 26)
# Every name of a list reads one way: "Prénom NOM" as `nom` and `prénom` have it, or the other.
RIGHT = [
    *(("Zélie", "GRANDIN-MOREL"), ("Zélie", "LE TERTRE"), ("Ada", "MOREAU")),
    *(("Ada", "LENGLET"), ("Zélie", "FOREZ"), ("Zélie", "VASSOR")),
]
ALL = (1, 2, 3, 4, 5, 6)
CONTENTS = [(), (1, 2), (4, 5, 6), (1, 2, 3, 4), ALL]
JULY = DATA / "audit" / "an-noms-2017.tar.xz"
EXCHANGED_DAYS = ("2017-07-22T15", "2017-07-25", "2017-07-26", "2017-07-27", "2017-07-28T03")


def content(
    exchanged: Sequence[int],
    header: str = lists.NOW,
    chamber: str = "assemblee",
    family_first: bool = False,
) -> bytes:
    """A list of six; those of these rows have family and given name exchanged.

    With `family_first` the full names read "Mme NOM Prénom".
    """
    table = lists.rows(chamber, {n: [" ".join(name)] for n, name in enumerate(RIGHT, 1)}, header)
    for number, row in enumerate(table[1:], 1):
        row = list(row)
        if family_first:
            row[4] = f"Mme {row[5]} {row[6]}"
        if number in exchanged:
            row[5], row[6] = row[6], row[5]
        table[number] = row
    return lists.text(table)


def read(data: bytes, reader: Reader | None = None, chamber: str = "assemblee") -> List:
    return (reader or Reader()).read(data, chamber, DAY)


@pytest.mark.rule("record-list-exchanged")
@pytest.mark.parametrize("header", [lists.BOTH, lists.NOW])
def test_a_list_with_family_and_given_names_exchanged_reads_as_the_right_one(header: str) -> None:
    assert read(content(ALL, header)).pairs == read(content((), header)).pairs


@pytest.mark.parametrize(
    ("exchanged", "names"),
    [
        ((1,), ("ZÉLIE", "GRANDIN-MOREL", "VASSOR")),
        ((1, 2, 3), ("ZÉLIE", "GRANDIN-MOREL", "VASSOR")),
        ((1, 2, 3, 4), ("GRANDIN-MOREL", "Zélie", "ZÉLIE")),
        (ALL, ("GRANDIN-MOREL", "Zélie", "VASSOR")),
    ],
)
def test_a_list_is_exchanged_where_more_than_half_of_its_rows_are(
    exchanged: Sequence[int], names: tuple[str, str, str]
) -> None:
    first, *_, last = read(content(exchanged)).pairs.values()
    assert (first.family, first.given, last.family) == names


@pytest.mark.parametrize("header", [lists.BOTH, lists.NOW])
def test_a_list_that_writes_the_family_name_first_is_not_exchanged(header: str) -> None:
    found = read(content((), header, family_first=True))
    assert found.pairs == read(content((), header)).pairs


def test_a_list_with_as_many_family_names_as_given_names_is_not_exchanged() -> None:
    names = {1: ["Zélie MOREAU"], 2: ["Zélie LENGLET"], 3: ["Ada MOREAU"]}
    table = [list(row) for row in lists.rows("assemblee", names)]
    for row in table[1:]:
        row[5], row[6] = row[6], row[5]
    assert next(iter(read(lists.text(table)).pairs.values())).family == "ZÉLIE"


def test_the_members_own_names_are_never_exchanged() -> None:
    found = {(pair.member_family, pair.member_given) for pair in read(content(ALL)).pairs.values()}
    assert found == {(f"NUMÉRO{n}", "Élue") for n in ALL}


def test_the_family_name_stands_first_in_every_list_of_the_senat() -> None:
    pairs = read(content((), chamber="senat"), chamber="senat").pairs.values()
    assert [pair.family for pair in pairs] == [family for _, family in RIGHT]


def test_a_name_twice_the_same_says_nothing_of_its_list() -> None:
    table = lists.rows("assemblee", {1: ["Martin MARTIN", "Thomas THOMAS"], 2: ["Ada MOREAU"]})
    assert [pair.family for pair in read(lists.text(table)).pairs.values()][-1] == "MOREAU"


@pytest.mark.parametrize("order", list(itertools.permutations(CONTENTS, 3)))
def test_how_a_list_reads_does_not_depend_on_the_lists_before(
    order: Sequence[Sequence[int]],
) -> None:
    reader = Reader()
    for exchanged, family_first in itertools.product(order, (False, True)):
        data = content(exchanged, family_first=family_first)
        assert read(data, reader).pairs == read(data).pairs


def test_rows_that_are_no_rows_do_not_make_a_list_exchanged() -> None:
    short = b'"Mme Ada MOREAU","Ada"\n'
    assert read(content(()) + short).unreadable == 1


@pytest.mark.skipif(not JULY.exists(), reason=MISSING)
def test_the_lists_of_july_2017_name_everybody_as_the_lists_after_them() -> None:
    reader = Reader()
    exchanged: list[List] = []
    right = {}
    for file in lists_of(JULY):
        list_ = file.read(reader)
        if file.name.partition("/")[2].startswith(EXCHANGED_DAYS):
            exchanged.append(list_)
        else:
            right |= list_.pairs
    assert len(exchanged) == 5
    for list_ in exchanged:
        common = list_.pairs.keys() & right.keys()
        assert len(common) > 1000
        other = [key for key in common if list_.pairs[key].family != right[key].family]
        # The rough split of two of them lacks a word, so that their last word is the family name.
        assert len(other) <= 2


@pytest.mark.skipif(not JULY.exists(), reason=MISSING)
def test_no_movement_of_july_2017_has_an_exchanged_name_and_identifiers_stay() -> None:
    full = {}
    for file in lists_of(JULY):
        assert file.data is not None
        for row in csv.DictReader(io.StringIO(file.data().decode())):
            name = civility_and_name(row["collaborateur"])[1]
            full[words(name)] = plain(name)
    found = lists.tracked(lists_of(JULY)).movements
    assert len(found) > 200
    for movement in found:
        family, given = movement.collab_nom, movement.collab_prenom
        assert plain(f"{given} {family}") == full[words(family, given)]
        # What was published while they were exchanged keeps its identifier.
        before = movement._replace(collab_nom=given.upper(), collab_prenom=family.title())
        assert identifier(before) == movement.id
