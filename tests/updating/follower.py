"""A reuser's copy, kept right by the feed of a movements file."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from datasette_mouvements.dataset.changes import Cursor, CursorGone
from datasette_mouvements.dataset.served.snapshot import Snapshot


class Follower:
    """Keeps movements by identifier; begins anew where its cursor is gone, which `begun` counts."""

    def __init__(self) -> None:
        self.movements: dict[str, dict[str, Any]] = {}
        self.cursor: Cursor | None = None
        self.begun = 0
        # Everything that it was ever told, beside the identifiers.
        self.told: list[bytes] = []

    def step(self, database: Path, most: int) -> bool:
        """Read one page of the feed; whether more follow."""
        with closing(Snapshot(database)) as snapshot:
            try:
                after = snapshot.feed.place(self.cursor) if self.cursor else 0
            except CursorGone:
                self.movements, self.begun, after = {}, self.begun + 1, 0
            changes, more = snapshot.changes(after, most)
            for change in changes:
                if change.line:
                    self.movements[change.id] = json.loads(change.line)
                    self.told.append(change.line)
                else:
                    self.movements.pop(change.id, None)
            self.cursor = snapshot.feed.at(changes[-1].seq if changes else after)
            return more

    def walk(self, database: Path, most: int = 500) -> None:
        """Read the feed to its end."""
        while self.step(database, most):
            pass


def table(database: Path) -> dict[str, dict[str, Any]]:
    """The movements of a file as answers have them, by identifier."""
    with closing(Snapshot(database)) as snapshot:
        lines = snapshot.lines(range(1, snapshot.rows + 1))
    return {movement["id"]: movement for movement in json.loads(b"[" + lines + b"]")}
