"""A disk that fails, wherever tests run."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


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
