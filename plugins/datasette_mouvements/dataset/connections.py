"""Connections that can only read, as looking at a file never creates or changes one; which file holds the movements."""

from __future__ import annotations

import logging
from contextlib import closing
from pathlib import Path

from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from parlement_lists.regular_file import open_regular

from .schema import INVENTED, TABLES

log = logging.getLogger(__name__)
_FOUND = "_mouvements_found"
# A movements file of any version has some of them, and nothing else has.
_OWN_TABLES = {name for name in TABLES if name.startswith("_")}
# What is done with a file of another version. Without its corrections, names that they mask would be published again.
BUILT_ANEW = "build it again from every one of its lists, with the same --corrections"


def read_only(path: Path, immutable: bool = False) -> str:
    """The address under which SQLite opens a file to read it; `immutable` as in `connect_read_only`."""
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if immutable else ''}"


def connect_read_only(path: Path, immutable: bool = False) -> sqlite3.Connection:
    """A connection to a file, to be read in any thread, one at a time.

    `immutable` says that nobody changes the file any more: SQLite then takes no lock on it. OSError for
    what is no regular file, sqlite3.Error for what is not there.
    """
    if path.exists():
        open_regular(path).close()  # SQLite would wait for somebody to write to a pipe
    return sqlite3.connect(read_only(path, immutable), uri=True, check_same_thread=False)


def publication(path: Path) -> dict[str, str]:
    """What a movements file says of itself; nothing where it is not one that can be read."""
    try:
        with closing(connect_read_only(path)) as db:
            return dict(db.execute("select cle, valeur from _publication"))
    except (OSError, sqlite3.Error):
        return {}


def is_invented(path: Path) -> bool:
    """Whether a movements file says that its people are invented."""
    return INVENTED in publication(path)


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
        is_held = configured or holds_movements(ours.path) is not False if ours else bool(others)
        if is_held and ours is None:
            ours = others.pop(0)
            # To do: nothing, or rename the file: its name is not that of the setting `database`.
            log.warning("%s holds movements: it is served, and guarded, as %s", ours.name, name)
            ours.name = ours.route = name
            databases = datasette.databases.values()
            datasette.databases = {database.name: database for database in databases}
        for database in others:
            # To do: serve that file elsewhere: one instance protects one set of movements.
            log.warning("%s holds movements too: its exports are open to everyone", database.name)
        setattr(datasette, _FOUND, is_held)
    return bool(getattr(datasette, _FOUND))
