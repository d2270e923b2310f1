from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest

from parlement_lists.sources.assemblee import SOURCE, acteurs
from parlement_lists.sources.originals import (
    ChamberMembers,
    MemberRecord,
    Original,
    OriginalRefused,
    Period,
    StaffList,
    StaffRow,
)
from parlement_lists.tracking.members.known_members import Members

from . import amo10

DAY = amo10.MADE
ROWS = [
    amo10.row(11, "Jeanne Exemple"),
    amo10.row(12, "Paul Modèle", "MOD", "M."),
    amo10.row(12, "Anne-Marie Le Témoin", "MOD"),
    amo10.row(13, "Jeanne Exemple"),
    amo10.row(13, "Zoé Échantillon"),
]
MEMBERS = [
    MemberRecord("PA11", "Député11", "Camille", "Mme", "EX"),
    MemberRecord("PA12", "Député12", "Camille", "Mme", "MOD"),
    MemberRecord("PA13", "Député13", "Camille", "Mme", "EX"),
]

PAST = MemberRecord(
    "PA9",
    "Passée",
    "Claude",
    "M.",
    mandates=[Period(datetime.date(2022, 6, 22), datetime.date(2024, 6, 9), reason="Démission")],
    groups=[Period(datetime.date(2022, 6, 28), datetime.date(2024, 6, 9), "MOD")],
)


def read(*bodies: bytes, day: datetime.date | None = DAY) -> StaffList:
    return SOURCE.read(originals(*bodies), Members(), day)


def members(*bodies: bytes) -> ChamberMembers:
    found = SOURCE.members(originals(*bodies), DAY)
    assert found is not None
    return found


def originals(*bodies: bytes) -> list[Original]:
    return [Original(f"file-{n}", body) for n, body in enumerate(bodies)]


def refusal(*bodies: bytes) -> str:
    with pytest.raises(OriginalRefused) as refused:
        read(*bodies)
    return str(refused.value)


def changed(
    change: Callable[[Any], object], rows: list[StaffRow] = ROWS, number: int = 11
) -> bytes:
    """The zip of the rows, a deputy's file changed."""
    content = amo10.files(rows)
    change(content[f"json/acteur/PA{number}.json"]["acteur"])
    return amo10.pack(content)


def seat(acteur: Any) -> Any:
    return next(
        m
        for m in acteur["mandats"]["mandat"]
        if m["typeOrgane"] == "ASSEMBLEE" and m["infosQualite"]["codeQualite"] == "membre"
    )


def test_the_zip_is_read_with_civility_and_group_whatever_its_forms() -> None:
    found = read(amo10.make(ROWS))
    assert sorted(found.rows) == sorted(ROWS)
    assert (found.origin, found.day, found.remarks) == ("assemblee-zip", None, [])


def test_files_are_known_by_the_end_of_their_path_and_others_are_not_read() -> None:
    content = {f"some/where/{path}": doc for path, doc in amo10.files(ROWS).items()}
    content["json/acteur/PA1.json.bak"] = b"not JSON"
    content["json/deport/PA1.json"] = b"not JSON"
    assert sorted(read(amo10.pack(content)).rows) == sorted(ROWS)


def test_one_mandate_and_one_organ_need_not_stand_in_a_list() -> None:
    def alone(acteur: Any) -> None:
        acteur["mandats"]["mandat"] = seat(acteur)
        acteur["uid"] = "PA11"

    found = read(changed(alone))
    assert {r for r in found.rows if r.elu_id == "PA11"} == {ROWS[0]._replace(groupe="")}


def test_staff_of_an_ended_mandate_of_a_sitting_deputy_is_left_out_and_told() -> None:
    def reelected(acteur: Any) -> None:
        old = json.loads(json.dumps(seat(acteur)))
        old |= {"dateFin": "2024-06-09", "dateDebut": "2022-06-19"}
        old["mandature"]["datePriseFonction"] = "2022-06-22"
        old["collaborateurs"]["collaborateur"]["nom"] = "Ancien"
        acteur["mandats"]["mandat"].append(old)

    found = read(changed(reelected))
    assert sorted(found.rows) == sorted(ROWS)
    assert [acteurs.CLOSED_STAFF in sentence for sentence in found.remarks] == [True]


def test_a_group_whose_organ_is_missing_is_empty_and_told() -> None:
    found = read(amo10.make(ROWS, without=["EX"]))
    assert {r.elu_id: r.groupe for r in found.rows} == {"PA11": "", "PA12": "MOD", "PA13": ""}
    assert len(found.remarks) == 1
    assert "2 deputies" in found.remarks[0]
    assert "PO800000 (2)" in found.remarks[0]


