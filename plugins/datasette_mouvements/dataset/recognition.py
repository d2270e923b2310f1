"""Which database of an instance holds the movements, whatever its file is called."""

from __future__ import annotations

import logging
from contextlib import closing
from enum import Enum
from pathlib import Path

from datasette.app import Datasette
from datasette.utils.sqlite import sqlite3

from .connections import connect_read_only
from .schema import TABLES

log = logging.getLogger(__name__)
_FOUND = "_mouvements_found"


class Content(Enum):
    """What a file turns out to hold."""

    MOVEMENTS = "movements"
    IN_PART = "movements of another version, or what is left of them"
    DAMAGED = "nothing that can be read"
    ELSE = "something else"


def content(path: Path) -> Content:
    """What the file holds, by its tables: a movements file that is damaged is never something else."""
    try:
        with closing(connect_read_only(path, immutable=True)) as db:
            names = {name for (name,) in db.execute("select name from sqlite_master")}
            (pages,) = db.execute("pragma page_count").fetchone()
    except (OSError, sqlite3.Error):
        return Content.DAMAGED
    if names.issuperset(TABLES):
        return Content.MOVEMENTS
    if names & {name for name in TABLES if name.startswith("_")}:
        return Content.IN_PART
    # A file of pages without a table has lost what was in it.
    return Content.DAMAGED if not names or not pages else Content.ELSE


def find_movements(datasette: Datasette, name: str, configured: bool) -> bool:
    """Whether the instance holds movements; its database `name` is theirs from then on.

    A file of that name that holds something else is left alone, unless the plugin is `configured`.
    A file of another name that holds movements is renamed to it, so that its exports are guarded;
    further ones are somebody's choice, which the log tells. Decided once for each instance: what
    becomes of a file later makes it no other one.
    """
    if not hasattr(datasette, _FOUND):
        setattr(datasette, _FOUND, _find_movements(datasette, name, configured))
    return bool(getattr(datasette, _FOUND))


def _find_movements(datasette: Datasette, name: str, configured: bool) -> bool:
    databases = datasette.databases
    if name in databases:
        path = databases[name].path
        found = configured or not path or content(Path(path)) is not Content.ELSE
    else:
        found = False
    others = [
        other
        for other, database in databases.items()
        if other != name
        and database.path
        and content(Path(database.path)) in (Content.MOVEMENTS, Content.IN_PART)
    ]
    if not found and others and name not in databases:
        ours = databases[others.pop(0)]
        # To do: nothing, or rename the file: its name is not that of the setting `database`.
        log.warning("%s holds movements: it is served, and guarded, as %s", ours.name, name)
        ours.name = ours.route = name
        datasette.databases = {database.name: database for database in databases.values()}
        found = True
    for other in others:
        # To do: serve that file elsewhere: one instance protects one set of movements.
        log.warning("%s holds movements too: its exports are open to everyone", other)
    return found
