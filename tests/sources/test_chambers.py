"""Which sources are fetched, at which addresses, and what they need."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click.testing import CliRunner

from datasette_mouvements.cli import mouvements
from parlement_lists.movement import CHAMBERS
from parlement_lists.sources.chambers import SourceError, choose

MISSING = {"senat": "senat needs pypdfium2", "europarl": "europarl needs selectolax"}
INSTALL = "pip install 'datasette-mouvements[lists]'"
IMPORT_ALL = """
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys(["pypdfium2", "selectolax"]))
import datasette_mouvements, parlement_lists
for package in (parlement_lists, datasette_mouvements):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name.rpartition(".")[2] not in ("__main__", "pdf_text"):
            importlib.import_module(module.name)
"""


def test_without_a_name_each_chamber_has_its_source():
    assert [source.chamber for source in choose()] == list(CHAMBERS)
    assert [source.chamber for source in choose(("senat", "senat"))] == ["senat"]
    with pytest.raises(SourceError, match="unknown source moon; known: assemblee"):
        choose(("moon",))


def test_an_original_may_have_moved(tmp_path):
    file = tmp_path / "sources.yml"
    file.write_text("assemblee: {adresses: {zip: 'https://lists.example.org/18.zip'}}")
    moved, *others = choose((), file)
    before, *known = choose()
    assert moved.addresses["zip"].url == "https://lists.example.org/18.zip"
    assert moved.addresses["zip"].most_bytes == before.addresses["zip"].most_bytes
    assert others == known


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected a mapping"),
        ("a: {", "while parsing"),
        ("a: {adresses: {zip: x}}", "a: no source has this name; known: assemblee"),
        ("assemblee: {url: x}", "assemblee: needs `adresses` alone, with texts for one or more of"),
        ("assemblee: {adresses: [x]}", "needs `adresses` alone"),
        ("assemblee: {adresses: {pdf: x}}", "one or more of zip"),
        ("assemblee: {adresses: {zip: 1}}", "needs `adresses` alone, with texts"),
    ],
)
def test_a_wrong_description_is_named(tmp_path, text, reason):
    file = tmp_path / "sources.yml"
    file.write_text(text)
    with pytest.raises(SourceError, match=rf"sources\.yml.*{reason}|{reason}"):
        choose((), file)


def test_every_module_but_the_one_that_opens_pdfs_is_imported_without_the_extra():
    ran = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.fixture
def without_extra(monkeypatch):
    for module in ("pypdfium2", "selectolax"):
        monkeypatch.setitem(sys.modules, module, None)


@pytest.mark.parametrize("source", MISSING)
def test_read_says_what_is_missing_and_writes_nothing(without_extra, tmp_path, source):
    original, made = tmp_path / "original", tmp_path / "made"
    original.write_bytes(b"%PDF-")
    ran = CliRunner().invoke(mouvements, ["read", source, str(original), "-o", f"{made}/"])
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == f"Error: {MISSING[source]}: {INSTALL}\n"
    assert not made.exists()
