"""The forms of lists: each gives the same pairs, and what is no list is refused with what was found."""

from __future__ import annotations

import datetime
import gzip
from collections.abc import Sequence

import pytest

from parlement_lists.tenure import UNPAID
from parlement_lists.tracking.reading.lists import List, ListRefused, read_list
from tests.tracking import lists

DAY = datetime.date(2026, 9, 1)
STAFF = {1: ["Zélie GRANDIN-MOREL", "Ulysse LE TERTRE"], 2: ["Zélie GRANDIN-MOREL"]}


def read(data: bytes, chamber: str = "assemblee") -> List:
    return read_list(data, chamber, DAY)


@pytest.mark.parametrize(
    ("chamber", "header", "source", "group"),
    [
        ("senat", lists.SENAT_FIRST, "regards-citoyens", ""),
        ("senat", lists.SENAT, "regards-citoyens", ""),
        ("senat", lists.NOW, "regards-citoyens", ""),
        ("assemblee", lists.BOTH, "regards-citoyens", ""),
        ("europarl", lists.EUROPARL, "parltrack", ""),
        ("senat", lists.KEPT, "", "GRA"),
    ],
)
def test_each_form_gives_the_same_pairs(chamber: str, header: str, source: str, group: str) -> None:
    found = read(lists.data(chamber, STAFF, header), chamber)
    one, two = (lists.member(chamber, n) for n in (1, 2))
    assert set(found.pairs) == {
        (one, "grandin morel zelie"),
        (one, "le tertre ulysse"),
        (two, "grandin morel zelie"),
    }
    pair = found.pairs[one, "le tertre ulysse"]
    assert (pair.family, pair.given, pair.group) == ("LE TERTRE", "Ulysse", group)
    assert pair.civility == ("" if header == lists.EUROPARL else "Mme")
    assert pair.member_family.upper() == "NUMÉRO1"
    assert (found.rows, found.without_member, found.unreadable) == (3, 0, 0)
    assert not source or found.source == source


@pytest.mark.parametrize("wrap", [gzip.compress, lambda d: b"\xef\xbb\xbf" + d])
def test_gzip_and_a_byte_order_mark_change_nothing(wrap) -> None:
    data = lists.data("senat", STAFF)
    assert read(wrap(data), "senat").pairs == read(data, "senat").pairs


def test_a_star_an_accent_and_a_civility_do_not_make_another_person() -> None:
    starred = lists.data("senat", {1: ["Zelie * GRANDIN MOREL"]})
    assert set(read(starred, "senat").pairs) == {("99001Z", "grandin morel zelie")}


def test_a_list_of_the_other_chamber_has_no_member() -> None:
    assert read(lists.data("senat", STAFF), "assemblee").without_member == 3
    kept = lists.data("assemblee", STAFF, lists.KEPT)
    assert read(kept.replace(b'\n"assemblee"', b'\n"senat"'), "assemblee").without_member == 3


@pytest.mark.rule("record-list-alone")
@pytest.mark.parametrize(
    ("data", "reason", "said"),
    [
        (b"", "empty", "empty"),
        (b"\n \n", "empty", "empty"),
        (lists.data("senat", STAFF).replace(b",", b";"), "format", '"parlementaire";'),
        (lists.data("assemblee", STAFF).replace(b"Ulysse", b"Ulys\x00e"), "garbled", "line 3"),
        (lists.data("assemblee", STAFF).decode().encode("latin-1"), "garbled", "line 1: not UTF-8"),
        (lists.data("assemblee", STAFF)[:-1], "truncated", "cut off"),
        # A quote that opens a field in one line, and closes it in the next.
        (
            lists.data("assemblee", STAFF).replace(b'","Mme U', b'","Mme "U', 1)[:-2] + b"\n",
            "garbled",
            "line 3: ",
        ),
        (lists.data("europarl", STAFF), "format", "europarl"),
        (gzip.compress(lists.data("assemblee", STAFF), mtime=0)[:-9], "damaged", "gzip"),
        (lists.data("assemblee", {2: ["Zoé " + "B" * 140_000]}), "too_long", "line 2"),
    ],
)
def test_what_is_no_list_is_refused_with_its_fault(data: bytes, reason: str, said: str) -> None:
    with pytest.raises(ListRefused, match=said) as refused:
        read(data)
    assert refused.value.reason == reason
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    "name", ["=CMD() X", "@SUM(A1) X", "Zoé\tB <b>", "-- --", "N/A", "XX", "À venir"]
)
def test_a_name_that_cannot_be_one_is_an_unreadable_row(name: str) -> None:
    table = lists.rows("assemblee", STAFF)
    table.append([*table[1][:4], name, *table[1][5:]])
    found = read(lists.text(table))
    assert (found.unreadable, len(found.pairs)) == (1, 3)


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\x0b", "\r"])
def test_a_character_that_ends_lines_elsewhere_does_not_shift_the_rows(odd: str) -> None:
    table = [",".join(row) for row in lists.rows("europarl", STAFF)]
    table.insert(1, table[1].replace(" GRANDIN", f"{odd}GRANDIN"))
    try:
        found = read("\n".join([*table, ""]).encode(), "europarl")
    except ListRefused:
        return
    assert set(read(lists.data("europarl", STAFF), "europarl").pairs) <= set(found.pairs)


