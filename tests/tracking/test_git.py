"""Git reads the repository it is told, whatever a hook or a wrapper put into the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from datasette_mouvements.cli import mouvements
from datasette_mouvements.updating.published import Published
from tests.tracking import lists
from tests.tracking.lists import AFTER, FAMILY, STAFF
from tests.tracking.repository import Repository

FILE = "data/liste_senateurs_collaborateurs.csv"


@pytest.mark.parametrize("names", [["GIT_DIR"], ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"]])
def test_a_history_is_that_of_the_repository_told(
    tmp_path: Path, database: Path, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    told, other = Repository(tmp_path / "told"), Repository(tmp_path / "other")
    for day, content in (("01", STAFF), ("02", AFTER)):
        told.commit(f"2026-09-{day}T03:15:00+02:00", {FILE: lists.data("senat", content)})
    other.commit("2026-08-01T03:15:00+02:00", {FILE: lists.data("senat", {1: ["Ada MOREAU"]})})
    values = {
        "GIT_DIR": other.path / ".git",
        "GIT_INDEX_FILE": other.path / ".git/index",
        "GIT_WORK_TREE": other.path,
    }
    for name in names:
        monkeypatch.setenv(name, str(values[name]))
    done = CliRunner().invoke(mouvements, ["build", str(database), "--git", str(told.path)])
    assert done.exit_code == 0, done.output
    assert "lists     2 accepted, 0 refused" in done.output
    found = [(m.date_event, m.collab_nom) for m in Published(database).movements()]
    assert found == [("2026-09-02", FAMILY)]
