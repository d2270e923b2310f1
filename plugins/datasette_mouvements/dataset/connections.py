"""Connections that can only read: looking at a file never creates or changes one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from parlement_lists.regular_file import open_regular

from .schema import INVENTED

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
