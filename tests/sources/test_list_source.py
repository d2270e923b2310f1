"""A list that somebody publishes as CSV, in any form, is a source."""

from __future__ import annotations

import datetime

import pytest

from parlement_lists.sources.hooks import Address, ListSource
from parlement_lists.sources.kept_list import to_csv
from parlement_lists.sources.members import combine
from parlement_lists.sources.source import (
    ChamberMembers,
    MemberRecord,
    Original,
    OriginalRefused,
    Period,
)
from parlement_lists.tracking.members.known_members import Members
from tests.tracking import lists

DAY = datetime.date(2026, 9, 1)
SOURCE = ListSource("essai", "senat", "https://lists.example.org/senat.csv")
LIST = Original("liste.csv", lists.data("senat", lists.STAFF))


def test_its_rows_are_those_of_the_list() -> None:
    read = SOURCE.read([LIST], Members(), DAY)
    pairs = {(row.elu_id, row.collab_nom) for row in read.rows}
    assert ("99007Z", lists.FAMILY) in pairs
    assert len(pairs) == 120
    assert (read.origin, read.day, read.told) == ("regards-citoyens", None, ())
    assert SOURCE.members([LIST], DAY) is None


def test_its_own_kept_list_is_read_as_it_is() -> None:
    rows = SOURCE.read([LIST], Members(), None).rows
    read = SOURCE.read([Original("x.csv", to_csv("senat", rows))], Members(), None)
    assert (set(read.rows), read.origin) == (set(rows), "kept")


def test_a_member_has_the_group_of_the_day_where_the_list_has_none() -> None:
    one = MemberRecord("99007Z", "Sept", "Élue", "", "", [Period(DAY)], [Period(DAY, None, "GRA")])
    members = combine([], "senat", ChamberMembers([one], True, "x"), DAY)

    def groups(source: ListSource, original: Original, day: datetime.date | None) -> set[str]:
        rows = source.read([original], members, day).rows
        return {row.groupe for row in rows if row.elu_id == "99007Z"}

    assert groups(SOURCE, LIST, DAY) == {"GRA"}
    assert groups(SOURCE, LIST, None) == {""}
    rows = [row._replace(groupe="GRB") for row in SOURCE.read([LIST], members, None).rows]
    assert groups(SOURCE, Original("x.csv", to_csv("senat", rows)), DAY) == {"GRB"}


def test_a_row_that_cannot_be_read_is_told_and_many_are_refused() -> None:
    one = LIST.body.replace(b"numero7_elue99007z", b"numero7_elue", 1)
    read = SOURCE.read([LIST._replace(body=one)], Members(), DAY)
    assert len(read.rows) == 119
    assert list(read.told) == ["liste.csv: 1 of 120 rows cannot be read"]
    two = one.replace(b"numero8_elue99008z", b"numero8_elue")
    with pytest.raises(OriginalRefused, match=r"liste.csv: 2\.5% rows without a member"):
        SOURCE.read([LIST._replace(body=two)], Members(), DAY)


@pytest.mark.parametrize("originals", [[], [LIST, LIST], [LIST._replace(body=b"<html>\n")]])
def test_what_is_not_one_list_is_refused(originals: list[Original]) -> None:
    with pytest.raises(OriginalRefused):
        SOURCE.read(originals, Members(), DAY)


def test_its_address_may_be_another() -> None:
    assert SOURCE.addresses == {
        "liste": Address("liste.csv", "https://lists.example.org/senat.csv", 10_000_000, 120.0)
    }
    moved = SOURCE.at({"liste": "https://other.example.org/"})
    assert moved.addresses["liste"].url == "https://other.example.org/"
    assert isinstance(moved, ListSource)
