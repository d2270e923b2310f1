"""The lists and the database that tracking's own tests use."""

from tests.tracking.conftest import database, folder

__all__ = ["database", "folder"]
