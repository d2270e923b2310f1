"""Walk the history of a git repository of lists, without checking anything out."""

from __future__ import annotations

import datetime
import functools
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..movement import CHAMBERS, PARIS
from . import git
from .list_file import ListFile, ListFilesError, Walk
from .lists import MAX_BYTES, ListRefused, Reader

FOLDER = "data"
# How many of a file's newest versions are looked at to tell whether it is a list, and whose.
_LOOKED_AT = 5


class Version(NamedTuple):
    """One version of a file: when its author committed it (Paris), and the blob that holds it."""

    committed: datetime.datetime
    commit: str
    blob: str


def walk(repository: Path) -> Walk:
    """Every version of every chamber's list under `data/`.

    Raises ListFilesError when the path is no repository, or no list is in its history.
    """
    versions = _versions(repository)
    blobs = _Blobs(repository)
    try:
        files, ignored = _files(repository, versions, blobs)
    except BaseException:
        blobs.close()
        raise
    return Walk(_closing(files, blobs), len(files), ignored)


def _closing(files: list[ListFile], blobs: _Blobs) -> Iterator[ListFile]:
    try:
        yield from files
    finally:
        blobs.close()


def _files(
    repository: Path, versions: dict[str, list[Version]], blobs: _Blobs
) -> tuple[list[ListFile], list[str]]:
    chambers: dict[str, list[str]] = defaultdict(list)
    ignored = []
    for path, found in sorted(versions.items()):
        chamber = _chamber(found, blobs)
        if chamber:
            chambers[chamber].append(path)
        else:
            ignored.append(f"{repository}: {path}: not a list")
    files = []
    for chamber, paths in chambers.items():
        main = max(paths, key=lambda p: (p.endswith("_collaborateurs.csv"), len(versions[p]), p))
        first = versions[main][0].committed
        for path in paths:
            # Another file of the same chamber is an older name of the list, or a second rendering.
            taken = [v for v in versions[path] if path == main or v.committed < first]
            if not taken:
                ignored.append(f"{repository}: {path}: the list of {chamber} is {main}")
            files += [_file(chamber, path, version, blobs) for version in taken]
    if not files:
        raise ListFilesError(f"{repository}: no list under {FOLDER}/ in its history")
    return sorted(files, key=lambda file: (file.chamber, *file.moment)), ignored


def _file(chamber: str, path: str, version: Version, blobs: _Blobs) -> ListFile:
    return ListFile(
        chamber,
        version.committed.date(),
        version.committed.strftime("T%H%M%S"),
        f"{version.commit[:12]}:{path}",
        digest=version.blob,
        data=functools.partial(blobs.read, version.blob),
    )


def _versions(repository: Path) -> dict[str, list[Version]]:
    """The versions of each CSV file under FOLDER, oldest first, along the first parents."""
    arguments = ("log", "--first-parent", "-m", "--no-renames", "--raw", "--no-abbrev")
    form = "--format=%x01%H %at"
    try:
        lines = git.run(repository, *arguments, form, "--", FOLDER, seconds=600.0).splitlines()
    except git.GitFailed as error:
        raise ListFilesError(f"{repository}: {error}") from error
    versions: dict[str, list[Version]] = defaultdict(list)
    commit, committed = "", datetime.datetime.min
    for line in lines:
        if line.startswith("\x01"):
            commit, seconds = line[1:].split(" ")
            committed = datetime.datetime.fromtimestamp(int(seconds), PARIS)
        elif line.startswith(":"):
            fields, path = line.split("\t", 1)
            blob, status = fields.split(" ")[3:5]
            if path.endswith(".csv") and status != "D":
                versions[path].append(Version(committed, commit, blob))
    for found in versions.values():
        found.sort(key=lambda version: version.committed)
    return versions


def _chamber(versions: list[Version], blobs: _Blobs) -> str:
    """The chamber whose list a file is, by its newest versions; "" when it is no list."""
    for version in versions[: -_LOOKED_AT - 1 : -1]:
        for chamber in CHAMBERS:
            try:
                list_ = Reader().read(
                    blobs.read(version.blob), chamber, version.committed.date(), "", version.blob
                )
            except ListRefused:
                continue
            if list_.pairs:
                return chamber
    return ""


class _Blobs:
    """Reads blobs through one `git cat-file --batch`."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._process = subprocess.Popen(
            git.command(repository, "cat-file", "--batch"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=git.environment(),
        )

    def read(self, blob: str) -> bytes:
        """The content of a blob, its first MAX_BYTES + 1 bytes if it is longer.

        ListFilesError when the repository lacks it, or git ends before it has given the whole: each
        list after it would be refused, and what the archives say would end there without a word.
        """
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(blob.encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise self._ended(blob) from error
        header = process.stdout.readline().split()
        if not header:
            raise self._ended(blob)
        if len(header) != 3 or header[1] != b"blob":
            raise ListFilesError(f"{self._repository}: object {blob} is missing (a partial clone?)")
        size = int(header[2])
        data = process.stdout.read(min(size, MAX_BYTES + 1))
        left = size + 1 - len(data)  # git ends the blob with a line end
        while left and (skipped := process.stdout.read(min(left, 1 << 20))):
            left -= len(skipped)
        if left:
            raise self._ended(blob)
        return data

    def _ended(self, blob: str) -> ListFilesError:
        return ListFilesError(f"{self._repository}: git ended before it had given object {blob}")

    def close(self) -> None:
        self._process.communicate()
