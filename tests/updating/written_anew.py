"""What a movements file says, table by table, and the same written anew: what a run copied must not differ."""

from __future__ import annotations

import datetime
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import schema
from datasette_mouvements.dataset.writer import OWN_ROWS, write
from datasette_mouvements.updating.published import Published

# A feed says when each row came, and a random value names its runs.
FEEDS = {table for of in schema.RESOURCES for table in (of.changes, of.runs)}
Content = dict[str, Any]


def content(database: Path) -> Content:
    """The rows of every table but the feeds in their order, and every word that a search finds, with its place."""
    with closing(sqlite3.connect(database)) as db:
        tables = schema.TABLES.keys() - FEEDS - {"_publication"}
        found: Content = {
            table: db.execute(f"select rowid, * from {table} order by rowid").fetchall()
            for table in tables
        }
        # By name alone: no reader asks for their order.
        found["_positions"] = sorted(row[1:] for row in found["_positions"])
        for fts in schema.FULL_TEXT:
            db.execute(
                f"create virtual table temp.words using fts5vocab('main', '{fts}', 'instance')"
            )
            found[fts] = Counter(db.execute("select * from temp.words"))
            db.execute("drop table temp.words")
        (found["version"],) = db.execute("select valeur from _publication where cle = 'version'")
    return found


def written_anew(database: Path) -> Content:
    """What a file says that is written from nothing with the movements, stays and lists of this one."""
    before = Published(database)
    own = [row for row in before.publication.items() if row[0] not in OWN_ROWS]
    tables = {
        schema.TENURES: [tuple(value or None for value in stay) for stay in before.tenures()],
        **before.members,
        schema.HOMONYMS: before.homonyms,
        "corrections": [(number, *row) for number, row in enumerate(before.corrections, 1)],
        "listes": before.lists.values(),
        schema.NIGHTS: before.nights,
        "retraits": before.withdrawn.values(),
        "_publication": own,
    }
    now = datetime.datetime.fromisoformat(before.publication["construite_le"])
    with tempfile.TemporaryDirectory() as folder:
        anew = Path(folder) / "anew.db"
        write(anew, [("test", enumerate(before.movements(), 1))], tables, now)
        return content(anew)


def differences(one: Content, other: Content) -> list[str]:
    """The tables that two files do not say alike."""
    return sorted(name for name in one if one[name] != other[name])
