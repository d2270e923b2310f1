"""Files made whole on disk, once for all who ask, and shared by the processes of one machine.

Who sends a file holds a lease on it (a shared lock), so that no other process sweeps it away.
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

from ...dataset.disk import remove_unlocked
from ...dataset.served.leases import lease_on

# What keeps a file from being made, and may pass.
FAULTS = (OSError, sqlite3.Error)
# SQLite asks after so many steps whether somebody waits still.
STEPS = 100_000
# So many files are made at once by one process.
AT_ONCE = 2
# A file that nobody asked for in so many seconds goes: names that were withdrawn since are in it.
UNUSED_FOR = 3600.0
SWEEP_EVERY = 600.0
# What all files take together: as much as the movements file, within these bounds, since the folder may be
# in memory. The one used longest ago goes first.
LEAST_ROOM, MOST_ROOM = 50_000_000, 1_000_000_000


class Abandoned(Exception):
    """Nobody waits any more for the file that is being made."""


class Wanted:
    """Whether somebody waits for the file that is being made: whoever writes it asks."""

    def __init__(self) -> None:
        self._gone = threading.Event()

    def gone(self) -> bool:
        """Whether nobody waits any more; also for a connection's progress handler."""
        return self._gone.is_set()

    def pieces(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The pieces, for as long as somebody waits; then Abandoned."""
        for piece in pieces:
            if self.gone():
                raise Abandoned
            yield piece

    def give_up(self) -> None:
        self._gone.set()


Write = Callable[[BinaryIO, Wanted], None]


class _Making:
    """A file that is being made, and how many wait for it."""

    def __init__(self) -> None:
        self.waiting = 0
        self.wanted = Wanted()
        self.task: asyncio.Task[None]


class _Found(NamedTuple):
    used: float
    size: int
    path: Path


class MadeFiles:
    """The files made in `folder` of the movements file at `source`; names say everything that they depend on."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.folder = folder
        self.source = source
        self._makings: dict[str, _Making] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._numbers = itertools.count()

    @asynccontextmanager
    async def held(self, name: str, write: Write) -> AsyncIterator[Path]:
        """The file of this name, made by `write` if it is not there; it stays while the block runs.

        OSError or sqlite3.Error, before the block, if it cannot be made.
        """
        path = self._path(name)
        lease = lease_on(path)
        while lease is None:  # another process may sweep it away before it is held
            await self._made(path, write)
            lease = lease_on(path)
        try:
            with suppress(OSError):
                os.utime(path)
            yield path
        finally:
            os.close(lease)

    def has(self, name: str) -> bool:
        """Whether the file of this name is there now: another process may sweep it away at any moment."""
        return self._path(name).exists()

    def _path(self, name: str) -> Path:
        return self.folder / f"archive-{name}"

    async def _made(self, path: Path, write: Write) -> None:
        making = self._makings.get(path.name)
        if making is None:
            making = self._makings[path.name] = _Making()
            making.task = asyncio.create_task(self._make_in_turn(making, path, write))
        making.waiting += 1
        try:
            # The thread goes on though one request is cancelled: others may wait for the same.
            await asyncio.shield(making.task)
        finally:
            making.waiting -= 1
            if not making.waiting:
                making.wanted.give_up()
                if self._makings.get(path.name) is making:
                    del self._makings[path.name]

    async def _make_in_turn(self, making: _Making, path: Path, write: Write) -> None:
        async with self._turns:
            try:
                await asyncio.to_thread(self._make, making, path, write)
            except (Abandoned, *FAULTS):
                # SQLite tells an interruption as an error; what nobody waits for fails for nobody.
                if not making.wanted.gone():
                    raise

    def _make(self, making: _Making, path: Path, write: Write) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}-{next(self._numbers)}.part")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            try:
                # What a killed process leaves has no lock and is swept.
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
            await asyncio.sleep(SWEEP_EVERY)

    def sweep(self) -> None:
        """Remove what nobody has used for long, and the files used longest ago beyond the bound; none that is held."""
        total, room = 0, self._room()
        for found in sorted(self._found(), reverse=True):
            total += found.size
            left = found.path.suffix == ".part"
            if left or total > room or found.used < time.time() - UNUSED_FOR:
                remove_unlocked(found.path)

    def _room(self) -> int:
        size = 0
        with suppress(OSError):
            size = self.source.stat().st_size
        return min(max(size, LEAST_ROOM), MOST_ROOM)

    def _found(self) -> Iterator[_Found]:
        with suppress(OSError):
            for path in self.folder.glob("archive-*"):
                with suppress(OSError):
                    found = path.stat()
                    yield _Found(found.st_mtime, found.st_size, path)
