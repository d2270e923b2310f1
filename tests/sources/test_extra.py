"""What the extra `lists` installs is imported by who needs it, and by nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from datasette_mouvements.cli import mouvements

MISSING = {
    "senat": "senat needs pypdfium2",
    "europarl": "europarl needs selectolax",
}
INSTALL = "pip install 'datasette-mouvements[lists]'"
IMPORT_ALL = """
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys(["pypdfium2", "selectolax"]))
import datasette_mouvements, parlement_lists
for package in (parlement_lists, datasette_mouvements):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name.rpartition(".")[2] not in ("__main__", "pdf_lines"):
            importlib.import_module(module.name)
"""


# No chamber is asked, even where a command goes on although it should not.
NOWHERE = "http://127.0.0.1:9/"
ADDRESSES = f"""
assemblee: {{adresses: {{zip: "{NOWHERE}"}}}}
senat: {{adresses: {{par_senateur: "{NOWHERE}"}}}}
europarl: {{adresses: {{members: "{NOWHERE}", full_list: "{NOWHERE}"}}}}
"""


@pytest.fixture
def nowhere(tmp_path):
    path = tmp_path / "sources.yml"
    path.write_text(ADDRESSES)
    return "--sources", str(path)


@pytest.fixture
def without_extra(monkeypatch):
    for module in ("pypdfium2", "selectolax"):
        monkeypatch.setitem(sys.modules, module, None)


def test_every_module_but_the_one_that_opens_pdfs_is_imported_without_it():
    ran = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("source", MISSING)
def test_read_says_what_is_missing_and_writes_nothing(without_extra, tmp_path, source):
    original, made = tmp_path / "original", tmp_path / "made"
    original.write_bytes(b"%PDF-")
    ran = CliRunner().invoke(mouvements, ["read", source, str(original), "-o", f"{made}/"])
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == f"Error: {MISSING[source]}: {INSTALL}\n"
    assert not made.exists()


def test_fetch_says_all_that_is_missing_and_makes_no_folder(without_extra, nowhere, tmp_path):
    folder = tmp_path / "lists"
    ran = CliRunner().invoke(mouvements, ["fetch", str(folder), *nowhere])
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == f"Error: {', '.join(MISSING.values())}: {INSTALL}\n"
    assert not folder.exists()


def test_the_daily_run_says_it_and_makes_neither_lists_nor_a_database(
    without_extra, nowhere, tmp_path
):
    folder, database = tmp_path / "lists", tmp_path / "movements.db"
    ran = CliRunner().invoke(mouvements, ["daily", str(folder), str(database), *nowhere])
    assert ran.exit_code == 1
    assert ran.stdout == "published nothing: what stands is as it was\n"
    assert f"{', '.join(MISSING.values())}: {INSTALL}\n" in ran.stderr
    assert not any(folder.glob("*/*.csv"))
    assert not database.exists()


def test_the_assemblee_s_archive_is_read_without_it(without_extra, tmp_path):
    original = tmp_path / "amo10.zip"
    original.write_bytes(b"no archive")
    ran = CliRunner().invoke(mouvements, ["read", "assemblee", str(original)])
    assert ran.exit_code == 1
    assert INSTALL not in ran.stderr
