"""Private copies of a movements file: whoever replaces or overwrites the file cannot touch what is read.

Workers of one machine share a copy; each holds a lease on it (a shared lock), so that no other sweeps
it away, and a process that is killed holds none.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..disk import lock, remove_unlocked
from ..schema import SCHEMA_VERSION
from .snapshot import NotServable, Snapshot

# A file written to in the last of the clock's ticks may change again without showing it.
TICK_NS = 20_000_000
# Seconds that the copy of a file at another path stays: a start there may need it.
UNUSED_FOR = 7 * 86400.0


class Signature(NamedTuple):
    """What tells one content of a path from another without reading it."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path) -> Signature:
        """The signature of a file as it is now; OSError when that cannot be told."""
        found = path.stat()
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)

    @property
    def name(self) -> str:
        """What the copy of that content is called."""
        return hashlib.sha256(repr((SCHEMA_VERSION, *self)).encode()).hexdigest()[:16]


class LeasedSnapshot(NamedTuple):
    """An open version and the lease on its copy; None where the file itself is open."""

    snapshot: Snapshot
    lease: int | None

    def release(self) -> None:
        """Close the version; without a lease its copy may be swept away."""
        self.snapshot.close()
        if self.lease is not None:
            os.close(self.lease)


class Copies:
    """The copies of the movements file at `path`, in `folder`, which those of other files may share.

    `examine` raises NotServable for a version that must not be served.
    """

    def __init__(
        self,
        path: Path,
        folder: Path,
        examine: Callable[[Snapshot], None] = lambda snapshot: None,
    ) -> None:
        self.path = path
        self.folder = folder
        self.examine = examine
        self.prefix = f"movements-{hashlib.sha256(str(path).encode()).hexdigest()[:8]}-"

    def take(self, signature: Signature, thorough: bool) -> LeasedSnapshot:
        """The copy of the file as `signature` describes it, made if it is not there, open and servable.

        Raises NotServable when the file cannot be served, or does not stay as it is; OSError when
        that cannot be told now.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        copy = self.folder / f"{self.prefix}{signature.name}.snapshot"
        lease = lease_on(copy)
        if lease is None:
            lease = self._copy(copy, signature)
        try:
            snapshot = self.opened(copy, thorough)
        except NotServable:
            os.close(lease)
            with suppress(OSError):
                copy.unlink()
            raise
        except OSError:  # other workers may serve the copy
            os.close(lease)
            raise
        self.sweep()
        return LeasedSnapshot(snapshot, lease)

    def last_good(self) -> LeasedSnapshot | None:
        """The newest sound copy that an earlier process left behind, or another one serves."""
        copies = _listed(self.folder, f"{self.prefix}*.snapshot")
        for copy in sorted(copies, key=_modified, reverse=True):
            # One that cannot be read, left by another user, does not keep the others back.
            with suppress(OSError):
                lease = lease_on(copy)
                if lease is not None:
                    try:
                        return LeasedSnapshot(self.opened(copy, thorough=True), lease)
                    except (NotServable, OSError):
                        os.close(lease)
        return None

    def sweep(self) -> None:
        """Remove the copies that no process has a lease on; those of other paths when they are old."""
        with suppress(OSError):
            for copy in _listed(self.folder, "*movements-*"):
                if copy.name.startswith(self.prefix) or _modified(copy) < time.time() - UNUSED_FOR:
                    remove_unlocked(copy)

    def opened(self, copy: Path, thorough: bool) -> Snapshot:
        """A copy, open, and examined in full if that is asked; raises NotServable, OSError as `Snapshot`."""
        snapshot = Snapshot(copy)
        try:
            self.examine(snapshot)
            if thorough and (fault := snapshot.sound()):
                raise NotServable(f"damaged: {fault}")
        except BaseException:
            snapshot.close()
            raise
        return snapshot

    def _copy(self, copy: Path, signature: Signature) -> int:
        """Make `copy` of the file as `signature` describes it; returns a lease on it."""
        if time.time_ns() - signature.mtime_ns < TICK_NS:
            time.sleep(TICK_NS / 1e9)
        part = copy.with_suffix(f".{os.getpid()}.part")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            shutil.copyfile(self.path, part)
            if Signature.of(self.path) != signature:
                raise NotServable("it changed while it was read")
            part.replace(copy)
            # By its path again: another worker's equal copy may have taken the place of this one.
            lease = lease_on(copy)
        finally:
            os.close(handle)
            part.unlink(missing_ok=True)
        if lease is None:
            raise FileNotFoundError(errno.ENOENT, "its copy was taken away")
        return lease


def _listed(folder: Path, pattern: str) -> list[Path]:
    """The files of a folder; none where it cannot be listed."""
    with suppress(OSError):
        return list(folder.glob(pattern))
    return []


def lease_on(copy: Path) -> int | None:
    """A lease on `copy`: while this handle is open no process sweeps it away. None without a copy."""
    try:
        handle = os.open(copy, os.O_RDONLY)
    except FileNotFoundError:
        return None
    if lock(handle, copy, fcntl.LOCK_SH):
        return handle
    os.close(handle)
    return None


def _modified(copy: Path) -> float:
    with suppress(OSError):
        return copy.stat().st_mtime
    return 0.0
