"""A movements file is replaced whole, in one step, by one run at a time."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .disk import lock, remove_unlocked, system_errors
from .input_files import InputRefused


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
            raise InputRefused([f"{database}: another run is at work on it"])
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
        raise InputRefused([f"{wal}: another program writes to the database; close it first"])


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
