"""The file of all movements of a service, with which a copy begins."""

from __future__ import annotations

import errno
import io
import lzma
import struct
import tempfile
import zipfile
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ..dataset.input_files import Numbered
from .answers import AnswerReader, Credits, OddAnswer, parse, text, word

DESCRIPTION = "datapackage.json"
MOVEMENTS = "mouvements.ndjson"
MOST_DESCRIPTION = 1_000_000  # bytes
MOST_MOVEMENTS = 8_000_000_000
# A longer line is read in two parts, and neither is a movement.
LONGEST_LINE = 1_000_000
# No movement is shorter. Each line takes 8 bytes of memory, so short ones would take more than the file.
SHORTEST_LINE = 60


class WholeFile:
    """A downloaded file of everything: the cursor it is the state of, its version, credits and movements.

    The movements are unpacked into a file without a name in `folder`: whatever ends the process, nothing
    stays of it. Raises OddAnswer for one that is torn, or not as this version reads it.
    """

    def __init__(self, file: BinaryIO, reader: AnswerReader, folder: Path) -> None:
        self._reader = reader
        self._unpacked = unnamed(folder)
        self._ends = array("Q", [0])
        try:
            with _faults(), zipfile.ZipFile(file) as archive:
                with archive.open(DESCRIPTION) as entry:
                    described = entry.read(MOST_DESCRIPTION)
                with archive.open(MOVEMENTS) as entry:
                    self._unpack(entry)
            self._describe(parse(described))
        except BaseException:
            self._unpacked.close()
            raise

    def _describe(self, package: Any) -> None:
        if not isinstance(package, dict):
            raise OddAnswer(f"{DESCRIPTION} is not an object")
        self.cursor, self.version = word(package, "curseur"), word(package, "version")
        licences = package.get("licenses")
        if not isinstance(licences, list) or not all(isinstance(one, dict) for one in licences):
            raise OddAnswer(f"{DESCRIPTION} has no licenses")
        said = [text(one, "title") for one in licences]
        licence = text({"licence": " ; ".join(said)}, "licence")
        self.credits = Credits(licence, text(package, "attribution"))

    def _unpack(self, entry: Any) -> None:
        """Write the lines down, and where each ends."""
        lines = io.BufferedReader(entry)
        while line := lines.readline(LONGEST_LINE):
            if len(line) < SHORTEST_LINE:
                raise OddAnswer(f"{MOVEMENTS}, line {len(self) + 1}: it is no movement")
            end = self._ends[-1] + self._unpacked.write(line)
            if end > MOST_MOVEMENTS:
                raise OddAnswer(f"{MOVEMENTS} is longer than {MOST_MOVEMENTS} bytes")
            self._ends.append(end)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def movements(self) -> Iterator[Numbered]:
        """Its movements in the order in which they were inserted: the file has the newest first."""
        for number in range(len(self), 0, -1):
            start, end = self._ends[number - 1], self._ends[number]
            self._unpacked.seek(start)
            line = self._unpacked.read(end - start)
            where = f"{MOVEMENTS}, line {number}"
            try:
                found = parse(line)
            except OddAnswer as odd:
                raise OddAnswer(f"{where}: {odd}") from None
            yield number, self._reader.movement(found, where)

    def close(self) -> None:
        """Free its disk space."""
        self._unpacked.close()


def unnamed(folder: Path) -> BinaryIO:
    """An empty file without a name in a folder; it is gone when the process ends."""
    return tempfile.TemporaryFile(dir=folder)


# What zipfile and its decompressors raise for a damaged archive, beside OSError.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, KeyError, NotImplementedError, RuntimeError, ValueError, OverflowError),
)


@contextmanager
def _faults() -> Iterator[None]:
    torn = OddAnswer("the file of everything is torn, or not the one a copy begins with")
    try:
        yield
    except _DAMAGE:
        raise torn from None
    except OSError as error:
        # Damaged data of bz2 have no number, a place before the beginning has EINVAL; other errors are the disk's.
        if error.errno not in (None, errno.EINVAL):
            raise
        raise torn from None
