"""Which database of an instance holds the movements, whatever its file is called."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path

from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from .connections import connect_read_only
from .schema import TABLES

log = logging.getLogger(__name__)
_FOUND = "_mouvements_found"
# A movements file of any version has some of them, and nothing else has.
_OWN_TABLES = {name for name in TABLES if name.startswith("_")}


def holds_movements(path: str | None) -> bool | None:
    """Whether a database's file is of movements; None where it cannot be read, or has lost its tables."""
    if path is None:
        return None
    try:
        with closing(connect_read_only(Path(path), immutable=True)) as db:
            names = {name for (name,) in db.execute("select name from sqlite_master")}
    except (OSError, sqlite3.Error):
        return None
    return not names.isdisjoint(_OWN_TABLES) if names else None


def find_movements(datasette: Datasette, name: str, configured: bool) -> bool:
    """Whether the instance holds movements; its database `name` is theirs from then on.

    A file of that name that holds something else is left alone, unless the plugin is `configured`.
    A file of another name that holds movements is renamed to it, so that its exports are guarded;
    further ones are somebody's choice, which the log tells. Decided once for each instance: what
    becomes of a file later makes it no other one.
    """
    if not hasattr(datasette, _FOUND):
        others = [
            database
            for other, database in datasette.databases.items()
            if other != name and holds_movements(database.path)
        ]
        ours = datasette.databases.get(name)
        found = configured or holds_movements(ours.path) is not False if ours else bool(others)
        if found and ours is None:
            ours = others.pop(0)
            # To do: nothing, or rename the file: its name is not that of the setting `database`.
            log.warning("%s holds movements: it is served, and guarded, as %s", ours.name, name)
            ours.name = ours.route = name
            databases = datasette.databases.values()
            datasette.databases = {database.name: database for database in databases}
        for database in others:
            # To do: serve that file elsewhere: one instance protects one set of movements.
            log.warning("%s holds movements too: its exports are open to everyone", database.name)
        setattr(datasette, _FOUND, found)
    return bool(getattr(datasette, _FOUND))
