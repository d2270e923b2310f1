"""Files of movements: CSV, plain or gzipped, refused whole at the first row that is at fault."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO

from parlement_lists.bounds import LINE_LETTERS, OverBound
from parlement_lists.csv_rows import read_rows
from parlement_lists.movement import FIELD_NAMES, Movement, faults_of, identifier, shown
from parlement_lists.regular_file import FilesError, open_regular


class InputRefused(Exception):
    """Input that cannot become movements, each fault a sentence."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = list(faults)


def read(path: Path) -> Iterator[tuple[str, Movement]]:
    """The place and the movement of each row of a file, in its order.

    Raises InputRefused for the first row at fault, with file, line and field: nothing of the file may be published.
    """
    if not path.name.lower().removesuffix(".gz").endswith(".csv"):
        raise InputRefused(f"{path}: unknown format; accepted: .csv and .csv.gz")
    line, lines = 1, []
    try:
        with open_regular(path) as file:
            zipped = path.name.lower().endswith(".gz")
            with gzip.open(file) if zipped else nullcontext(file) as body:
                for text in _lines(body):
                    lines.append(text)
                    line += 1
        header = next(csv.reader(lines[:1], strict=True), [])
        movement = None
        for name in header:
            if name not in FIELD_NAMES:
                columns = ", ".join(FIELD_NAMES)
                raise FilesError(
                    f"{path}: line 1: unknown column {shown(name)}; the columns are {columns}"
                )
            if header.count(name) > 1:
                raise FilesError(f"{path}: line 1: column {name} stands twice")
        for place, row in read_rows(str(path), "".join(lines), FIELD_NAMES[1:], optional=["id"]):
            movement = Movement(**{"id": "", **row})
            if faults := faults_of(movement):
                raise InputRefused(*(f"{place}: {fault}" for fault in faults))
            yield place, movement if movement.id else movement._replace(id=identifier(movement))
        if movement is None:
            raise InputRefused(f"{path}: empty: no movement in it")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputRefused(f"{path}: not a whole gzip file ({error})") from error
    except OSError as error:
        raise InputRefused(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path}: line {line}: not UTF-8") from error
    except OverBound as over:
        raise InputRefused(f"{path}: line {line}: {over}") from over
    except (FilesError, csv.Error) as error:
        raise InputRefused(str(error)) from error


def _lines(body: gzip.GzipFile | BinaryIO) -> Iterator[str]:
    """The lines of a file; OverBound for one that is too long to be a movement, before it is in memory."""
    while line := body.readline(LINE_LETTERS + 1):
        LINE_LETTERS.examine(len(line))
        yield line.decode("utf-8-sig")
