"""Characters that XML cannot hold come in nowhere: one of them would end every feed that it is in."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from datasette_mouvements.api.parameters import MOVEMENTS, OF, checked
from datasette_mouvements.dataset.input_files import InputRefused, read
from datasette_mouvements.refusal import Refusal
from parlement_lists.movement import NOT_XML
from parlement_lists.tracking.correction import CorrectionsError
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members, MembersError
from parlement_lists.tracking.reading.lists import Reader
from tests.published import as_csv
from tests.tracking import lists
from tests.tracking.lists import list_

DAY = datetime.date(2026, 9, 1)
UNFIT = ["\ufffe", "\uffff", "\x01", "\x0b", "\x1f"]
GOOD = {
    "date_event": "2020-01-01",
    "chambre": "senat",
    "type": "depart",
    "source": "archives",
    "confiance": "fort",
}


def test_exactly_what_xml_allows_is_let_through() -> None:
    """XML 1.0, production 2."""
    for code in range(0x110000):
        allowed = code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD
        assert (NOT_XML.search(chr(code)) is None) == (allowed or code >= 0x10000), hex(code)


@pytest.mark.parametrize("character", UNFIT)
@pytest.mark.parametrize("field", ["collab_nom", "elu_nom", "fonction", "id"])
def test_a_movements_file_with_one_is_refused_with_line_and_field(
    tmp_path: Path, field: str, character: str
) -> None:
    path = tmp_path / "m.csv"
    path.write_bytes(as_csv(GOOD, GOOD | {field: f"A{character}B"}))
    with pytest.raises(InputRefused) as refused:
        list(read(path))
    (fault,) = refused.value.faults
    assert fault.startswith(f"{path}, line 3: {field}: ")
    assert "XML" in fault


@pytest.mark.parametrize("character", UNFIT)
def test_a_list_s_row_with_one_is_not_read_whatever_its_field(character: str) -> None:
    good = lists.rows("europarl", {1: ["Ada MOREAU"], 2: ["Bo LENGLET"]})
    for field in (1, 3, 4):  # the group, which is the last one known, is not read
        row = list(good[1])
        row[field] = row[field][:3] + character + row[field][3:]
        data = lists.text([good[0], row, good[2]])
        found = Reader().read(data, "europarl", DAY)
        # What is white space too is taken out, as such.
        assert found.unreadable == 1 or character.isspace(), field
        assert not any(character in str(text) for pair in found.pairs.values() for text in pair)
    assert list_("europarl", "2026-09-01", {1: ["Ada MOREAU"]}).unreadable == 0


@pytest.mark.parametrize("character", UNFIT)
def test_a_correction_or_a_members_file_with_one_is_refused_with_its_line(
    tmp_path: Path, character: str
) -> None:
    said = json.dumps(f"A{character}", ensure_ascii=True)
    corrections = tmp_path / "corrections.yml"
    corrections.write_text(
        "- date: 2026-10-01\n  raison: Vu\n  modifier: {id: mvt_1, fonction: " + said + "}\n"
    )
    with pytest.raises(CorrectionsError) as refused:
        read_corrections(corrections)
    assert refused.value.faults[0].startswith(f"{corrections}: line 1: modifier: fonction: ")
    (tmp_path / "groupes.csv").write_text("chambre,elu_id,groupe,depuis,jusqua\n")
    (tmp_path / "mandats.csv").write_text(
        "chambre,elu_id,nom_complet,nom,prenom,civilite,debut,fin\n"
        f"senat,99001Z,Élise{character} Une,Une,Élise,Mme,2020-01-01,\n",
        newline="",
    )
    with pytest.raises(MembersError, match=r"mandats\.csv: line 2: nom_complet: "):
        Members.read(tmp_path)


@pytest.mark.parametrize("character", [*UNFIT, "\ufffd", "\x7f", "\x85"])
def test_a_parameter_with_one_is_a_400(character: str) -> None:
    with pytest.raises(Refusal) as refused:
        checked(f"elu={quote('PA' + character)}".encode(), OF[MOVEMENTS])
    assert (refused.value.status, refused.value.parameters) == (400, ("elu",))
