"""Walk folders and git repositories of lists, and the European Parliament's file of intervals, in order."""

from __future__ import annotations

import functools
import heapq
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from ...bounds import INTERVAL_ROWS, LIST_BYTES
from ...csv_rows import read_rows
from ...movement import CHAMBERS, DAY, is_day
from ...regular_file import FilesError, read_bytes
from .formats import INTERVAL_COLUMNS, PARLTRACK, Pair, Unreadable, recognise
from .git_history import walk as walk_git
from .lists import List, ListFile, ListRefused, Pairs, Walk, parse_path, within

# The European Parliament's interval file: who worked for whom from when to when, as a list a day.
INTERVALS_FILE, INTERVALS_OF = "intervalles.csv", "europarl"
# A pair, its first day, and the first day without it, if there is one.
Interval = tuple[Pair, date, date | None]


def walk(
    lists: Iterable[Path],
    repositories: Iterable[Path] = (),
    kind: str = "archives",
    history: str = "archives",
) -> Walk:
    """All lists of folders and git repositories, by chamber and in order.

    `kind` is that of the lists of folders, `history` that of repositories (see `ListFile`). Raises
    FilesError for one that cannot be used, or holds no list.
    """
    walks = [_folder(path, kind) for path in lists]
    walks += [walk_git(repository, history) for repository in repositories]
    return Walk(
        heapq.merge(*(files for files, _ in walks), key=_order),
        [path for _, ignored in walks for path in ignored],
    )


def _order(file: ListFile) -> tuple[str, object]:
    return file.chamber, file.moment


def _folder(folder: Path, kind: str) -> Walk:
    if not folder.is_dir():
        raise FilesError(f"{folder}: not a folder")
    files: list[ListFile] = []
    ignored = [str(path) for path in sorted(folder.iterdir()) if path.name not in CHAMBERS]
    for chamber in CHAMBERS:
        place = folder / chamber
        if place.is_symlink():
            raise FilesError(f"{place}: a link, not a folder")
        if place.exists() and not place.is_dir():
            raise FilesError(f"{place}: not a folder")
        for path in sorted(place.glob("*")):
            where = parse_path(f"{chamber}/{path.name}")
            if where is not None:
                content = functools.partial(read_bytes, path, follow=False, most=LIST_BYTES + 1)
                files.append(ListFile(*where, str(path), content, kind))
            elif chamber == INTERVALS_OF and path.name == INTERVALS_FILE:
                files += walk_intervals(path, kind)
            else:
                ignored.append(str(path))
    if not files:
        raise FilesError(f"{folder}: no list in it; they are CHAMBRE/DATE[Thhmm].csv[.gz]")
    return Walk(iter(sorted(files, key=_order)), ignored)


def walk_intervals(path: Path, kind: str = "archives") -> list[ListFile]:
    """A list for every day on which an interval begins or ends; FilesError names line and field."""
    try:
        data = read_bytes(path, follow=False, most=LIST_BYTES + 1)
        within(LIST_BYTES, len(data))
        within(INTERVAL_ROWS, data.count(b"\n"))
        rows = read_rows(str(path), data.decode("utf-8-sig"), INTERVAL_COLUMNS)
        intervals = [_interval(list(row.values()), where) for where, row in rows]
    except (OSError, ListRefused) as error:
        raise FilesError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FilesError(f"{path}: line {line}: not UTF-8") from error
    # Of two intervals of one pair that overlap, the one that began last counts.
    intervals.sort(key=lambda interval: interval[1])
    days = {day for _, *ends in intervals for day in ends if day}
    return [
        ListFile(
            chamber=INTERVALS_OF,
            date=day,
            time="",
            origin=f"{path}: {day}",
            data=functools.partial(_list, intervals, day),
            kind=kind,
        )
        for day in sorted(days)
    ]


def _list(intervals: Iterable[Interval], day: date) -> List:
    pairs: Pairs = {
        pair.key: pair
        for pair, since, until in intervals
        if since <= day and (until is None or day < until)
    }
    pairs = dict(sorted(pairs.items()))
    return List(INTERVALS_OF, day, pairs, rows=len(pairs), source=PARLTRACK, rebuilt=True)


def _interval(row: list[str], where: str) -> Interval:
    form = recognise(INTERVAL_COLUMNS[:-2])
    assert form is not None
    since, until = row[-2:]
    for field, value in (("debut", since), ("fin", until)):
        if not is_day(value) and (value or field == "debut"):
            raise FilesError(f"{where}: {field}: {value[:80]!r} is not {DAY}")
    if until and until <= since:
        raise FilesError(f"{where}: fin: {until} is not after debut {since}")
    try:
        pair = form.parse(INTERVALS_OF, row[:-2])
    except Unreadable as error:
        field = "mep_id" if error.no_member else "collaborateur"
        raise FilesError(f"{where}: {field}: cannot be read") from error
    return pair, date.fromisoformat(since), date.fromisoformat(until) if until else None
