"""Read a chamber's list, in any of its formats, into pairs of member and staff member."""

from __future__ import annotations

import csv
import datetime
import functools
import gzip
import hashlib
import io
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

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
    recognise,
)

Pairs = dict[PairKey, Pair]
# What a line says, or why it cannot be read; nothing where it is empty.
Row = tuple[PairKey, Pair] | Unreadable | None
_BOTH = set(CIVILITIES)
# A list has up to 2,160 rows; those of the one before are not read again.
LINES_KEPT = 4096


class ListRefused(Exception):
    """A list that is not used: `reason` is a word of `report.REASONS`, the message has the figure."""

    def __init__(self, reason: str, message: str, figure: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.figure = figure


@dataclass(frozen=True)
class List:
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
    doubles: list[Pair] = field(default_factory=list)
    # Pairs left out whose person stands in it under a fuller name, too (see `people`) -> that pair.
    fuller: Mapping[PairKey, PairKey] = field(default_factory=dict)

    @functools.cached_property
    def members(self) -> Counter[str]:
        """How many pairs each member has, by identifier."""
        return Counter(map(itemgetter(0), self.pairs))


def read_list(data: bytes, chamber: str, date: datetime.date) -> List:
    """The list in `data`; raises ListRefused when it is empty, garbled or of no known format."""
    data = decompress(data)
    within(LIST_ROWS, data.count(b"\n"))
    # Only LF ends a line here: a field may hold any other of the characters that end one elsewhere.
    header, *lines = decode(data).split("\n")
    form = _format(header, chamber)
    if lines and lines.pop():
        raise ListRefused("truncated", "the last line does not end: the file is cut off")
    rows = _rows(lines, form, header, chamber)
    if form.exchanged and _is_exchanged([row[1] for row in rows if type(row) is tuple]):
        rows = _rows(lines, form.exchanged, header, chamber)
    good = [row for row in rows if type(row) is tuple]
    pairs: Pairs = dict(good)
    bad = [row for row in rows if isinstance(row, Unreadable)] if len(good) < len(rows) else []
    without = sum(row.no_member for row in bad)
    doubles: dict[Pair, None] = {}
    if len(good) > len(pairs):
        # They are two people, whom nothing else tells apart.
        doubles = {p: None for key, p in good if {p.civility, pairs[key].civility} == _BOTH}
    list_ = List(
        chamber,
        date,
        pairs,
        rows=len(lines),
        without_member=without,
        unreadable=len(bad) - without,
        source=form.source,
        sha256=hashlib.sha256(data).hexdigest(),
        doubles=list(doubles),
    )
    within(MEMBER_STAFF, max(list_.members.values(), default=0))
    return list_


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
    what, at = "a NUL byte", data.find(b"\x00")
    if at < 0:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            what, at = "not UTF-8", error.start
    number = data.count(b"\n", 0, at) + 1
    line = f"line {number}"
    raise ListRefused("garbled", f"{line}: {what}", line)


def within(bound: Bound, size: int) -> None:
    """Raises ListRefused, with the figure, for a size above a bound."""
    try:
        bound.examine(size)
    except OverBound as over:
        raise ListRefused("too_long", str(over), f"{size:,}") from None


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


def _rows(lines: list[str], form: Format, header: str, chamber: str) -> list[Row]:
    """What each line says; raises ListRefused with the line and what is wrong."""
    read = _reader(form, header, chamber)
    rows: list[Row] = []
    try:
        rows.extend(map(read, lines))
    except (csv.Error, OverBound) as error:
        where = f"line {len(rows) + 2}"
        long = isinstance(error, OverBound)
        reason, figure = ("too_long", str(error)) if long else ("garbled", where)
        raise ListRefused(reason, f"{where}: {error}", figure) from error
    return rows


@functools.lru_cache(maxsize=16)
def _reader(form: Format, header: str, chamber: str) -> Callable[[str], Row]:
    """The function from a line to what it says; it raises csv.Error, or OverBound for a field that no list has."""
    # What a column is called is the list’s own text, and is published with the refusal.
    columns = [name[:80] for name in next(csv.reader([header]))]

    # Nearly all lines of a list were in the one before.
    @functools.lru_cache(maxsize=LINES_KEPT)
    def read(line: str) -> Row:
        if line in ("", "\r"):
            return None
        record = next(csv.reader([line], strict=True))
        long = too_long(columns, record, {})
        row: Row = Unreadable(no_member=False)
        if len(record) == len(columns):
            try:
                pair = form.parse(chamber, record)
                row = pair.key, pair
                long = long or too_long(Pair._fields[2:9], pair[2:9])
            except Unreadable as unreadable:
                row = unreadable
        if long:
            raise OverBound(long)
        return row

    return read


def _is_exchanged(pairs: list[Pair]) -> bool:
    """Whether a list has family and given names the wrong way round.

    Most rows read so, and there are fewer family names than given names. The first alone is no sign:
    from 2017-02-22 to 06-11 the full name was written "Nom Prénom" beside columns that were right.
    """
    if sum(map(attrgetter("exchanged"), pairs)) * 2 <= len(pairs):
        return False
    return len({pair.family for pair in pairs}) < len({pair.given.upper() for pair in pairs})
