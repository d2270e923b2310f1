"""Regular files, read and written whole; anything else is refused: a pipe never ends, a link may lead anywhere."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class FilesError(Exception):
    """A file, folder or repository that cannot be used; the message names it, and line and field of a row at fault."""


def open_regular(path: Path, follow: bool = True) -> BinaryIO:
    """`path` for reading. OSError says what it is where it is not a regular file.

    `follow` a link that a maintainer named; one among received lists may lead to any file of the machine.
    """

    def opener(name: str, flags: int) -> int:
        # Without O_NONBLOCK a pipe is not even opened before somebody writes to it.
        handle = os.open(name, flags | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW))
        mode = os.fstat(handle).st_mode
        if stat.S_ISREG(mode):
            return handle
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        what = "a named pipe" if stat.S_ISFIFO(mode) else "a device"
        raise OSError(errno.EINVAL, f"{what}, not a regular file", name)

    try:
        return open(path, "rb", opener=opener)
    except OSError as error:
        if error.errno == errno.ELOOP and path.is_symlink():
            raise OSError(errno.ELOOP, "a link, not a regular file", str(path)) from None
        raise


def read_bytes(path: Path, follow: bool = True, most: int = -1) -> bytes:
    """The content of a regular file, of a longer one its first `most` bytes; see `open_regular`."""
    with open_regular(path, follow) as file:
        return file.read(most)


def read_text(path: Path) -> str:
    """The text of a regular file in UTF-8, a mark at its beginning or not; see `open_regular`."""
    return read_bytes(path).decode("utf-8-sig")


def write_whole(
    path: Path, body: bytes, mode: int = 0o666, sync: Callable[[int], None] = os.fsync
) -> None:
    """Write a file and its folders, whole or not at all, also when the process is killed or the power fails.

    `mode` is that of `os.open`; `sync` waits until the disk has what a handle stands for. OSError names a file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(body)
            file.flush()
            # Without it the disk may have the name before the content, and after a power cut the file is empty.
            sync(file.fileno())
        part.replace(path)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            sync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        # A write to a full disk names no file.
        error.filename = error.filename or str(path)
        raise


@contextmanager
def private() -> Iterator[None]:
    """Has the block, or the function that it decorates, make what its owner alone can read, whatever the umask."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
