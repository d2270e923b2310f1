"""A folder of lists in which one staff member leaves, and where its database goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tracking import lists
from tests.tracking.lists import AFTER, STAFF


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Lists in which one staff member leaves on the second day."""
    for day, content in (("01", STAFF), ("02", AFTER), ("12", AFTER)):
        lists.write(tmp_path / "lists", "senat", f"2026-09-{day}", content)
    return tmp_path / "lists"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "x.db"
