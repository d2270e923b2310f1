"""Locks on files, errors of the disk as OSError, and a movements file replaced whole, in one step, by one run at a time."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from .input_files import InputRefused

# What SQLite says when the fault is the disk's, and not that of a statement or of the file's content.
_OF_THE_DISK = {
    "database is locked": (errno.EBUSY, "another program has it locked"),
    # SQLite does not tell which of the two is full.
    "database or disk is full": (
        errno.ENOSPC,
        f"{os.strerror(errno.ENOSPC)} (there, or where temporary files go)",
    ),
    "disk I/O error": (errno.EIO, "disk I/O error"),
    "unable to open database file": (errno.EIO, "unable to open database file"),
    "attempt to write a readonly database": (errno.EIO, "attempt to write a readonly database"),
}


def lock(handle: int, path: Path, operation: int) -> bool:
    """Lock an open file; False where another process has it, or it is not the one at `path` any more."""
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(handle, operation)
        return os.path.samestat(os.fstat(handle), path.stat())
    return False


def remove_unlocked(path: Path) -> None:
    """Remove a file that no process has a lock on, whatever ended it; one that cannot be removed stays."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(handle)


@contextmanager
def system_errors(path: Path) -> Iterator[None]:
    """Raises OSError naming `path` for an OSError of the block, and for SQLite's errors of that kind."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    except sqlite3.OperationalError as error:
        if str(error) not in _OF_THE_DISK:
            raise
        raise OSError(*_OF_THE_DISK[str(error)], str(path)) from error


@contextmanager
def new_file(database: Path) -> Iterator[Path]:
    """An empty private file beside the database, for one run at a time; it goes with the block if it took no place.

    Raises InputRefused when another run is at work or a log shows that another program writes to the
    database, OSError when the file cannot be made.
    """
    path = database.with_name(f".{database.name}.next")
    with system_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        # The end of the process frees the lock, and the next run takes what a killed one left.
        if not lock(handle, path, fcntl.LOCK_EX | fcntl.LOCK_NB):
            raise InputRefused(f"{database}: another run is at work on it")
        wal = database.with_name(f"{database.name}-wal")
        if wal.exists() and wal.stat().st_size:
            raise InputRefused(f"{wal}: another program writes to the database; close it first")
        with system_errors(path):
            os.ftruncate(handle, 0)
            os.fchmod(handle, 0o600)
        yield path
    finally:
        # Once it has taken its place, one of that name is another run's.
        if lock(handle, path, fcntl.LOCK_EX | fcntl.LOCK_NB):
            path.unlink()
        os.close(handle)


def take_place(path: Path, database: Path, mode: int | None = None) -> None:
    """Put a whole file in the database's place, once it is on disk.

    It has the mode of the file that stands, else `mode`, else that of the umask.
    """
    if database.exists():
        mode = database.stat().st_mode & 0o777
    elif mode is None:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    with system_errors(database):
        path.chmod(mode)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        path.replace(database)
        folder = os.open(database.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
