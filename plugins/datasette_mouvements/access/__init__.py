"""Who may ask, and how often."""

from __future__ import annotations

import os

from ..config import ConfigError
from .stores.store import Store


def open_store(url: str, internal: str | os.PathLike[str] | None, patient: bool = False) -> Store:
    """PostgreSQL if `url` is given, else the internal database file; nothing is contacted yet.

    With neither, the store that keeps nothing. `patient` is for a command, which can wait for its
    turn; a request cannot.
    """
    if url:
        try:
            # psycopg is an extra: loaded only where it is used.
            from .stores.postgres import CONNECT_S, PATIENT_CONNECT_S, PostgresStore
        except ModuleNotFoundError as error:
            if error.name != "psycopg":
                raise
            raise ConfigError(
                "a store at postgresql:// needs psycopg: pip install 'datasette-mouvements[postgres]'"
            ) from error

        return PostgresStore(url, PATIENT_CONNECT_S if patient else CONNECT_S)
    if internal is None:
        from .stores.no_store import NoStore

        return NoStore()
    from .stores.internal import PATIENT_BUSY_MS
    from .stores.sqlite import BUSY_MS, SqliteStore

    return SqliteStore(internal, PATIENT_BUSY_MS if patient else BUSY_MS)
