"""A reuser's copy, kept right by the feed of a movements file."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from datasette_mouvements.dataset.changes import Cursor, CursorGone
from datasette_mouvements.dataset.schema import PUBLISHED
from datasette_mouvements.dataset.served.rows import ServedRows
from datasette_mouvements.dataset.served.snapshot import Snapshot


def of_movements(snapshot: Snapshot) -> ServedRows:
    """What is served of movements."""
    return snapshot


def of_stays(snapshot: Snapshot) -> ServedRows:
    """What is served of stays."""
    return snapshot.stays


def changes_of(
    rows: ServedRows, after: int = 0, most: int = 1000
) -> tuple[list[dict[str, Any]], int]:
    """A page of the feed of movements, or of stays, as a client reads it, and the place of its last change."""
    items, last = rows.changes(after, most, "mouvement")
    return json.loads(b"[" + items + b"]"), last


class Follower:
    """Keeps movements, or stays, by identifier; begins anew where its cursor is gone, which `begun` counts."""

    def __init__(self, of: Callable[[Snapshot], ServedRows] = of_movements) -> None:
        self._of = of
        self.movements: dict[str, dict[str, Any]] = {}
        self.cursor: Cursor | None = None
        self.begun = 0

    def step(self, database: Path, most: int) -> bool:
        """Read one page of the feed; whether more follow."""
        with closing(Snapshot(database)) as snapshot:
            rows = self._of(snapshot)
            try:
                after = rows.feed.place(self.cursor) if self.cursor else 0
            except CursorGone:
                self.movements, self.begun, after = {}, self.begun + 1, 0
            changes, last = changes_of(rows, after, most)
            for change in changes:
                self.movements.pop(change["id"], None)
                if change["nature"] == PUBLISHED:
                    self.movements[change["id"]] = change["mouvement"]
            self.cursor = rows.feed.at(last)
            return last < rows.feed.end.seq

    def walk(self, database: Path, most: int = 500) -> None:
        """Read the feed to its end."""
        while self.step(database, most):
            pass


def table(
    database: Path, of: Callable[[Snapshot], ServedRows] = of_movements
) -> dict[str, dict[str, Any]]:
    """The movements, or stays, of a file as answers have them, by identifier."""
    with closing(Snapshot(database)) as snapshot:
        rows = of(snapshot)
        lines = rows.lines(range(1, rows.rows + 1))
    return {row["id"]: row for row in json.loads(b"[%b]" % b"".join(lines))}
