"""The file cache: files written whole to disk, once for all clients, shared by the processes of one machine.

While a file is sent, its sender holds a lease (a shared lock), so that no other process deletes it.
"""

from __future__ import annotations

import asyncio
import fcntl
import itertools
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from datasette.utils.sqlite import sqlite3

from ...dataset.disk import lease_on, remove_unlocked

# Errors that keep a file from being made and may pass.
FAULTS = (OSError, sqlite3.Error)
# SQLite steps between two checks whether a client still waits.
STEPS = 100_000
# Files that one process makes at once.
AT_ONCE = 2
# Seconds after which an unused file is deleted, because it may contain names withdrawn since.
UNUSED_FOR = 3600.0
SWEEP_EVERY = 600.0
# Bounds of what all files take together, in bytes: as much as the movements file, within these, because the
# folder may be in memory. The least recently used file is deleted first.
LEAST_ROOM, MOST_ROOM = 50_000_000, 1_000_000_000


class NobodyWaits(Exception):
    """No client waits any more for the file that is being made."""


class WaitingClients:
    """Whether a client still waits for the file that is being made; its writer asks."""

    def __init__(self) -> None:
        self._gone = threading.Event()

    def gone(self) -> bool:
        """Whether no client waits any more; also the progress handler of a connection."""
        return self._gone.is_set()

    def pieces(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces, for as long as a client waits; then NobodyWaits."""
        for piece in pieces:
            if self.gone():
                raise NobodyWaits
            yield piece

    def give_up(self) -> None:
        self._gone.set()


Write = Callable[[BinaryIO, WaitingClients], None]


class _FileJob:
    """A file that is being made, and how many clients wait for it."""

    def __init__(self) -> None:
        self.waiting = 0
        self.wanted = WaitingClients()
        self.task: asyncio.Task[None]


class _CachedFile(NamedTuple):
    used: float
    size: int
    path: Path


class FileCache:
    """The files in `folder`, made of the movements file at `source`; a name says everything that its file depends on."""

    def __init__(
        self,
        folder: Path,
        source: Path,
        *,
        least_room: int = LEAST_ROOM,
        most_room: int = MOST_ROOM,
        sweep_every: float = SWEEP_EVERY,
    ) -> None:
        self.folder = folder
        self.source = source
        self._rooms = least_room, most_room
        self._sweep_every = sweep_every
        self._makings: dict[str, _FileJob] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._numbers = itertools.count()

    @asynccontextmanager
    async def hold(self, name: str, write: Write) -> AsyncIterator[Path]:
        """The file of this name, made by `write` if it is missing; it is kept while the block runs.

        OSError or sqlite3.Error, before the block, if it cannot be made.
        """
        path = self._path(name)
        lease = lease_on(path)
        while lease is None:  # another process may delete it before the lease
            await self._wait_for(path, write)
            lease = lease_on(path)
        try:
            with suppress(OSError):
                os.utime(path)
            yield path
        finally:
            os.close(lease)

    def has(self, name: str) -> bool:
        """Whether the file of this name is there now; another process may delete it at any moment."""
        return self._path(name).exists()

    def _path(self, name: str) -> Path:
        return self.folder / f"archive-{name}"

    async def _wait_for(self, path: Path, write: Write) -> None:
        making = self._makings.get(path.name)
        if making is None:
            making = self._makings[path.name] = _FileJob()
            making.task = asyncio.create_task(self._make_in_turn(making, path, write))
        making.waiting += 1
        try:
            # The thread goes on when one request is cancelled, because others may wait for the same file.
            await asyncio.shield(making.task)
        finally:
            making.waiting -= 1
            if not making.waiting:
                making.wanted.give_up()
                if self._makings.get(path.name) is making:
                    del self._makings[path.name]

    async def _make_in_turn(self, making: _FileJob, path: Path, write: Write) -> None:
        async with self._turns:
            try:
                await asyncio.to_thread(self._make, making, path, write)
            except (NobodyWaits, *FAULTS):
                # SQLite raises an error when the progress handler interrupts it: then no client waits.
                if not making.wanted.gone():
                    raise

    def _make(self, making: _FileJob, path: Path, write: Write) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}-{next(self._numbers)}.part")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            try:
                # What a killed process leaves has no lock, so a sweep deletes it.
                fcntl.flock(file, fcntl.LOCK_SH)
                write(file, making.wanted)
                file.flush()
                os.fsync(handle)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
            self.sweep()

    async def watch(self) -> None:
        """Sweep for ever."""
        while True:
            await asyncio.to_thread(self.sweep)
            await asyncio.sleep(self._sweep_every)

    def sweep(self) -> None:
        """Delete files unused for long, and the least recently used beyond the bound; none that has a lease."""
        total, room = 0, self._room()
        for found in sorted(self._files(), reverse=True):
            total += found.size
            left = found.path.suffix == ".part"
            if left or total > room or found.used < time.time() - UNUSED_FOR:
                remove_unlocked(found.path)

    def _room(self) -> int:
        size = 0
        with suppress(OSError):
            size = self.source.stat().st_size
        least, most = self._rooms
        return min(max(size, least), most)

    def _files(self) -> Iterator[_CachedFile]:
        with suppress(OSError):
            for path in self.folder.glob("archive-*"):
                with suppress(OSError):
                    found = path.stat()
                    yield _CachedFile(found.st_mtime, found.st_size, path)
