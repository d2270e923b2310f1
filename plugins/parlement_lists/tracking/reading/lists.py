"""A chamber's list: where it is, and in any of its formats its pairs of member and staff member."""

from __future__ import annotations

import codecs
import csv
import datetime
import functools
import gzip
import hashlib
import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from ...bounds import (
    HEADER_LETTERS,
    LIST_BYTES,
    LIST_ROWS,
    MEMBER_STAFF,
    Bound,
    OverBound,
    too_long,
)
from ...movement import CHAMBERS, CIVILITIES, is_day
from .formats import (
    Format,
    Pair,
    PairKey,
    Unreadable,
    recognise,
)

Pairs = dict[PairKey, Pair]
# What a line says: the key and the pair; without a key, the Unreadable that says why, or nothing for an empty line.
Row = tuple[PairKey | None, Any]
_BOTH = set(CIVILITIES)
# A list has up to 2,160 rows.
LINES_KEPT = 4096
_NAME = re.compile(r"(?P<date>\d{4}-\d\d-\d\d)(?P<time>T\d{4,6})?\.csv(\.gz)?", re.ASCII)


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


@dataclass(frozen=True)
class ListFile:
    """One list of one chamber, not read yet.

    `origin` says where it lies, for messages. `data` gives its bytes, or the list itself where it is rebuilt.
    `kind` is what the movements that it shows have as `source`: `suivi` of a daily run, else `archives`.
    """

    chamber: str
    date: datetime.date
    time: str
    origin: str
    data: Callable[[], bytes | List]
    kind: str = "archives"

    @property
    def name(self) -> str:
        """How reports and corrections call it: `senat/2017-10-02`, `senat/2015-05-15T0146`."""
        return f"{self.chamber}/{self.date.isoformat()}{self.time}"

    @property
    def moment(self) -> tuple[datetime.date, str]:
        """The day and the time of day."""
        return self.date, self.time

    def read(self) -> List:
        """The list; raises ListRefused."""
        try:
            data = self.data()
        except OSError as error:
            raise ListRefused("damaged", error.strerror or str(error)) from error
        return data if isinstance(data, List) else read_list(data, self.chamber, self.date)


class Walk(NamedTuple):
    """The lists of one or more sources, in order; what was passed over."""

    files: Iterator[ListFile]
    ignored: list[str]


def parse_path(path: str) -> tuple[str, datetime.date, str] | None:
    """The chamber, day and time that a path `.../CHAMBRE/DATE[Thhmm].csv[.gz]` names; None for others."""
    folders, _, name = path.rpartition("/")
    match = _NAME.fullmatch(name)
    chamber = folders.rpartition("/")[2]
    if match is None or chamber not in CHAMBERS or not is_day(match["date"]):
        return None
    return chamber, datetime.date.fromisoformat(match["date"]), match["time"] or ""


def read_list(data: bytes, chamber: str, date: datetime.date) -> List:
    """The list in `data`; raises ListRefused when it is empty, garbled or of no known format."""
    data = decompress(data)
    if not data.strip():
        raise ListRefused("empty", "the file is empty", f"{len(data)} bytes")
    # Only LF ends a line here: a field may hold any other of the characters that end one elsewhere.
    first, *lines = data.split(b"\n", LIST_ROWS)
    try:
        header = _decode(first.removeprefix(codecs.BOM_UTF8))
    except csv.Error as error:
        raise ListRefused("garbled", f"line 1: {error}", "line 1") from None
    form = _format(header, chamber)
    if lines and lines.pop():
        within(LIST_ROWS, data.count(b"\n"))
        raise ListRefused("truncated", "the last line does not end: the file is cut off")
    rows = _rows(lines, form, header, chamber)
    pairs: dict[Any, Pair] = dict(rows)
    if form.exchanged and _is_exchanged([pair for key, pair in pairs.items() if key]):
        rows = _rows(lines, form.exchanged, header, chamber)
        pairs = dict(rows)
    bad = [why for key, why in rows if not key and why] if None in pairs else []
    pairs.pop(None, None)
    without = sum(why.no_member for why in bad)
    doubles: dict[Pair, None] = {}
    if len(pairs) < len(rows):
        # They are two people, whom nothing else tells apart.
        doubles = {p: None for key, p in rows if key and {p.civility, pairs[key].civility} == _BOTH}
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


def _decode(line: bytes) -> str:
    """The text of a line; raises csv.Error where it is not UTF-8, or has NUL bytes."""
    if b"\x00" in line:
        raise csv.Error("a NUL byte")
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise csv.Error("not UTF-8") from None


def within(bound: Bound, size: int) -> None:
    """Raises ListRefused, with the figure, for a size above a bound."""
    try:
        bound.examine(size)
    except OverBound as over:
        raise ListRefused("too_long", str(over), f"{size:,}") from None


def _format(line: str, chamber: str) -> Format:
    within(HEADER_LETTERS, len(line))
    form = recognise(next(csv.reader([line]), []))
    if form is None:
        raise ListRefused("format", f"unknown format, header: {line[:300].strip()}")
    if chamber not in form.chambers:
        raise ListRefused("format", f"a list of {' or '.join(form.chambers)}, not of {chamber}")
    return form


def _rows(lines: list[bytes], form: Format, header: str, chamber: str) -> list[Row]:
    """What each line says; raises ListRefused with the line and what is wrong."""
    rows: list[Row] = []
    try:
        rows.extend(map(_lines(form, header, chamber).__getitem__, lines))
    except (csv.Error, OverBound) as error:
        where = f"line {len(rows) + 2}"
        long = isinstance(error, OverBound)
        reason, figure = ("too_long", str(error)) if long else ("garbled", where)
        raise ListRefused(reason, f"{where}: {error}", figure) from error
    return rows


class _Lines(dict[bytes, Row]):
    """What the lines under a header say, each read once: nearly all lines of a list were in the one before."""

    def __init__(self, form: Format, header: str, chamber: str) -> None:
        self.form, self.chamber = form, chamber
        # What a column is called is the list’s own text, and is published with the refusal.
        self.columns = [name[:80] for name in next(csv.reader([header]))]

    def __missing__(self, line: bytes) -> Row:
        """Read a line; raises csv.Error, or OverBound for a field that no list has."""
        row: Row = (None, None)
        if line not in (b"", b"\r"):
            row = self._read(next(csv.reader([_decode(line)], strict=True)))
        if len(self) == LINES_KEPT:
            self.clear()
        self[line] = row
        return row

    def _read(self, record: list[str]) -> Row:
        long = too_long(self.columns, record, {})
        row: Row = (None, Unreadable(no_member=False))
        if len(record) == len(self.columns):
            try:
                pair = self.form.parse(self.chamber, record)
                row = pair.key, pair
                long = long or too_long(Pair._fields[2:9], pair[2:9])
            except Unreadable as unreadable:
                row = None, unreadable
        if long:
            raise OverBound(long)
        return row


_lines = functools.lru_cache(maxsize=16)(_Lines)


def _is_exchanged(pairs: list[Pair]) -> bool:
    """Whether a list has family and given names the wrong way round.

    Most rows read so, and there are fewer family names than given names. The first alone is no sign:
    from 2017-02-22 to 06-11 the full name was written "Nom Prénom" beside columns that were right.
    """
    if sum(map(attrgetter("exchanged"), pairs)) * 2 <= len(pairs):
        return False
    return len({pair.family for pair in pairs}) < len({pair.given.upper() for pair in pairs})
