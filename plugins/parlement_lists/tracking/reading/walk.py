"""Walk folders and git repositories of lists, in order."""

from __future__ import annotations

import functools
import heapq
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ...bounds import LIST_BYTES
from ...movement import CHAMBERS
from ...regular_file import open_regular
from .git_history import walk as walk_git
from .intervals import FILE as INTERVALS_FILE
from .intervals import walk as walk_intervals
from .list_file import ListFile, ListFilesError, Walk, parse_path

_NO_LIST = "no list in it; they are CHAMBRE/DATE[Thhmm].csv[.gz]"


def walk(
    lists: Iterable[Path],
    repositories: Iterable[Path] = (),
    kind: str = "archives",
    history: str = "archives",
) -> Walk:
    """All lists of folders and git repositories, by chamber and in order.

    `kind` is that of the lists of folders, `history` that of repositories (see `ListFile`). Raises
    ListFilesError for one that cannot be used, or holds no list.
    """
    walks = [(_folder(path), kind) for path in lists]
    walks += [(walk_git(repository), history) for repository in repositories]
    return Walk(
        heapq.merge(*(_of_kind(part.files, kind) for part, kind in walks), key=_order),
        sum(part.total for part, _ in walks),
        list(itertools.chain(*(part.ignored for part, _ in walks))),
    )


def _of_kind(files: Iterable[ListFile], kind: str) -> Iterator[ListFile]:
    return (replace(file, kind=kind) for file in files)


def _order(file: ListFile) -> tuple[str, object]:
    return file.chamber, file.moment


def _folder(folder: Path) -> Walk:
    if not folder.is_dir():
        raise ListFilesError(f"{folder}: not a folder")
    found: list[ListFile] = []
    ignored = [str(path) for path in sorted(folder.iterdir()) if path.name not in CHAMBERS]
    for chamber in CHAMBERS:
        place = folder / chamber
        if place.is_symlink():
            raise ListFilesError(f"{place}: a link, not a folder")
        if place.exists() and not place.is_dir():
            raise ListFilesError(f"{place}: not a folder")
        for path in sorted(place.glob("*")):
            where = parse_path(f"{chamber}/{path.name}")
            if where is not None:
                found.append(ListFile(*where, str(path), data=functools.partial(_content, path)))
            elif chamber == "europarl" and path.name == INTERVALS_FILE:
                found += walk_intervals(path)
            else:
                ignored.append(str(path))
    if not found:
        raise ListFilesError(f"{folder}: {_NO_LIST}")
    found.sort(key=_order)
    return Walk(iter(found), len(found), ignored)


def _content(path: Path) -> bytes:
    with open_regular(path, follow=False) as file:
        return file.read(LIST_BYTES + 1)
