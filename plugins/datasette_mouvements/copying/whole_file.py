"""The file of everything of a service: its movements, with which a copy begins, its stays and its tables."""

from __future__ import annotations

import errno
import io
import lzma
import struct
import tempfile
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from parlement_lists.bounds import (
    COPY_ROWS,
    COPY_STAYS,
    DESCRIPTION_BYTES,
    LINE_LETTERS,
    UNPACKED_BYTES,
    OverBound,
)
from parlement_lists.movement import FIELD_NAMES

from ..dataset.disk import examine_room
from ..dataset.input_files import Numbered
from ..dataset.schema import BESIDE, TENURES, beside_entry
from .answers import AnswerReader, Credits, OddAnswer, parse, row_of, text, word

DESCRIPTION = "datapackage.json"
MOVEMENTS = "mouvements.ndjson"
TABLE = "mouvements.csv"
# The tables of the file, beside the movements, with their entries.
ENTRIES = {TENURES: f"{TENURES}.ndjson"} | {table: beside_entry(table) for table in BESIDE}
_COLUMNS = [name.encode() for name in FIELD_NAMES]
# A line of more than LINE_LETTERS is read in two parts, and neither is a row.
# No row is shorter. Each line takes 8 bytes of memory, so short ones would take more than the file.
SHORTEST_LINE = 40
# Lines after which their number is examined.
_LINES_EXAMINED = 10_000
_ENTRY = struct.Struct("<4s4xH16xHH")


class _UnpackedEntry:
    """An entry of the file, unpacked into a file without a name: its lines, and where each ends.

    `number` is told how many lines there are, and may raise.
    """

    def __init__(
        self, name: str, archive: zipfile.ZipFile, folder: Path, number: Callable[[int], object]
    ) -> None:
        self._name = name
        # No more is unpacked of an entry than it says.
        size = archive.getinfo(name).file_size
        if size > UNPACKED_BYTES:
            raise OddAnswer(f"{name} is longer than {UNPACKED_BYTES} bytes")
        examine_room(folder, size)
        self._ends = array("Q", [0])
        self._unpacked = unnamed(folder)
        try:
            with archive.open(name) as packed:
                self._unpack(packed, number)
        except BaseException:
            self.close()
            raise

    def _unpack(self, packed: Any, number: Callable[[int], object]) -> None:
        lines = io.BufferedReader(packed)
        while line := lines.readline(LINE_LETTERS):
            if len(line) < SHORTEST_LINE:
                raise OddAnswer(f"{self._name}, line {len(self) + 1}: it is no row")
            end = self._ends[-1] + self._unpacked.write(line)
            if end > UNPACKED_BYTES:
                raise OddAnswer(f"{self._name} is longer than {UNPACKED_BYTES} bytes")
            self._ends.append(end)
            if not len(self) % _LINES_EXAMINED:
                number(len(self))
        number(len(self))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def rows(self, numbers: Iterable[int]) -> Iterator[tuple[int, str, Any]]:
        """The JSON of these lines: the number of each, the place for messages, what it holds."""
        for number in numbers:
            start, end = self._ends[number - 1], self._ends[number]
            self._unpacked.seek(start)
            where = f"{self._name}, line {number}"
            try:
                found = parse(self._unpacked.read(end - start))
            except OddAnswer as odd:
                raise OddAnswer(f"{where}: {odd}") from None
            yield number, where, found

    def close(self) -> None:
        """Free its disk space."""
        self._unpacked.close()


class WholeFile:
    """A downloaded file of everything: the cursor it is the state of, its version, credits and rows.

    `edition` is what its stays and tables are of, "" where the service has read no lists, or does not
    give them. What is unpacked is in files without a name in `folder`: whatever ends the process, nothing
    stays of it. Raises OddAnswer for one that is torn, or not as this version reads it; `number` is told
    how many movements there are, and may raise.
    """

    def __init__(
        self,
        file: BinaryIO,
        reader: AnswerReader,
        folder: Path,
        number: Callable[[int], object] = bool,
    ) -> None:
        self._reader = reader
        self._entries: dict[str, _UnpackedEntry] = {}
        try:
            with _faults(), zipfile.ZipFile(file) as archive:
                with archive.open(DESCRIPTION) as entry:
                    described = entry.read(DESCRIPTION_BYTES + 1)
                if len(described) > DESCRIPTION_BYTES:
                    raise OddAnswer(f"{DESCRIPTION} is longer than {DESCRIPTION_BYTES} bytes")
                self._movements = self._entry(MOVEMENTS, archive, folder, number)
                package = parse(described)
                if isinstance(package, dict) and "edition" in package:
                    for table, name in ENTRIES.items():
                        self._entry(name, archive, folder, partial(_examine_rows, table))
            self._describe(package)
        except BaseException:
            self.close()
            raise

    def _entry(self, name: str, *given: Any) -> _UnpackedEntry:
        self._entries[name] = _UnpackedEntry(name, *given)
        return self._entries[name]

    def _describe(self, package: Any) -> None:
        if not isinstance(package, dict):
            raise OddAnswer(f"{DESCRIPTION} is not an object")
        self.cursor, self.version = word(package, "curseur"), word(package, "version")
        has_lists = "edition" in package and len(self._entries[ENTRIES["listes"]])
        self.edition = word(package, "edition") if has_lists else ""
        licences = package.get("licenses")
        if not isinstance(licences, list) or not all(isinstance(one, dict) for one in licences):
            raise OddAnswer(f"{DESCRIPTION} has no licenses")
        said = [text(one, "title") for one in licences]
        licence = text({"licence": " ; ".join(said)}, "licence")
        self.credits = Credits(licence, text(package, "attribution"))

    def __len__(self) -> int:
        return len(self._movements)

    def movements(self) -> Iterator[Numbered]:
        """Its movements in the order in which they were inserted: the file has the newest first."""
        for number, where, found in self._movements.rows(range(len(self), 0, -1)):
            yield number, self._reader.movement(found, where)

    def tables(self) -> dict[str, Iterator[tuple[Any, ...]]]:
        """The rows of its stays and tables, in the order in which they were inserted; none without `edition`."""
        return {table: self._rows(table) for table in ENTRIES} if self.edition else {}

    def _rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        entry = self._entries[ENTRIES[table]]
        numbers = range(1, len(entry) + 1)
        # Stays come as movements do, the latest first.
        for _, where, found in entry.rows(numbers[::-1] if table == TENURES else numbers):
            yield row_of(table, found, where)

    def close(self) -> None:
        """Free its disk space."""
        for entry in self._entries.values():
            entry.close()


def _examine_rows(table: str, rows: int) -> None:
    try:
        (COPY_STAYS if table == TENURES else COPY_ROWS).examine(rows)
    except OverBound as over:
        raise OddAnswer(f"{ENTRIES[table]}: {over}") from None


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
            raise OddAnswer(f"{MOVEMENTS}, line 1: it is no row")
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
