"""A consistent copy of an SQLite file while others write to it: backups, and what is published."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from .connections import copy_whole


class CopyRefused(Exception):
    """The copy cannot be made; the message says why, and nothing was written."""


def copy(source: Path, destination: Path) -> int:
    """Copy `source` to `destination`, which must not exist; returns the bytes written.

    SQLite's backup reads one moment of the source, its write-ahead log included, and holds no
    writer up for longer than a read does. The copy stands alone: no log beside it, checked, and
    in place only once it is whole and on disk.
    """
    if destination.exists():
        raise CopyRefused(f"{destination} exists: move it away or choose another name")
    if not destination.parent.is_dir():
        raise CopyRefused(f"{destination.parent} is not a directory")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{destination.name}.", dir=destination.parent)
    except OSError as error:
        raise CopyRefused(f"{destination}: {error.strerror}") from error
    os.close(handle)
    path = Path(name)
    try:
        _fill(source, path)
        with path.open("rb") as written:
            os.fsync(written.fileno())
        path.rename(destination)
        return destination.stat().st_size
    except sqlite3.Error as error:
        raise CopyRefused(f"{source}: {error}") from error
    except OSError as error:
        raise CopyRefused(f"{destination}: {error.strerror}") from error
    finally:
        path.unlink(missing_ok=True)


def _fill(source: Path, path: Path) -> None:
    uri = f"{source.resolve().as_uri()}?mode=rw"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=30)) as reading,
        closing(sqlite3.connect(path)) as writing,
    ):
        # Without a first statement, an empty or foreign file would be copied without a word.
        if not reading.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise CopyRefused(f"{source} holds no table")
        copy_whole(reading, writing)
        writing.execute("pragma journal_mode=delete")
        (verdict,) = writing.execute("pragma quick_check(1)").fetchone()
        if verdict != "ok":
            raise CopyRefused(f"{source} is damaged: {verdict}")
