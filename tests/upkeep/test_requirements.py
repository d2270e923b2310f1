"""What an image installs is what was tried here, at one version each."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

from datasette_mouvements.upkeep.requirements import pinned
from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def test_every_dependency_of_the_package_is_there_once_at_one_version():
    declared = [Requirement(line).name for line in PROJECT["dependencies"]]
    printed = [Requirement(line) for line in pinned()]
    assert [requirement.name for requirement in printed] == declared
    assert all(str(requirement.specifier).startswith("==") for requirement in printed)


def test_nothing_in_them_means_something_to_a_shell():
    assert not set(" ".join(pinned(["postgres"]))) & set("<>|&;$`'\"\\*?()~#!")


def test_the_datasette_that_the_project_pins_wins_over_the_one_installed(monkeypatch):
    (pin,) = PROJECT["optional-dependencies"]["deploy"]
    monkeypatch.setattr("datasette_mouvements.upkeep.requirements.version", lambda name: "9.9")
    assert pin.startswith("datasette==") and pin in pinned()


def test_an_extra_adds_its_own_with_their_extras():
    added = set(pinned(["postgres"])) - set(pinned())
    assert added == {f"psycopg[binary,pool]=={version('psycopg')}"}
