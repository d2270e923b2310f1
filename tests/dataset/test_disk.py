"""Locks on files, and which of SQLite's errors are the disk's: the others are raised as they are."""

from __future__ import annotations

import errno
import fcntl
from contextlib import closing
from pathlib import Path

import pytest
from datasette.utils.sqlite import sqlite3

from datasette_mouvements.dataset.disk import lock, system_errors
from tests.disk import files_up_to


def test_a_full_database_is_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript("create table t (c); pragma max_page_count = 2")
        with pytest.raises(OSError, match="No space") as full, system_errors(path):
            db.execute("insert into t values (zeroblob(9999))")
    assert (full.value.errno, full.value.filename) == (errno.ENOSPC, str(path))


def test_what_cannot_be_opened_or_written_to_is_named(tmp_path: Path) -> None:
    (path := tmp_path / "x.db").touch()
    with pytest.raises(OSError, match="unable to open") as none, system_errors(path):
        sqlite3.connect(tmp_path / "none" / "x.db")
    db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    with pytest.raises(OSError, match="readonly") as read_only, system_errors(path):
        db.execute("create table t (c)")
    with pytest.raises(FileNotFoundError) as other, system_errors(path):
        (tmp_path / ".x.db.temporary").read_bytes()
    with (
        files_up_to(0),
        pytest.raises(OSError, match="disk I/O") as failing,
        system_errors(path),
        closing(sqlite3.connect(path)) as full,
    ):
        full.execute("create table t (c)")
    assert {str(path)} == {error.value.filename for error in (none, read_only, other, failing)}
    # A wrong statement is no fault of the disk.
    with pytest.raises(sqlite3.OperationalError, match="no such table"), system_errors(path):
        db.execute("select * from t")
    db.close()


def test_no_lock_is_had_on_a_file_that_another_process_has_or_replaced(tmp_path: Path) -> None:
    """A run, or a worker that sweeps, may replace the file between its opening and the lock."""
    (path := tmp_path / "x").touch()
    with path.open() as first, path.open() as second:
        assert lock(first.fileno(), path, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert not lock(second.fileno(), path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open() as opened:
        path.unlink()
        assert not lock(opened.fileno(), path, fcntl.LOCK_EX)
        path.touch()
        assert not lock(opened.fileno(), path, fcntl.LOCK_EX)
