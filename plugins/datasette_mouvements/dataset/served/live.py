"""The movements file that is served: a new one is noticed, examined and adopted; a bad one is refused.

What is served is a private copy (see `leases`).
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from .leases import Copies, LeasedSnapshot, Signature
from .snapshot import NotServable, Snapshot

log = logging.getLogger(__name__)
# A replaced file is adopted on the second look that finds it unchanged: well within two seconds.
LOOK_EVERY = 0.4
# A copy that failed (a full disk) is tried again, but not at every look.
RETRY_AFTER = 1.5
# Bytes that are copied in a tenth of a second. A larger file would delay the start.
COPIED_AT_ONCE = 100_000_000
# Requests under way keep the version they began with; none lasts this long.
CLOSE_AFTER = 10.0
# Former versions of a large file that are kept for them; a next version waits until one is released.
MOST_RETIRED = 2


class Live:
    """The version served now, of the movements file at `path`; its copies are in `folder`.

    `on_adopt` is called in the event loop with each new version, before requests get it; `examine`: see `Copies`.
    `refused` says what is wrong with the file as it is now, `last_refusal` what was wrong, and when.
    A file of more than `copied_at_once` bytes is large; what cannot be copied is tried again after
    `retry_after` seconds.
    """

    copied_at_once = COPIED_AT_ONCE
    retry_after = RETRY_AFTER

    def __init__(
        self,
        path: Path,
        folder: Path,
        on_adopt: Callable[[Snapshot], None] | None = None,
        examine: Callable[[Snapshot], None] = lambda snapshot: None,
    ) -> None:
        self.path = path
        self.folder = folder
        self.copies = Copies(path, folder, examine)
        self.on_adopt = on_adopt
        self.snapshot: Snapshot | None = None
        self.since: datetime | None = None
        self.refused: str | None = None
        self.last_refusal: tuple[str, datetime] | None = None
        # What was found at the path when it was last adopted or refused, and at the last look.
        self._judged: Signature | str | None = None
        self._seen: Signature | str | None = None
        self._retry_at = 0.0
        # Of two looks at once, one would remove the copy that the other makes.
        self._looking = asyncio.Lock()
        # On the copy that is served; None where nothing is, or the file itself.
        self._lease: int | None = None
        # Versions that requests may still be reading, the oldest first.
        self._retired: list[LeasedSnapshot] = []

    async def start(self) -> None:
        """Adopt the file as it is now, or the copy served last if the file cannot be.

        A large file is served itself until the first looks of `watch` have made its copy.
        """
        self._seen = found = self._look()
        if isinstance(found, str) or found.size <= self.copied_at_once:
            await self._judge(found, thorough=False)
        else:
            try:
                opened = await asyncio.to_thread(self.copies.opened, self.path, False)
                self._adopt(LeasedSnapshot(opened, None))
            except NotServable:
                await self._judge(found, thorough=False)
            except OSError as error:
                self._postpone(error)
        await self._fall_back()

    async def _fall_back(self) -> None:
        if self.snapshot is None and (found := await asyncio.to_thread(self.copies.last_good)):
            self._adopt(found)

    async def watch(self) -> None:
        """Look for ever; first examine in full what `start` adopted without."""
        await self._examine()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await self.look()

    async def look(self) -> None:
        """Look at the file once; adopt or refuse what is there if the last look found the same."""
        async with self._looking:
            found = self._look()
            settled, self._seen = found == self._seen, found
            due = time.monotonic() >= self._retry_at and not self._crowded()
            if settled and found != self._judged and due:
                await self._judge(found, thorough=True)

    def _crowded(self) -> bool:
        """Whether a further copy would take too much room beside those that are still read."""
        leases = [lease for _, lease in self._retired if lease is not None]
        return len(leases) >= MOST_RETIRED and os.fstat(leases[0]).st_size > self.copied_at_once

    async def _examine(self) -> None:
        """Stop serving a damaged copy, and have the file judged again: it may be sound."""
        snapshot, lease = self.snapshot, self._lease
        # Nothing is served, or the file itself, whose copy will be examined.
        if snapshot is None or lease is None:
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
            LeasedSnapshot(snapshot, lease).release()
            await self._fall_back()

    def _look(self) -> Signature | str:
        try:
            signature = Signature.of(self.path)
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
            taken = await asyncio.to_thread(self.copies.take, found, thorough)
        except NotServable as error:
            self._judged = found
            self._refuse(str(error))
            if self.snapshot is not None and self._lease is None:  # it is this file that is served
                self.snapshot.close()
                self.snapshot = None
                await self._fall_back()
        except OSError as error:
            self._postpone(error)
        else:
            self._judged = found
            self.refused = None
            self._adopt(taken)

    def _postpone(self, error: OSError) -> None:
        """Try again later: a full disk, too many open files say nothing of the movements file."""
        self._retry_at = time.monotonic() + self.retry_after
        self._refuse(f"cannot be copied ({error.strerror})")

    def _refuse(self, why: str) -> None:
        why = " ".join(why.split())
        if why != self.refused:
            # To do: run `datasette mouvements check` on the file, build it again, replace it. The
            # version before is still served. Said once a file; /-/mouvements/etat goes on saying
            # it.
            log.error("movements file refused: %s", why)
        self.refused, self.last_refusal = why, (why, datetime.now(UTC))

    def _adopt(self, taken: LeasedSnapshot) -> None:
        old, old_lease = self.snapshot, self._lease
        snapshot = taken.snapshot
        if self.on_adopt is not None:
            self.on_adopt(snapshot)
        self.snapshot, self._lease = taken
        self.since = datetime.now(UTC)
        # To do: nothing. If it does not come within seconds of a publication, look for a refusal.
        log.info("movements version %s served: %d rows", snapshot.version, snapshot.rows)
        if old is not None:
            self._retired.append(LeasedSnapshot(old, old_lease))
            asyncio.get_running_loop().call_later(CLOSE_AFTER, self._release_oldest)

    def _release_oldest(self) -> None:
        if self._retired:
            self._retired.pop(0).release()
            self.copies.sweep()

    def close(self) -> None:
        """Release everything; the copy served last stays, for a start that finds nothing better."""
        while self._retired:
            self._retired.pop(0).release()
        if self.snapshot is not None:
            self.copies.sweep()
            LeasedSnapshot(self.snapshot, self._lease).release()
        self.snapshot = self._lease = None
