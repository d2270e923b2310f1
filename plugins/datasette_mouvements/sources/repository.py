"""The git repository of lists: each list as received, one commit per change."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ..tracking import git

# These two are not part of the history: what was last seen of each source; clones and large files.
LAST_SEEN = ".fetch.json"
ASIDE = "sources"


class StoredList(NamedTuple):
    """The file that holds a received list, and whether the list is new."""

    path: Path
    new: bool


class Repository:
    """A folder of CHAMBRE/DATE.csv under git, made if it does not exist.

    GitFailed when a command of git's fails.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        if not (directory / ".git").exists():
            git.run(directory, "init", "--quiet")
        exclude = Path(git.run(directory, "rev-parse", "--git-path", "info/exclude").strip())
        exclude = directory / exclude
        exclude.parent.mkdir(parents=True, exist_ok=True)
        lines = exclude.read_text(encoding="utf-8").splitlines() if exclude.exists() else []
        missing = [f"/{name}" for name in (LAST_SEEN, f"{ASIDE}/") if f"/{name}" not in lines]
        if missing:
            exclude.write_text("\n".join([*lines, *missing, ""]), encoding="utf-8")

    def last_seen(self) -> dict[str, dict[str, Any]]:
        """What servers said of each source's last version; empty in a fresh clone, which costs a download."""
        try:
            read = json.loads((self.directory / LAST_SEEN).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return read if isinstance(read, dict) else {}

    def remember(self, seen: dict[str, dict[str, Any]]) -> None:
        """Replace what `last_seen` returns."""
        _write(self.directory / LAST_SEEN, (json.dumps(seen, indent=2) + "\n").encode())

    def latest(self, chamber: str) -> Path | None:
        """The newest list of a chamber, None if there is none."""
        files = sorted((self.directory / chamber).glob("*.csv"))
        return files[-1] if files else None

    def store(self, chamber: str, body: bytes, received: datetime) -> StoredList:
        """Store `body` as the list of the day it was `received` (in Paris) and commit it if it is new.

        An unchanged list is an observation too: tracking dates the next change by it, and holds
        movements back until there are such days. The last list is then copied under today's name;
        the copy replaces the one before it, and is committed with the next change only.
        """
        last = self.latest(chamber)
        day = received.date().isoformat()
        path = self.directory / chamber / f"{day}.csv"
        if last is None or last.read_bytes() != body:
            minute = received
            while path.exists():  # a list that was received is never overwritten
                path = path.with_name(f"{minute:%Y-%m-%dT%H%M}.csv")
                minute += timedelta(minutes=1)
            _write(path, body)
            lines = body.count(b"\n")
            self._commit(chamber, f"{chamber} {path.stem}: {lines} lines")
            return StoredList(path, True)
        committed = self._committed(chamber)
        if not committed or committed[-1].read_bytes() != body:
            self._commit(chamber, f"{chamber}: left over from an interrupted run")
        if last.stem[:10] >= day:
            return StoredList(last, False)
        _write(path, body)
        if last not in self._committed(chamber):
            last.unlink()
        return StoredList(path, False)

    def _committed(self, chamber: str) -> list[Path]:
        listed = git.run(self.directory, "ls-files", "-z", "--", chamber)
        return [self.directory / name for name in sorted(listed.split("\0")) if name]

    def _commit(self, chamber: str, message: str) -> None:
        git.run(self.directory, "add", "--", chamber)
        if git.run(self.directory, "diff", "--cached", "--name-only", "--", chamber):
            git.run(self.directory, "commit", "--quiet", "-m", message, "--", chamber)

    def mirror(self, name: str, url: str, seconds: float, most_bytes: int) -> tuple[Path, bool]:
        """Clone or update the repository at `url`; its path, and whether anything is new in it."""
        path = self.directory / ASIDE / f"{name}.git"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            # Half a clone looks like a repository: under its final name, it would be updated as one.
            part = path.with_name(f".{path.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            asked = ("--bare", "--quiet", "--", url, str(part))
            git.run(path.parent, "clone", *asked, seconds=seconds, most_bytes=most_bytes)
            part.rename(path)
            return path, True
        before = git.run(path, "for-each-ref")
        asked = ("--quiet", "--prune", "--", url, "+refs/heads/*:refs/heads/*")
        git.run(path, "fetch", *asked, seconds=seconds, most_bytes=most_bytes)
        return path, git.run(path, "for-each-ref") != before


def _write(path: Path, body: bytes) -> None:
    """Write the file whole or not at all: an interrupted run must not leave half a list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(body)
    part.replace(path)
