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
    LETTERS,
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
# A row's line -> what it says: the same line says the same in the next list of its form.
Known = dict[str, tuple[PairKey, Pair] | Unreadable]


class Parsed(NamedTuple):
    """The rows of a list as its form reads them; the lines whose names read exchanged."""

    form: str
    rows: Known
    exchanged: set[str]


class ListRefused(Exception):
    """A list that is not used: `reason` is a word of `report.REASONS`, the message has the figure."""

    def __init__(self, reason: str, message: str, figure: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.figure = figure


class List(NamedTuple):
    """One list as read. `name` is how reports and corrections call it: `senat/2017-10-02[T0146]`."""

    chamber: str
    date: datetime.date
    name: str
    pairs: Pairs
    # The members' identifiers, in the order of the list.
    members: dict[str, None]
    rows: int
    without_member: int
    unreadable: int
    digest: str
    # What it was read from, as its form tells.
    source: str = ""
    # Rebuilt from intervals, which are one file for all days: no day of it can be cut off or shifted.
    rebuilt: bool = False
    # Pairs left out whose person stands in it under a fuller name, too (see `people`) -> that pair.
    fuller: Mapping[PairKey, PairKey] = MappingProxyType({})
    # The SHA-256 of its bytes, unpacked; "" of one rebuilt.
    sha256: str = ""
    # Pairs of which it has a man and a woman: only one of the two is kept.
    doubles: tuple[Pair, ...] = ()

    @property
    def moment(self) -> tuple[datetime.date, str]:
        """The day and the time of day, as list files compare them."""
        _, mark, time = self.name.partition("T")
        return self.date, mark + time


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


def _examine_letters(lines: list[str], header: str, parsed: Parsed, known: Parsed | None) -> None:
    """Raises ListRefused, with row, field and length, for a field that no list has."""
    # What a column is called is the list’s own text, and is published with the refusal.
    columns = [name[:80] for name in next(csv.reader([header]))]
    fewest = min(LETTERS.values())
    for line, row in parsed.rows.items():
        if len(line) <= fewest or (known and line in known.rows):
            continue
        long = too_long(columns, next(csv.reader([line])), {})
        if not long and isinstance(row, tuple):
            long = too_long(Pair._fields[2:], row[1][2:-2])
        if long:
            raise ListRefused("too_long", f"line {lines.index(line) + 2}: {long}", long)


class Reader:
    """Reads lists one after the other; rows that the chamber's last one had are not parsed again."""

    def __init__(self) -> None:
        self._last: dict[str, List] = {}
        self._parsed: dict[str, Parsed] = {}

    def unchanged(self, chamber: str, digest: str) -> bool:
        """Whether the last list read of the chamber had this digest."""
        last = self._last.get(chamber)
        return bool(digest) and last is not None and last.digest == digest

    def read(
        self, data: bytes, chamber: str, date: datetime.date, name: str, digest: str = ""
    ) -> List:
        """The list in `data`; raises ListRefused when it is empty, garbled or of no known format.

        `digest` names the content where it has a name already; `data` is not looked at when it is
        that of the last list.
        """
        if not self.unchanged(chamber, digest):
            data = decompress(data)
            sha256 = hashlib.sha256(data).hexdigest()
            digest = digest or sha256
        if self.unchanged(chamber, digest):
            return self._last[chamber]._replace(date=date, name=name)
        within(LIST_ROWS, data.count(b"\n"))
        lines = decode(data).split("\n")  # the header first; "" last if every line ends
        header = lines[0]
        form = _format(lines[0], chamber)
        last_line = _strip(lines)
        known = self._parsed.get(chamber)
        parsed = _parse(lines, known, form, chamber)
        # Every line is asked, those parsed before too: what a list is does not depend on the last one.
        if form.exchanged and _is_exchanged(parsed):
            parsed = _parse(lines, known, form.exchanged, chamber)
        if last_line and (form.ends or isinstance(parsed.rows.get(last_line), Unreadable)):
            raise ListRefused("truncated", "the last line does not end: the file is cut off")
        source = form.source or form.name
        _examine_letters(lines, header, parsed, known)
        read = _collect(lines, parsed.rows, chamber, date, name, digest, source)
        read = read._replace(sha256=sha256)
        if read.pairs:
            within(MEMBER_STAFF, max(Counter(member for member, _ in read.pairs).values()))
        self._parsed[chamber] = parsed
        self._last[chamber] = read
        return read


def _joined(lines: list[str]) -> list[str]:
    """Lines whose quotes are left open, joined with those that close them (a field may hold a line end)."""
    whole: list[str] = []
    start, held = 0, ""
    for number, line in enumerate(lines, 1):
        held = f"{held}\n{line}" if held else line
        start = start or number
        if held.count('"') % 2 == 0:
            whole.append(held)
            start, held = 0, ""
        elif number - start > 5:
            break
    if held:
        start += 1  # the header is the first line
        raise ListRefused("garbled", f"line {start}: a quote is never closed", f"line {start}")
    return whole


def _format(line: str, chamber: str) -> Format:
    if len(line) > HEADER_LETTERS:
        long = f"{len(line):,} letters, more than {HEADER_LETTERS:,}"
        raise ListRefused("format", f"unknown format, header of {long}")
    header = [name.strip() for name in next(csv.reader([line]), [])]
    form = recognise(header)
    if form is None:
        raise ListRefused("format", f"unknown format, header: {line[:300].strip()}")
    if chamber not in form.chambers:
        raise ListRefused("format", f"a list of {' or '.join(form.chambers)}, not of {chamber}")
    return form


def _strip(lines: list[str]) -> str:
    """Take the header from a list's lines, and what follows the last line end: "", or a line cut off, which stays."""
    del lines[0]
    last = lines.pop() if lines else ""
    if last:
        lines.append(last)
    return last


def _parse(lines: list[str], before: Parsed | None, form: Format, chamber: str) -> Parsed:
    """What each row says, or why it cannot be read; rows that the list before had are not parsed again."""
    if before is None or before.form != form.name:
        before = Parsed(form.name, {}, set())
    known = before.rows
    found = {line: known.get(line) for line in lines if line and line != "\r"}
    new = [line for line, row in found.items() if row is None]
    if any(line.count('"') % 2 for line in new):
        lines[:] = _joined(lines)
        found = {line: known.get(line) for line in lines if line and line != "\r"}
        new = [line for line, row in found.items() if row is None]
    exchanged = before.exchanged & found.keys()
    # Only LF ends a line here: a field may hold any other of the characters that end one elsewhere.
    records = csv.reader(io.StringIO("\n".join(new), newline="\n"), strict=True)
    rows: Known = found  # type: ignore[assignment]
    consumed = 0
    for line in new:
        consumed += line.count("\n") + 1
        try:
            record = next(records)
        except csv.Error as error:
            raise ListRefused("garbled", f"line {lines.index(line) + 2}: {error}") from error
        # Where the quotes of a line make less or more than one record, every row after it is another's.
        if records.line_num != consumed:
            where = f"line {lines.index(line) + 2}"
            raise ListRefused("garbled", f"{where}: its quotes do not make one row", where)
        rows[line] = row = _row(record, form, chamber)
        if form.exchanged and row.__class__ is tuple and reads_exchanged(chamber, record):
            exchanged.add(line)
    return Parsed(form.name, rows, exchanged)


def _is_exchanged(parsed: Parsed) -> bool:
    """Whether a list has family and given names the wrong way round.

    Most rows read so, and there are fewer family names than given names. The first alone is no sign:
    from 2017-02-22 to 06-11 the full name was written "Nom Prénom" beside columns that were right.
    """
    if len(parsed.exchanged) * 2 <= len(parsed.rows):
        return False
    pairs = [row[1] for row in parsed.rows.values() if isinstance(row, tuple)]
    return len({pair.family for pair in pairs}) < len({pair.given.upper() for pair in pairs})


def _row(row: list[str], form: Format, chamber: str) -> tuple[PairKey, Pair] | Unreadable:
    if len(row) != form.width:
        return Unreadable(no_member=False)
    try:
        pair = form.parse(chamber, row)
    except Unreadable as unreadable:
        return unreadable
    return pair.key, pair


def _collect(
    lines: list[str],
    parsed: Known,
    chamber: str,
    date: datetime.date,
    name: str,
    digest: str,
    source: str,
) -> List:
    good = [row for row in parsed.values() if row.__class__ is tuple]
    pairs: Pairs = dict(good)
    bad = [parsed[line] for line in lines if line in parsed] if len(good) < len(parsed) else []
    without = sum(isinstance(row, Unreadable) and row.no_member for row in bad)
    unreadable = sum(isinstance(row, Unreadable) for row in bad) - without
    members = dict.fromkeys([member for member, _ in pairs])
    counts = (len(lines), without, unreadable)
    read = List(chamber, date, name, pairs, members, *counts, digest, source)
    return read._replace(doubles=_doubles(good, pairs)) if len(good) > len(pairs) else read


def _doubles(rows: Iterable[tuple[PairKey, Pair]], pairs: Pairs) -> tuple[Pair, ...]:
    """Pairs that a list has under two civilities: they are two people, whom nothing else tells apart."""
    return tuple(
        pair for key, pair in rows if {pair.civility, pairs[key].civility} == set(CIVILITIES)
    )
