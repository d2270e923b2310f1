"""Files that a test changes as no build would: they say what their tables are now, or nobody serves them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import digest


def seal(db: sqlite3.Connection) -> None:
    """Say in a file that a test has changed what its tables are now: else nobody serves it."""
    db.execute("update _publication set valeur = ? where cle = 'empreinte'", [digest.of_tables(db)])


@contextmanager
def changing(of: Path, path: Path) -> Iterator[sqlite3.Connection]:
    """A copy of a file, to be changed; it is sealed afterwards."""
    shutil.copy(of, path)
    with closing(sqlite3.connect(path)) as db, db:
        yield db
        seal(db)
