"""What a movements database holds that the next one must not lose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from datasette.utils.sqlite import sqlite3

from ..dataset import schema
from ..dataset.check import open_read_only
from ..dataset.disk import system_errors
from ..movement import FIELD_NAMES, Movement

# A row of one of the tables beside the movements.
Row = tuple[Any, ...]
# The row of `_publication` that names the tracking state the database belongs to.
TOKEN = "suivi"


class Published:
    """A movements database as it is now; empty where there is none, `foreign` where it is not one.

    Raises OSError when it cannot be read.
    """

    def __init__(self, database: Path) -> None:
        self.path = database
        self.publication: dict[str, str] = {}
        self.lists: dict[str, Row] = {}
        self.withdrawn: dict[str, Row] = {}
        self.corrections: list[tuple[str, str, str]] = []
        self.foreign = database.exists()
        if not database.exists():
            return
        try:
            with system_errors(database), closing(open_read_only(database)) as db:
                known = {name for (name,) in db.execute("select name from sqlite_master")}
                if known.issuperset(schema.TABLES):
                    self.foreign = False
                    self.publication = dict(db.execute("select cle, valeur from _publication"))
                    self.lists = {row[0]: row for row in db.execute("select * from listes")}
                    self.withdrawn = {row[0]: row for row in db.execute("select * from retraits")}
                    self.corrections = list(
                        db.execute("select date, genre, raison from corrections order by numero")
                    )
        except sqlite3.DatabaseError:
            self.foreign = True

    @property
    def token(self) -> str:
        """What names its tracking state; "" where it has none."""
        return self.publication.get(TOKEN, "")

    @property
    def masked(self) -> bool:
        """Whether a correction withholds names in it."""
        return any(kind == "masquer" for _, kind, _ in self.corrections)

    def movements(self) -> Iterator[Movement]:
        """The published movements, in the order they were inserted in."""
        columns = ", ".join(f"coalesce({name}, '')" for name in FIELD_NAMES)
        yield from map(
            Movement._make, self._rows(f"select {columns} from {schema.TABLE} order by rowid")
        )

    def identifiers(self) -> set[str]:
        """The identifiers of the published movements."""
        return {id for (id,) in self._rows(f"select id from {schema.TABLE}")}

    def _rows(self, sql: str) -> Iterator[Row]:
        if self.publication and not self.foreign:
            with closing(open_read_only(self.path)) as db:
                yield from db.execute(sql)
