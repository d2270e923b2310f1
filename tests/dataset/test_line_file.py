"""Lines in a file: what a page takes of it, and when there is none."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.schema import MOVEMENTS
from datasette_mouvements.dataset.served.line_file import line_file

ROWS = 2_500
DRAW = random.Random(26)
LINES = [b'{"id":%d,"of":"%b"}' % (n, b"x" * DRAW.randrange(300)) for n in range(1, ROWS + 1)]
SIZE = sum(map(len, LINES)) + ROWS


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"create table {MOVEMENTS.lines} (json)")
        db.executemany(f"insert into {MOVEMENTS.lines} values (?)", zip(LINES))
        yield db


@pytest.mark.parametrize(
    "rowids",
    [
        range(1, ROWS + 1),
        range(1, 2),
        range(ROWS, ROWS + 1),
        range(990, 1020),
        [1, ROWS],
        sorted(DRAW.sample(range(1, ROWS + 1), 100)),
    ],
)
def test_parts_are_the_lines_newest_first(
    db: sqlite3.Connection, tmp_path: Path, rowids: range | list[int]
) -> None:
    file = line_file(db, MOVEMENTS, ROWS, tmp_path, SIZE)
    assert file is not None
    parts = file.parts(rowids)
    assert b"".join(parts) == b",".join(LINES[rowid - 1] for rowid in reversed(rowids))
    assert (len(parts) == 1) == isinstance(rowids, range)
    assert len(file) == SIZE
    assert [*tmp_path.iterdir()] == []


def test_lines_beyond_the_bound_are_left_where_they_are(
    db: sqlite3.Connection, tmp_path: Path
) -> None:
    assert line_file(db, MOVEMENTS, ROWS, tmp_path, SIZE - 1) is None


def test_far_too_many_lines_are_not_all_read(db: sqlite3.Connection, tmp_path: Path) -> None:
    # Steps of SQLite: more than the first lines take, fewer than all.
    db.set_progress_handler(lambda: 1, 5 * ROWS)
    with pytest.raises(sqlite3.OperationalError):
        line_file(db, MOVEMENTS, ROWS, tmp_path, SIZE)
    assert line_file(db, MOVEMENTS, ROWS, tmp_path, SIZE // 3) is None


def test_a_folder_that_cannot_be_written_leaves_lines_where_they_are(
    db: sqlite3.Connection, tmp_path: Path
) -> None:
    assert line_file(db, MOVEMENTS, ROWS, tmp_path / "none", SIZE) is None


def test_no_line_makes_no_file(db: sqlite3.Connection, tmp_path: Path) -> None:
    db.execute(f"delete from {MOVEMENTS.lines}")
    assert line_file(db, MOVEMENTS, 0, tmp_path, SIZE) is None


def test_lines_without_a_place_are_told(db: sqlite3.Connection, tmp_path: Path) -> None:
    db.execute(f"delete from {MOVEMENTS.lines} where rowid = 7")
    with pytest.raises(ValueError, match="place"):
        line_file(db, MOVEMENTS, ROWS, tmp_path, SIZE)
