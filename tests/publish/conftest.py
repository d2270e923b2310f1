"""A machine to publish from, and a database to publish."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.environment import SAMPLE, done

from .host import Machine


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, built."""
    path = tmp_path_factory.mktemp("published") / "today.db"
    done("build", path, "--movements", SAMPLE)
    return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
