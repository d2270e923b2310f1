"""The movements file that is served: a new one is noticed, examined and adopted; a bad one is refused.

What is served is a private copy: whoever replaces, truncates or overwrites the published file
cannot touch a page that is being read. Workers of one machine share the copy; each holds a lease on
it (a shared lock), so that no other sweeps it away, and a process that is killed holds none.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import hashlib
import logging
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from .disk import lock
from .snapshot import NotServable, Snapshot

log = logging.getLogger(__name__)
# A replaced file is adopted on the second look that finds it unchanged: well within two seconds.
LOOK_EVERY = 0.4
# What could not be copied (a full disk) is tried again, but not at the price of a busy disk.
RETRY_AFTER = 1.5
# Copying so much takes a tenth of a second; ten times as much would be felt at a start.
COPIED_AT_ONCE = 100_000_000
# A file written to in the last of the clock's ticks may change again without showing it.
TICK_NS = 20_000_000
# Requests under way keep the version they began with; none lasts this long.
CLOSE_AFTER = 10.0
# So many former versions of a large file may be kept for them: a next one waits for the oldest to go.
MOST_RETIRED = 2
# So many seconds the copy of a file at another path stays, for a start there that finds nothing better.
UNUSED_FOR = 7 * 86400.0


class Signature(NamedTuple):
    """What tells one content of a path from another without reading it."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @property
    def name(self) -> str:
        """What the copy of that content is called."""
        return hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:16]


