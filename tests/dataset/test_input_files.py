"""Where the faults of a movements file are said to stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasette_mouvements.dataset.input_files import InputRefused, read
from tests.published import as_csv

GOOD = {
    "date_event": "2020-01-01",
    "chambre": "senat",
    "type": "depart",
    "source": "archives",
    "confiance": "fort",
}


def test_a_fault_is_told_with_the_line_it_is_in(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(as_csv(GOOD, GOOD | {"type": "retour"}))
    with pytest.raises(InputRefused) as refused:
        list(read(path))
    (fault,) = refused.value.faults
    assert fault.startswith(f'{path}, line 3: type: "retour" is not')
