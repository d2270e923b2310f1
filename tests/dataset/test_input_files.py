"""Where the faults of a movements file are said to stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from datasette_mouvements.dataset.input_files import InputRefused, read
from tests.published import write

GOOD = {
    "date_event": "2020-01-01",
    "chambre": "senat",
    "type": "depart",
    "source": "archives",
    "confiance": "fort",
}
WRONG = {**GOOD, "type": "retour"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (json.dumps(GOOD) + "\n" + json.dumps(WRONG), 'line 2: type: "retour" is not'),
        (json.dumps(GOOD) + "\n\n7\n", "line 3: not an object"),
        (json.dumps(GOOD) + "\n{\n", "line 2: not JSON: Expecting property name"),
        ('{"type": 1, "type": 2}', "line 1: not JSON: a field stands twice in one object"),
    ],
)
def test_a_fault_is_told_with_the_line_it_is_in(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "f.ndjson"
    path.write_text(text)
    with pytest.raises(InputRefused) as refused:
        list(read(path))
    assert any(fault.startswith(f"{path}, {told}") for fault in refused.value.faults)


def test_a_bad_line_is_told_with_its_column_and_one_line_number(tmp_path: Path) -> None:
    path = tmp_path / "f.ndjson"
    path.write_text('{"type": \n')
    with pytest.raises(InputRefused) as refused:
        list(read(path))
    assert refused.value.faults == [f"{path}, line 1: not JSON: Expecting value (column 10)"]


def test_two_movements_of_one_id_are_both_named(tmp_path: Path) -> None:
    path = tmp_path / "f.ndjson"
    both = ({**GOOD, "id": "mvt_1"}, {**GOOD, "id": "mvt_1", "elu_id": "x"})
    path.write_text("\n".join(map(json.dumps, both)))
    with pytest.raises(InputRefused) as refused:
        write(tmp_path / "x.db", [(str(path), read(path))])
    (fault,) = refused.value.faults
    assert "line 2: id: mvt_1 is another" in fault
    assert fault.endswith("line 1")
