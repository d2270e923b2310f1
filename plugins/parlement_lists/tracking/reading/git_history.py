"""Walk the history of a git repository of lists, without checking anything out."""

from __future__ import annotations

import datetime
import functools
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ...bounds import LIST_BYTES
from ...movement import PARIS
from ...regular_file import FilesError
from . import git
from .lists import ListFile, Walk

FOLDER = "data"
# What Regards Citoyens has called the two chambers' lists since the first one. Beside them lie totals,
# second renderings and the lists of years put together: some read like a list, and are none of a day.
LISTS = {
    f"{FOLDER}/liste_deputes_collaborateurs.csv": "assemblee",
    f"{FOLDER}/liste_senateurs_collaborateurs.csv": "senat",
}


class Version(NamedTuple):
    """One version of a list: the second of its author's commit, its list, its path, the blob that holds it.

    `added` says that its commit's parent had no such file.
    """

    authored: int
    file: ListFile
    path: str
    blob: str
    added: bool


def walk(repository: Path, kind: str = "archives") -> Walk:
    """Every version of every list of LISTS on any way to HEAD, in the order of the authors' dates.

    Raises FilesError when the path is no repository, or no list is in its history; what it returns
    does when the repository lacks a list's content.
    """
    history, ignored = _history(repository)
    versions, left_out = _of_their_moment(history)
    if not versions:
        raise FilesError(f"{repository}: no list in its history; they are {' and '.join(LISTS)}")
    versions.sort(key=lambda version: version.file.name)
    return Walk(
        _files(repository, versions, kind),
        [f"{repository}: {what}" for what in [*ignored, *left_out]],
    )


def _files(repository: Path, versions: list[Version], kind: str) -> Iterator[ListFile]:
    """The lists, each with its content: one `git cat-file --batch` gives them one after the other.

    Raises FilesError when the repository lacks one, or git ends before it has given the whole: each
    list after it would be refused, and what the archives say would end there without a word.
    """
    with tempfile.TemporaryFile() as names:
        names.write("".join(f"{version.blob}\n" for version in versions).encode())
        names.seek(0)
        process = subprocess.Popen(
            git.command(repository, "cat-file", "--batch", "--buffer"),
            stdin=names,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=git.environment(),
        )
    with process:
        assert process.stdout is not None
        for version in versions:
            header = process.stdout.readline().split()
            if header[1:] == [b"missing"]:
                raise FilesError(
                    f"{repository}: {version.file.origin}: its content, object {version.blob}, is missing"
                    " (a partial clone?)"
                )
            # git ends the blob with a line end.
            left = int(header[2]) + 1 if header else 1
            data = process.stdout.read(min(left, LIST_BYTES + 2))
            left -= len(data)
            while left and (skipped := process.stdout.read(min(left, 1 << 20))):
                left -= len(skipped)
            if left:
                raise FilesError(
                    f"{repository}: git ended before it had given {version.file.origin}"
                )
            yield replace(version.file, data=functools.partial(bytes, data[:-1]), kind=kind)


def _of_their_moment(versions: Iterable[Version]) -> tuple[list[Version], list[str]]:
    """The one version that is the list of its moment, for each; and what is left out, with the reason.

    Who rewrites or picks a commit keeps the author's date: of one second, the last committed counts.
    Who restores a file that was removed says nothing of that day: it is a list only if it is a new one.
    """
    taken: dict[str, Version] = {}
    known: set[tuple[str, str]] = set()
    left_out = []
    for version in versions:
        other = taken.get(version.file.name)
        content = version.path, version.blob
        if version.added and content in known and (other is None or other.blob != version.blob):
            left_out.append(f"{version.file.origin}: restored as it was on an earlier day")
            continue
        known.add(content)
        if other is not None and other.blob != version.blob:
            left_out.append(f"{other.file.origin}: committed anew as {version.file.origin}")
        taken[version.file.name] = version
    return list(taken.values()), left_out


def _history(repository: Path) -> tuple[list[Version], list[str]]:
    """The versions of the lists, the oldest first; and what lies beside them, or is none of a day."""
    # Without --full-history git leaves out a side branch where the merge took the other side's file.
    # With -c a merge names what is unlike each of its parents, and nothing else.
    arguments = ("log", "--full-history", "--date-order", "--reverse", "-c", "--no-renames")
    form = ("--raw", "--no-abbrev", "--format=%x01%H %at")
    try:
        log = git.run(repository, *arguments, *form, "--", FOLDER, seconds=600.0)
    except git.GitFailed as error:
        raise FilesError(f"{repository}: {error}") from error
    versions: list[Version] = []
    others: set[str] = set()
    odd: list[str] = []
    commit, seconds = "", ""
    # Only LF ends a line: a name may hold other characters that end one elsewhere.
    for line in log.split("\n"):
        fields, _, path = line.partition("\t")
        if line.startswith("\x01"):
            commit, seconds = line[1:].split(" ")
        elif path not in LISTS:
            others.update([path] if path.endswith(".csv") else [])
        elif line.startswith("::"):
            odd.append(f"{commit[:12]}:{path}: made in a merge, not received as a list")
        elif not fields.endswith(" D"):
            _, mode, _, blob, status = fields.split(" ")
            if mode.startswith("100"):
                moment = datetime.datetime.fromtimestamp(int(seconds), PARIS)
                named = LISTS[path], moment.date(), moment.strftime("T%H%M%S")
                # Its content is read when its turn comes.
                file = ListFile(*named, f"{commit[:12]}:{path}", bytes)
                versions.append(Version(int(seconds), file, path, blob, status == "A"))
            else:
                what = "a repository within this one" if mode == "160000" else "a link"
                odd.append(f"{commit[:12]}:{path}: {what}, not a regular file")
    # Of one author's second, the one that git tells last was committed last, and stays the last.
    versions.sort(key=lambda version: version.authored)
    return versions, [*(f"{path}: not named as a list" for path in sorted(others)), *odd]
