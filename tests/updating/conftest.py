"""The lists and the database that tracking's own tests use."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.tracking.conftest import database, folder

from .mornings import Maintainer, version

__all__ = ["database", "folder"]


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    made = Maintainer(tmp_path)
    first = made.morning(0)
    assert (first.alarms, first.published) == ([], version(made.served))
    return made


@pytest.fixture(scope="session")
def nine_mornings(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Maintainer]:
    """A maintainer nine mornings after the Sénat hired these people, for all tests: they take copies.

    An arrival may answer somebody's absence, which takes a week to be sure of.
    """

    @cache
    def made(*people: str) -> Maintainer:
        maintainer = Maintainer(tmp_path_factory.mktemp("mornings"))
        maintainer.morning(0)
        for person in people:
            maintainer.desk.hires("senat", person)
        maintainer.mornings(9)
        return maintainer

    return made


@pytest.fixture
def hired(tmp_path: Path, nine_mornings: Callable[..., Maintainer]) -> Callable[..., Maintainer]:
    """Takes a copy of `nine_mornings`."""

    def copied(*people: str) -> Maintainer:
        before = nine_mornings(*people)
        shutil.copytree(before.folder, tmp_path, dirs_exist_ok=True)
        maintainer = Maintainer(tmp_path)
        maintainer.now = before.now
        maintainer.desk.published = dict(before.desk.published)
        return maintainer

    return copied
