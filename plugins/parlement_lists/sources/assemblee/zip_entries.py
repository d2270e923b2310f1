"""The entries of a zip in memory, each read within bounds; nothing is ever written to a disk."""

from __future__ import annotations

import datetime
import io
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..source import Original, OriginalRefused

# The Assemblée's biggest file of a person had 0.15 MB, the 1,239 of a day together 22 MB.
MOST_ENTRIES = 50_000
MOST_BYTES_EACH = 2_000_000
MOST_BYTES = 250_000_000
LONGEST_PATH = 200
_BEGINS = (b"PK\x03\x04", b"PK\x05\x06")
_DIRECTORY_RECORD, _DIRECTORY_ENDS = b"PK\x01\x02", b"PK\x05\x06"
_MORE_ENTRIES = 0xFFFF  # what a zip of the larger form (ZIP64) says instead of their number
# What zipfile raises on damaged files, beside its own exception: found by damaging them.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class Entry(NamedTuple):
    """One file of a zip: its path in it, the day on which it was put there, None if that is none."""

    path: str
    body: bytes
    made: datetime.date | None


def is_zip(original: Original) -> bool:
    """Whether the file begins as a zip does."""
    return original.body.startswith(_BEGINS)


def read_entries(original: Original, wanted: Callable[[str], object]) -> Iterator[Entry]:
    """The entries whose path is `wanted`, one in memory at a time.

    OriginalRefused, which names the entry and the figure, where the zip is damaged, encrypted, has
    an entry twice, or holds more than the bounds, counted in bytes as read and not as declared.
    """
    # zipfile builds the whole directory before it can be counted.
    if (records := original.body.count(_DIRECTORY_RECORD)) > MOST_ENTRIES:
        raise OriginalRefused(f"{original.name}: {records} entries, more than {MOST_ENTRIES}")
    try:
        with zipfile.ZipFile(io.BytesIO(original.body)) as file:
            _refuse_directory(original, file)
            chosen = [info for info in file.infolist() if wanted(info.filename)]
            yield from _read(original.name, file, chosen)
    except _DAMAGED as error:
        raise OriginalRefused(f"{original.name}: damaged zip: {error}") from error


def _refuse_directory(original: Original, file: zipfile.ZipFile) -> None:
    """Raise where the directory leaves an entry out, or calls it otherwise than the entry itself does.

    zipfile notices neither by itself, and whoever is left out would be taken for gone.
    """
    name, entries = original.name, file.infolist()
    end = original.body.rindex(_DIRECTORY_ENDS)
    (told,) = struct.unpack_from("<H", original.body, end + 10)
    if told not in (len(entries), _MORE_ENTRIES):
        raise OriginalRefused(f"{name}: damaged zip: {len(entries)} entries of {told}")
    for number, info in enumerate(entries, 1):
        if len(info.filename) > LONGEST_PATH or not info.filename.isprintable():
            raise OriginalRefused(f"{name}: entry {number}: its name is no path")
    for path, times in Counter(info.filename for info in entries).items():
        if times > 1:
            raise OriginalRefused(f"{name}: {path}: {times} entries of this name")
    for info in entries:
        if info.flag_bits & 0x1:
            raise OriginalRefused(f"{name}: {info.filename}: encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise OriginalRefused(
                f"{name}: {info.filename}: compressed by method {info.compress_type}"
            )
        try:
            file.open(info).close()
        except _DAMAGED:
            # zipfile's own message shows what stands there, which may be anything of the zip.
            raise OriginalRefused(
                f"{name}: {info.filename}: damaged: it does not begin as the directory says"
            ) from None


def _read(name: str, file: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> Iterator[Entry]:
    total = 0
    for info in entries:
        try:
            with file.open(info) as stream:
                body = stream.read(MOST_BYTES_EACH + 1)
        except _DAMAGED as error:
            raise OriginalRefused(f"{name}: {info.filename}: damaged: {error}") from error
        if len(body) > MOST_BYTES_EACH:
            raise OriginalRefused(f"{name}: {info.filename}: more than {MOST_BYTES_EACH} bytes")
        total += len(body)
        if total > MOST_BYTES:
            raise OriginalRefused(
                f"{name}: {info.filename}: more than {MOST_BYTES} bytes with those before it"
            )
        yield Entry(info.filename, body, _day(info.date_time))


def _day(moment: tuple[int, int, int, int, int, int]) -> datetime.date | None:
    try:
        return datetime.date(*moment[:3])
    except ValueError:
        return None
