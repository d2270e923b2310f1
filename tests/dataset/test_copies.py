"""A copy is whole, stands alone, and is never made over something else."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.copies import CopyRefused, copy


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma journal_mode=wal")
        db.execute("create table counted (n integer primary key, twin integer)")
        db.execute("insert into counted values (1, 1)")
        db.commit()
    return path


def test_what_only_the_write_ahead_log_holds_is_copied(source, tmp_path):
    with closing(sqlite3.connect(source)) as open_service:
        open_service.execute("insert into counted values (2, 2)")
        open_service.commit()
        assert source.with_name(source.name + "-wal").stat().st_size > 0
        copy(source, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy")) as db:
        assert db.execute("select max(n) from counted").fetchone() == (2,)
        assert db.execute("pragma journal_mode").fetchone() == ("delete",)


def test_a_copy_taken_under_load_holds_every_commit_before_it_and_no_half_of_one(source, tmp_path):
    written = []
    stop = threading.Event()

    def write():
        with closing(sqlite3.connect(source)) as db:
            n = 1
            while not stop.is_set():
                n += 1
                db.execute("insert into counted values (?, null)", [n])
                db.execute("update counted set twin = n where n = ?", [n])
                db.commit()
                written.append(n)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            before = _next(written)
            copy(source, tmp_path / f"copy{number}")
            with closing(sqlite3.connect(tmp_path / f"copy{number}")) as db:
                last, rows, halves = db.execute(
                    "select max(n), count(*), sum(twin is null) from counted"
                ).fetchone()
            assert last >= before
            assert rows == last
            assert halves == 0
    finally:
        stop.set()
        writer.join()


def _next(written):
    """The last row once the writer has gone on, so that every copy is of a database in use."""
    already, deadline = len(written), time.monotonic() + 30
    while len(written) == already:
        assert time.monotonic() < deadline, "the writer does not get on"
        time.sleep(0.001)
    return written[-1]


def test_an_existing_destination_is_left_as_it_is(source, tmp_path):
    (tmp_path / "kept").write_text("precious")
    with pytest.raises(CopyRefused, match="exists"):
        copy(source, tmp_path / "kept")
    assert (tmp_path / "kept").read_text() == "precious"


@pytest.mark.parametrize("content", [b"", b"not a database, but long enough to look at" * 100])
def test_what_is_no_database_is_refused_and_leaves_nothing(tmp_path, content):
    (tmp_path / "source").write_bytes(content)
    with pytest.raises(CopyRefused):
        copy(tmp_path / "source", tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_a_damaged_source_is_refused(tmp_path, source):
    with closing(sqlite3.connect(source)) as db:
        db.executemany("insert into counted values (?, 0)", [(n,) for n in range(2, 5000)])
        db.commit()
    with source.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(CopyRefused, match=r"damaged|malformed"):
        copy(source, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
