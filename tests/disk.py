"""A disk that fails, wherever tests run."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def files_up_to(most: int) -> Iterator[None]:
    """No file of this process can grow past `most` bytes: SQLite sees a disk that fails."""
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN  # as Python starts; it would kill
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own in a new folder, of so many bytes; the test is skipped without the right."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here (not root, or a plain container)")
    try:
        yield folder
    finally:
        # Lazily: a test that failed may hold a file of it open.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def leave(folder: Path, room: int) -> None:
    """Fill the file system of a folder up to so many bytes."""
    ballast = folder / "ballast"
    ballast.unlink(missing_ok=True)
    free = os.statvfs(folder)
    ballast.write_bytes(bytes(free.f_bavail * free.f_bsize - room))
