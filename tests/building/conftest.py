"""The lists and the database that tests of tracking use, and a maintainer's mornings."""

from pathlib import Path

import pytest

from tests.sources.conftest import server
from tests.tracking.conftest import database, folder

from .mornings import Maintainer, version

__all__ = ["database", "folder", "server"]


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    made = Maintainer(tmp_path)
    first = made.morning(0)
    assert (first.alarms, first.remarks) == ([], [])
    assert first.built.written.version == version(made.database)
    return made
