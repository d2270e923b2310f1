"""The lists and the database that tracking's own tests use, and a service to be copied."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tracking.conftest import database, folder

from .original_service import OriginalService

__all__ = ["database", "folder"]


@pytest.fixture
def original(tmp_path: Path) -> Iterator[OriginalService]:
    service = OriginalService(tmp_path / "original")
    yield service
    service.close()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Where a copy is made."""
    return tmp_path / "copie" / "movements.db"