def test_a_deputy_in_two_groups_at_once_has_none_and_is_told() -> None:
    def twice(acteur: Any) -> None:
        group = next(m for m in acteur["mandats"]["mandat"] if m["typeOrgane"] == "GP")
        group["organes"]["organeRef"] = ["PO800000", "PO800001"]

    found = read(changed(twice))
    assert {r.groupe for r in found.rows if r.elu_id == "PA11"} == {""}
    assert "two groups" in found.remarks[0]
    assert "PA11" in found.remarks[0]


def test_an_unknown_civility_and_dates_are_told_without_the_name() -> None:
    def odd(acteur: Any) -> None:
        seat(acteur)["collaborateurs"]["collaborateur"] |= {
            "qualite": "Dr",
            "dateFin": "2026-01-01",
        }

    found = read(changed(odd))
    assert sorted(found.rows) == sorted([ROWS[0]._replace(collab_civilite=""), *ROWS[1:]])
    assert [acteurs.NO_CIVILITY in found.remarks[0], acteurs.DATED_STAFF in found.remarks[1]] == [
        True
    ] * 2
    assert all("PA11" in told and "collaborateur 1" in told for told in found.remarks)
    assert "Exemple" not in "".join(found.remarks)


@pytest.mark.rule("record-half-read")
@pytest.mark.parametrize(
    ("person", "place"),
    [
        ("Jeanne Exemple", "collaborateur 1 is a string, not an object"),
        (7, "collaborateur 1 is a number or a truth value, not an object"),
        ({"nom": None}, "collaborateur 1.nom is no name"),
        ({"prenom": amo10.NIL}, "collaborateur 1.prenom is no name"),
        ({"nom": 3}, "collaborateur 1.nom is a number or a truth value, not a string"),
        ({"nom": "=Exemple"}, "collaborateur 1.nom is no name"),
        ({"qualite": ["Mme"]}, "collaborateur 1.qualite is a list, not a string"),
        ({"prenom": "Jeanne\x00"}, "collaborateur 1.prenom holds a control character"),
        *(
            ({"prenom": f"Jean{character}ne"}, "collaborateur 1.prenom holds a control character")
            for character in "\x0b\x0c\x1c\x1f\n\r\x85\u2028"
        ),
        ({"prenom": "--"}, "collaborateur 1.prenom is no name"),
        ({"prenom": "N/A"}, "collaborateur 1.prenom is no name"),
        ({"nom": "n/a"}, "collaborateur 1.nom is no name"),
        ({"nom": "Ex&egrave;mple"}, "collaborateur 1.nom is no name"),
        ({"nom": "Ex&#232;mple"}, "collaborateur 1.nom is no name"),
    ],
)
def test_one_staff_member_who_cannot_be_read_refuses_the_list(person: Any, place: str) -> None:
    """Left out, the staff member would have departed."""

    def odd(acteur: Any) -> None:
        whole = {"qualite": "Mme", "prenom": "Jeanne", "nom": "Exemple"}
        entry = whole | person if isinstance(person, dict) else person
        seat(acteur)["collaborateurs"]["collaborateur"] = [entry]

    said = refusal(changed(odd))
    assert said.startswith("file-0: json/acteur/PA11.json: acteur.mandats.mandat ")
    assert place in said
    assert "Exemple" not in said


@pytest.mark.parametrize("holder", ["Jeanne", 3, [], {}, {"collaborateurs": []}])
def test_a_field_of_staff_of_another_form_refuses_the_list(holder: Any) -> None:
    def odd(acteur: Any) -> None:
        seat(acteur)["collaborateurs"] = holder

    assert "collaborateurs is " in refusal(changed(odd))


@pytest.mark.parametrize(
    ("written", "civility"),
    [("M", "M."), ("M.", "M."), ("mme", "Mme"), ("Mme", "Mme"), ("Mlle", "Mme"), ("Dr", "")],
)
def test_a_civility_is_read_however_it_is_abbreviated(written: str, civility: str) -> None:
    def odd(acteur: Any) -> None:
        field = seat(acteur)["collaborateurs"]
        field["collaborateur"] = field["collaborateur"] | {"qualite": written}

    found = read(changed(odd))
    assert {r.collab_civilite for r in found.rows if r.elu_id == "PA11"} == {civility}
    assert bool(found.remarks) is (civility == "")


def test_a_missing_field_for_staff_is_told() -> None:
    found = read(changed(lambda acteur: seat(acteur).pop("collaborateurs")))
    assert acteurs.NO_FIELD in found.remarks[0]
    assert "PA11" in found.remarks[0]


