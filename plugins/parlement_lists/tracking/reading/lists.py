"""Read a chamber's list, in any of its formats, into pairs of member and staff member."""

from __future__ import annotations

import csv
import datetime
import gzip
import hashlib
import io
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ...bounds import (
    HEADER_LETTERS,
    LIST_BYTES,
    LIST_ROWS,
    MEMBER_STAFF,
    Bound,
    OverBound,
    too_long,
)
from ...movement import CIVILITIES
from .formats import (
    Format,
    Pair,
    PairKey,
    Unreadable,
    reads_exchanged,
    recognise,
)

Pairs = dict[PairKey, Pair]
# A row's line -> what it says.
Rows = dict[str, tuple[PairKey, Pair] | Unreadable]


class ListRefused(Exception):
    """A list that is not used: `reason` is a word of `report.REASONS`, the message has the figure."""

    def __init__(self, reason: str, message: str, figure: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.figure = figure


class List(NamedTuple):
    """One list as read.

    `source` is what it was read from, as its form tells; `sha256` that of its bytes, unpacked, "" of one `rebuilt`
    from intervals, which are one file for all days: no day of it can be cut off or shifted.
    """

    chamber: str
    date: datetime.date
    pairs: Pairs
    rows: int
    without_member: int = 0
    unreadable: int = 0
    source: str = ""
    sha256: str = ""
    rebuilt: bool = False
    # Pairs of which it has a man and a woman: only one of the two is kept.
    doubles: tuple[Pair, ...] = ()
    # Pairs left out whose person stands in it under a fuller name, too (see `people`) -> that pair.
    fuller: Mapping[PairKey, PairKey] = MappingProxyType({})

    @property
    def members(self) -> set[str]:
        """The members' identifiers."""
        return {member for member, _ in self.pairs}


def decompress(data: bytes, most_bytes: int = LIST_BYTES) -> bytes:
    """The bytes of a file, gzip or not; ListRefused past a size or when the gzip is damaged."""
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                data = file.read(most_bytes + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ListRefused("damaged", f"damaged gzip: {error}") from error
    if len(data) > most_bytes:
        raise ListRefused("too_long", f"more than {most_bytes} bytes: not a list")
    return data


def decode(data: bytes) -> str:
    """The text of a list; ListRefused when it is empty, not UTF-8, or has NUL bytes."""
    if not data.strip():
        raise ListRefused("empty", "the file is empty", f"{len(data)} bytes")
    if b"\x00" in data:
        line = data.count(b"\n", 0, data.index(b"\x00")) + 1
        raise ListRefused("garbled", f"line {line}: a NUL byte", f"line {line}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ListRefused("garbled", f"line {line}: not UTF-8", f"line {line}") from error


def within(bound: Bound, size: int) -> None:
    """Raises ListRefused, with the figure, for a size above a bound."""
    try:
        bound.examine(size)
    except OverBound as over:
        raise ListRefused("too_long", str(over), f"{size:,}") from None


class Reader:
    """Reads lists one after the other; rows that the chamber's last one had are not parsed again."""

    def __init__(self) -> None:
        # The rows of the last list of a chamber, by the form that they were read in.
        self._rows: dict[tuple[str, Format], Rows] = {}
        # Every line whose names read exchanged.
        self._exchanged: set[str] = set()

    def read(self, data: bytes, chamber: str, date: datetime.date) -> List:
        """The list in `data`; raises ListRefused when it is empty, garbled or of no known format."""
        data = decompress(data)
        within(LIST_ROWS, data.count(b"\n"))
        # Only LF ends a line here: a field may hold any other of the characters that end one elsewhere.
        header, *lines = decode(data).split("\n")
        form = _format(header, chamber)
        cut_off = lines[-1] if lines else ""
        if lines and not cut_off:
            lines.pop()
        rows = self._parse(lines, form, header, chamber)
        # Every line is asked, those parsed before too: what a list is does not depend on the last one.
        if form.exchanged and self._is_exchanged(rows):
            rows = self._parse(lines, form.exchanged, header, chamber)
        if cut_off and (form.ends or isinstance(rows.get(cut_off), Unreadable)):
            raise ListRefused("truncated", "the last line does not end: the file is cut off")
        good = [row for row in rows.values() if row.__class__ is tuple]
        pairs: Pairs = dict(good)
        bad = [rows[line] for line in lines if line in rows] if len(good) < len(rows) else []
        without = sum(isinstance(row, Unreadable) and row.no_member for row in bad)
        unreadable = sum(isinstance(row, Unreadable) for row in bad) - without
        if pairs:
            within(MEMBER_STAFF, max(Counter(member for member, _ in pairs).values()))
        return List(
            chamber,
            date,
            pairs,
            rows=len(lines),
            without_member=without,
            unreadable=unreadable,
            source=form.source,
            sha256=hashlib.sha256(data).hexdigest(),
            doubles=_doubles(good, pairs) if len(good) > len(pairs) else (),
        )

    def _parse(self, lines: list[str], form: Format, header: str, chamber: str) -> Rows:
        """What each line says, or why it cannot be read; raises ListRefused with the line and what is wrong."""
        before = self._rows.get((chamber, form), {})
        known = {line: before.get(line) for line in lines if line and line != "\r"}
        rows: Rows = known  # type: ignore[assignment]
        new = [line for line, row in known.items() if row is None]
        # What a column is called is the list’s own text, and is published with the refusal.
        columns = [name[:80] for name in next(csv.reader([header]))]
        records = csv.reader(new, strict=True)
        for number, line in enumerate(new, 1):
            try:
                record = next(records)
                # Where the quotes of a line make less or more than one record, every row after it is another's.
                if records.line_num != number:
                    raise csv.Error("its quotes do not make one row")
                rows[line] = row = _row(record, form, columns, chamber)
            except (csv.Error, OverBound) as error:
                where = f"line {lines.index(line) + 2}"
                reason, figure = "garbled", where
                if isinstance(error, OverBound):
                    reason, figure = "too_long", str(error)
                raise ListRefused(reason, f"{where}: {error}", figure) from error
            if form.exchanged and row.__class__ is tuple and reads_exchanged(chamber, record):
                self._exchanged.add(line)
        self._rows[chamber, form] = rows
        return rows

    def _is_exchanged(self, rows: Rows) -> bool:
        """Whether a list has family and given names the wrong way round.

        Most rows read so, and there are fewer family names than given names. The first alone is no sign:
        from 2017-02-22 to 06-11 the full name was written "Nom Prénom" beside columns that were right.
        """
        if len(self._exchanged & rows.keys()) * 2 <= len(rows):
            return False
        pairs = [row[1] for row in rows.values() if isinstance(row, tuple)]
        return len({pair.family for pair in pairs}) < len({pair.given.upper() for pair in pairs})


def _format(line: str, chamber: str) -> Format:
    if len(line) > HEADER_LETTERS:
        long = f"{len(line):,} letters, more than {HEADER_LETTERS:,}"
        raise ListRefused("format", f"unknown format, header of {long}")
    form = recognise(next(csv.reader([line]), []))
    if form is None:
        raise ListRefused("format", f"unknown format, header: {line[:300].strip()}")
    if chamber not in form.chambers:
        raise ListRefused("format", f"a list of {' or '.join(form.chambers)}, not of {chamber}")
    return form


def _row(
    row: list[str], form: Format, columns: list[str], chamber: str
) -> tuple[PairKey, Pair] | Unreadable:
    """What a row says, or why it cannot be read; raises OverBound for a field that no list has."""
    long = too_long(columns, row, {})
    pair: Pair | Unreadable = Unreadable(no_member=False)
    if len(row) == form.width:
        try:
            pair = form.parse(chamber, row)
            long = long or too_long(Pair._fields[2:], pair[2:-2])
        except Unreadable as unreadable:
            pair = unreadable
    if long:
        raise OverBound(long)
    return pair if isinstance(pair, Unreadable) else (pair.key, pair)


def _doubles(rows: Iterable[tuple[PairKey, Pair]], pairs: Pairs) -> tuple[Pair, ...]:
    """Pairs that a list has under two civilities: they are two people, whom nothing else tells apart."""
    return tuple(
        pair for key, pair in rows if {pair.civility, pairs[key].civility} == set(CIVILITIES)
    )
