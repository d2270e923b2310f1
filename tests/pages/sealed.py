"""Files that a test changes as no build would: they say what their tables are now, or nobody serves them."""

from __future__ import annotations

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import digest


def seal(db: sqlite3.Connection) -> None:
    """Say in a file that a test has changed what its tables are now: else nobody serves it."""
    db.execute(
        "update _publication set valeur = ? where cle = 'empreinte'", [digest.of_positions(db)]
    )
