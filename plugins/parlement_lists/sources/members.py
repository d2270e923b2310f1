"""The files of members: what a source says of a day is merged into them."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..movement import shown
from ..regular_file import read_bytes, write_whole
from ..tracking.members.known_members import Members
from ..tracking.members.members_files import (
    COLUMNS,
    GROUP_NAMES,
    GROUPS,
    MANDATES,
    PUBLIC_PAGES,
    WATCHED,
    MemberRows,
    is_hatvp,
    read_rows,
)
from ..tracking.members.spans import Span
from ..tracking.reading.formats import is_member_id
from .kept_list import find_fault
from .member_spans import NOBODY_NOTED, ONE_DAY, MembersOnDay
from .source import ChamberMembers, OriginalRefused, Period


def merge(folder: Path, chamber: str, read: ChamberMembers, day: datetime.date) -> bool:
    """Merge the members read on a day into the files of a folder; True if mandates, groups or names changed.

    `vus.csv`, which has the last day of each chamber, changes every day. A killed run leaves whole
    files, and the next run completes them. Raises OriginalRefused if the members cannot be those of
    the chamber, MembersError if a file cannot be read: then nothing is written.
    """
    merged = merge_rows(read_rows(folder, begun=True), chamber, read, day)
    return write_rows(folder, merged)


def write_rows(folder: Path, rows: MemberRows) -> bool:
    """Write the files of a folder; True if mandates, groups or names changed."""
    # `vus.csv` comes last: until it is written, the next run merges everything again.
    written = [_write(folder / name, table) for name, table in _tables(rows)]
    return any(written[:-1])


def combine(
    folders: Iterable[Path], chamber: str, read: ChamberMembers | None, day: datetime.date
) -> Members:
    """The members of some folders with those read on a day; no file is written, and no mandate ends.

    Raises OriginalRefused and MembersError as `merge`.
    """
    all_rows = [read_rows(folder) for folder in folders]
    rows = MemberRows(
        [row for rows in all_rows for row in rows.mandates],
        [row for rows in all_rows for row in rows.groups],
        {code: name for rows in all_rows for code, name in rows.group_names.items()},
        group_colours={c: colour for rows in all_rows for c, colour in rows.group_colours.items()},
        pages={member: page for rows in all_rows for member, page in rows.pages.items()},
    )
    if read is not None:
        _examine(chamber, read)
        reading = MembersOnDay(chamber, read if read.dated else _date(read, day), day)
        rows = _add_names(reading.replace_spans(rows), chamber, read)
        rows = rows._replace(watched={chamber: day})
    return Members.of(rows)


def merge_rows(
    rows: MemberRows, chamber: str, read: ChamberMembers, day: datetime.date
) -> MemberRows:
    """The rows with the members read on a day.

    A source's dates replace the spans that they overlap, also on the same day again. Without dates,
    spans begin and end as members are seen, once a day. Raises OriginalRefused.
    """
    _examine(chamber, read)
    watched = rows.watched.get(chamber)
    if watched is not None and day < watched:
        raise OriginalRefused(
            f"a clock was wrong: members of {chamber} were watched until {watched}, after {day}. If {day}"
            f" is right, take the line of {chamber} out of {WATCHED}"
        )
    if day == watched and not read.dated:
        return rows
    last = watched or _find_newest_day(rows, chamber, day)
    reading = MembersOnDay(chamber, read, day)
    _examine_number(rows, reading, last)
    if read.dated:
        merged = reading.end_missing(reading.replace_spans(rows), last)
    else:
        merged = reading.watch(rows, last, first=watched is None)
    return _add_names(merged, chamber, read)._replace(watched={**rows.watched, chamber: day})


def _date(read: ChamberMembers, day: datetime.date) -> ChamberMembers:
    """Members without dates, with spans of one day."""
    members = [
        member._replace(
            mandates=[Period(day, day)],
            groups=[Period(day, day, member.group)] if member.group else (),
        )
        for member in read.members
    ]
    return read._replace(members=members, dated=True)


def _add_names(rows: MemberRows, chamber: str, read: ChamberMembers) -> MemberRows:
    names = {(chamber, code): " ".join(name.split()) for code, name in read.group_names.items()}
    colours = {(chamber, code): colour for code, colour in read.group_colours.items()}
    pages = {(chamber, member.id): member.hatvp for member in read.members if member.hatvp}
    # A source that tells pages withdraws those that it leaves out; one that tells none says nothing.
    withdrawn = {(chamber, member.id) for member in read.members} if pages else set()
    kept = {member: page for member, page in rows.pages.items() if member not in withdrawn}
    return rows._replace(
        group_names={**rows.group_names, **names},
        group_colours={**rows.group_colours, **colours},
        pages={**kept, **pages},
    )


def _find_newest_day(rows: MemberRows, chamber: str, day: datetime.date) -> datetime.date:
    """The newest day before `day` in a chamber's rows: until then open spans are known to go on."""
    spans = [row.span for row in rows.mandates if row.chamber == chamber]
    spans += [row.span for row in rows.groups if row.chamber == chamber]
    days = [one for span in spans for one in (span.since, span.until) if one and one < day]
    return max(days, default=day - ONE_DAY)


