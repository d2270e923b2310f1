"""The git repository of lists: each list as received, one commit per change."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

# Not part of the history: what was last seen of each source, clones, large files.
STATE = ".fetch.json"
ASIDE = "sources"
_IDENTITY = (
    *("-c", "user.name=datasette-mouvements"),
    *("-c", "user.email=datasette-mouvements@localhost"),
    *("-c", "commit.gpgsign=false"),
)
# A server that stops sending is left after half a minute; nobody is there to type a password.
_PATIENCE = ("-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=30")


class GitFailed(Exception):
    """A git command failed; the message is the line of it that says why.

    `passing` is whether it was the network or the server, which may be better the next time.
    """

    def __init__(self, reason: str, passing: bool = False) -> None:
        super().__init__(reason)
        self.passing = passing


# A server that answers 429 or 5xx, one that cannot be reached or found, a transfer that was cut off.
_PASSING = re.compile(
    r"returned error: (429|5\d\d)|Failed to connect|Could ?n.t connect|Could not resolve"
    r"|early EOF|RPC failed|hung up|disconnect|Connection (refused|reset|timed out)"
    r"|Empty reply|Operation too slow"
)


class Kept(NamedTuple):
    """What came of a received list: the file that holds it, and whether it is new."""

    path: Path
    new: bool


def git(
    *arguments: str, directory: Path, seconds: float = 60.0, most_bytes: int | None = None
) -> str:
    """What `git` prints; GitFailed when it fails, takes too long, or would write a larger file."""

    def bounded() -> None:
        # What a fetch receives is one file, and git itself knows no limit for it.
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *_IDENTITY, *_PATIENCE, *arguments],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            preexec_fn=bounded,
        )
    except subprocess.TimeoutExpired:
        raise GitFailed(f"git {arguments[0]}: not complete after {seconds:g} s") from None
    except FileNotFoundError:
        raise GitFailed("git is not installed") from None
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        broken_off = most_bytes and re.search("index-pack|unpack-objects", said)
        limit = f" (more than {most_bytes} bytes?)" if broken_off else ""
        passing = bool(_PASSING.search(said)) and not limit
        raise GitFailed(f"git {arguments[0]}: {_why(said)}{limit}", passing)
    return done.stdout


def _why(said: str) -> str:
    """The reason among what git said; after it may come advice, or a list of what else may be wrong."""
    lines = said.splitlines() or ["failed"]
    return next((line for line in lines if line.startswith("fatal: ")), lines[-1])


class Repository:
    """A folder CHAMBRE/DATE.csv under git, made if it does not exist."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        if not (directory / ".git").exists():
            git("init", "--quiet", directory=directory)
        exclude = Path(git("rev-parse", "--git-path", "info/exclude", directory=directory).strip())
        exclude = directory / exclude
        exclude.parent.mkdir(parents=True, exist_ok=True)
        lines = exclude.read_text(encoding="utf-8").splitlines() if exclude.exists() else []
        missing = [f"/{name}" for name in (STATE, f"{ASIDE}/") if f"/{name}" not in lines]
        if missing:
            exclude.write_text("\n".join([*lines, *missing, ""]), encoding="utf-8")

    def state(self) -> dict[str, dict[str, Any]]:
        """What was last seen of each source; empty in a fresh clone, which only costs a download."""
        try:
            read = json.loads((self.directory / STATE).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return read if isinstance(read, dict) else {}

    def remember(self, state: dict[str, dict[str, Any]]) -> None:
        _write(self.directory / STATE, (json.dumps(state, indent=2) + "\n").encode())

    def latest(self, chamber: str) -> Path | None:
        """The newest list kept of a chamber."""
        files = sorted((self.directory / chamber).glob("*.csv"))
        return files[-1] if files else None

    def keep(self, chamber: str, body: bytes, received: datetime) -> Kept:
        """Keep `body` as the list of the day it was `received` (Paris), unless it is the last one again.

        That a list did not change is an observation too: what is held back until some days have
        passed waits for it, and a change is dated by it. The last list then stands under today's
        name as well, one such copy at a time, and is committed with the next change only.
        """
        last = self.latest(chamber)
        day = received.date().isoformat()
        path = self.directory / chamber / f"{day}.csv"
        if last is None or last.read_bytes() != body:
            minute = received
            while path.exists():  # never over a list that was received
                path = path.with_name(f"{minute:%Y-%m-%dT%H%M}.csv")
                minute += timedelta(minutes=1)
            _write(path, body)
            lines = body.count(b"\n")
            self._commit(chamber, f"{chamber} {path.stem}: {lines} lines")
            return Kept(path, True)
        committed = self._committed(chamber)
        if not committed or committed[-1].read_bytes() != body:
            self._commit(chamber, f"{chamber}: left over from an interrupted run")
        if last.stem[:10] >= day:
            return Kept(last, False)
        _write(path, body)
        if last not in self._committed(chamber):
            last.unlink()
        return Kept(path, False)

    def _committed(self, chamber: str) -> list[Path]:
        listed = git("ls-files", "-z", "--", chamber, directory=self.directory)
        return [self.directory / name for name in sorted(listed.split("\0")) if name]

    def _commit(self, chamber: str, message: str) -> None:
        git("add", "--", chamber, directory=self.directory)
        if git("diff", "--cached", "--name-only", "--", chamber, directory=self.directory):
            git("commit", "--quiet", "-m", message, "--", chamber, directory=self.directory)

    def mirror(self, name: str, url: str, seconds: float, most_bytes: int) -> tuple[Path, bool]:
        """Clone or update the repository at `url`; its path, and whether anything is new in it."""
        path = self.directory / ASIDE / f"{name}.git"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            # Half a clone looks like a repository, and would be updated as one from then on.
            part = path.with_name(f".{path.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            asked = ("--bare", "--quiet", "--", url, str(part))
            git("clone", *asked, directory=path.parent, seconds=seconds, most_bytes=most_bytes)
            part.rename(path)
            return path, True
        before = git("for-each-ref", directory=path)
        asked = ("--quiet", "--prune", "--", url, "+refs/heads/*:refs/heads/*")
        git("fetch", *asked, directory=path, seconds=seconds, most_bytes=most_bytes)
        return path, git("for-each-ref", directory=path) != before


def _write(path: Path, body: bytes) -> None:
    """Write the whole file or none of it: an interrupted run must not leave half a list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(body)
    part.replace(path)
