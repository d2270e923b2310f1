"""The file that the service reads: a copy of the database, which nothing behind it takes the place of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from parlement_lists.tracking.report import REASONS

from ..dataset.changes import runs_of
from ..dataset.connections import connect_read_only, copy_whole, publication
from ..dataset.coverage import covered
from ..dataset.disk import system_errors
from ..dataset.input_files import InputRefused
from ..dataset.schema import MOVEMENTS, SCHEMA_VERSION, STAYS, Resource
from ..dataset.writer import flush, new_file, take_place
from .published import Published


class ServedFile:
    """The file at `path`, which copies of `database` replace."""

    def __init__(self, path: Path, database: Path) -> None:
        self.path, self.database = path, database

    def is_copy(self) -> bool:
        """Whether it is a copy of the database as it is."""
        with suppress(InputRefused, OSError):
            found = Published(self.path).publication
            return bool(found) and found == Published(self.database).publication
        return False

    def refuse_older(self) -> None:
        """Raises InputRefused where the database is behind: readers would lose what they have, and copies too."""
        try:
            served, ours = Published(self.path), Published(self.database)
        except (InputRefused, OSError):
            if _is_of_another_schema(self.path):
                raise
            return  # what is damaged holds nothing that could be lost
        # Invented people give their place to real ones.
        if not served.invented and (behind := [*_behind(served, ours)]):
            raise InputRefused(
                [
                    f"{self.path} is not replaced, because {self.database} is behind it:"
                    f" {', '.join(behind)}. Restore the database of the last morning with its tracking"
                    " state; to publish this one all the same, move the served file away"
                ]
            )

    def replace(self) -> None:
        """Put a copy of the database in its place, in one step and readable by the service."""
        if not self.path.parent.exists():
            self.path.parent.mkdir(parents=True)
            self.path.parent.chmod(0o755)
        with new_file(self.path) as path, system_errors(self.path):
            reading, writing = connect_read_only(self.database), sqlite3.connect(path)
            with closing(reading), closing(writing):
                copy_whole(reading, writing)
            path.chmod(0o644)
            flush(path)
            take_place(path, self.path)


def _behind(served: Published, ours: Published) -> Iterator[str]:
    """What the served file has and ours lacks: changes of one feed, days of lists."""
    if served.publication and ours.invented:
        yield "its people are invented"
    same = served.publication.get("lignee") == ours.publication.get("lignee")
    if same:
        ends = [[_end(file.path, of) for of in (MOVEMENTS, STAYS)] for file in (ours, served)]
        if any(own < other for own, other in zip(*ends, strict=True)):
            yield f"its feeds end at {_written(ends[0])}, the served ones at {_written(ends[1])}"
    own = covered(ours.lists.values())
    refused = {name for name, row in ours.lists.items() if row[4] == REASONS["correction"]}
    had = covered(row for name, row in served.lists.items() if name not in refused)
    for chamber, there in had.items():
        here = own[chamber]
        if there.last and (not here.last or here.first > there.first):
            yield f"{chamber}: its first list is of {here.first or 'no day'}, not of {there.first}"
        # In the same feed a newest list that is gone was one of a day to come.
        elif not same and here.last < there.last:
            yield f"{chamber}: its last list is of {here.last}, not of {there.last}"


def _is_of_another_schema(file: Path) -> bool:
    """Whether another version of this package wrote a file: what it holds cannot be compared, and may be lost."""
    return publication(file).get("schema", str(SCHEMA_VERSION)) != str(SCHEMA_VERSION)


def _end(file: Path, of: Resource) -> int:
    """The last number of a feed."""
    with closing(connect_read_only(file)) as db:
        return runs_of(db, of).end.seq


def _written(ends: Sequence[int]) -> str:
    return " and ".join(map(str, ends))
