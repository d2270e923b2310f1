"""A movements file as tests read it, by SQL alone; files as they write them; the invented sample, built once."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from datasette.utils.sqlite import sqlite3

from datasette_mouvements.building.build import Inputs, build
from datasette_mouvements.building.nights import nights_of
from datasette_mouvements.building.publish import Written, write_file
from datasette_mouvements.dataset.disk import new_file, take_place
from datasette_mouvements.serving.commands import SCRIPT
from parlement_lists.movement import FIELD_NAMES, Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections_file import read as read_corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.reading.walk import walk

from .run_folder import made_once

ROOT = Path(__file__).parents[1]
# When the invented sample was published.
SAMPLE_DAY = datetime(2026, 11, 21, 5, tzinfo=UTC)


class Published:
    """The tables of a movements file; empty where there is none."""

    def __init__(self, database: Path) -> None:
        self.path = database
        self.publication = dict(self.rows("select cle, valeur from _publication"))
        self.lists = {row[0]: row for row in self.rows("select * from listes")}
        self.withdrawn = {row[0]: row for row in self.rows("select * from retraits")}
        self.corrections = self.rows("select date, genre, raison from corrections order by numero")
        self.nights = self.rows("select * from nuits order by rowid")

    def rows(self, sql: str) -> list[Any]:
        if not self.path.exists():
            return []
        with closing(sqlite3.connect(self.path)) as db:
            return list(db.execute(sql))

    def movements(self) -> list[Movement]:
        """In the order in which they were inserted, "" where there is no value."""
        columns = ", ".join(f"coalesce({name}, '')" for name in FIELD_NAMES)
        rows = self.rows(f"select {columns} from mouvements order by rowid")
        return [Movement(*row) for row in rows]

    def tenures(self) -> list[Tenure]:
        columns = ", ".join(f"coalesce({name}, '')" for name in Tenure._fields)
        rows = self.rows(f"select {columns} from collaborations order by rowid")
        return [Tenure(*row) for row in rows]

    def identifiers(self) -> set[str]:
        return {id for (id,) in self.rows("select id from mouvements")}


def write(
    database: Path,
    inputs: Iterable[tuple[str, Iterable[tuple[int | str, Movement]]]],
    tables: dict[str, Iterable[tuple[Any, ...]]] | None = None,
    now: datetime | None = None,
    draw: Any = None,
) -> Written:
    """Write these movements as a file, over the one that stands; `inputs` are names with numbered movements."""
    movements = [movement for _, numbered in inputs for _, movement in numbered]
    moment = now or datetime.now(UTC)
    random = {} if draw is None else {"draw": draw}
    with new_file(database) as path:
        written = write_file(path, movements, tables or {}, database, moment, **random)
        take_place(path, database)
    return written


def as_csv(*rows: Mapping[str, str], columns: tuple[str, ...] = FIELD_NAMES) -> bytes:
    """A file of movements, of these rows."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def build_sample(database: Path, now: datetime) -> None:
    """Build the invented sample of a first start, as on a day."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, ROOT / SCRIPT, name], check=True)
        inputs = Inputs(
            lists=walk([folder / "listes"], kind="suivi").files,
            members=Members.read(folder / "elus"),
            corrections=read_corrections(folder / "corrections.yml"),
            invented=True,
            key_folder=folder,
            nights=lambda report, rows: nights_of([folder / "listes"], rows),
        )
        build(database, inputs, now)


def sample(database: Path) -> None:
    """Put the invented sample there, which one process of the run builds for all."""
    made = made_once("sample.db", lambda path: build_sample(path, SAMPLE_DAY))
    shutil.copyfile(made, database)
