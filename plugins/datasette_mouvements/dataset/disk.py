"""Locks on files, errors of the disk as OSError, and a movements file replaced whole, in one step, by one run at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from datasette.utils.sqlite import sqlite3

from .input_files import InputRefused

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


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Keeps a second build out for as long as the block lasts; the end of the process frees it.

    Raises InputRefused when another is at work, OSError when the lock cannot be made.
    """
    path = database.with_name(f".{database.name}.lock")
    with system_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not lock(handle, path, fcntl.LOCK_EX | fcntl.LOCK_NB):
            raise InputRefused(f"{database}: another run is at work on it")
        try:
            yield
        finally:
            # Whoever opened it meanwhile sees that it is not there any more.
            path.unlink(missing_ok=True)
    finally:
        os.close(handle)


@contextmanager
def new_file(database: Path) -> Iterator[Path]:
    """An empty file beside the database, private and locked; what killed runs left there is removed first."""
    prefix = f".{database.name}.build-"
    with system_errors(database):
        database.parent.mkdir(parents=True, exist_ok=True)
        for left in database.parent.iterdir():
            if left.name.startswith(prefix):
                remove_unlocked(left)
        handle, name = tempfile.mkstemp(prefix=prefix, dir=database.parent)
        fcntl.flock(handle, fcntl.LOCK_EX)
    path = Path(name)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def umask_mode() -> int:
    """The mode of a file that is made under the umask of this process."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def refuse_other_writers(database: Path) -> None:
    """Raises InputRefused where a log of another program stands beside a file that is to be replaced."""
    wal = database.with_name(database.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        raise InputRefused(f"{wal}: another program writes to the database; close it first")


def flush(path: Path) -> None:
    """Have a file, or the names of a folder, on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def take_place(path: Path, database: Path) -> None:
    """Put a file that is whole and on disk in the database's place."""
    path.replace(database)
    flush(database.parent)
