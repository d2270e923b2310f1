"""What is read where the Assemblée's zip cannot be had, or is none."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

import pytest

from parlement_lists.sources.assemblee import SOURCE
from parlement_lists.sources.assemblee.csv_lists import read_deputies
from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.members import combine
from parlement_lists.sources.source import (
    ChamberMembers,
    MemberRecord,
    Original,
    OriginalRefused,
    StaffList,
    StaffRow,
)
from parlement_lists.tracking.members.known_members import Members

from . import amo10
from .given_downloads import GivenDownloads
from .test_assemblee import DAY, MEMBERS, ROWS, originals, read, refusal

ZIP = amo10.make(ROWS)
# A sound zip, one file in which is no JSON.
BROKEN = amo10.pack({**amo10.files(ROWS), "json/acteur/PA11.json": b"{"})
HTML = b"<!DOCTYPE html><html><title>Maintenance</title></html>"
STAFF, DEPUTIES = amo10.staff_csv(ROWS), amo10.deputies_csv(MEMBERS)


def as_csv(rows: Iterable[StaffRow]) -> list[StaffRow]:
    """Rows as the CSV has them: without civility, family names in capitals as its reader makes them."""
    return sorted(r._replace(collab_civilite="", collab_nom=r.collab_nom.upper()) for r in rows)


def given(**answers: bytes) -> GivenDownloads:
    return GivenDownloads.of(SOURCE, DAY, **answers)


def fetched(downloads: GivenDownloads) -> StaffList:
    return SOURCE.read(SOURCE.download(downloads), Members(), DAY)


def test_nothing_but_a_sound_zip_is_asked_for() -> None:
    downloads = given(zip=ZIP, csv=STAFF, deputes=DEPUTIES)
    assert sorted(fetched(downloads).rows) == sorted(ROWS)
    assert (downloads.names, downloads.told) == (["AMO10.json.zip"], [])


@pytest.mark.parametrize("body", ["status 503", HTML, BROKEN, ZIP[:-30], b""])
def test_the_lists_in_csv_stand_in_for_a_zip_that_fails(body: bytes) -> None:
    downloads = given(zip=body, csv=STAFF, deputes=DEPUTIES)
    originals = SOURCE.download(downloads)
    assert [original.body for original in originals] == [STAFF, DEPUTIES]
    members = combine([], "assemblee", SOURCE.members(originals, DAY), DAY)
    found = SOURCE.read(originals, members, DAY)
    assert sorted(found.rows) == as_csv(ROWS)
    assert found.origin == "assemblee-csv"
    (told,) = downloads.told
    assert told.startswith("AMO10.json.zip: ")
    assert told.endswith("; the list in CSV is read in its place, without civility")
    assert downloads.stand_ins == ["AMO10.json.zip"]


def test_a_sound_zip_without_staff_is_no_reason_for_an_older_list() -> None:
    """Whom the Assemblée withdrew from the zip would come back from a list that nobody makes anew."""
    downloads = given(zip=amo10.make([], members=MEMBERS), csv=STAFF, deputes=DEPUTIES)
    with pytest.raises(OriginalRefused, match="0 of 3 sitting deputies have staff"):
        fetched(downloads)
    assert downloads.names == ["AMO10.json.zip"]


def test_nothing_is_made_of_a_zip_and_a_csv_that_fail() -> None:
    downloads = given(csv=HTML, deputes=DEPUTIES)
    with pytest.raises(FetchFailed, match=r"liste_collaborateurs\.csv"):
        SOURCE.download(downloads)
    assert downloads.told[0].startswith("AMO10.json.zip: status 404")


@pytest.mark.parametrize(
    "deputies", ["status 404", HTML, amo10.deputies_csv(MEMBERS[:2]), b"identifiant,nom\n1,E\n"]
)
def test_a_list_of_deputies_that_is_not_whole_does_not_keep_the_staff_back(deputies: bytes) -> None:
    """Whom a list cut off leaves out would sit no longer: the members are those known before."""
    downloads = given(csv=STAFF, deputes=deputies)
    originals = SOURCE.download(downloads)
    known = ChamberMembers(MEMBERS[:1], False, "essai")
    list_ = SOURCE.read(originals, combine([], "assemblee", known, DAY), DAY)
    assert {r.elu_id: r.groupe for r in list_.rows} == {"PA11": "EX", "PA12": "", "PA13": ""}
    if len(originals) == 1:
        assert downloads.told[-1].endswith("; groups are those known before")
        assert SOURCE.members(originals, DAY) is None
    else:
        with pytest.raises(OriginalRefused, match="1 of 3 deputies with staff are not in it"):
            SOURCE.members(originals, DAY)


def test_members_of_the_list_of_deputies_have_no_dates() -> None:
    found = SOURCE.members(originals(STAFF, DEPUTIES), DAY)
    assert found is not None
    assert (found.dated, found.origin, found.group_names) == (False, "assemblee-csv", amo10.NAMES)
    assert list(found.members) == [member._replace(civility="") for member in MEMBERS]


def test_a_deputy_without_a_group_has_none() -> None:
    alone = [MemberRecord("PA11", "Député11", "Camille"), *MEMBERS[1:]]
    found = SOURCE.members(originals(amo10.deputies_csv(alone)), DAY)
    assert found is not None
    assert (found.members[0].group, "" in found.group_names) == ("", False)


def test_a_sound_zip_comes_before_the_lists_in_csv() -> None:
    found = read(STAFF, DEPUTIES, ZIP)
    assert (sorted(found.rows), found.origin) == (sorted(ROWS), "assemblee-zip")


def test_a_zip_that_cannot_be_read_is_refused_where_it_is_alone() -> None:
    assert "PA11.json" in refusal(BROKEN)
    assert "PA11.json" in refusal(BROKEN, DEPUTIES)
    with pytest.raises(OriginalRefused):
        SOURCE.members(originals(BROKEN), DAY)


@pytest.mark.parametrize("bodies", [[], [HTML], [b""], [DEPUTIES], [b'"a\rb"\n'], [b"," * 9_000]])
def test_what_is_no_original_of_the_chamber_is_refused(bodies: list[bytes]) -> None:
    assert "neither the zip nor the list of staff" in refusal(*bodies)


def test_two_originals_of_a_kind_are_refused() -> None:
    assert refusal(ZIP, ZIP) == "file-0 and file-1 are two of the same kind"
    assert refusal(STAFF, DEPUTIES, STAFF) == "file-0 and file-2 are two of the same kind"


def test_a_list_with_a_row_that_cannot_be_read_is_refused() -> None:
    rows = amo10.many(60)
    body = amo10.staff_csv([*rows, amo10.row(1, "Jeanne =Exemple")._replace(collab_prenom="=1")])
    assert f"1 of {len(rows) + 1} rows cannot be read" in refusal(body)


@pytest.mark.parametrize(
    ("old", "new", "figure"),
    [
        (b'"12"', b'"douze"', "line 3: the identifier is no number"),
        (b'"12"', b'"11"', "line 3: a second row of PA11"),
        (b'"12",', b"", "line 3: 8 values under 9 columns"),
        ("Député12".encode(), b" ", "line 3: no name"),
        ("Député12".encode(), b"\x01", "line 3: no name, or a control character"),
        (b'"12"', b'"1"2', "line 3: "),
        (b'"MOD"\n', b'"MOD', "cut off"),
        ("Modèles".encode(), b"Mod\xe8les", "line 3: not UTF-8"),
    ],
)
def test_a_list_of_deputies_that_is_not_whole_names_the_line(
    old: bytes, new: bytes, figure: str
) -> None:
    body = amo10.deputies_csv(MEMBERS[:2])
    assert old in body
    with pytest.raises(OriginalRefused) as refused:
        read_deputies(Original("deputes.csv", body.replace(old, new)))
    assert str(refused.value).startswith("deputes.csv: ")
    assert figure in str(refused.value)


def test_a_list_of_deputies_without_rows_is_refused() -> None:
    with pytest.raises(OriginalRefused, match="0 deputies"):
        read_deputies(Original("deputes.csv", amo10.deputies_csv([])))


def test_other_addresses_can_be_given_for_another_legislature() -> None:
    moved = SOURCE.at({"zip": "https://example.org/18.zip"})
    assert moved.addresses["zip"].url == "https://example.org/18.zip"
    assert "/17/" in moved.addresses["csv"].url
    assert moved.addresses["zip"].most_bytes == 50_000_000


def test_the_day_is_left_to_the_fetcher() -> None:
    assert read(STAFF, DEPUTIES, day=datetime.date(2030, 1, 1)).day is None


@pytest.mark.parametrize(("modified", "of"), [(-9, -8), (0, 0), (None, None)])
def test_the_csv_is_of_the_day_after_it_was_made(modified: int | None, of: int | None) -> None:
    day = None if modified is None else DAY + datetime.timedelta(modified)
    sent = [Original("staff.csv", STAFF, day), Original("deputies.csv", DEPUTIES, DAY)]
    expected = None if of is None else DAY + datetime.timedelta(of)
    assert SOURCE.read(sent, Members(), DAY).day == expected