@pytest.mark.parametrize("staff", [None, amo10.NIL, {"collaborateur": None}, {"collaborateur": []}])
def test_a_zip_where_nobody_has_staff_is_refused_with_the_figure(staff: Any) -> None:
    content = amo10.files(ROWS, members=[PAST])
    for number in (11, 12, 13):
        for mandate in content[f"json/acteur/PA{number}.json"]["acteur"]["mandats"]["mandat"]:
            mandate["collaborateurs"] = staff
    said = refusal(amo10.pack(content))
    assert said.startswith("file-0: 0 of 3 sitting deputies have staff: if a new legislature sits")
    # The members are read all the same.
    assert len(members(amo10.pack(content)).members) == 4


def test_the_zip_of_another_legislature_names_those_who_left() -> None:
    found = members(amo10.make(ROWS, members=[PAST]))
    assert (found.dated, found.origin) == (True, "assemblee-zip")
    by_id = {member.id: member for member in found.members}
    assert by_id["PA9"] == PAST
    assert by_id["PA11"] == MemberRecord(
        "PA11",
        "Député11",
        "Camille",
        "Mme",
        "EX",
        [Period(amo10.BEGUN)],
        [Period(amo10.FORMED, group="EX")],
    )
    assert by_id["PA13"].mandates == [Period(amo10.BEGUN)]  # not the office beside the seat
    assert found.group_names == amo10.NAMES


def test_a_group_joined_again_on_the_next_day_was_not_left() -> None:
    spans = [
        Period(datetime.date(2024, 7, 18), datetime.date(2024, 12, 31), "EX"),
        Period(datetime.date(2025, 1, 1), datetime.date(2025, 6, 1), "EX"),
    ]
    body = amo10.make(ROWS, members=[PAST._replace(groups=spans)])
    found = {member.id: member for member in members(body).members}
    assert found["PA9"].groups == [Period(spans[0].since, spans[1].until, "EX")]


def test_the_full_name_of_a_code_is_that_of_its_newest_group() -> None:
    newer, older = amo10.organ("PO9", "EX", "Nouveau"), amo10.organ("PO8", "EX", "Ancien")
    older["organe"]["viMoDe"]["dateDebut"] = "2022-06-28"
    content = amo10.files(ROWS)
    del content["json/organe/PO800000.json"]
    content |= {"json/organe/PO9.json": newer, "json/organe/PO8.json": older}
    assert members(amo10.pack(content)).group_names["EX"] == "Nouveau"


@pytest.mark.parametrize(
    ("told", "colours"),
    [("#00AAff", {"EX": "#00aaff"}), ("red", {}), (None, {}), (12, {}), (amo10.NIL, {})],
)
def test_what_is_no_colour_of_a_group_is_left_out(told: object, colours: dict[str, str]) -> None:
    content = amo10.files(ROWS)
    content["json/organe/PO800000.json"]["organe"]["couleurAssociee"] = told
    assert members(amo10.pack(content)).group_colours == colours


@pytest.mark.parametrize(
    ("told", "page"),
    [
        ("https://www.hatvp.fr/pages_nominatives/exemple-1", True),
        ("https://ailleurs.exemple/pages_nominatives/exemple-1", False),
        ("https://www.hatvp.fr/deux mots", False),
        (amo10.NIL, False),
        (None, False),
        (12, False),
    ],
)
def test_a_deputy_has_the_page_at_the_hatvp_that_the_zip_says(told: object, page: bool) -> None:
    content = amo10.files(ROWS)
    name = next(name for name in content if name.startswith("json/acteur/"))
    content[name]["acteur"]["uri_hatvp"] = told
    found = {one.id: one.hatvp for one in members(amo10.pack(content)).members if one.hatvp}
    assert found == ({name.rpartition("/")[2].removesuffix(".json"): told} if page else {})


def test_a_mandate_that_ends_before_it_begins_is_left_out_and_told() -> None:
    def reversed_(acteur: Any) -> None:
        group = next(m for m in acteur["mandats"]["mandat"] if m["typeOrgane"] == "GP")
        acteur["mandats"]["mandat"].append(group | {"dateFin": "2024-07-17"})

    body = changed(reversed_)
    assert [acteurs.REVERSED in sentence for sentence in read(body).remarks] == [True]
    found = {member.id: member for member in members(body).members}
    assert found["PA11"].groups == [Period(amo10.FORMED, group="EX")]


def test_absent_elements_and_spaces_are_nothing() -> None:
    def spaced(acteur: Any) -> None:
        field = seat(acteur)["collaborateurs"]
        person = field["collaborateur"] | {"prenom": " Jeanne\n", "nom": "Exemple  Longue"}
        field["collaborateur"] = [None, amo10.NIL, person]

    found = read(changed(spaced))
    assert [r.collab_nom for r in found.rows if r.elu_id == "PA11"] == ["Exemple Longue"]
    assert found.remarks == []


