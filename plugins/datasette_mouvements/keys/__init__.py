"""Keys, quotas and who pays; the stores that keep them."""

from __future__ import annotations

import os

from ..config import ConfigError
from .store import Store


def open_store(url: str, internal: str | os.PathLike[str] | None, patient: bool = False) -> Store:
    """PostgreSQL if `url` is given, else the internal database file, else the store that keeps nothing.

    Nothing is contacted yet. `patient` is for a command: it can wait for a lock, and a request cannot.
    """
    if url:
        try:
            # psycopg is an extra: loaded only where it is used.
            from .postgres import PostgresStore
        except ModuleNotFoundError as error:
            if error.name != "psycopg":
                raise
            raise ConfigError(
                "a store at postgresql:// needs psycopg: pip install 'datasette-mouvements[postgres]'"
            ) from error

        return PostgresStore(url)
    from .sqlite import BUSY_S, PATIENT_BUSY_S, NoStore, SqliteStore

    if internal is None:
        return NoStore()
    return SqliteStore(internal, PATIENT_BUSY_S if patient else BUSY_S)
