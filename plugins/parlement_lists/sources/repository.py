"""The git repository of lists: one file for each chamber and day, one commit a run."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from pathlib import Path

from ..movement import CHAMBERS
from ..regular_file import FilesError, read_bytes, write_whole
from ..tracking.reading import git
from ..tracking.reading.lists import parse_path
from . import journal
from .download import FOLDER
from .originals import OriginalRefused

# The last answers of servers: marks of originals, by source and name; not part of the history.
LAST_SEEN = ".fetch.json"
LOCK = ".fetch.lock"
# The files of members (see `members`).
MEMBERS = "elus"
# A build keeps the private key of pseudonyms here.
_EXCLUDED = f"""
/{LAST_SEEN}
/{LOCK}
/{FOLDER}
.*.part
/.*.key
"""
# Unfinished files of a `write_whole` that was killed.
_PARTS = (".*.part", "*/.*.part", f"{FOLDER}/*/.*.part")
# What else lies in the repository that no build is given.
NOT_LISTS = (LAST_SEEN, LOCK, FOLDER, journal.FILE, ".git")

Answers = dict[str, dict[str, dict[str, str]]]


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Make the folder if it does not exist, and lock it; raises FilesError if another run holds the lock.

    The unfinished files of a killed run are removed.
    """
    directory.mkdir(parents=True, exist_ok=True)
    # Lists that a run before let everybody read; a folder of another user is that user's matter.
    with suppress(PermissionError):
        directory.chmod(0o700)
    with open(
        directory / LOCK, "ab", opener=lambda name, flags: os.open(name, flags, 0o600)
    ) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FilesError(f"{directory}: another run is at work in it") from None
        for part in [path for form in _PARTS for path in directory.glob(form)]:
            part.unlink(missing_ok=True)
        yield


def last_answers(directory: Path) -> Answers:
    """The last answers of servers; none in a fresh clone, or spoiled ones, which costs a download."""
    try:
        answers = json.loads((directory / LAST_SEEN).read_bytes())
        return {
            source: {name: dict(marks) for name, marks in own.items()}
            for source, own in answers.items()
        }
    except (FileNotFoundError, ValueError, AttributeError, TypeError):
        return {}


def remember(directory: Path, answers: Answers) -> None:
    """Write the last answers of servers."""
    write_whole(directory / LAST_SEEN, (json.dumps(answers, indent=2) + "\n").encode())


def lists(directory: Path, chamber: str) -> list[Path]:
    """The lists of a chamber, in order of time; the Parliament's intervals are not among them."""
    paths = sorted((directory / chamber).glob("*.csv"))
    return [path for path in paths if parse_path(f"{chamber}/{path.name}")]


def store(
    directory: Path, chamber: str, body: bytes, day: date, now: datetime
) -> tuple[Path, bool]:
    """Store a list of a day: its file, and whether it is new. Raises OriginalRefused for an old day.

    A list that equals the last one is an observation, too: tracking dates the next change by it,
    and publishes held movements only after such days. It is written under the new day, in place of
    the copy of the day before. The name of a second list of a day has the time of `now`, in Paris, else the minute
    after that of the last one.
    """
    path = directory / chamber / f"{day}.csv"
    *_, before, last = None, None, *lists(directory, chamber)
    if last is None:
        write_whole(path, body)
        return path, True
    if last.stem[:10] > day.isoformat():
        raise OriginalRefused(f"of {day}, older than the last list kept, of {last.stem[:10]}")
    new = read_bytes(last, follow=False) != body
    if last.stem[:10] == day.isoformat():
        if not new:
            return last, False
        # Names are in order of time, also in autumn when an hour comes twice; those of others may have seconds.
        minute_after = datetime.fromisoformat(last.stem[:15]) + timedelta(minutes=1)
        moment = max(minute_after, datetime.combine(day, now.time()))
        if moment.date() != day:
            raise OriginalRefused(f"of {day}, of which a list of its last minute is kept")
        path = path.with_name(f"{moment:%Y-%m-%dT%H%M}.csv")
    write_whole(path, body)
    if not new and before is not None and read_bytes(before, follow=False) == body:
        last.unlink()
    return path, new


def note(directory: Path, lines: Iterable[journal.Line], message: str) -> list[str]:
    """Write lines into the journal, commit it with lists and members, push to the first remote where one is set.

    Where git cannot, the fault that it tells: the lists are kept all the same. Raises what `journal.add` does.
    """
    own = directory / ".git"
    lost = (directory / journal.FILE).exists() and not own.exists()
    journal.add(directory, lines)

    def run(*arguments: str) -> str:
        # Without it git would use a repository above.
        return git.run(directory, "--git-dir=.git", *arguments)

    names = (name for name in (*CHAMBERS, MEMBERS, journal.FILE) if (directory / name).exists())
    try:
        if not own.exists():
            run("init", "--quiet")
        # What is no part of the history stays out of it, also where a maintainer commits by hand.
        path = directory / run("rev-parse", "--git-path", "info/exclude").rstrip("\n")
        excluded = path.read_text(encoding="utf-8") if path.exists() else ""
        if _EXCLUDED not in excluded:
            write_whole(path, f"{excluded}{_EXCLUDED}".encode())
        run("add", "--all", "--", *names)
        if run("diff", "--cached", "--name-only"):
            run("commit", "--quiet", "-m", message)
        for remote in run("remote").split()[:1]:
            run("push", "--quiet", remote, "HEAD")
    except (git.GitFailed, OSError) as error:
        return [f"{own}: {error}: lists are kept, and not all is committed or pushed"]
    told = (
        f"{own} was gone, though the journal tells of runs before: the history of lists begins anew"
    )
    return [told] if lost else []