class Live:
    """The version served now, of the movements file at `path`; its copies are in `folder`.

    `on_adopt` is called in the event loop with each new version, before requests get it.
    `refused` says what is wrong with the file as it is now, `last_refusal` what was wrong, and when.
    """

    def __init__(
        self, path: Path, folder: Path, on_adopt: Callable[[Snapshot], None] | None = None
    ) -> None:
        self.path = path
        self.folder = folder
        # Other services may keep their copies in the same folder.
        self._prefix = f"movements-{hashlib.sha256(str(path).encode()).hexdigest()[:8]}-"
        self.on_adopt = on_adopt
        self.snapshot: Snapshot | None = None
        self.since: datetime | None = None
        self.refused: str | None = None
        self.last_refusal: tuple[str, datetime] | None = None
        # What was found at the path when it was last adopted or refused, and at the last look.
        self._judged: Signature | str | None = None
        self._seen: Signature | str | None = None
        self._retry_at = 0.0
        # On the copy that is served; None where nothing is, or the file itself.
        self._lease: int | None = None
        # Versions that requests may still be reading, the oldest first.
        self._retired: list[tuple[Snapshot, int | None]] = []

    async def start(self) -> None:
        """Adopt the file as it is now, or the copy served last if the file cannot be.

        A large file is served itself until the first looks of `watch` have made its copy.
        """
        self._seen = found = self._look()
        if isinstance(found, str) or found.size <= COPIED_AT_ONCE:
            await self._judge(found, thorough=False)
        else:
            try:
                self._adopt(await asyncio.to_thread(Snapshot, self.path), None)
            except NotServable as error:
                self._judged = found
                self._refuse(str(error))
            except OSError as error:
                self._postpone(error)
        await self._fall_back()

    async def _fall_back(self) -> None:
        if self.snapshot is None and (found := await asyncio.to_thread(self._last_good)):
            self._adopt(*found)

    async def watch(self) -> None:
        """Look for ever; first examine in full what `start` adopted without."""
        await self._examine()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await self.look()

    async def look(self) -> None:
        """Look at the file once; adopt or refuse what is there if the last look found the same."""
        found = self._look()
        settled, self._seen = found == self._seen, found
        due = time.monotonic() >= self._retry_at and not self._crowded()
        if settled and found != self._judged and due:
            await self._judge(found, thorough=True)

    def _crowded(self) -> bool:
        """Whether a further copy would take too much room beside those that are still read."""
        leases = [lease for _, lease in self._retired if lease is not None]
        return len(leases) >= MOST_RETIRED and os.fstat(leases[0]).st_size > COPIED_AT_ONCE

    async def _examine(self) -> None:
        """Stop serving a damaged copy, and have the file judged again: it may be sound."""
        snapshot, lease = self.snapshot, self._lease
        if lease is None:  # nothing is served, or the file itself, whose copy will be examined
            return
        if snapshot is None:
            return
        try:
            fault = await asyncio.to_thread(snapshot.sound)
        except OSError:  # it says nothing of the copy
            return
        if fault:
            self.snapshot = self._lease = self._judged = None
            self._refuse(f"damaged: {fault}")
            with suppress(OSError):
                snapshot.path.unlink()
            _release(snapshot, lease)
            await self._fall_back()

    def _look(self) -> Signature | str:
        try:
            signature = _signature(self.path)
            file = self.path.resolve()
            for suffix in ("-journal", "-wal"):
                beside = file.with_name(file.name + suffix)
                if beside.exists() and beside.stat().st_size:
                    return f"{beside.name} stands beside it: another program is writing to it"
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        return signature

    async def _judge(self, found: Signature | str, thorough: bool) -> None:
        try:
            if isinstance(found, str):
                raise NotServable(found)
            snapshot, lease = await asyncio.to_thread(self._take, found, thorough)
        except NotServable as error:
            self._judged = found
            self._refuse(str(error))
            if self.snapshot is not None and self._lease is None:  # it is this file that is served
                _release(self.snapshot, None)
                self.snapshot = None
                await self._fall_back()
        except OSError as error:
            self._postpone(error)
        else:
            self._judged = found
            self.refused = None
            self._adopt(snapshot, lease)

    def _postpone(self, error: OSError) -> None:
        """Try again later: a full disk, too many open files say nothing of the movements file."""
        self._retry_at = time.monotonic() + RETRY_AFTER
        self._refuse(f"cannot be copied ({error.strerror})")

    def _refuse(self, why: str) -> None:
        why = " ".join(why.split())
        if why != self.refused:
            log.error("movements file refused: %s", why)
        self.refused, self.last_refusal = why, (why, datetime.now(UTC))

    def _adopt(self, snapshot: Snapshot, lease: int | None) -> None:
        old, old_lease = self.snapshot, self._lease
        if self.on_adopt is not None:
            self.on_adopt(snapshot)
        self.snapshot, self._lease = snapshot, lease
        self.since = datetime.now(UTC)
        log.info("movements version %s served: %d rows", snapshot.version, snapshot.rows)
        if old is not None:
            self._retired.append((old, old_lease))
            asyncio.get_running_loop().call_later(CLOSE_AFTER, self._release_oldest)

    def _release_oldest(self) -> None:
        if self._retired:
            _release(*self._retired.pop(0))
            self._sweep()

    def _take(self, signature: Signature, thorough: bool) -> tuple[Snapshot, int]:
        """A private copy of the file as `signature` describes it, opened and servable, and its lease."""
        self.folder.mkdir(parents=True, exist_ok=True)
        copy = self.folder / f"{self._prefix}{signature.name}.snapshot"
        lease = _lease_on(copy)
        if lease is None:
            lease = self._copy(copy, signature)
        try:
            snapshot = _opened(copy, thorough)
        except NotServable:
            os.close(lease)
            with suppress(OSError):
                copy.unlink()
            raise
        except OSError:  # other workers may serve the copy
            os.close(lease)
            raise
        self._sweep()
        return snapshot, lease

    def _last_good(self) -> tuple[Snapshot, int] | None:
        """The newest sound copy that an earlier process left behind, or another one serves, and its lease."""
        for copy in sorted(_listed(self.folder, f"{self._prefix}*.snapshot"), key=_age):
            # One that cannot be read, left by another user, does not keep the others back.
            with suppress(OSError):
                lease = _lease_on(copy)
                if lease is not None:
                    try:
                        return _opened(copy, thorough=True), lease
                    except (NotServable, OSError):
                        os.close(lease)
        return None

    def _copy(self, copy: Path, signature: Signature) -> int:
        """Make `copy` of the file as `signature` describes it; returns a lease on it."""
        if time.time_ns() - signature.mtime_ns < TICK_NS:
            time.sleep(TICK_NS / 1e9)
        part = copy.with_suffix(f".{os.getpid()}.part")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH)
            shutil.copyfile(self.path, part)
            if _signature(self.path) != signature:
                raise NotServable("it changed while it was read")
            part.replace(copy)
            # By its path again: another worker's equal copy may have taken the place of this one.
            lease = _lease_on(copy)
        finally:
            os.close(handle)
            part.unlink(missing_ok=True)
        if lease is None:
            raise FileNotFoundError(errno.ENOENT, "its copy was taken away")
        return lease

    def close(self) -> None:
        """Release everything; the copy served last stays, for a start that finds nothing better."""
        while self._retired:
            _release(*self._retired.pop(0))
        if self.snapshot is not None:
            self._sweep()
            _release(self.snapshot, self._lease)
        self.snapshot = self._lease = None

    def _sweep(self) -> None:
        """Remove the copies that no process has a lease on; those of other paths when they are old."""
        for copy in _listed(self.folder, "movements-*"):
            with suppress(OSError):
                fresh = copy.stat().st_mtime > time.time() - UNUSED_FOR
                if fresh and not copy.name.startswith(self._prefix):
                    continue
                handle = os.open(copy, os.O_RDONLY)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    copy.unlink()
                finally:
                    os.close(handle)


def _signature(path: Path) -> Signature:
    found = path.stat()
    return Signature(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _listed(folder: Path, pattern: str) -> list[Path]:
    """The files of a folder; none where it cannot be listed now."""
    with suppress(OSError):
        return list(folder.glob(pattern))
    return []


def _opened(copy: Path, thorough: bool) -> Snapshot:
    """A copy, open, and examined in full if that is asked; raises NotServable for damage, OSError as `Snapshot`."""
    snapshot = Snapshot(copy)
    try:
        if thorough and (fault := snapshot.sound()):
            raise NotServable(f"damaged: {fault}")
    except BaseException:
        snapshot.close()
        raise
    return snapshot


def _lease_on(copy: Path) -> int | None:
    """A lease on `copy`: while this handle is open no process sweeps it away. None without a copy."""
    try:
        handle = os.open(copy, os.O_RDONLY)
    except FileNotFoundError:
        return None
    if lock(handle, copy, fcntl.LOCK_SH):
        return handle
    os.close(handle)
    return None


def _age(copy: Path) -> float:
    try:
        return -copy.stat().st_mtime
    except OSError:
        return 0.0


def _release(snapshot: Snapshot, lease: int | None) -> None:
    snapshot.close()
    if lease is not None:
        os.close(lease)