# Every name of a list reads one way: "Prénom NOM" as `nom` and `prénom` have it, or the other.
RIGHT = [
    *(("Zélie", "GRANDIN-MOREL"), ("Zélie", "LE TERTRE"), ("Ada", "MOREAU")),
    *(("Ada", "LENGLET"), ("Zélie", "FOREZ"), ("Zélie", "VASSOR")),
]
ALL = (1, 2, 3, 4, 5, 6)


def swapped(exchanged: Sequence[int], header: str = lists.NOW, family_first: bool = False) -> bytes:
    """A list of six; those of these rows have family and given name exchanged.

    With `family_first` the full names read "Mme NOM Prénom".
    """
    table = lists.rows(
        "assemblee", {n: [" ".join(name)] for n, name in enumerate(RIGHT, 1)}, header
    )
    for number, row in enumerate(table[1:], 1):
        row = list(row)
        if family_first:
            row[4] = f"Mme {row[5]} {row[6]}"
        if number in exchanged:
            row[5], row[6] = row[6], row[5]
        table[number] = row
    return lists.text(table)


@pytest.mark.rule("record-list-exchanged")
@pytest.mark.parametrize("header", [lists.BOTH, lists.NOW])
def test_a_list_with_family_and_given_names_exchanged_reads_as_the_right_one(header: str) -> None:
    right = read(swapped((), header))
    assert read(swapped(ALL, header)).pairs == right.pairs
    written_first = read(swapped((), header, family_first=True)).pairs
    assert {key: p._replace(exchanged=False) for key, p in written_first.items()} == right.pairs
    # The members' own names are never exchanged.
    assert right.pairs["PA999001", "grandin morel zelie"].member_given == "Élue"


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
    first, *_, last = read(swapped(exchanged)).pairs.values()
    assert (first.family, first.given, last.family) == names


def test_what_says_nothing_does_not_make_a_list_exchanged() -> None:
    """As many family names as given names; a name twice the same; rows that are none."""
    names = {1: ["Zélie MOREAU"], 2: ["Zélie LENGLET"], 3: ["Ada MOREAU"]}
    table = [list(row) for row in lists.rows("assemblee", names)]
    for row in table[1:]:
        row[5], row[6] = row[6], row[5]
    assert next(iter(read(lists.text(table)).pairs.values())).family == "ZÉLIE"
    table = lists.rows("assemblee", {1: ["Martin MARTIN", "Thomas THOMAS"], 2: ["Ada MOREAU"]})
    assert [pair.family for pair in read(lists.text(table)).pairs.values()][-1] == "MOREAU"
    assert read(swapped(()) + b'"Mme Ada MOREAU","Ada"\n').unreadable == 1


def test_unpaid_leave_is_a_remark_of_a_stay_and_no_movement() -> None:
    staff = {number: [f"Ada UNE{number}", f"Zoé DEUX{number}"] for number in range(1, 31)}
    table = [list(row) for row in lists.rows("senat", staff)]
    table[5][10], table[5][4] = "Congé sans solde", table[5][4] + " *"
    on_leave, back = lists.text(table), lists.data("senat", staff)
    days = [("2026-09-01", back), ("2026-09-02", on_leave), ("2026-09-03", back)]
    for last, away in ((1, []), (2, [(lists.member("senat", 3), UNPAID)]), (3, [])):
        found = lists.of_senate(*days[:last])
        assert found.movements == []
        assert [(stay.elu_id, stay.conge) for stay in found.stays if stay.conge] == away
