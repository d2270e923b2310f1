"""The European Parliament's interval file: who worked for whom from when to when, as a list a day."""

from __future__ import annotations

import csv
import datetime
import hashlib
import io
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from ...bounds import INTERVAL_ROWS, LIST_BYTES, too_long
from ...movement import DAY, is_day
from ...regular_file import open_regular
from .formats import INTERVAL_COLUMNS, PARLTRACK, Pair, PairKey, Unreadable, recognise
from .list_file import ListFile, ListFilesError
from .lists import List, ListRefused, Pairs, decode, within

FILE = "intervalles.csv"
CHAMBER = "europarl"
Day = datetime.date


def walk(path: Path) -> list[ListFile]:
    """A list for every day on which an interval begins or ends; ListFilesError names line and field."""
    try:
        with open_regular(path, follow=False) as file:
            data = file.read(LIST_BYTES + 1)
        within(LIST_BYTES, len(data))
        within(INTERVAL_ROWS, data.count(b"\n"))
        text = decode(data)
    except (OSError, ListRefused) as error:
        raise ListFilesError(f"{path}: {error}") from error
    begins: dict[Day, list[Pair]] = defaultdict(list)
    ends: dict[Day, list[Pair]] = defaultdict(list)
    for pair, since, until in _intervals(path, text):
        begins[since].append(pair)
        if until is not None:
            ends[until].append(pair)
    running = _Running(begins, ends)
    return [
        ListFile(CHAMBER, day, "", f"{path}: {day}", made=running.on(day))
        for day in sorted(begins.keys() | ends.keys())
    ]


class _Running:
    """The pairs of each day, brought forward from the day asked before: days are asked in order."""

    def __init__(self, begins: dict[Day, list[Pair]], ends: dict[Day, list[Pair]]) -> None:
        self._begins, self._ends = begins, ends
        self._days = sorted(begins.keys() | ends.keys())
        self._done = 0
        # Two intervals of one pair may overlap.
        self._pairs: dict[PairKey, list[Pair]] = defaultdict(list)

    def on(self, day: Day) -> Callable[[str], List]:
        """What makes the list of a day, given its name."""
        return lambda name: self._list(day, name)

    def _list(self, day: Day, name: str) -> List:
        while self._done < len(self._days) and self._days[self._done] <= day:
            for pair in self._begins.get(self._days[self._done], ()):
                self._pairs[pair.key].append(pair)
            for pair in self._ends.get(self._days[self._done], ()):
                self._pairs[pair.key].remove(pair)
            self._done += 1
        pairs: Pairs = {key: pairs[-1] for key, pairs in sorted(self._pairs.items()) if pairs}
        members = dict.fromkeys([member for member, _ in pairs])
        digest = hashlib.sha256(repr(sorted(pairs)).encode()).hexdigest()
        counts = (len(pairs), 0, 0)
        return List(CHAMBER, day, name, pairs, members, *counts, digest, PARLTRACK, rebuilt=True)


def _intervals(path: Path, text: str) -> list[tuple[Pair, Day, Day | None]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found = []
    try:
        header = next(reader, [])
        if tuple(header) != INTERVAL_COLUMNS:
            raise ListFilesError(
                f"{path}: line 1: unknown format, header: {','.join(header)[:300]}"
            )
        for row in reader:
            if row:
                found.append(_interval(row, f"{path}: line {reader.line_num}"))
    except csv.Error as error:
        raise ListFilesError(f"{path}: line {reader.line_num}: {error}") from error
    return found


def _interval(row: list[str], where: str) -> tuple[Pair, Day, Day | None]:
    if len(row) != len(INTERVAL_COLUMNS):
        raise ListFilesError(f"{where}: {len(row)} fields instead of {len(INTERVAL_COLUMNS)}")
    if long := too_long(INTERVAL_COLUMNS, row):
        raise ListFilesError(f"{where}: {long}")
    form = recognise(INTERVAL_COLUMNS[:-2])
    since, until = row[-2:]
    for field, value in (("debut", since), ("fin", until)):
        if not is_day(value) and (value or field == "debut"):
            raise ListFilesError(f"{where}: {field}: {value[:80]!r} is not {DAY}")
    if until and until <= since:
        raise ListFilesError(f"{where}: fin: {until} is not after debut {since}")
    try:
        assert form is not None
        pair = form.parse(CHAMBER, row[:-2])
    except Unreadable as error:
        field = "mep_id" if error.no_member else "collaborateur"
        raise ListFilesError(f"{where}: {field}: cannot be read") from error
    return pair, Day.fromisoformat(since), Day.fromisoformat(until) if until else None
