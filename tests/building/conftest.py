"""Lists and where their database goes, a server of originals, and a maintainer's mornings."""

from pathlib import Path

import pytest

from tests.sources.conftest import server
from tests.tracking import lists

from .mornings import Maintainer, version

__all__ = ["server"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lists in which one staff member leaves on the second day."""
    for day, content in (("01", lists.STAFF), ("02", lists.AFTER), ("12", lists.AFTER)):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", content)
    return tmp_path / "lists"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    made = Maintainer(tmp_path)
    first = made.morning(0)
    assert (first.alarms, first.remarks) == ([], [])
    assert first.built.written.version == version(made.database)
    return made
