"""The file of all real lists at hand."""

from __future__ import annotations

import datetime
from pathlib import Path

from datasette_mouvements.building.build import Inputs, build
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.lists import Walk
from parlement_lists.tracking.reading.walk import walk
from tests.real.windows import DATA, unpacked
from tests.run_folder import made_once

NOW = datetime.datetime(2026, 10, 1, tzinfo=datetime.UTC)


def real_lists() -> Walk:
    """Every list at hand."""
    return walk([DATA, *map(unpacked, sorted(DATA.glob("a*/*.tar.xz")))])


def real_file() -> Path:
    """Where it is, built: nobody changes it."""
    return made_once("real.db", _build)


def _build(path: Path) -> None:
    given = Inputs(lists=real_lists().files, members=Members.read(DATA / "elus"))
    build(path, given, NOW)
