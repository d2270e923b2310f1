"""The invented sample that a first start serves: lists that a script of the repository writes, and their build."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.walk import walk

from ..updating import update

SCRIPT = Path("data/exemple/listes.py")


def build_sample(database: Path, now: datetime, script: Path = SCRIPT) -> int:
    """Number of movements in `database`, built from the lists that the script writes, and marked invented.

    Raises OSError, subprocess.CalledProcessError for a script that fails, and what `update.build` raises.
    """
    with TemporaryDirectory(prefix="mouvements-") as name:
        folder = Path(name)
        subprocess.run([sys.executable, str(script), name], check=True)
        inputs = update.Inputs(
            lists=walk([folder / "listes"]).files,
            members=Members.read(folder / "elus"),
            corrections=read_corrections(folder / "corrections.yml"),
            source="suivi",
            invented=True,
        )
        built = update.build(database, inputs, now).built
    return built.movements if built is not None else 0
