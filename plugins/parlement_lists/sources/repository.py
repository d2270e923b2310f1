"""The git repository of lists: one file a chamber and day, one commit a change; what is not for git beside it."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ..regular_file import read_bytes, write_whole
from ..tracking.reading import git, origins
from ..tracking.reading.list_file import parse_path
from .downloading import originals
from .source import OriginalRefused

# What was last seen of each source is not part of the history.
LAST_SEEN = ".fetch.json"
LOCK = ".fetch.lock"
# Who sits in which chamber (see `members`).
MEMBERS = "elus"
_NOT_FOR_GIT = (LAST_SEEN, LOCK, originals.FOLDER)
_EXCLUDED = (*(f"/{name}" for name in _NOT_FOR_GIT), ".*.part")
# Where a killed `write_whole` leaves its half.
_PARTS = (".*.part", "*/.*.part", f"{originals.FOLDER}/*/*/.*.part")
# What lies in the repository beside the chambers' folders.
NOT_LISTS = (*_NOT_FOR_GIT, MEMBERS, ".git")


class AtWork(Exception):
    """Another run is at work in the repository."""


class StoredList(NamedTuple):
    """The file that holds a list, and whether the list is new."""

    path: Path
    new: bool


class Repository:
    """A folder of CHAMBRE/DATE.csv under git, made if it does not exist.

    GitFailed when a command of git's fails.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.members = directory / MEMBERS
        directory.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps a second run out for as long as this one lasts; raises AtWork when one is at work.

        The repository is made, and what a run that was killed left of its files and locks is removed.
        """
        handle = os.open(self.directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AtWork(f"{self.directory}: another run is at work in it") from None
        else:
            self._prepare()
            yield
        finally:
            os.close(handle)

    def _prepare(self) -> None:
        """Make the repository what a run needs; only under the lock, as nobody else uses git in it."""
        for part in _PARTS:
            _remove(self.directory.glob(part))
        own = self.directory / ".git"
        _remove(own.glob("*.lock"))
        _remove(own.glob("refs/**/*.lock"))
        # A folder .git that is not whole would make git use a repository above.
        if not ((own / "HEAD").exists() or own.is_file()):
            git.run(self.directory, "init", "--quiet")
        exclude = Path(git.run(self.directory, "rev-parse", "--git-path", "info/exclude").strip())
        exclude = self.directory / exclude
        lines = exclude.read_text(encoding="utf-8").splitlines() if exclude.exists() else []
        missing = [line for line in _EXCLUDED if line not in lines]
        if missing:
            write_whole(exclude, "\n".join([*lines, *missing, ""]).encode())

    def last_seen(self) -> dict[str, dict[str, Any]]:
        """What each source's servers said last; empty in a fresh clone, which costs a download."""
        try:
            read = json.loads((self.directory / LAST_SEEN).read_text(encoding="utf-8"))
            # What nests too deeply to be written again is nothing that `remember` wrote.
            _as_json(read)
        except (FileNotFoundError, ValueError, RecursionError):
            return {}
        if not isinstance(read, dict):
            return {}
        return {name: seen for name, seen in read.items() if isinstance(seen, dict)}

    def remember(self, seen: dict[str, dict[str, Any]]) -> None:
        """Replace what `last_seen` returns."""
        write_whole(self.directory / LAST_SEEN, _as_json(seen))

    def lists(self, chamber: str) -> list[Path]:
        """The lists of a chamber, in order of time."""
        return lists_of(self.directory / chamber)

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
        carried: Sequence[str],
    ) -> StoredList:
        """Store `body` as the list of a day and commit it if it is new; raises OriginalRefused for an old day.

        A list that is the last one again is an observation too: tracking dates the next change by it,
        and holds movements back until there are such days. The last list is then copied under the
        day's name; the copy replaces the one before it, and is committed with the next change only.
        A second list of a day carries the hour of `now`, in Paris (see `_name_after`).
        """
        last = self.latest(chamber)
        if last is not None and last.stem[:10] > day.isoformat():
            raise OriginalRefused(f"of {day}, older than the last list kept, of {last.stem[:10]}")
        path = self.directory / chamber / f"{day}.csv"
        if last is None or read_bytes(last, follow=False) != body:
            if last is not None and last.stem[:10] == day.isoformat():
                path = path.with_name(f"{_name_after(last.stem, now)}.csv")
            self._write(path, body, origin, carried)
            lines = body.count(b"\n")
            self._commit(chamber, f"{chamber} {path.stem}: {lines} lines, {origin}")
            return StoredList(path, True)
        committed = self._committed(chamber)
        if not committed or read_bytes(committed[-1], follow=False) != body:
            self._commit(chamber, f"{chamber}: left over from an interrupted run")
        if last.stem[:10] >= day.isoformat():
            return StoredList(last, False)
        self._write(path, body, origin, carried)
        if last not in self._committed(chamber):
            last.unlink()
            origins.forget(self.directory, _name(last))
        return StoredList(path, False)

    def _write(self, path: Path, body: bytes, origin: str, carried: Sequence[str]) -> None:
        # A list without its origin would be taken for another source's; an origin without its list is nothing.
        origins.note(self.directory, _name(path), origin, carried)
        write_whole(path, body)

    def commit_members(self, chamber: str, day: date) -> None:
        """Commit what changed in the members kept."""
        if self.members.exists():
            self._commit(MEMBERS, f"{MEMBERS}: {chamber} {day}")

    def _committed(self, chamber: str) -> list[Path]:
        listed = git.run(self.directory, "ls-files", "-z", "--", chamber)
        return list(
            filter(_is_list, (self.directory / name for name in sorted(listed.split("\0"))))
        )

    def _commit(self, folder: str, message: str) -> None:
        paths = [folder, *(name for name in (origins.FILE,) if (self.directory / name).exists())]
        git.run(self.directory, "add", "--", *paths)
        if git.run(self.directory, "diff", "--cached", "--name-only", "--", folder):
            git.run(self.directory, "commit", "--quiet", "-m", message, "--", *paths)


def _as_json(seen: object) -> bytes:
    return (json.dumps(seen, indent=2) + "\n").encode()


def _name_after(last: str, now: datetime) -> str:
    """The name of another list of the day of `last`: the minute of `now`, else the next after the last one's.

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


def _remove(paths: Iterable[Path]) -> None:
    for path in list(paths):
        path.unlink(missing_ok=True)


def lists_of(folder: Path) -> list[Path]:
    """The lists in a chamber's folder, in order of time."""
    return sorted(filter(_is_list, folder.glob("*.csv")))


def _name(path: Path) -> str:
    """How reports and corrections call the list in a file."""
    return f"{path.parent.name}/{path.stem}"


def _is_list(path: Path) -> bool:
    """Whether a file of a chamber's folder is a list: the Parliament's intervals are not."""
    return parse_path(f"{path.parent.name}/{path.name}") is not None
