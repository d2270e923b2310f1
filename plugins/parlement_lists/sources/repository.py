"""The git repository of lists: one file for each chamber and day, one commit for each change."""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ..regular_file import read_bytes, write_whole
from ..tracking.reading.list_file import parse_path
from .downloading import originals
from .journal import FILE as JOURNAL
from .keeping.history import History
from .source import OriginalRefused

# The last answers of servers; not part of the history.
LAST_SEEN = ".fetch.json"
LOCK = ".fetch.lock"
# The files of members (see `members`).
MEMBERS = "elus"
_NOT_FOR_GIT = (LAST_SEEN, LOCK, originals.FOLDER)
# A build keeps the private key of pseudonyms here.
_EXCLUDED = (*(f"/{name}" for name in _NOT_FOR_GIT), ".*.part", "/.*.key")
# Unfinished files of a `write_whole` that was killed.
_PARTS = (".*.part", "*/.*.part", f"{originals.FOLDER}/*/*/.*.part")
# What lies in the repository beside the chambers' folders.
NOT_LISTS = (*_NOT_FOR_GIT, MEMBERS, JOURNAL, "corrections.yml", ".git")


class RepositoryBusy(Exception):
    """Another run uses the repository."""


class StoredList(NamedTuple):
    """The file that holds a list, and whether the list is new."""

    path: Path
    new: bool


class Repository:
    """A folder of CHAMBRE/DATE.csv under git, made if it does not exist."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.members = directory / MEMBERS
        self.history = History(directory)
        directory.mkdir(parents=True, exist_ok=True)
        # Lists that a run before let everybody read; a folder of another user is that user's matter.
        with suppress(PermissionError):
            directory.chmod(0o700)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the repository; raises RepositoryBusy if another run holds the lock.

        A missing repository is made; the unfinished files of a killed run are removed.
        """
        handle = os.open(self.directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RepositoryBusy(f"{self.directory}: another run is at work in it") from None
        else:
            self._prepare()
            yield
        finally:
            os.close(handle)

    def _prepare(self) -> None:
        """Prepare the folder for a run, under the lock."""
        for part in [path for form in _PARTS for path in self.directory.glob(form)]:
            part.unlink(missing_ok=True)
        self.history.prepare(_EXCLUDED)

    def last_seen(self) -> dict[str, dict[str, Any]]:
        """What servers answered last, by source; empty in a fresh clone, which costs a download."""
        try:
            seen = json.loads((self.directory / LAST_SEEN).read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return seen if isinstance(seen, dict) else {}

    def remember(self, seen: dict[str, dict[str, Any]]) -> None:
        """Write the last answers of each source's servers."""
        write_whole(self.directory / LAST_SEEN, (json.dumps(seen, indent=2) + "\n").encode())

    def lists(self, chamber: str) -> list[Path]:
        """The lists of a chamber, in order of time."""
        return sorted(filter(_is_list, (self.directory / chamber).glob("*.csv")))

    def restore_members(self) -> list[str]:
        """Restore the files of members that are gone, empty or cut short; returns their names.

        Whom such a file lacks would sit no longer. Some whole lines are missing where a maintainer took them out,
        with or without the end of the last one.
        """
        restored = []
        for name in self.history.committed(MEMBERS) or ():
            path = self.directory / name
            body = read_bytes(path) if path.exists() else b""
            whole = (self.history.text(name) or "").encode()
            by_hand = body and (body.endswith(b"\n") or whole[len(body) :].startswith(b"\n", 0, -1))
            few = _has_few(body, whole)
            if body != whole and whole.startswith(body) and (few or not by_hand):
                write_whole(path, whole)
                restored.append(name)
        return restored

    def latest(self, chamber: str) -> Path | None:
        """The newest list of a chamber, None if there is none."""
        return next(reversed(self.lists(chamber)), None)

    def store(
        self,
        chamber: str,
        body: bytes,
        day: date,
        now: datetime,
        origin: str,
    ) -> StoredList:
        """Store `body` as the list of a day and commit it if it is new; OriginalRefused for an old day.

        A list that equals the last one is an observation, too: tracking dates the next change by it,
        and publishes held movements only after such days. It is written under the new day, in place of
        the copy of the day before, and is committed only with the next change.
        The name of a second list of a day has the time of `now`, in Paris (see `_name_after`).
        """
        last = self.latest(chamber)
        if last is not None and last.stem[:10] > day.isoformat():
            raise OriginalRefused(f"of {day}, older than the last list kept, of {last.stem[:10]}")
        path = self.directory / chamber / f"{day}.csv"
        if last is None or read_bytes(last, follow=False) != body:
            if last is not None and last.stem[:10] == day.isoformat():
                path = path.with_name(f"{_name_after(last.stem, now)}.csv")
            write_whole(path, body)
            lines = body.count(b"\n")
            self._commit(chamber, f"{chamber} {path.stem}: {lines} lines, {origin}")
            return StoredList(path, True)
        committed = self._committed(chamber)
        if not committed or read_bytes(committed[-1], follow=False) != body:
            self._commit(chamber, f"{chamber}: left over from an interrupted run")
        if last.stem[:10] >= day.isoformat():
            return StoredList(last, False)
        write_whole(path, body)
        if last not in self._committed(chamber):
            last.unlink()
        return StoredList(path, False)

    def commit_members(self, chamber: str, day: date) -> None:
        """Commit the changes in the files of members."""
        if self.members.exists():
            self._commit(MEMBERS, f"{MEMBERS}: {chamber} {day}")

    def commit_journal(self, day: str) -> None:
        """Commit what the journal says of a day, the last of a run, and push all of it."""
        self._commit(JOURNAL, f"journal {day}")
        self.history.push()

    def _committed(self, chamber: str) -> list[Path]:
        """The lists that the history has; every one where that is not known, so that none is removed."""
        committed = self.history.committed(chamber)
        if committed is None:
            return self.lists(chamber)
        return list(filter(_is_list, (self.directory / name for name in committed)))

    def _commit(self, folder: str, message: str) -> None:
        self.history.commit(message, folder)


def _name_after(last: str, now: datetime) -> str:
    """The name of another list of the day of `last`: the minute of `now`, else the one after `last`.

    Names are in order of time, also in autumn when an hour comes twice. OriginalRefused where the day
    has no minute left.
    """
    day, _, time = last.partition("T")
    name = f"{day}T{now:%H%M}"
    if name > last[: len(name)]:
        return name
    after = datetime.strptime(time[:4], "%H%M") + timedelta(minutes=1)
    if f"{after:%H%M}" <= time[:4]:
        raise OriginalRefused(f"of {day}, of which a list of its last minute is kept")
    return f"{day}T{after:%H%M}"


def _has_few(body: bytes, before: bytes) -> bool:
    """Whether a chamber has fewer than half of its lines, as a file cut off would; a line taken out by hand is no cut."""
    now, then = (
        Counter(line[: line.find(b",")] for line in text.splitlines()) for text in (body, before)
    )
    return any(now[of] * 2 < count and count - now[of] > 1 for of, count in then.items())


def _is_list(path: Path) -> bool:
    """Whether a file of a chamber's folder is a list of one day; the Parliament's intervals are not."""
    return parse_path(f"{path.parent.name}/{path.name}") is not None