def _examine(chamber: str, read: ChamberMembers) -> None:
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
        if member.hatvp and not is_hatvp(member.hatvp):
            raise OriginalRefused(f"{who}: {shown(member.hatvp)} is no address at the HATVP")
        seen.add(member.id)
        periods = [text for p in (*member.mandates, *member.groups) for text in (p.group, p.reason)]
        _examine_texts(who, *member[1:5], *periods)
    for code, name in read.group_names.items():
        _examine_texts(f"group {shown(code)}", code, name)


def _examine_texts(where: str, *texts: str) -> None:
    for text in texts:
        if fault := find_fault(text):
            raise OriginalRefused(f"{where}: {shown(text)} holds {fault}")


def _examine_number(rows: MemberRows, reading: MembersOnDay, last: datetime.date) -> None:
    """Raises OriginalRefused if too few sit: a source that lost members must not end mandates."""
    sat = {
        row.member
        for row in rows.mandates
        if row.chamber == reading.chamber and row.span.covers(last)
    }
    if not sat and reading.chamber in rows.watched:
        raise OriginalRefused(
            f"nobody of {reading.chamber} sits in {MANDATES} on {last}, a day on which members were read:"
            f" put a copy of it in its place, or take the line of {reading.chamber} out of {WATCHED}"
        )
    sitting = len(reading.sitting)
    if not sitting or sitting * 2 < len(sat):
        raise OriginalRefused(
            f"{sitting} members of {reading.chamber} sit on {reading.day}, fewer than half of the"
            f" {len(sat)} of {last}"
        )


def _tables(rows: MemberRows) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The rows of each file; WATCHED, the last day of each chamber, comes last."""
    names, colours = rows.group_names, rows.group_colours
    yield GROUP_NAMES, [(*key, name, colours.get(key, "")) for key, name in names.items()]
    yield (
        MANDATES,
        [
            (m.chamber, m.member, *m.name, m.civility, *_days(m.span), m.reason, m.origin)
            for m in rows.mandates
        ],
    )
    yield (
        GROUPS,
        [(g.chamber, g.member, g.span.value, *_days(g.span), g.origin) for g in rows.groups],
    )
    if rows.pages:
        yield PUBLIC_PAGES, [(*member, page) for member, page in rows.pages.items()]
    yield WATCHED, [(chamber, day.isoformat()) for chamber, day in rows.watched.items()]


def _days(span: Span) -> tuple[str, str]:
    """A span's days as files have them; "" for a first day that nobody noted, and for an open end."""
    since = "" if span.since == NOBODY_NOTED else span.since.isoformat()
    return since, span.until.isoformat() if span.until else ""


def _write(path: Path, table: list[tuple[str, ...]]) -> bool:
    """Write a table, sorted; False if the file has it already."""
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
