"""The invented sample that a first start serves: a script of the repository writes its lists."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.walk import walk

from ..building.build import Inputs, build
from ..building.nights import nights_of

SCRIPT = Path("data/exemple/listes.py")


def build_sample(database: Path, now: datetime, script: Path = SCRIPT) -> int:
    """Build `database` from the lists that the script writes, marked invented; its number of movements.

    Raises OSError, subprocess.CalledProcessError for a script that fails, and what `build` raises.
    """
    with TemporaryDirectory(prefix="mouvements-") as name:
        folder = Path(name)
        subprocess.run([sys.executable, str(script), name], check=True)
        inputs = Inputs(
            lists=walk([folder / "listes"], kind="suivi").files,
            members=Members.read(folder / "elus"),
            corrections=read_corrections(folder / "corrections.yml"),
            invented=True,
            key_folder=folder,  # one beside the database would ask for corrections of real lists
            nights=lambda report, rows: nights_of([folder / "listes"], rows),
        )
        return build(database, inputs, now).written.movements
