"""The git repository of lists: one file for each chamber and day, one commit a run."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from pathlib import Path

from ..movement import CHAMBERS
from ..regular_file import read_bytes, write_whole
from ..tracking.reading import git
from ..tracking.reading.list_file import parse_path
from .download import FOLDER
from .journal import FILE as JOURNAL
from .originals import OriginalRefused

# The last answers of servers; not part of the history.
LAST_SEEN = ".fetch.json"
LOCK = ".fetch.lock"
# The files of members (see `members`).
MEMBERS = "elus"
_NOT_FOR_GIT = (LAST_SEEN, LOCK, FOLDER)
# A build keeps the private key of pseudonyms here.
_EXCLUDED = (*(f"/{name}" for name in _NOT_FOR_GIT), ".*.part", "/.*.key")
# Unfinished files of a `write_whole` that was killed.
_PARTS = (".*.part", "*/.*.part", f"{FOLDER}/*/.*.part")
# What lies in the repository beside the chambers' folders.
NOT_LISTS = (*_NOT_FOR_GIT, MEMBERS, JOURNAL, "corrections.yml", ".git")


class RepositoryBusy(Exception):
    """Another run uses the repository."""


class Repository:
    """A folder of CHAMBRE/DATE.csv under git, made if it does not exist.

    `faults` are what git says of it: the lists are kept all the same.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.members = directory / MEMBERS
        self.faults: list[str] = []
        directory.mkdir(parents=True, exist_ok=True)
        # Lists that a run before let everybody read; a folder of another user is that user's matter.
        with suppress(PermissionError):
            directory.chmod(0o700)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the repository; raises RepositoryBusy if another run holds the lock.

        The unfinished files of a killed run are removed.
        """
        handle = os.open(self.directory / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RepositoryBusy(f"{self.directory}: another run is at work in it") from None
        else:
            for part in [path for form in _PARTS for path in self.directory.glob(form)]:
                part.unlink(missing_ok=True)
            yield
        finally:
            os.close(handle)

    def last_seen(self) -> dict[str, dict[str, dict[str, str]]]:
        """The marks of the last originals, by source and name; none in a fresh clone, which costs a download."""
        try:
            seen = json.loads((self.directory / LAST_SEEN).read_bytes())
            return {
                source: {name: dict(marks) for name, marks in answers.items()}
                for source, answers in seen.items()
            }
        except (FileNotFoundError, ValueError, AttributeError, TypeError):
            return {}

    def remember(self, seen: dict[str, dict[str, dict[str, str]]]) -> None:
        """Write the marks of the last originals."""
        write_whole(self.directory / LAST_SEEN, (json.dumps(seen, indent=2) + "\n").encode())

    def lists(self, chamber: str) -> list[Path]:
        """The lists of a chamber, in order of time; the Parliament's intervals are not among them."""
        return sorted(filter(is_list, (self.directory / chamber).glob("*.csv")))

    def store(self, chamber: str, body: bytes, day: date, now: datetime) -> tuple[Path, bool]:
        """Store a list of a day: its file, and whether it is new. Raises OriginalRefused for an old day.

        A list that equals the last one is an observation, too: tracking dates the next change by it,
        and publishes held movements only after such days. It is written under the new day, in place of
        the copy of the day before. The name of a second list of a day has the time of `now`, in Paris.
        """
        lists = self.lists(chamber)
        path = self.directory / chamber / f"{day}.csv"
        if not lists:
            write_whole(path, body)
            return path, True
        last = lists[-1]
        if last.stem[:10] > day.isoformat():
            raise OriginalRefused(f"of {day}, older than the last list kept, of {last.stem[:10]}")
        new = read_bytes(last, follow=False) != body
        if last.stem[:10] == day.isoformat():
            if not new:
                return last, False
            path = path.with_name(f"{_name_after(last.stem, now)}.csv")
        write_whole(path, body)
        if not new and len(lists) > 1 and read_bytes(lists[-2], follow=False) == body:
            last.unlink()
        return path, new

    def commit(self, message: str) -> None:
        """Commit the lists, members and journal, and push to the first remote where one is set.

        Where git cannot, its sentence is added to `faults`.
        """
        names = (*CHAMBERS, MEMBERS, JOURNAL)
        try:
            if not (self.directory / ".git").exists():
                self._git("init", "--quiet")
            self._exclude()
            self._git("add", "--all", "--", *(n for n in names if (self.directory / n).exists()))
            if self._git("diff", "--cached", "--name-only"):
                self._git("commit", "--quiet", "-m", message)
            for remote in self._git("remote").split()[:1]:
                self._git("push", "--quiet", remote, "HEAD")
        except (git.GitFailed, OSError) as error:
            own = self.directory / ".git"
            self.faults.append(
                f"{own}: {error}: lists are kept, and not all is committed or pushed"
            )

    def _git(self, *arguments: str) -> str:
        # Without it git would use a repository above.
        return git.run(self.directory, "--git-dir=.git", *arguments)

    def _exclude(self) -> None:
        """Keep what is not part of the history out of it, also where a maintainer commits by hand."""
        path = self.directory / self._git("rev-parse", "--git-path", "info/exclude").rstrip("\n")
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        missing = [line for line in _EXCLUDED if line not in lines]
        if missing:
            write_whole(path, "\n".join([*lines, *missing, ""]).encode())


def is_list(path: Path) -> bool:
    """Whether a file of a chamber's folder is a list of one day."""
    return parse_path(f"{path.parent.name}/{path.name}") is not None


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
