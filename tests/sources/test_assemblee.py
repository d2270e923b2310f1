"""The Assemblée's zip: what is read in it, what is left out and told, what refuses it whole."""

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
    StaffList,
)
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.members.spans import Span

from . import amo10

DAY = amo10.MADE
ROWS = [
    amo10.row(11, "Jeanne Exemple"),
    amo10.row(12, "Paul Modèle", "MOD", "M."),
    amo10.row(12, "Anne-Marie Le Témoin", "MOD"),
    amo10.row(13, "Jeanne Exemple"),
    amo10.row(13, "Zoé Échantillon"),
]
PAST = MemberRecord(
    "PA9",
    "Passée",
    "Claude",
    "M.",
    mandates=[Span(datetime.date(2022, 6, 22), datetime.date(2024, 6, 9), value="Démission")],
    groups=[Span(datetime.date(2022, 6, 28), datetime.date(2024, 6, 9), "MOD")],
)


Acteur = dict[str, Any]
PATH = "json/acteur/PA11.json"


def read(body: bytes, day: datetime.date | None = DAY) -> StaffList:
    return SOURCE.read([Original("a.zip", body)], Members(), day)


def chamber(body: bytes) -> ChamberMembers:
    found = SOURCE.members([Original("a.zip", body)], DAY)
    assert found is not None
    return found


def members(body: bytes) -> dict[str, MemberRecord]:
    return {member.id: member for member in chamber(body).members}


def refusal(body: bytes) -> str:
    with pytest.raises(OriginalRefused) as refused:
        read(body)
    return str(refused.value)


def changed(change: Callable[[Acteur], object]) -> bytes:
    """The zip of ROWS, the file of PA11 changed."""
    content = amo10.files(ROWS)
    change(content[PATH]["acteur"])
    return amo10.pack(content)


def of_kind(acteur: Acteur, kind: str) -> Acteur:
    return next(m for m in acteur["mandats"]["mandat"] if m["typeOrgane"] == kind)


def staffed(**fields: Any) -> Callable[[Acteur], object]:
    """A change of the one staff member of PA11."""

    def change(acteur: Acteur) -> None:
        field = of_kind(acteur, "ASSEMBLEE")["collaborateurs"]
        field["collaborateur"] = field["collaborateur"] | fields

    return change


def test_the_zip_is_read_with_civility_and_group_whatever_its_forms() -> None:
    # A man and a woman of one name at one member are two.
    rows = [*ROWS, ROWS[0]._replace(collab_civilite="M.", collab_prenom="Camille")]
    rows.append(rows[-1]._replace(collab_civilite="Mme"))
    content = {f"some/where/{path}": doc for path, doc in amo10.files(rows).items()}
    # Files are known by the end of their path, and others are not read.
    content["json/acteur/PA1.json.bak"] = b"not JSON"
    content["json/deport/PA1.json"] = b"not JSON"
    for body in (amo10.make(rows), amo10.pack(content)):
        found = read(body)
        assert sorted({*found.rows}) == sorted(rows)
        assert (found.origin, found.day, found.remarks) == ("assemblee-zip", None, [])


def alone(acteur: Acteur) -> None:
    acteur["mandats"]["mandat"] = of_kind(acteur, "ASSEMBLEE")
    acteur["uid"] = "PA11"


def reelected(acteur: Acteur) -> None:
    old = json.loads(json.dumps(of_kind(acteur, "ASSEMBLEE")))
    old |= {"dateFin": "2024-06-09", "dateDebut": "2022-06-19"}
    old["mandature"]["datePriseFonction"] = "2022-06-22"
    old["collaborateurs"]["collaborateur"]["nom"] = "Ancien"
    acteur["mandats"]["mandat"].append(old)


def in_two_groups(acteur: Acteur) -> None:
    of_kind(acteur, "GP")["organes"]["organeRef"] = ["PO800000", "PO800001"]


def reversed_group(acteur: Acteur) -> None:
    group = of_kind(acteur, "GP")
    acteur["mandats"]["mandat"].append(group | {"dateFin": "2024-07-17"})


def spaced(acteur: Acteur) -> None:
    field = of_kind(acteur, "ASSEMBLEE")["collaborateurs"]
    person = field["collaborateur"] | {"prenom": " Jeanne\n", "nom": "Exemple  Longue"}
    field["collaborateur"] = [None, amo10.NIL, person]


@pytest.mark.parametrize(
    ("change", "row", "remarks"),
    [
        (alone, {"groupe": ""}, []),
        (reelected, {}, [acteurs.CLOSED_STAFF]),
        (in_two_groups, {"groupe": ""}, ["two groups"]),
        (reversed_group, {}, [acteurs.REVERSED]),
        (spaced, {"collab_nom": "Exemple Longue"}, []),
        (lambda acteur: of_kind(acteur, "ASSEMBLEE").pop("collaborateurs"), None, ["no field"]),
        (
            staffed(qualite="Dr", dateFin="2026-01-01"),
            {"collab_civilite": ""},
            [acteurs.NO_CIVILITY],
        ),
        (staffed(qualite="M"), {"collab_civilite": "M."}, []),
    ],
)
def test_what_is_left_out_is_told_with_its_place_and_without_the_name(
    change: Callable[[Acteur], object], row: dict[str, str] | None, remarks: list[str]
) -> None:
    found = read(changed(change))
    own = [ROWS[0]._replace(**row)] if row is not None else []
    assert sorted({*found.rows}) == sorted([*own, *ROWS[1:]])
    for told, remark in zip(found.remarks, remarks, strict=True):
        assert remark in told
        assert "Camille Député11 (PA11)" in told
        assert "Exemple" not in told


