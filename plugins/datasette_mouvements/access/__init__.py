"""Who may ask, and how often."""

from __future__ import annotations

import os

from ..config import ConfigError
from .store import Store


def open_store(url: str, internal: str | os.PathLike[str]) -> Store:
    """PostgreSQL if `url` is given, else the internal database file; nothing is contacted yet."""
    if url:
        try:
            from .postgres import PostgresStore  # psycopg is an extra: loaded only where it is used
        except ModuleNotFoundError as error:
            if error.name not in ("psycopg", "psycopg_pool"):
                raise
            raise ConfigError(
                "a store at postgresql:// needs psycopg: pip install 'datasette-mouvements[postgres]'"
            ) from error

        return PostgresStore(url)
    from .sqlite import SqliteStore

    return SqliteStore(internal)
