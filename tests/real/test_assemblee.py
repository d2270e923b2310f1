"""The Assemblée's real files of 2022-01-30, where they are at hand, counted by other means."""

from __future__ import annotations

import datetime
import json
import tarfile
from typing import Any

import pytest

from parlement_lists.sources.assemblee import SOURCE
from parlement_lists.sources.kept_list import to_csv
from parlement_lists.sources.originals import ChamberMembers, Original, StaffList
from parlement_lists.tracking.members.known_members import Members
from tests.real.windows import DATA, MISSING
from tests.sources import amo10

FOLDER = DATA / "sources" / "assemblee"
DAY = datetime.date(2022, 1, 30)
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason=MISSING)


@pytest.fixture(scope="module")
def documents() -> dict[str, Any]:
    with tarfile.open(FOLDER / "acteurs-2022-01-30.tar.xz") as archive:
        return {
            f"json/acteur/{member.name}": json.load(file)
            for member in archive
            if (file := archive.extractfile(member))
        }


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def mandates(document: Any, kind: str) -> list[Any]:
    found = listed(document["acteur"]["mandats"]["mandat"])
    return [mandate for mandate in found if mandate["typeOrgane"] == kind]


def staff(document: Any) -> list[tuple[str, str, str, str]]:
    """Every staff member under an open mandate, as often as there."""
    return [
        (document["acteur"]["uid"]["#text"], person["qualite"], person["nom"], person["prenom"])
        for mandate in mandates(document, "ASSEMBLEE")
        if not mandate["dateFin"]
        for person in listed((mandate["collaborateurs"] or {}).get("collaborateur"))
    ]


Found = tuple[StaffList, ChamberMembers]


def read(files: amo10.Files) -> Found:
    original = [Original("AMO10.json.zip", amo10.pack(files, DAY))]
    members = SOURCE.members(original, DAY)
    assert members is not None
    return SOURCE.read(original, Members(), DAY), members


@pytest.fixture(scope="module")
def of_day(documents: dict[str, Any]) -> Found:
    return read(documents)


def test_every_pair_is_read_with_its_civility(documents: dict[str, Any], of_day: Found) -> None:
    every = [entry for document in documents.values() for entry in staff(document)]
    assert (len(every), len(set(every))) == (2210, 2106)
    found, _ = of_day
    rows = [(r.elu_id, r.collab_civilite, r.collab_nom, r.collab_prenom) for r in found.rows]
    assert set(rows) == set(every)
    assert to_csv("assemblee", found.rows).count(b"\n") == 2106 + 1
    assert {r.collab_civilite for r in found.rows} == {"M.", "Mme"}
    assert len({r.elu_id for r in found.rows}) == 570


def test_the_layout_of_another_zip_of_the_assemblee_is_read() -> None:
    body = (FOLDER / "AMO30-subset.json.zip").read_bytes()
    found = SOURCE.read([Original("AMO30.zip", body)], Members(), datetime.date(2019, 6, 21))
    assert {r.elu_id for r in found.rows} == {"PA718838"}
    assert {r.elu_nom for r in found.rows} == {"Brun"}
    assert len(found.rows) == 5
    assert not any("late" in sentence for sentence in found.remarks)
    late = SOURCE.read([Original("AMO30.zip", body)], Members(), DAY)
    assert any("is late" in sentence for sentence in late.remarks)


def test_real_organs_give_their_codes_and_names(documents: dict[str, Any]) -> None:
    real = {
        f"json/organe/{path.name}": path.read_bytes() for path in (FOLDER / "organes").iterdir()
    }
    _, members = read({**documents, **real})
    assert members.group_names["RN"] == "Rassemblement National"
    assert len(members.group_names) == 8  # of nine organs, one is the Assemblée itself
    assert members.group_colours["RN"] == "#35495e"
    assert members.group_colours.keys() == members.group_names.keys()
