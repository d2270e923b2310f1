"""Locks on files, and errors of the disk as OSError."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from datasette.utils.sqlite import sqlite3

_FULL = "database or disk is full"
LOCKED = "database is locked"
# What SQLite says when the fault is the disk's, and not that of a statement or of the file's content.
_OF_THE_DISK = (
    _FULL,
    "disk I/O error",
    "unable to open database file",
    "attempt to write a readonly database",
)


def lock(handle: int, path: Path, operation: int) -> bool:
    """Lock an open file; False where another process has it, or it is not the one at `path` any more."""
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(handle, operation)
        return os.path.samestat(os.fstat(handle), path.stat())
    return False


def lease_on(path: Path) -> int | None:
    """A lease on a file: while this handle is open no process removes it as `remove_unlocked`. None without a file."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    if lock(handle, path, fcntl.LOCK_SH):
        return handle
    os.close(handle)
    return None


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
        said = str(error)
        if said == LOCKED:
            why = "another program has it locked"
            raise OSError(errno.EBUSY, why, str(path)) from error
        if said not in _OF_THE_DISK:
            raise
        if said == _FULL:
            # SQLite does not tell which of the two is full.
            full = f"{os.strerror(errno.ENOSPC)} (there, or where temporary files go)"
            raise OSError(errno.ENOSPC, full, str(path)) from error
        raise OSError(errno.EIO, said, str(path)) from error
