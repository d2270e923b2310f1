"""The members kept: what a source says of a day, merged into the files of a members folder."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..movement import UNFIT, shown
from ..regular_file import read_bytes, write_whole
from ..tracking.members.known_members import Members
from ..tracking.members.members_files import (
    COLUMNS,
    GROUP_NAMES,
    GROUPS,
    MANDATES,
    WATCHED,
    MemberRows,
    read_rows,
)
from ..tracking.reading.formats import is_member_id
from ..tracking.reading.names import turns
from .member_spans import ONE_DAY, Reading
from .source import MembersRead, OriginalRefused, Period


def merge(folder: Path, chamber: str, read: MembersRead, day: datetime.date) -> bool:
    """Merge the members read on a day into the files of a folder; whether mandates, groups or names changed.

    `vus.csv`, which has the last day of each chamber, is written too, and changes every day. A killed
    run leaves whole files, and the next one goes on. OriginalRefused where the members cannot be
    those of the chamber, MembersError where a file cannot be read: then nothing is written.
    """
    merged = merged_rows(read_rows(folder, begun=True), chamber, read, day)
    # The last day comes last: until it is written, the next run does all of it again.
    written = [_write(folder / name, table) for name, table in _tables(merged)]
    return any(written[:-1])


def in_memory(
    folders: Iterable[Path], chamber: str, read: MembersRead | None, day: datetime.date
) -> Members:
    """The members of some folders and, of a day, those read; nothing is written and nobody's mandate ends.

    Raises OriginalRefused and MembersError as `merge`.
    """
    found = [read_rows(folder) for folder in folders]
    rows = MemberRows(
        [row for rows in found for row in rows.mandates],
        [row for rows in found for row in rows.groups],
        {code: name for rows in found for code, name in rows.group_names.items()},
        group_colours={c: colour for rows in found for c, colour in rows.group_colours.items()},
    )
    if read is not None:
        _examine(chamber, read)
        reading = Reading(chamber, read if read.dated else _of_the_day(read, day), day)
        rows = _with_names(reading.laid_over(rows), chamber, read)
        rows = rows._replace(watched={chamber: day})
    return Members.of(rows)


def merged_rows(
    rows: MemberRows, chamber: str, read: MembersRead, day: datetime.date
) -> MemberRows:
    """The rows with the members read on a day; as they were where that day was watched already.

    What a source dates replaces what it overlaps, and the same day may say more. Where it has no
    dates, spans begin and end as members are seen. Raises OriginalRefused.
    """
    _examine(chamber, read)
    watched = rows.watched.get(chamber)
    if watched is not None and day < watched:
        raise OriginalRefused(
            f"members of {chamber} were watched until {watched}, after {day}: a clock was wrong;"
            f" if it was that of {WATCHED}, take its line of {chamber} out"
        )
    if day == watched and not read.dated:
        return rows
    last = watched or _newest(rows, chamber, day)
    reading = Reading(chamber, read, day)
    _examine_number(rows, reading, last)
    if read.dated:
        merged = reading.ended(reading.laid_over(rows), last)
    else:
        merged = reading.grown(rows, last, first=watched is None)
    return _with_names(merged, chamber, read)._replace(watched={**rows.watched, chamber: day})


def _of_the_day(read: MembersRead, day: datetime.date) -> MembersRead:
    """Members without dates as of one day."""
    members = [
        member._replace(
            mandates=[Period(day, day)],
            groups=[Period(day, day, member.group)] if member.group else (),
        )
        for member in read.members
    ]
    return read._replace(members=members, dated=True)


def _with_names(rows: MemberRows, chamber: str, read: MembersRead) -> MemberRows:
    names = {(chamber, code): " ".join(name.split()) for code, name in read.group_names.items()}
    colours = {(chamber, code): colour for code, colour in read.group_colours.items()}
    return rows._replace(
        group_names={**rows.group_names, **names},
        group_colours={**rows.group_colours, **colours},
    )


def _newest(rows: MemberRows, chamber: str, day: datetime.date) -> datetime.date:
    """The newest day before `day` that rows of a chamber have: so far, open ones are known to go on."""
    spans = [row.span for row in rows.mandates if row.chamber == chamber]
    spans += [row.span for row in rows.groups if row.chamber == chamber]
    days = [one for span in spans for one in (span.since, span.until) if one and one < day]
    return max(days, default=day - ONE_DAY)


def _examine(chamber: str, read: MembersRead) -> None:
    """Raises OriginalRefused for members who cannot be those of the chamber."""
    seen = set()
    for member in read.members:
        who = f"member {shown(member.id)}"
        if not is_member_id(chamber, member.id):
            raise OriginalRefused(f"{who}: not an identifier of {chamber}")
        if member.id in seen:
            raise OriginalRefused(f"{who}: twice among the members of {chamber}")
        if not member.family.strip():
            raise OriginalRefused(f"{who}: no family name")
        seen.add(member.id)
        periods = [text for p in (*member.mandates, *member.groups) for text in (p.group, p.reason)]
        _examine_text(who, *member[1:5], *periods)
    for code, name in read.group_names.items():
        _examine_text(f"group {shown(code)}", code, name)


def _examine_text(where: str, *texts: str) -> None:
    for text in texts:
        if UNFIT.search(text):
            raise OriginalRefused(f"{where}: {shown(text)} holds a control character")
        if turns(text):
            raise OriginalRefused(f"{where}: {shown(text)} holds a mark of direction")


def _examine_number(rows: MemberRows, reading: Reading, last: datetime.date) -> None:
    """Raises OriginalRefused where too few sit: a source that lost members must not end mandates."""
    known = {
        row.member
        for row in rows.mandates
        if row.chamber == reading.chamber and row.span.covers(last)
    }
    sitting = len(reading.sitting)
    if not sitting or sitting * 2 < len(known):
        raise OriginalRefused(
            f"{sitting} members of {reading.chamber} sit on {reading.day}, fewer than half of the"
            f" {len(known)} of {last}"
        )


def _tables(rows: MemberRows) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The files of rows, the one that says how far they go last."""
    colours = rows.group_colours
    yield (
        GROUP_NAMES,
        [(*key, name, colours.get(key, "")) for key, name in rows.group_names.items()],
    )
    yield (
        MANDATES,
        [
            (
                *(row.chamber, row.member, *row.name, row.civility),
                *(_text(row.span.since), _text(row.span.until), row.reason, row.origin),
            )
            for row in rows.mandates
        ],
    )
    yield (
        GROUPS,
        [
            (
                *(row.chamber, row.member, row.span.value),
                *(_text(row.span.since), _text(row.span.until), row.origin),
            )
            for row in rows.groups
        ],
    )
    yield WATCHED, [(chamber, day.isoformat()) for chamber, day in rows.watched.items()]


def _text(day: datetime.date | None) -> str:
    """A day as files have it: "" for the first of a span that nobody noted, and the last of an open one."""
    return day.isoformat() if day and day != datetime.date.min else ""


def _write(path: Path, table: list[tuple[str, ...]]) -> bool:
    """Write a table, sorted, where it is not what the file has; whether it was written."""
    columns = COLUMNS[path.name]
    # A member's rows are in the order of time, whatever stands between name and first day.
    begins = next((columns.index(name) for name in ("debut", "depuis") if name in columns), 1)
    rows = sorted({(*row[:2], row[begins], *row) for row in table})
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(row[3:] for row in rows)
    body = file.getvalue().encode()
    if path.exists() and read_bytes(path) == body:
        return False
    write_whole(path, body)
    return True
