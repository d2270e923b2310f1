"""Files of movements: CSV, plain or gzipped, read with every fault named."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from parlement_lists.bounds import LINE_LETTERS, OverBound
from parlement_lists.movement import FIELD_NAMES, Movement, faults_of, identifier, shown
from parlement_lists.regular_file import open_regular

FAULTS_SHOWN = 20
# Where a movement stands: the number of its line, or words for it, such as "change 7".
Line = int | str
Numbered = tuple[Line, Movement]


class InputRefused(Exception):
    """Input that cannot become movements: `faults` are the first of each file, `count` is that of all."""

    def __init__(self, faults: Sequence[str], count: int | None = None) -> None:
        self.faults = list(faults)
        self.count = len(self.faults) if count is None else count
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """A line for each fault, and one that counts those left out."""
        more = self.count - len(self.faults)
        return self.faults + ([f"... and {more} more ({self.count} faults in all)"] if more else [])


class Faults:
    """The faults of one file: the first twenty in words, all of them counted."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shown: list[str] = []
        self.count = 0

    def add(self, line: Line | None, what: str) -> None:
        self.count += 1
        if len(self.shown) < FAULTS_SHOWN:
            self.shown.append(f"{self.name}{f', line {line}' if line else ''}: {what}")

    def refuse(self) -> None:
        if self.count:
            raise InputRefused(self.shown, self.count)


def read(path: Path) -> Iterator[Numbered]:
    """The movements of one file with their line numbers, in file order.

    Raises InputRefused after the last line when anything in the file is at fault: nothing of it may
    be published before.
    """
    faults = Faults(str(path))
    if not path.name.lower().removesuffix(".gz").endswith(".csv"):
        faults.add(None, "unknown format; accepted: .csv and .csv.gz")
        faults.refuse()
    empty = True
    try:
        for line, values in _rows(path, faults):
            empty = False
            movement = _movement(values, line, faults)
            if movement is not None:
                yield line, movement
    except UnicodeDecodeError:
        faults.add(_line_not_utf8(path), "not UTF-8")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        faults.add(None, f"not a whole gzip file ({error})")
    except OverBound as over:
        faults.add(None, str(over))
    except OSError as error:
        faults.add(None, error.strerror or str(error))
    if empty and not faults.count:
        faults.add(None, "empty: no movement in it")
    faults.refuse()


@contextmanager
def _open(path: Path) -> Iterator[io.TextIOWrapper]:
    with _open_bytes(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", newline="") as text:
        yield text


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a file; OverBound for one that is too long to be a movement, before it is in memory."""
    number = 1
    while line := text.readline(LINE_LETTERS + 1):
        if len(line) > LINE_LETTERS:
            raise OverBound(f"line {number}: over {LINE_LETTERS:,} letters")
        yield line
        number += 1


@contextmanager
def _open_bytes(path: Path) -> Iterator[gzip.GzipFile | BinaryIO]:
    with open_regular(path) as file:
        if path.name.endswith(".gz"):
            with gzip.open(file) as unzipped:
                yield unzipped
        else:
            yield file


def _line_not_utf8(path: Path) -> int | None:
    with _open_bytes(path) as raw:
        for number, line in enumerate(raw, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


def _rows(path: Path, faults: Faults) -> Iterator[tuple[Line, Sequence[str]]]:
    with _open(path) as text:
        reader = csv.reader(_lines(text), strict=True)
        line = 1
        try:
            header = next(reader, None)
            if header is None:
                return
            if not _header_accepted(header, faults):
                return
            order = [header.index(name) if name in header else None for name in FIELD_NAMES]
            straight = order == list(range(len(FIELD_NAMES)))
            line = reader.line_num + 1
            for row in reader:
                if len(row) != len(header):
                    if row:
                        faults.add(line, f"{len(row)} fields where the header has {len(header)}")
                elif straight:
                    yield line, row
                else:
                    yield line, ["" if at is None else row[at] for at in order]
                line = reader.line_num + 1
        except csv.Error as error:
            faults.add(line, f"not CSV: {error}")


def _header_accepted(header: Sequence[str], faults: Faults) -> bool:
    before = faults.count
    for name in dict.fromkeys(header):
        if name not in FIELD_NAMES:
            faults.add(1, f"unknown column {shown(name)}; the columns are {', '.join(FIELD_NAMES)}")
        elif header.count(name) > 1:
            faults.add(1, f"column {name} stands {header.count(name)} times")
    for name in FIELD_NAMES:
        if name not in header and name != "id":
            faults.add(1, f"missing column {name}")
    return faults.count == before


def _movement(values: Sequence[str], line: Line, faults: Faults) -> Movement | None:
    movement = Movement._make(values)
    wrong = faults_of(movement)
    for fault in wrong:
        faults.add(line, fault)
    if wrong:
        return None
    return movement if movement.id else movement._replace(id=identifier(movement))
