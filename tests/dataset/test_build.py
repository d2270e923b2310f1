"""A build replaces the database whole, or leaves it as it was."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from datasette.utils import detect_fts
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset import schema, writer
from datasette_mouvements.dataset.input_files import InputRefused, read

from .conftest import SAMPLE, movement


def rows(database: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as db:
        return list(db.execute("select rowid, * from mouvements order by rowid"))


def test_two_builds_of_the_same_sources_are_the_same_file(tmp_path: Path, built: Path) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    for name in ("a.db", "b.db"):
        writer.write(
            tmp_path / name, [(str(SAMPLE), read(SAMPLE))], now=now, draw=lambda n: "7a" * n
        )
    assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()
    assert rows(tmp_path / "a.db") == rows(built)


def test_a_source_that_fails_on_the_way_leaves_the_database_and_no_litter(database: Path) -> None:
    before = database.read_bytes()

    def broken():
        yield 1, movement()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        writer.write(database, [("broken", broken())])
    assert database.read_bytes() == before
    assert [entry.name for entry in database.parent.iterdir()] == [database.name]


def test_a_build_removes_what_a_killed_one_left_and_not_what_another_writes(
    database: Path,
) -> None:
    (left := database.with_name(f".{database.name}.build-left")).touch()
    (other := database.with_name(".other.db.build-left")).touch()
    with writer.replacing(database, [("one", [(1, movement())])]):
        assert not left.exists()
        writer.write(database, [("two", [(1, movement(collab_nom="A")), (2, movement())])])
        assert len(rows(database)) == 2
    assert len(rows(database)) == 1
    assert sorted(path.name for path in database.parent.iterdir()) == [other.name, database.name]


def test_faults_of_every_source_are_told_together(tmp_path: Path) -> None:
    def refused(what: str):
        yield 1, movement()
        raise InputRefused([what], 21)

    with pytest.raises(InputRefused) as told:
        writer.write(tmp_path / "x.db", [("a", refused("a: bad")), ("b", refused("b: bad"))])
    assert told.value.lines() == ["a: bad", "b: bad", "... and 40 more (42 faults in all)"]
    assert list(tmp_path.iterdir()) == []


def test_one_fault_of_one_source_is_enough(tmp_path: Path) -> None:
    def refused():
        yield 1, movement()
        raise InputRefused(["a: bad"])

    with pytest.raises(InputRefused) as told:
        writer.write(tmp_path / "x.db", [("a", refused())])
    assert told.value.lines() == ["a: bad"]


def test_the_same_movement_twice_is_one(tmp_path: Path) -> None:
    given = [(1, movement()), (2, movement(collab_prenom="Zoé")), (3, movement())]
    result = writer.write(tmp_path / "x.db", [("a", given), ("b", given[:1])])
    assert (result.movements, result.repeated) == (2, 2)


def test_one_identifier_for_two_movements_is_refused_with_both_places(tmp_path: Path) -> None:
    one, other = movement(id="mvt_1"), movement(id="mvt_1", confiance="faible")
    with pytest.raises(InputRefused) as told:
        writer.write(tmp_path / "x.db", [("a.csv", [(4, one)]), ("b.csv", [(9, other)])])
    assert told.value.faults == ["b.csv, line 9: id: mvt_1 is another movement in a.csv, line 4"]


def test_of_many_identifiers_given_twice_twenty_are_named(tmp_path: Path) -> None:
    given = [
        (n, movement(id=f"mvt_{n % 25}", confiance=("fort", "faible")[n >= 25])) for n in range(50)
    ]
    with pytest.raises(InputRefused) as told:
        writer.write(tmp_path / "x.db", [("a.csv", given)])
    assert (len(told.value.faults), told.value.count) == (20, 25)
    assert told.value.faults[19] == (
        "a.csv, line 44: id: mvt_19 is another movement in a.csv, line 19"
    )


def test_rowids_follow_the_day_then_the_insertion(tmp_path: Path) -> None:
    given = [
        movement(date_event=day, collab_prenom=name)
        for day, name in [("2026-03-02", "C"), ("2026-03-01", "A"), ("2026-03-01", "B")]
    ]
    writer.write(tmp_path / "x.db", [("a", enumerate(given, 1))])
    with closing(sqlite3.connect(tmp_path / "x.db")) as db:
        names = [
            name for (name,) in db.execute("select collab_prenom from mouvements order by rowid")
        ]
    assert names == ["A", "B", "C"]


def test_a_database_that_another_program_writes_to_is_not_replaced(database: Path) -> None:
    before = database.read_bytes()
    wal = database.with_name("movements.db-wal")
    wal.write_bytes(b"pending")
    with pytest.raises(InputRefused, match="another program writes"):
        writer.write(database, [("a", [(1, movement())])])
    assert database.read_bytes() == before


def test_a_reader_of_the_old_file_reads_on(database: Path) -> None:
    with closing(sqlite3.connect(database)) as reader:
        before = list(reader.execute("select * from mouvements"))
        writer.write(database, [("a", [(1, movement())])])
        assert list(reader.execute("select * from mouvements")) == before
    assert len(rows(database)) == 1


def test_the_new_file_is_readable_by_others_as_the_umask_says(tmp_path: Path) -> None:
    writer.write(tmp_path / "x.db", [("a", [(1, movement())])])
    (tmp_path / "y").touch()
    assert (tmp_path / "x.db").stat().st_mode == (tmp_path / "y").stat().st_mode


def test_no_movement_at_all_is_a_database_too(tmp_path: Path) -> None:
    result = writer.write(tmp_path / "x.db", [])
    assert result.movements == 0
    assert set(schema.TABLES) <= {
        name for (name,) in closing_rows(tmp_path / "x.db", "select name from sqlite_master")
    }


def closing_rows(database: Path, sql: str) -> list[tuple[str]]:
    with closing(sqlite3.connect(database)) as db:
        return list(db.execute(sql))


@pytest.mark.parametrize("table", schema.SEARCHED)
def test_datasette_finds_the_search_of_a_table_without_being_told(built: Path, table: str) -> None:
    with closing(sqlite3.connect(built)) as db:
        assert detect_fts(db, table) == f"{table}_fts"