def test_spans_of_a_group_left_and_joined_again_are_two() -> None:
    spans = [
        Period(datetime.date(2024, 7, 18), datetime.date(2024, 9, 20), "EX"),
        Period(datetime.date(2024, 9, 21), datetime.date(2025, 1, 1), "MOD"),
        Period(datetime.date(2025, 1, 3), None, "EX"),
    ]
    body = amo10.make(ROWS, members=[MEMBERS[0]._replace(groups=spans)])
    found = {member.id: member for member in members(body).members}
    assert found["PA11"].groups == spans
    assert {r.groupe for r in read(body).rows if r.elu_id == "PA11"} == {"EX"}


@pytest.mark.parametrize(("days", "late"), [(0, False), (3, False), (4, True)])
def test_a_zip_that_is_late_is_told(days: int, late: bool) -> None:
    found = read(amo10.make(ROWS), day=DAY + datetime.timedelta(days))
    assert found.day is None
    assert bool(found.remarks) is late
    assert not late or "4 days before, on 2026-09-14" in found.remarks[0]


def replace(content: amo10.Files, path: str, document: Any) -> amo10.Files:
    return {**content, path: document}


PATH = "json/acteur/PA11.json"
ACTEUR = amo10.files(ROWS)[PATH]["acteur"]
MANDATE = {"typeOrgane": "ASSEMBLEE", "dateDebut": "2024-07-08", "dateFin": None}


@pytest.mark.parametrize(
    ("document", "figure"),
    [
        (b"", "not JSON: Expecting value: line 1 column 1"),
        (b"{", "column 2"),
        (b"\xff{}", "byte 0xff in position 0"),
        (b"9" * 5_000, "4300 digits"),
        ([], "the document is a list"),
        ({}, "acteur.uid is not PA"),
        ({"acteur": ACTEUR | {"uid": "PA12"}}, "acteur.uid is not PA"),
        ({"acteur": ACTEUR | {"uid": "Camille"}}, "acteur.uid is not PA and a number"),
        ({"acteur": ACTEUR | {"mandats": 3}}, "acteur.mandats is a number"),
        ({"acteur": ACTEUR | {"mandats": None}}, "acteur.mandats has no mandat"),
        ({"acteur": ACTEUR | {"mandats": {"mandat": ["x"]}}}, "mandat 1 is a string"),
        ({"acteur": ACTEUR | {"mandats": {"mandat": []}}}, "acteur.mandats has no mandat"),
        ({"acteur": ACTEUR | {"mandats": {"mandat": {"a": 1}}}}, "mandat 1.typeOrgane is absent"),
        ({"acteur": ACTEUR | {"etatCivil": None}}, "acteur.etatCivil.ident has no name"),
        ({"acteur": ACTEUR | {"etatCivil": {"ident": {"nom": ""}}}}, "ident has no name"),
        (
            {"acteur": ACTEUR | {"mandats": {"mandat": MANDATE | {"dateFin": "bientôt"}}}},
            "mandat 1.dateFin is not a day",
        ),
        (
            {"acteur": ACTEUR | {"mandats": {"mandat": MANDATE | {"dateDebut": None}}}},
            "mandat 1.dateDebut is absent",
        ),
    ],
)
def test_a_person_s_file_that_is_not_one_refuses_the_zip(document: Any, figure: str) -> None:
    why = refusal(amo10.pack(replace(amo10.files(ROWS), PATH, document)))
    assert why.startswith(f"file-0: {PATH}: ")
    assert figure in why


def test_a_person_twice_in_other_folders_refuses_the_zip() -> None:
    content = amo10.files(ROWS)
    why = refusal(amo10.pack(replace(content, "json/old/acteur/PA11.json", content[PATH])))
    assert why == "file-0: json/old/acteur/PA11.json: a second file of PA11"


def test_an_organ_in_another_s_file_refuses_the_zip() -> None:
    content = amo10.files(ROWS)
    path = "json/organe/PO800000.json"
    assert path in refusal(amo10.pack(replace(content, path, content["json/organe/PO800001.json"])))


def test_a_zip_without_deputies_is_refused() -> None:
    assert refusal(amo10.pack({})) == "file-0: no deputy in 0 files acteur/PA*.json"


@pytest.mark.parametrize(("modified", "of"), [(-9, 1), (0, 1), (2, 3), (5, 5)])
def test_a_zip_that_is_sent_long_after_it_was_made_is_no_list_of_today(
    modified: int, of: int
) -> None:
    """Its newest file was made on DAY; the server says when the zip was."""
    sent = Original("AMO10.json.zip", amo10.make(ROWS), DAY + datetime.timedelta(modified))
    found = SOURCE.read([sent], Members(), DAY + datetime.timedelta(5))
    assert found.day == DAY + datetime.timedelta(of)
