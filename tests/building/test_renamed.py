"""Who has another family name is told in the report, and a correction says that they are two people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.building.corrections_file import corrections
from tests.contract.environment import command as run
from tests.published import Published
from tests.tracking import lists
from tests.tracking.lists import NAME, STAFF

GIVEN, FAMILY = NAME.split()
NEW = f"{GIVEN} SURMÈRE"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lists in which one staff member marries on the second day."""
    after = {**STAFF, 7: [NEW, *STAFF[7][1:]]}
    for day, content in (("01", STAFF), ("02", after), ("12", after)):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", content)
    return tmp_path / "lists"


def test_the_report_names_who_was_renamed_and_nobody_moved(database: Path, folder: Path) -> None:
    line = f"renamed   senat/2026-09-02: 99007Z: Mme {NAME} -> Mme {NEW}\n"
    assert line in run("build", database, "--lists", folder).output
    assert list(Published(database).movements()) == []
    assert line not in run("build", database, "--lists", folder).output  # told once
    assert line in run("build", database, "--lists", folder, "--verbose").output
    found = json.loads(run("build", database, "--lists", folder, "--json").output)
    assert [record["renamed"] for record in found["lists"]] == [
        [],
        [{"elu_id": "99007Z", "old": f"Mme {NAME}", "new": f"Mme {NEW}"}],
        [],
    ]


@pytest.mark.parametrize(
    ("masked", "told"),
    [
        (NAME, f"(masked) -> Mme {NEW}"),
        (NEW, f"Mme {NAME} -> (masked)"),
        ("Zoé AUTRE", "Mme {NAME} ->"),
    ],
)
def test_the_report_does_not_repeat_a_masked_name(
    database: Path, folder: Path, tmp_path: Path, masked: str, told: str
) -> None:
    lists.write(folder, "senat", "2026-09-13", {**STAFF, 7: ["Zoé AUTRE"]})
    file = corrections(tmp_path, f"masquer: {{nom: {masked}}}")
    done = run("build", database, "--lists", folder, "--corrections", file)
    # The stay goes on from the first list: no movement tells whose it is, and somebody has to decide.
    goes_on = "as a masked stay goes on under it" in done.stderr
    assert (done.exit_code, goes_on) == ((1, True) if masked == NAME else (0, False)), done.output
    assert told.format(NAME=NAME) in done.output


def test_a_correction_makes_them_two_people(database: Path, folder: Path, tmp_path: Path) -> None:
    file = corrections(tmp_path, f"deux_personnes: {{noms: [{NAME}, {NEW}], elus: [99007Z]}}")
    done = run("build", database, "--lists", folder, "--corrections", file)
    assert done.exit_code == 0, done.output
    assert "renamed" not in done.output
    assert {(m.type, m.collab_nom) for m in Published(database).movements()} == {
        ("depart", FAMILY),
        ("arrivee", "SURMÈRE"),
    }
