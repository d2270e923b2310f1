"""The entries of a zip, read in memory and within bounds; nothing is written to a disk."""

from __future__ import annotations

import datetime
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

from ...bounds import ZIP_BYTES, ZIP_ENTRIES, ZIP_ENTRY_BYTES, ZIP_PATH_LETTERS, OverBound
from ..originals import Original

_DIRECTORY_RECORD, _DIRECTORY_ENDS = b"PK\x01\x02", b"PK\x05\x06"
_MORE_ENTRIES = 0xFFFF  # what a zip of the larger form (ZIP64) says instead of their number
# Exceptions of zipfile for damaged files, found by damaging files.
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


def read_entries(
    original: Original, wanted: Callable[[str], object]
) -> Iterator[tuple[str, bytes, datetime.date | None]]:
    """The path, content and day of each entry whose path is `wanted`; None for a day that does not exist.

    One is in memory at a time. OriginalRefused, which names the entry and the figure, if the zip is damaged,
    encrypted, or holds more than the bounds, counted in bytes as read and not as declared.
    """
    place, total = "its directory", 0
    try:
        # zipfile builds the whole directory before it can be counted.
        ZIP_ENTRIES.examine(original.body.count(_DIRECTORY_RECORD))
        with zipfile.ZipFile(io.BytesIO(original.body)) as file:
            _examine_directory(original, file)
            for info in file.infolist():
                if not wanted(info.filename):
                    continue
                place = info.filename
                with file.open(info) as stream:
                    body = stream.read(ZIP_ENTRY_BYTES + 1)
                ZIP_ENTRY_BYTES.examine(len(body))
                total += len(body)
                ZIP_BYTES.examine(total)
                made = None
                with suppress(ValueError):
                    made = datetime.date(*info.date_time[:3])
                yield info.filename, body, made
    except OverBound as over:
        raise original.refusal(f"{place}: {over}") from None
    except _DAMAGED as error:
        raise original.refusal(f"{place}: damaged: {error}") from error


def _examine_directory(original: Original, file: zipfile.ZipFile) -> None:
    """Raises OriginalRefused or OverBound if the directory lacks an entry, or has another name than the entry itself.

    zipfile notices neither by itself, and whoever is left out would be taken for gone.
    """
    entries = file.infolist()
    end = original.body.rindex(_DIRECTORY_ENDS)
    (announced,) = struct.unpack_from("<H", original.body, end + 10)
    if announced not in (len(entries), _MORE_ENTRIES):
        raise original.refusal(f"damaged: {len(entries)} entries of {announced}")
    for number, info in enumerate(entries, 1):
        path, method = info.filename, info.compress_type
        ZIP_PATH_LETTERS.examine(len(path))
        if not path.isprintable():
            raise original.refusal(f"entry {number}: its name is no path")
        if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise original.refusal(f"{path}: compressed by method {method}")
        try:
            file.open(info).close()
        except _DAMAGED:
            # zipfile's own message shows bytes of the zip, which may be a name.
            why = "it is encrypted, or does not begin as the directory says"
            raise original.refusal(f"{path}: damaged: {why}") from None
