"""Walk a folder or an archive of lists, in order, without unpacking anything."""

from __future__ import annotations

import functools
import heapq
import itertools
import lzma
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ...bounds import LIST_BYTES
from ...movement import CHAMBERS
from ...regular_file import open_regular
from .git_history import walk as walk_git
from .intervals import FILE as INTERVALS_FILE
from .intervals import walk as walk_intervals
from .list_file import ListFile, ListFilesError, Place, Walk, irregular, parse_path
from .origins import FILE as ORIGINS_FILE
from .origins import Origin, Origins, parse, read

_NO_LIST = "no list in it; they are CHAMBRE/DATE[Thhmm].csv[.gz]"
ARCHIVES = (".tar.xz", ".tar.gz", ".tgz", ".tar.bz2", ".tar")
_IRREGULAR = {
    tarfile.SYMTYPE: "a link",
    tarfile.LNKTYPE: "a link",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.DIRTYPE: "a folder",
}


def walk(
    lists: Iterable[Path], repositories: Iterable[Path] = (), temporary: Path | None = None
) -> Walk:
    """All lists of folders, archives and git repositories, by chamber and in order.

    Archives out of order are unpacked in `temporary`, or where the system has such files.
    Raises ListFilesError for one that cannot be used, or holds no list.
    """
    walks = [
        _archive(path, temporary)
        if path.is_file() and path.name.endswith(ARCHIVES)
        else _folder(path)
        for path in lists
    ]
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
        raise ListFilesError(f"{folder}: neither a folder nor an archive ({', '.join(ARCHIVES)})")
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
    source, unread = origins.get(file.name, Origin(""))
    return replace(file, source=source, unread=unread)


def _content(path: Path) -> bytes:
    with open_regular(path, follow=False) as file:
        return file.read(LIST_BYTES + 1)


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path) as archive:
            yield archive
    # The last two are what `tarfile` makes of numbers in a header that are none, or out of all bounds.
    except (
        *(tarfile.TarError, lzma.LZMAError, zlib.error, OSError, EOFError),
        *(ValueError, OverflowError),
    ) as error:
        raise ListFilesError(f"{path}: not an archive that can be read: {error}") from error


def _archive(path: Path, temporary: Path | None) -> Walk:
    with _opened(path) as archive:
        entries, origins = _entries(path, archive)
        # Only at the very end does gzip compare its checksum.
        while archive.fileobj.read(1 << 20):
            pass
    placed = [where for where, _, _ in entries if where is not None]
    ignored = [f"{path}: {name}" for where, name, folder in entries if where is None and not folder]
    if not placed:
        raise ListFilesError(f"{path}: {_NO_LIST}")
    in_order = all(one <= next_ for one, next_ in itertools.pairwise(placed))
    files = _streamed(path) if in_order else _spooled(path, temporary)
    return Walk((_with_origin(file, origins) for file in files), len(placed), ignored)


def _entries(
    path: Path, archive: tarfile.TarFile
) -> tuple[list[tuple[Place | None, str, bool]], Origins]:
    """What an archive holds: each entry's place, if it is a list, its name, whether it is a folder; the origins."""
    found: list[tuple[Place | None, str, bool]] = []
    origins: Origins = {}
    for entry in archive:
        named = entry.isfile() and PurePosixPath(entry.name).name == ORIGINS_FILE
        file = archive.extractfile(entry) if named else None
        if file is None:
            found.append((parse_path(entry.name), entry.name, entry.isdir()))
        elif origins:
            raise ListFilesError(f"{path}: {entry.name}: a second {ORIGINS_FILE}")
        else:
            origins = parse(f"{path}: {entry.name}", file.read(LIST_BYTES + 1))
    return found, origins


def _contents(path: Path) -> Iterator[tuple[ListFile, bytes | None]]:
    """The lists of an archive, each with its content; None for what is no regular file."""
    with _opened(path) as archive:
        for entry in archive:
            where = parse_path(entry.name)
            if where is None:
                continue
            found = ListFile(*where, f"{path}: {entry.name}")
            file = archive.extractfile(entry) if entry.isfile() else None
            if file is not None:
                yield found, file.read(LIST_BYTES + 1)
            else:
                what = _IRREGULAR.get(entry.type, "of an unknown kind")
                yield replace(found, data=irregular(what)), None


def _streamed(path: Path) -> Iterator[ListFile]:
    """The lists of an archive that holds them in order, one at a time in memory."""
    for file, data in _contents(path):
        yield file if data is None else replace(file, data=functools.partial(bytes, data))


def _spooled(path: Path, temporary: Path | None) -> Iterator[ListFile]:
    """The lists of an archive in any order, through temporary files that go when the walk ends."""
    with tempfile.TemporaryDirectory(prefix="mouvements-", dir=temporary) as folder:
        found = []
        for number, (file, data) in enumerate(_contents(path)):
            if data is None:
                found.append(file)
                continue
            copy = Path(folder, str(number))
            try:
                copy.write_bytes(data)
            except OSError as error:
                raise ListFilesError(f"{copy}: {error.strerror}") from error
            found.append(replace(file, data=copy.read_bytes))
        yield from sorted(found, key=_order)
