"""What an image installs is what was tried here, at one version each."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from datasette_mouvements.upkeep.requirements import NotInstalled, pinned

FILE = Path(__file__).parents[2] / "pyproject.toml"
PROJECT = tomllib.loads(FILE.read_text(encoding="utf-8"))["project"]


def test_every_dependency_of_the_package_is_there_once_at_one_version():
    declared = [Requirement(line).name for line in PROJECT["dependencies"]]
    printed = [Requirement(line) for line in pinned(FILE)]
    assert [requirement.name for requirement in printed] == declared
    assert all(str(requirement.specifier).startswith("==") for requirement in printed)


def test_nothing_in_them_means_something_to_a_shell():
    assert not set(" ".join(pinned(FILE, ["postgres"]))) & set("<>|&;$`'\"\\*?()~#!")


def test_the_datasette_that_the_project_pins_wins_over_the_one_installed(monkeypatch):
    (pin,) = PROJECT["optional-dependencies"]["deploy"]
    monkeypatch.setattr("datasette_mouvements.upkeep.requirements.version", lambda name: "9.9")
    assert pin.startswith("datasette==")
    assert pin in pinned(FILE)


def test_an_extra_adds_its_own_with_their_extras():
    added = set(pinned(FILE, ["postgres"])) - set(pinned(FILE))
    assert added == {f"psycopg[binary,pool]=={version('psycopg')}"}


def test_a_dependency_that_is_not_installed_here_is_named(tmp_path):
    project = tmp_path / "pyproject.toml"
    project.write_text(
        '[project]\ndependencies = ["no-such-thing"]\n[project.optional-dependencies]\n'
    )
    with pytest.raises(NotInstalled, match="no-such-thing is not installed here"):
        pinned(project)


def test_what_only_another_system_needs_is_left_out(tmp_path):
    project = tmp_path / "pyproject.toml"
    project.write_text(
        "[project]\ndependencies = [\"click; sys_platform == 'win32'\", 'pluggy']\n"
        "[project.optional-dependencies]\n"
    )
    assert pinned(project) == [f"pluggy=={version('pluggy')}"]