def test_a_group_whose_organ_is_missing_is_empty_and_told() -> None:
    found = read(amo10.make(ROWS, without=["EX"]))
    assert {r.elu_id: r.groupe for r in found.rows} == {"PA11": "", "PA12": "MOD", "PA13": ""}
    (told,) = found.remarks
    what = "2 times a group whose organ PO800000 is missing, left empty"
    assert told.startswith(f"{what}: Camille Député11 (PA11), since 2024-07-18; ")


@pytest.mark.rule("record-half-read")
@pytest.mark.parametrize(
    ("person", "place"),
    [
        ("Jeanne Exemple", "collaborateur 1 is a string, not an object"),
        ({"nom": None}, "collaborateur 1.nom is no name"),
        ({"prenom": amo10.NIL}, "collaborateur 1.prenom is no name"),
        ({"nom": "=Exemple"}, "collaborateur 1.nom is no name"),
        ({"qualite": ["Mme"]}, "collaborateur 1.qualite is a list, not a string"),
        ({"prenom": "Jeanne\x00"}, "collaborateur 1.prenom holds a control character"),
        ({"prenom": "Jean\nne"}, "collaborateur 1.prenom holds a control character"),
        ({"prenom": "N/A"}, "collaborateur 1.prenom is no name"),
        ({"nom": "Ex&egrave;mple"}, "collaborateur 1.nom is no name"),
    ],
)
def test_one_staff_member_who_cannot_be_read_refuses_the_list(person: Any, place: str) -> None:
    """Left out, the staff member would have departed."""

    def odd(acteur: Any) -> None:
        whole = {"qualite": "Mme", "prenom": "Jeanne", "nom": "Exemple"}
        entry = whole | person if isinstance(person, dict) else person
        of_kind(acteur, "ASSEMBLEE")["collaborateurs"]["collaborateur"] = [entry]

    said = refusal(changed(odd))
    assert said.startswith("a.zip: json/acteur/PA11.json: acteur.mandats.mandat ")
    assert place in said
    assert "Exemple" not in said


@pytest.mark.parametrize("holder", ["Jeanne", [], {"collaborateurs": []}])
def test_a_field_of_staff_of_another_form_refuses_the_list(holder: Any) -> None:
    seat = {"collaborateurs": holder}
    body = changed(lambda acteur: of_kind(acteur, "ASSEMBLEE").update(seat))
    assert "collaborateurs is " in refusal(body)


@pytest.mark.parametrize("staff", [None, amo10.NIL, {"collaborateur": None}, {"collaborateur": []}])
def test_a_zip_where_nobody_has_staff_is_refused_with_the_figure(staff: Any) -> None:
    content = amo10.files(ROWS, members=[PAST])
    for number in (11, 12, 13):
        for mandate in content[f"json/acteur/PA{number}.json"]["acteur"]["mandats"]["mandat"]:
            mandate["collaborateurs"] = staff
    said = refusal(amo10.pack(content))
    assert said.startswith("a.zip: 0 of 3 sitting deputies have staff: if a new legislature sits")
    # The members are read all the same.
    assert len(members(amo10.pack(content))) == 4


def test_the_zip_of_another_legislature_names_those_who_left() -> None:
    found = chamber(amo10.make(ROWS, members=[PAST]))
    assert (found.dated, found.origin) == (True, "assemblee-zip")
    assert found.group_names == amo10.NAMES
    by_id = {member.id: member for member in found.members}
    assert by_id["PA9"] == PAST
    seats, groups = [Span(amo10.BEGUN)], [Span(amo10.FORMED, value="EX")]
    sitting = MemberRecord("PA11", "Député11", "Camille", "Mme", "EX", seats, groups)
    assert by_id["PA11"] == sitting
    assert by_id["PA13"].mandates == seats  # not the office beside the seat
    # A mandate that ends before it begins is left out.
    assert members(changed(reversed_group))["PA11"].groups == groups


def spans(text: str) -> list[Span]:
    """Of `FIRST LAST CODE`, a last day of - goes on, with `; ` between them."""
    day = datetime.date.fromisoformat
    of_words = [span.split() for span in text.split("; ")]
    return [Span(day(s), None if until == "-" else day(until), code) for s, until, code in of_words]


AWAY = "2024-07-18 2024-09-20 EX; 2024-09-21 2025-01-01 MOD; 2025-01-03 - EX"


