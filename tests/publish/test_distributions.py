"""The source distribution, and the wheel that is made of it: as an index takes them, and whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from trove_classifiers import classifiers

from tests.contract.environment import ROOT

pytestmark = pytest.mark.process
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What a working copy gathers, and a release is not made of.
LITTER = shutil.ignore_patterns(
    ".*",
    "__pycache__",
    "*.egg-info",
    "build",
    "dist",
    "var",
    "*.db",
    "*.db-*",
    "node_modules",
    "output",
)


def run(*command: object, cwd: Path) -> str:
    # None of the caller's Python: with a PYTHONPATH, the source would pass for the package.
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution, and the wheel made of it."""
    folder = tmp_path_factory.mktemp("release")
    shutil.copytree(ROOT, folder / "source", ignore=LITTER)
    run(sys.executable, "-m", "build", "--outdir", folder, cwd=folder / "source")
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


def test_the_metadata_is_what_an_index_takes(built: tuple[Path, Path]) -> None:
    assert "PASSED" in run(
        sys.executable, "-m", "twine", "check", "--strict", *built, cwd=ROOT.parent
    )
    assert set(PROJECT["classifiers"]) <= classifiers


def test_the_wheel_holds_the_package_whole_and_nothing_else(built: tuple[Path, Path]) -> None:
    plugins = ROOT / "plugins"
    files = {
        str(path.relative_to(plugins))
        for package in ("parlement_lists", "datasette_mouvements")
        for path in (plugins / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(built[1]) as opened:
        held = {name for name in opened.namelist() if ".dist-info/" not in name}
    assert held == files
