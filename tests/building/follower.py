"""A reuser's copy, kept right by the feed of a movements file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from datasette_mouvements.api.resources import SEARCH, STAY_SEARCH, Listing, changes
from datasette_mouvements.dataset.changes import Cursor, CursorGone
from datasette_mouvements.dataset.schema import PUBLISHED
from datasette_mouvements.dataset.served import DataVersion

MOVEMENTS, STAYS = SEARCH, STAY_SEARCH


def changes_of(
    version: DataVersion, resource: Listing = SEARCH, after: int = 0, most: int = 1000
) -> list[dict[str, Any]]:
    """A page of the feed of movements, or of stays, as a client reads it."""
    found: list[dict[str, Any]] = json.loads(
        b"[" + changes(version, resource, after, most).lines + b"]"
    )
    return found


class Follower:
    """Keeps movements, or stays, by identifier; begins anew where its cursor is gone, which `begun` counts."""

    def __init__(self, resource: Listing = SEARCH) -> None:
        self._resource = resource
        self.movements: dict[str, dict[str, Any]] = {}
        self.cursor: Cursor | None = None
        self.begun = 0

    def step(self, database: Path, most: int) -> bool:
        """Read one page of the feed; whether more follow."""
        version = DataVersion(database)
        try:
            feed = version.feeds[self._resource.rows]
            try:
                after = feed.place(self.cursor) if self.cursor else 0
            except CursorGone:
                self.movements, self.begun, after = {}, self.begun + 1, 0
            page = changes(version, self._resource, after, most)
            for change in json.loads(b"[" + page.lines + b"]"):
                self.movements.pop(change["id"], None)
                if change["nature"] == PUBLISHED:
                    self.movements[change["id"]] = _promised(change[self._resource.item])
            self.cursor = page.cursor
            return page.more
        finally:
            version.close()

    def walk(self, database: Path, most: int = 500) -> None:
        """Read the feed to its end."""
        while self.step(database, most):
            pass


def table(database: Path, resource: Listing = SEARCH) -> dict[str, dict[str, Any]]:
    """The movements, or stays, of a file as answers have them, by identifier."""
    version = DataVersion(database)
    try:
        lines = version.db.execute(f"select json from {resource.lines}").fetchall()
    finally:
        version.close()
    return {row["id"]: _promised(row) for row in (json.loads(line) for (line,) in lines)}


def _promised(row: dict[str, Any]) -> dict[str, Any]:
    """A row without what no feed tells: the last list that has a stay in progress."""
    if "fin" not in row:
        row.pop("fin_apres", None)
    return row
