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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from parlement_lists.bounds import DESCRIPTION_BYTES, LINE_LETTERS, UNPACKED_BYTES
from parlement_lists.movement import FIELD_NAMES

from ..dataset.disk import examine_room
from ..dataset.input_files import Numbered
from .answers import AnswerReader, Credits, OddAnswer, parse, text, word

DESCRIPTION = "datapackage.json"
MOVEMENTS = "mouvements.ndjson"
TABLE = "mouvements.csv"
_COLUMNS = [name.encode() for name in FIELD_NAMES]
# A line of more than LINE_LETTERS is read in two parts, and neither is a movement.
# No movement is shorter. Each line takes 8 bytes of memory, so short ones would take more than the file.
SHORTEST_LINE = 60
# Lines after which their number is examined.
_LINES_EXAMINED = 10_000
_ENTRY = struct.Struct("<4s4xH16xHH")


class WholeFile:
    """A downloaded file of everything: the cursor it is the state of, its version, credits and movements.

    The movements are unpacked into a file without a name in `folder`: whatever ends the process, nothing
    stays of it. Raises OddAnswer for one that is torn, or not as this version reads it; `number` is told how many movements there are, and may raise.
    """

    def __init__(
        self,
        file: BinaryIO,
        reader: AnswerReader,
        folder: Path,
        number: Callable[[int], object] = bool,
    ) -> None:
        self._reader = reader
        self._unpacked = unnamed(folder)
        self._ends = array("Q", [0])
        try:
            with _faults(), zipfile.ZipFile(file) as archive:
                with archive.open(DESCRIPTION) as entry:
                    described = entry.read(DESCRIPTION_BYTES + 1)
                if len(described) > DESCRIPTION_BYTES:
                    raise OddAnswer(f"{DESCRIPTION} is longer than {DESCRIPTION_BYTES} bytes")
                # No more is unpacked of an entry than it says.
                size = archive.getinfo(MOVEMENTS).file_size
                if size > UNPACKED_BYTES:
                    raise OddAnswer(f"{MOVEMENTS} is longer than {UNPACKED_BYTES} bytes")
                examine_room(folder, size)
                with archive.open(MOVEMENTS) as entry:
                    self._unpack(entry, number)
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

    def _unpack(self, entry: Any, number: Callable[[int], object]) -> None:
        """Write the lines down, and where each ends."""
        lines = io.BufferedReader(entry)
        while line := lines.readline(LINE_LETTERS):
            if len(line) < SHORTEST_LINE:
                raise OddAnswer(f"{MOVEMENTS}, line {len(self) + 1}: it is no movement")
            end = self._ends[-1] + self._unpacked.write(line)
            if end > UNPACKED_BYTES:
                raise OddAnswer(f"{MOVEMENTS} is longer than {UNPACKED_BYTES} bytes")
            self._ends.append(end)
            if not len(self) % _LINES_EXAMINED:
                number(len(self))
        number(len(self))

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


def examine_beginning(beginning: bytes) -> None:
    """Raises OddAnswer for a file whose first line is not that of a file of everything.

    That is the header of a table, or a movement; of an entry of another name nothing is said.
    """
    torn = OddAnswer("the file of everything does not begin as one")
    try:
        signature, method, name_bytes, extra_bytes = _ENTRY.unpack_from(beginning)
        start = _ENTRY.size + name_bytes + extra_bytes
        name = beginning[_ENTRY.size : start - extra_bytes]
        body = beginning[start:]
        if method == zipfile.ZIP_DEFLATED:
            body = zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, LINE_LETTERS)
    except (struct.error, zlib.error):
        raise torn from None
    line, end, _ = body[:LINE_LETTERS].partition(b"\n")
    if signature != b"PK\x03\x04":
        raise torn
    if name == TABLE.encode() and line.strip().split(b",")[: len(FIELD_NAMES)] != _COLUMNS:
        raise torn
    if name == MOVEMENTS.encode():
        if not end:
            raise OddAnswer(f"{MOVEMENTS}, line 1: it is no movement")
        AnswerReader().movement(parse(line), f"{MOVEMENTS}, line 1")


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
