"""What a first start serves: invented lists, the same every time."""

from __future__ import annotations

import csv
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from datasette_mouvements.cli import mouvements
from datasette_mouvements.dataset.check import inspect
from datasette_mouvements.keys.sqlite import SqliteStore
from datasette_mouvements.serving import commands
from tests.contract.environment import ROOT
from tests.keys.conftest import create

SCRIPT = ROOT / commands.SCRIPT


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    subprocess.run([sys.executable, SCRIPT, folder], check=True)
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = tmp_path_factory.mktemp("built") / "movements.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        commands._build_sample(database)
    return database


def rows(database: Path, question: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as db:
        return [tuple(row) for row in db.execute(question)]


def test_the_file_is_sound_and_says_that_it_is_invented(built: Path) -> None:
    assert inspect(built) == []
    # A key of invented masks would ask for the corrections of real ones.
    assert [path.name for path in built.parent.iterdir()] == [built.name]
    assert rows(built, "select valeur from _publication where cle = 'invente'") == [("1",)]


def test_the_same_bytes_are_written_every_time(written: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-I", SCRIPT, tmp_path], check=True)
    first, second = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}
        for folder in (written, tmp_path)
    )
    assert first
    assert first == second


def test_a_withheld_name_is_in_the_lists_and_nowhere_in_the_file(
    written: Path, built: Path
) -> None:
    named = 0
    for path in (written / "listes" / "assemblee").iterdir():
        with path.open(encoding="utf-8", newline="") as file:
            named += any(row["collab_nom"] == "QUENOUILLARD-MERLET" for row in csv.DictReader(file))
    assert named > 50
    assert b"QUENOUILLARD-MERLET" not in built.read_bytes()


@pytest.mark.parametrize("text", ["import sys; sys.exit(3)", ""])
def test_a_script_that_writes_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    commands.SCRIPT.parent.mkdir(parents=True)
    commands.SCRIPT.write_text(text, encoding="utf-8")
    ran = CliRunner().invoke(mouvements, ["serve", "--db", "movements.db", "--port", "0"])
    assert ran.exit_code == 1
    assert "movements.db was not built" in ran.output
    assert not Path("movements.db").exists()


def test_a_first_start_shows_a_key_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = SqliteStore(tmp_path / "internal.sqlite3")
    for shown in (True, False):
        commands._welcome("http://localhost:8001", commands._first_key(store), "")
        out = capsys.readouterr().out
        assert ("Bearer mvt_" in out, "keys create" in out) == (shown, not shown)
    other = SqliteStore(tmp_path / "other.sqlite3")
    other.prepare()
    create(other, "ada")
    assert commands._first_key(other) is None
