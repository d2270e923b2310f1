"""The git repository of lists: each list as received, one commit per change."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ..regular_file import read_bytes
from ..tracking import git
from ..tracking.list_file import parse_path

# What was last seen of each source is not part of the history.
LAST_SEEN = ".fetch.json"


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
        if f"/{LAST_SEEN}" not in lines:
            exclude.write_text("\n".join([*lines, f"/{LAST_SEEN}", ""]), encoding="utf-8")

    def last_seen(self) -> dict[str, dict[str, Any]]:
        """What each source's server said of its last version; empty in a fresh clone, which costs a download."""
        try:
            read = json.loads((self.directory / LAST_SEEN).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        if not isinstance(read, dict):
            return {}
        return {name: seen for name, seen in read.items() if isinstance(seen, dict)}

    def remember(self, seen: dict[str, dict[str, Any]]) -> None:
        """Replace what `last_seen` returns."""
        _write(self.directory / LAST_SEEN, (json.dumps(seen, indent=2) + "\n").encode())

    def latest(self, chamber: str) -> Path | None:
        """The newest list of a chamber, None if there is none."""
        files = sorted(filter(_is_list, (self.directory / chamber).glob("*.csv")))
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
        if last is None or read_bytes(last, follow=False) != body:
            minute = received
            while path.exists():  # a list that was received is never overwritten
                path = path.with_name(f"{minute:%Y-%m-%dT%H%M}.csv")
                minute += timedelta(minutes=1)
            _write(path, body)
            lines = body.count(b"\n")
            self._commit(chamber, f"{chamber} {path.stem}: {lines} lines")
            return StoredList(path, True)
        committed = self._committed(chamber)
        if not committed or read_bytes(committed[-1], follow=False) != body:
            self._commit(chamber, f"{chamber}: left over from an interrupted run")
        if last.stem[:10] >= day:
            return StoredList(last, False)
        _write(path, body)
        if last not in self._committed(chamber):
            last.unlink()
        return StoredList(path, False)

    def _committed(self, chamber: str) -> list[Path]:
        listed = git.run(self.directory, "ls-files", "-z", "--", chamber)
        return list(
            filter(_is_list, (self.directory / name for name in sorted(listed.split("\0"))))
        )

    def _commit(self, chamber: str, message: str) -> None:
        git.run(self.directory, "add", "--", chamber)
        if git.run(self.directory, "diff", "--cached", "--name-only", "--", chamber):
            git.run(self.directory, "commit", "--quiet", "-m", message, "--", chamber)


def _is_list(path: Path) -> bool:
    """Whether a file of a chamber's folder is a list: the Parliament's intervals are not."""
    return parse_path(f"{path.parent.name}/{path.name}") is not None


def _write(path: Path, body: bytes) -> None:
    """Write the file whole or not at all: an interrupted run must not leave half a list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(body)
    part.replace(path)