@pytest.mark.parametrize(
    ("told", "kept", "group"),
    [
        # Joined again on the next day: it was not left.
        ("2024-07-18 2024-12-31 EX; 2025-01-01 2025-06-01 EX", "2024-07-18 2025-06-01 EX", ""),
        (AWAY, AWAY, "EX"),
    ],
)
def test_spans_of_a_group_are_joined_where_they_adjoin(told: str, kept: str, group: str) -> None:
    deputy = MemberRecord("PA11", "Député11", "Camille", "Mme", groups=spans(told))
    body = amo10.make(ROWS, members=[deputy])
    assert members(body)["PA11"].groups == spans(kept)
    assert {r.groupe for r in read(body).rows if r.elu_id == "PA11"} == {group}


def test_the_full_name_of_a_code_is_that_of_its_newest_group() -> None:
    newer, older = amo10.organ("PO9", "EX", "Nouveau"), amo10.organ("PO8", "EX", "Ancien")
    older["organe"]["viMoDe"]["dateDebut"] = "2022-06-28"
    content = amo10.files(ROWS)
    del content["json/organe/PO800000.json"]
    content |= {"json/organe/PO9.json": newer, "json/organe/PO8.json": older}
    assert chamber(amo10.pack(content)).group_names["EX"] == "Nouveau"


HATVP = "https://www.hatvp.fr/pages_nominatives/exemple-1"


@pytest.mark.parametrize(
    ("colour", "page", "kept"),
    [
        ("#00AAff", HATVP, True),
        ("red", "https://ailleurs.exemple/pages_nominatives/exemple-1", False),
        (amo10.NIL, amo10.NIL, False),
    ],
)
def test_what_is_no_colour_or_page_is_left_out(colour: object, page: object, kept: bool) -> None:
    content = amo10.files(ROWS)
    content["json/organe/PO800000.json"]["organe"]["couleurAssociee"] = colour
    content[PATH]["acteur"]["uri_hatvp"] = page
    found = chamber(amo10.pack(content))
    assert found.group_colours == ({"EX": "#00aaff"} if kept else {})
    pages = {one.id: one.hatvp for one in found.members if one.hatvp}
    assert pages == ({"PA11": HATVP} if kept else {})


ACTEUR = amo10.files(ROWS)[PATH]["acteur"]
MANDATE = {"typeOrgane": "ASSEMBLEE", "dateDebut": "2024-07-08", "dateFin": None}


@pytest.mark.parametrize(
    ("document", "figure"),
    [
        (b"", "not JSON: Expecting value: line 1 column 1"),
        (b"\xff{}", "byte 0xff in position 0"),
        (b"[" * 100_000, "not JSON: maximum recursion depth exceeded"),
        ([], "the document is a list"),
        ({"acteur": ACTEUR | {"uid": "PA12"}}, "acteur.uid is not PA"),
        ({"acteur": ACTEUR | {"mandats": None}}, "acteur.mandats has no mandat"),
        ({"acteur": ACTEUR | {"mandats": {"mandat": {"a": 1}}}}, "mandat 1.typeOrgane is absent"),
        ({"acteur": ACTEUR | {"etatCivil": None}}, "acteur.etatCivil.ident has no name"),
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
    why = refusal(amo10.pack({**amo10.files(ROWS), PATH: document}))
    assert why.startswith(f"a.zip: {PATH}: ")
    assert figure in why


def test_files_that_contradict_each_other_refuse_the_zip() -> None:
    content = amo10.files(ROWS)
    twice = amo10.pack({**content, "json/old/acteur/PA11.json": content[PATH]})
    assert refusal(twice) == "a.zip: json/old/acteur/PA11.json: a second file of PA11"
    path = "json/organe/PO800000.json"
    other = amo10.pack({**content, path: content["json/organe/PO800001.json"]})
    assert refusal(other) == f"a.zip: {path}: organe.uid is not PO800000"
    assert refusal(amo10.pack({})) == "a.zip: no deputy in 0 files acteur/PA*.json"
    with pytest.raises(OriginalRefused, match=r"a\.zip, b\.zip: one file is needed, the zip"):
        SOURCE.read([Original(name, twice) for name in ("a.zip", "b.zip")], Members(), DAY)


@pytest.mark.parametrize(("days", "late"), [(0, False), (3, False), (4, True)])
def test_a_zip_that_is_late_is_told(days: int, late: bool) -> None:
    found = read(amo10.make(ROWS), day=DAY + datetime.timedelta(days))
    assert found.day is None
    assert bool(found.remarks) is late
    assert not late or "4 days before, on 2026-09-14" in found.remarks[0]


@pytest.mark.parametrize(("modified", "of"), [(-9, 1), (0, 1), (2, 3), (5, 5)])
def test_a_zip_sent_long_after_it_was_made_is_no_list_of_today(modified: int, of: int) -> None:
    """Its newest file was made on DAY; the server says when the zip was."""
    sent = Original("AMO10.json.zip", amo10.make(ROWS), DAY + datetime.timedelta(modified))
    found = SOURCE.read([sent], Members(), DAY + datetime.timedelta(5))
    assert found.day == DAY + datetime.timedelta(of)
