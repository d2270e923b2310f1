"""The wheel and the source distribution: built, whole, installed in an empty environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_string
from email.message import Message
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
    shutil.copy(ROOT / ".dockerignore", folder / "source")
    run(sys.executable, "-m", "build", "--outdir", folder, cwd=folder / "source")
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that held nothing, then the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True, with_pip=True)
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(folder / "bin" / "python", *pip, built[1], cwd=folder)
    return folder / "bin"


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as opened:
        (name,) = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_string(opened.read(name).decode())


def test_the_metadata_is_what_an_index_takes(built: tuple[Path, Path]) -> None:
    assert "PASSED" in run(
        sys.executable, "-m", "twine", "check", "--strict", *built, cwd=ROOT.parent
    )
    told = metadata(built[1])
    assert (told["License-Expression"], told["License-File"]) == ("MIT", "LICENSE")
    assert told["Requires-Python"] == PROJECT["requires-python"]
    listed = told.get_all("Classifier", [])
    assert "Framework :: Datasette" in listed
    assert set(listed) <= classifiers
    assert all(", https://" in link for link in told.get_all("Project-URL", []))


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


def test_the_source_distribution_is_the_whole_project(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if kept.returncode:
        pytest.skip("what the project keeps is what git says")
    outside = (".ci/", ".github/", ".gitignore")
    files = [file for file in kept.stdout.split("\n") if file and not file.startswith(outside)]
    assert len(files) > 100
    assert [file for file in files if (ROOT / file).exists() and file not in held] == []


@pytest.mark.parametrize(
    "command",
    [
        ("daily", "lists", "movements.db"),
        ("read", "senat", "page.html"),
    ],
)
def test_installed_without_the_extra_what_makes_lists_says_how_to_install_it(
    installed: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "page.html").write_text("<html></html>")
    ran = subprocess.run(
        ["env", "-u", "PYTHONPATH", installed / "datasette", "mouvements", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stdout.strip()) == (
        1,
        "published nothing: what stands is as it was" if command[0] == "daily" else "",
    )
    said, *others = ran.stderr.splitlines()
    # The morning builds of the lists that are there: of none.
    assert len(others) == (command[0] == "daily")
    assert said.endswith(": pip install 'datasette-mouvements[lists]'")
    made = {path.name for path in tmp_path.iterdir()}
    # The morning is noted in the journal of the lists: `nights` finds that it could not fetch.
    assert made - {".movements.db.daily.lock", "lists"} == {"page.html"}
