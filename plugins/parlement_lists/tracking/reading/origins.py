"""`origines.csv` beside a folder's lists: which source each one was read from, and of whom nothing was read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ...bounds import LIST_BYTES
from ...regular_file import open_regular, write_whole
from .list_file import ListFile, ListFilesError, parse_path
from .lists import ListRefused, decode

FILE = "origines.csv"
COLUMNS = ("liste", "origine", "elus_repris")
_SOURCE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_MEMBER = re.compile(r"[0-9A-Z]{1,20}", re.ASCII)


class Origin(NamedTuple):
    """What a list was read from, and the members of whom nothing was read.

    It repeats the rows that the list before has of them (see `lists.unknown` for those who were not known yet).
    """

    source: str
    unread: tuple[str, ...] = ()


# The name of a list, as reports call it -> its origin.
Origins = dict[str, Origin]


def read(folder: Path) -> Origins:
    """The origins in a folder of lists, none where it has no such file.

    Raises ListFilesError, which names file and line.
    """
    path = folder / FILE
    try:
        with open_regular(path, follow=False) as file:
            data = file.read(LIST_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ListFilesError(f"{path}: {error.strerror or error}") from error
    return parse(str(path), data)


def parse(where: str, data: bytes) -> Origins:
    """The origins in the bytes of the file at `where`; raises ListFilesError, which names the line."""
    if len(data) > LIST_BYTES:
        raise ListFilesError(f"{where}: more than {LIST_BYTES} bytes")
    try:
        reader = csv.reader(io.StringIO(decode(data), newline=""), strict=True)
    except ListRefused as error:
        raise ListFilesError(f"{where}: {error}") from error
    found: Origins = {}
    try:
        header = next(reader, [])
        if tuple(header) != COLUMNS:
            expected, told = ",".join(COLUMNS), ",".join(header)[:300]
            raise ListFilesError(f"{where}: line 1: header {told!r} instead of {expected}")
        for row in filter(None, reader):
            line = f"{where}: line {reader.line_num}"
            if len(row) != len(COLUMNS):
                raise ListFilesError(f"{line}: {len(row)} fields instead of {len(COLUMNS)}")
            name, source, unread = row
            if name in found:
                raise ListFilesError(f"{line}: liste: {name} has a line already")
            found[name] = _origin(line, name, source, unread.split())
    except csv.Error as error:
        raise ListFilesError(f"{where}: line {reader.line_num}: {error}") from error
    return found


def _origin(line: str, name: str, source: str, unread: Iterable[str]) -> Origin:
    """The origin of the list of a name; ListFilesError names the field at fault."""
    where = parse_path(f"{name}.csv")
    if where is None or ListFile(*where, "").name != name:
        raise ListFilesError(f"{line}: liste: {name[:80]!r} is not CHAMBRE/DATE[Thhmm]")
    if not _SOURCE.fullmatch(source):
        raise ListFilesError(
            f"{line}: origine: {source[:80]!r} is not lower-case letters, digits and hyphens"
        )
    members = tuple(sorted(unread))
    for member in members:
        if not _MEMBER.fullmatch(member):
            raise ListFilesError(f"{line}: elus_repris: {member[:80]!r} is no identifier")
    return Origin(source, members)


def note(folder: Path, name: str, source: str, unread: Iterable[str] = ()) -> None:
    """Note where the list of that name was read from, in place of what was noted of it.

    Raises ListFilesError where the file there cannot be read, or a value could not be read again;
    OSError. The file is replaced whole or not at all.
    """
    origin = _origin(f"{folder / FILE}: {name}", name, source, unread)
    _write(folder, read(folder) | {name: origin})


def forget(folder: Path, name: str) -> None:
    """Forget where the list of that name was read from, if that is noted; raises what `note` does."""
    found = read(folder)
    if found.pop(name, None) is not None:
        _write(folder, found)


def _write(folder: Path, origins: Mapping[str, Origin]) -> None:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows((n, o.source, " ".join(o.unread)) for n, o in sorted(origins.items()))
    write_whole(folder / FILE, text.getvalue().encode())
