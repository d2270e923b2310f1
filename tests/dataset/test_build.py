"""A build replaces the database whole, or leaves it as it was."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from datasette.utils import detect_fts
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.building.build import Inputs, build
from datasette_mouvements.dataset import schema
from datasette_mouvements.dataset.disk import new_file, take_place
from datasette_mouvements.dataset.input_files import InputRefused, read
from tests.published import as_csv, write

from .conftest import SAMPLE, movement

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def rows(database: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as db:
        return list(db.execute("select rowid, * from mouvements order by rowid"))


def test_two_builds_of_the_same_sources_are_the_same_file(tmp_path: Path, built: Path) -> None:
    for name in ("a.db", "b.db"):
        write(tmp_path / name, [(str(SAMPLE), read(SAMPLE))], now=NOW, draw=lambda n: "7a" * n)
    assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()
    assert rows(tmp_path / "a.db") == rows(built)


def test_a_run_that_fails_on_the_way_leaves_the_database_and_no_litter(database: Path) -> None:
    before = database.read_bytes()

    def broken():
        yield 1, movement()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(database, [("a", broken())])
    assert database.read_bytes() == before
    assert [entry.name for entry in database.parent.iterdir()] == [database.name]


def test_one_run_at_a_time_takes_the_place_of_what_a_killed_one_left(database: Path) -> None:
    database.with_name(f".{database.name}.next").write_bytes(b"left")
    with new_file(database) as path:
        assert path.read_bytes() == b""
        with pytest.raises(InputRefused, match="another run is at work"):
            write(database, [("two", [(1, movement())])])
    write(database, [("two", [(1, movement(collab_nom="A")), (2, movement())])])
    assert len(rows(database)) == 2
    with new_file(database) as path:
        take_place(path, database)
        path.write_bytes(b"of another run")
    assert path.read_bytes() == b"of another run"
    path.unlink()
    assert [path.name for path in database.parent.iterdir()] == [database.name]


def test_rowids_follow_the_day_then_the_insertion_and_a_double_is_one(tmp_path: Path) -> None:
    given = [
        movement(date_event=day, collab_prenom=name)
        for day, name in [("2026-03-02", "A"), *(("2026-03-01", name) for name in "DCFBE")]
    ]
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file, movements in zip(files, (given, given[:1]), strict=True):
        file.write_bytes(as_csv(*(one._asdict() for one in movements)))
    assert build(tmp_path / "x.db", Inputs(files=files), NOW).written.movements == 6
    assert [row[6] for row in rows(tmp_path / "x.db")] == [*"DCFBEA"]
    # As readable by others as the umask says.
    (tmp_path / "y").touch()
    assert (tmp_path / "x.db").stat().st_mode == (tmp_path / "y").stat().st_mode


def test_a_database_that_another_program_writes_to_is_not_replaced(database: Path) -> None:
    before = database.read_bytes()
    wal = database.with_name("movements.db-wal")
    wal.write_bytes(b"pending")
    with pytest.raises(InputRefused, match="another program writes"):
        write(database, [("a", [(1, movement())])])
    assert database.read_bytes() == before


@pytest.mark.parametrize("table", schema.SEARCHED)
def test_datasette_finds_the_search_of_a_table_without_being_told(built: Path, table: str) -> None:
    with closing(sqlite3.connect(built)) as db:
        assert detect_fts(db, table) == f"{table}_fts"
