"""What is read where the Assemblée's zip cannot be had, or is none."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from parlement_lists.sources.assemblee import SOURCE
from parlement_lists.sources.assemblee.csv_lists import sitting
from parlement_lists.sources.downloading.retry_policy import FetchFailed
from parlement_lists.sources.source import (
    Address,
    Downloads,
    ListRead,
    MemberRead,
    Original,
    OriginalRefused,
    StaffRow,
)
from parlement_lists.tracking.members.known_members import Members

from . import amo10
from .test_assemblee import DAY, MEMBERS, ROWS, originals, read, refusal

ZIP = amo10.make(ROWS)
# A sound zip, one file in which is no JSON.
BROKEN = amo10.pack({**amo10.files(ROWS), "json/acteur/PA11.json": b"{"})
HTML = b"<!DOCTYPE html><html><title>Maintenance</title></html>"
STAFF, DEPUTIES = amo10.staff_csv(ROWS), amo10.deputies_csv(MEMBERS)


def as_csv(rows: Iterable[StaffRow], groups: bool = True) -> list[StaffRow]:
    """Rows as the CSV has them: without civility, family names in capitals as its reader makes them."""
    return sorted(
        r._replace(
            elu_nom=r.elu_nom,
            groupe=r.groupe if groups else "",
            collab_civilite="",
            collab_nom=r.collab_nom.upper(),
        )
        for r in rows
    )


class Given:
    """Downloads of what servers would send: by the word of an address, or that nothing comes."""

    def __init__(self, **bodies: bytes) -> None:
        self.day = DAY
        self.memory: dict[str, Any] = {}
        self.told: list[str] = []
        self.asked: list[str] = []
        self._bodies = {SOURCE.addresses[word].name: body for word, body in bodies.items()}

    def get(
        self,
        address: Address,
        examine: Callable[[Original], object] = lambda original: None,
        attempts: int = 4,
    ) -> Original:
        self.asked.append(address.name)
        if address.name not in self._bodies:
            raise FetchFailed("status 503")
        original = Original(address.name, self._bodies[address.name])
        try:
            examine(original)
        except OriginalRefused as refused:
            raise FetchFailed(str(refused)) from refused
        return original

    def get_all(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)


def fetched(given: Downloads) -> ListRead:
    return SOURCE.read(SOURCE.download(given), Members(), DAY)


def test_nothing_but_a_sound_zip_is_asked_for() -> None:
    given = Given(zip=ZIP, csv=STAFF, deputes=DEPUTIES)
    assert sorted(fetched(given).rows) == sorted(ROWS)
    assert (given.asked, given.told) == (["AMO10.json.zip"], [])


@pytest.mark.parametrize("body", [None, HTML, BROKEN, ZIP[:-30], b""])
def test_the_lists_in_csv_stand_in_for_a_zip_that_fails(body: bytes | None) -> None:
    given = Given(csv=STAFF, deputes=DEPUTIES, **({} if body is None else {"zip": body}))
    found = fetched(given)
    assert sorted(found.rows) == as_csv(ROWS)
    assert found.origin == "assemblee-csv"
    assert len(given.told) == 1
    assert given.told[0].startswith("AMO10.json.zip: ")
    assert given.told[0].count("AMO10.json.zip") == 1


def test_a_sound_zip_without_staff_is_no_reason_for_an_older_list() -> None:
    """Whom the Assemblée withdrew from the zip would come back from a list that nobody makes anew."""
    given = Given(zip=amo10.make([], members=MEMBERS), csv=STAFF, deputes=DEPUTIES)
    with pytest.raises(OriginalRefused, match="0 of 3 sitting deputies have staff"):
        fetched(given)
    assert given.asked == ["AMO10.json.zip"]


def test_nothing_is_made_of_a_zip_and_a_csv_that_fail() -> None:
    with pytest.raises(FetchFailed) as failed:
        SOURCE.download(Given(csv=HTML, deputes=DEPUTIES))
    assert "AMO10.json.zip: status 503" in str(failed.value)
    assert "liste_collaborateurs.csv" in str(failed.value)


def known(folder: Path) -> Members:
    """Members of whom a folder says a group, which the CSV has not."""
    (folder / "mandats.csv").write_text(
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin,motif_fin,origine\n"
        "assemblee,PA11,Camille Député11,Député11,Camille,Mme,2024-07-08,,,essai\n"
    )
    (folder / "groupes.csv").write_text(
        "chambre,elu_id,groupe,depuis,jusqua,origine\nassemblee,PA11,AVANT,2024-07-18,,essai\n"
    )
    return Members.read(folder)


@pytest.mark.parametrize("deputies", [None, HTML, amo10.deputies_csv(MEMBERS[:2])])
def test_groups_are_those_known_before_where_the_list_of_deputies_is_not_whole(
    deputies: bytes | None, tmp_path: Path
) -> None:
    given = Given(csv=STAFF, **({} if deputies is None else {"deputes": deputies}))
    found = SOURCE.download(given)
    list_ = SOURCE.read(found, known(tmp_path), DAY)
    assert {r.elu_id: r.groupe for r in list_.rows} == {"PA11": "AVANT", "PA12": "", "PA13": ""}
    assert "groups are those known before" in "".join((*list_.told, *given.told))
    # Whom a list cut off leaves out would sit no longer.
    assert SOURCE.members(found, DAY) is None


def test_members_of_the_list_of_deputies_have_no_dates() -> None:
    found = SOURCE.members(originals(STAFF, DEPUTIES), DAY)
    assert found is not None
    assert (found.dated, found.origin, found.group_names) == (False, "assemblee-csv", amo10.NAMES)
    assert list(found.members) == [member._replace(civility="") for member in MEMBERS]


def test_a_deputy_without_a_group_has_none() -> None:
    alone = [MemberRead("PA11", "Député11", "Camille"), *MEMBERS[1:]]
    found = SOURCE.members(originals(amo10.deputies_csv(alone)), DAY)
    assert found is not None
    assert (found.members[0].group, "" in found.group_names) == ("", False)


def test_a_zip_that_cannot_be_read_is_told_where_the_csv_is_given_with_it() -> None:
    found = read(DEPUTIES, BROKEN, STAFF)
    assert sorted(found.rows) == as_csv(ROWS)
    assert found.told == [
        "file-1: json/acteur/PA11.json: line 1: column 2: Expecting property name enclosed in double"
        " quotes; file-2 is read in its place, without civility"
    ]
    members = SOURCE.members(originals(DEPUTIES, BROKEN, STAFF), DAY)
    assert members is not None
    assert not members.dated


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
        (b'"12",', b"", "line 3: 8 fields, not 9"),
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
        sitting(Original("deputes.csv", body.replace(old, new)), None)
    assert str(refused.value).startswith("deputes.csv: ")
    assert figure in str(refused.value)


def test_a_list_of_deputies_without_rows_is_refused() -> None:
    with pytest.raises(OriginalRefused, match="0 deputies"):
        sitting(Original("deputes.csv", amo10.deputies_csv([])), None)


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


@pytest.mark.parametrize("body", [b"a\n", b"identifiant,nom\n1,Exemple\n"])
def test_a_list_of_deputies_of_other_columns_does_not_keep_the_staff_back(body: bytes) -> None:
    given = Given(csv=STAFF, deputes=body)

    def refuse(address, examine=lambda original: None, attempts=4):
        try:
            return true(address, examine, attempts)
        except OriginalRefused as error:
            raise FetchFailed(str(error)) from error

    true, given.get = given.get, refuse
    (original,) = SOURCE.download(given)
    assert original.body == STAFF
    assert any("no column" in sentence for sentence in given.told)
