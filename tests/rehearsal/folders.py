"""The paths of a maintainer's files."""

from __future__ import annotations

from pathlib import Path

from datasette_mouvements.updating.state_file import StateFile


class Folders:
    """Where a maintainer keeps what the runs use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lists = folder / "lists"
        self.database = folder / "var" / "movements.db"
        self.state = StateFile(self.database).path
        self.served = folder / "data" / "movements.db"
        self.corrections = folder / "corrections.yml"
        self.sources = folder / "sources.yml"
        self.backup = folder / "backup"
