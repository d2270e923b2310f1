"""Who may ask, and how often."""

from __future__ import annotations

import os

from .store import Store


def open_store(url: str, internal: str | os.PathLike[str]) -> Store:
    """PostgreSQL if `url` is given, else the internal database file; nothing is contacted yet."""
    if url:
        from .postgres import PostgresStore  # psycopg is an extra: loaded only where it is used

        return PostgresStore(url)
    from .sqlite import SqliteStore

    return SqliteStore(internal)
