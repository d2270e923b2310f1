"""The entries of a zip, read in memory and within bounds; nothing is written to a disk."""

from __future__ import annotations

import datetime
import io
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...bounds import ZIP_BYTES, ZIP_ENTRIES, ZIP_ENTRY_BYTES, ZIP_PATH_LETTERS
from ..originals import Original

_DIRECTORY_RECORD, _DIRECTORY_ENDS = b"PK\x01\x02", b"PK\x05\x06"
_MORE_ENTRIES = 0xFFFF  # what a zip of the larger form (ZIP64) says instead of their number
# Exceptions of zipfile for damaged files, found by damaging files.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError),
)


class ZipEntry(NamedTuple):
    """One file of a zip: its path, content and day; None if the zip has no day that exists."""

    path: str
    body: bytes
    made: datetime.date | None


def read_entries(
    original: Original, wanted: Callable[[str], object], most_bytes: int = ZIP_BYTES
) -> Iterator[ZipEntry]:
    """The entries whose path is `wanted`, one in memory at a time.

    OriginalRefused, which names the entry and the figure, if the zip is damaged, encrypted, has
    an entry twice, or holds more than the bounds, counted in bytes as read and not as declared.
    """
    # zipfile builds the whole directory before it can be counted.
    if (records := original.body.count(_DIRECTORY_RECORD)) > ZIP_ENTRIES:
        raise original.refusal(f"{records} entries, more than {ZIP_ENTRIES}")
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(original.body)) as file:
            _examine_directory(original, file)
            for info in file.infolist():
                if wanted(info.filename):
                    body = _read(original, file, info)
                    total += len(body)
                    if total > most_bytes:
                        over = f"more than {most_bytes} bytes with those before it"
                        raise original.refusal(f"{info.filename}: {over}")
                    yield ZipEntry(info.filename, body, _day(info))
    except _DAMAGED as error:
        raise original.refusal(f"damaged zip: {error}") from error


def _examine_directory(original: Original, file: zipfile.ZipFile) -> None:
    """Raises OriginalRefused if the directory lacks an entry, or has another name than the entry itself.

    zipfile notices neither by itself, and whoever is left out would be taken for gone.
    """
    entries = file.infolist()
    end = original.body.rindex(_DIRECTORY_ENDS)
    (announced,) = struct.unpack_from("<H", original.body, end + 10)
    if announced not in (len(entries), _MORE_ENTRIES):
        raise original.refusal(f"damaged zip: {len(entries)} entries of {announced}")
    times = Counter(info.filename for info in entries)
    for number, info in enumerate(entries, 1):
        path = info.filename
        if len(path) > ZIP_PATH_LETTERS or not path.isprintable():
            letters = (
                f"{len(path)} letters, not more than {ZIP_PATH_LETTERS} of any that is printed"
            )
            raise original.refusal(f"entry {number}: its name is no path: {letters}")
        if times[path] > 1:
            raise original.refusal(f"{path}: {times[path]} entries of this name")
        if info.flag_bits & 0x1:
            raise original.refusal(f"{path}: encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise original.refusal(f"{path}: compressed by method {info.compress_type}")
        try:
            file.open(info).close()
        except _DAMAGED:
            # zipfile's own message shows bytes of the zip, which may be a name.
            why = "it does not begin as the directory says"
            raise original.refusal(f"{path}: damaged: {why}") from None


def _read(original: Original, file: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with file.open(info) as stream:
            body = stream.read(ZIP_ENTRY_BYTES + 1)
    except _DAMAGED as error:
        raise original.refusal(f"{info.filename}: damaged: {error}") from error
    if len(body) > ZIP_ENTRY_BYTES:
        raise original.refusal(f"{info.filename}: more than {ZIP_ENTRY_BYTES} bytes")
    return body


def _day(info: zipfile.ZipInfo) -> datetime.date | None:
    try:
        return datetime.date(*info.date_time[:3])
    except ValueError:
        return None
