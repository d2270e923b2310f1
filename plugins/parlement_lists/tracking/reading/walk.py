"""Walk folders and git repositories of lists, in order."""

from __future__ import annotations

import functools
import heapq
from collections.abc import Iterable
from pathlib import Path

from ...bounds import LIST_BYTES
from ...movement import CHAMBERS
from ...regular_file import read_bytes
from .git_history import walk as walk_git
from .intervals import FILE as INTERVALS_FILE
from .intervals import walk as walk_intervals
from .lists import ListFile, ListFilesError, Walk, parse_path


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
    walks = [_folder(path, kind) for path in lists]
    walks += [walk_git(repository, history) for repository in repositories]
    return Walk(
        heapq.merge(*(files for files, _ in walks), key=_order),
        [path for _, ignored in walks for path in ignored],
    )


def _order(file: ListFile) -> tuple[str, object]:
    return file.chamber, file.moment


def _folder(folder: Path, kind: str) -> Walk:
    if not folder.is_dir():
        raise ListFilesError(f"{folder}: not a folder")
    files: list[ListFile] = []
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
                content = functools.partial(read_bytes, path, follow=False, most=LIST_BYTES + 1)
                files.append(ListFile(*where, str(path), content, kind))
            elif chamber == "europarl" and path.name == INTERVALS_FILE:
                files += walk_intervals(path, kind)
            else:
                ignored.append(str(path))
    if not files:
        raise ListFilesError(f"{folder}: no list in it; they are CHAMBRE/DATE[Thhmm].csv[.gz]")
    return Walk(iter(sorted(files, key=_order)), ignored)
