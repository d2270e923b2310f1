"""The state's file: what it forgets is gone, and one run at a time has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from datasette_mouvements.cli import mouvements
from datasette_mouvements.updating.state_file import StateFile
from parlement_lists.tracking.state import StateError
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY


def track(database: Path, folder: Path) -> None:
    done = CliRunner().invoke(mouvements, ["track", str(database), "--lists", str(folder)])
    assert done.exit_code == 0, done.output


def test_a_name_that_is_forgotten_is_not_in_the_file(database: Path, folder: Path) -> None:
    state = database.with_name("x.suivi.sqlite3")
    (folder / "senat" / "2026-09-12.csv").unlink()
    track(database, folder)
    assert FAMILY.encode() in state.read_bytes()  # who left may still be back
    lists.write(folder, "senat", "2026-09-12", AFTER)
    track(database, folder)
    assert FAMILY.encode() not in state.read_bytes()


def test_a_second_run_is_refused_and_does_not_remove_the_file(database: Path) -> None:
    state_file = StateFile(database)
    with state_file.locked():
        with (
            pytest.raises(StateError, match="another run is at work"),
            StateFile(database).locked(),
        ):
            pass
        assert state_file.path.exists()
    assert not state_file.path.exists()


def test_what_stands_for_an_identifier_is_what_the_run_that_writes_the_database_says(
    database: Path,
) -> None:
    """A copy may be masked while the run is at work."""
    state_file = StateFile(database)
    state_file.add_pseudonyms({"mvt_a": "mvt_1"})
    state_file.add_pseudonyms({"mvt_a": "mvt_2", "mvt_b": "mvt_3"})
    assert state_file.pseudonyms() == {"mvt_a": "mvt_1", "mvt_b": "mvt_3"}
    state_file.add("{}", {"mvt_a": "mvt_4"})
    assert state_file.pseudonyms() == {"mvt_a": "mvt_4", "mvt_b": "mvt_3"}
    state_file.keep("{}", {"mvt_b"})
    assert state_file.pseudonyms() == {"mvt_a": "mvt_4"}
