"""Walk folders and git repositories of lists, in order."""

from __future__ import annotations

import functools
import heapq
import itertools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ...bounds import LIST_BYTES
from ...movement import CHAMBERS
from ...regular_file import open_regular
from .git_history import walk as walk_git
from .intervals import FILE as INTERVALS_FILE
from .intervals import walk as walk_intervals
from .list_file import ListFile, ListFilesError, Walk, parse_path
from .origins import FILE as ORIGINS_FILE
from .origins import Origin, Origins, read

_NO_LIST = "no list in it; they are CHAMBRE/DATE[Thhmm].csv[.gz]"


def walk(lists: Iterable[Path], repositories: Iterable[Path] = ()) -> Walk:
    """All lists of folders and git repositories, by chamber and in order.

    Raises ListFilesError for one that cannot be used, or holds no list.
    """
    walks = [_folder(path) for path in lists]
    walks += [walk_git(repository) for repository in repositories]
    merged = heapq.merge(*(part.files for part in walks), key=_order)
    return Walk(
        merged,
        sum(part.total for part in walks),
        list(itertools.chain(*(p.ignored for p in walks))),
    )


def _order(file: ListFile) -> tuple[str, object]:
    return file.chamber, file.moment


def _folder(folder: Path) -> Walk:
    if not folder.is_dir():
        raise ListFilesError(f"{folder}: not a folder")
    found: list[ListFile] = []
    known = {*CHAMBERS, ORIGINS_FILE}
    ignored = [str(path) for path in sorted(folder.iterdir()) if path.name not in known]
    origins = read(folder)
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
    found = sorted((_with_origin(file, origins) for file in found), key=_order)
    return Walk(iter(found), len(found), ignored)


def _with_origin(file: ListFile, origins: Origins) -> ListFile:
    return replace(file, source=origins.get(file.name, Origin("")).source)


def _content(path: Path) -> bytes:
    with open_regular(path, follow=False) as file:
        return file.read(LIST_BYTES + 1)
