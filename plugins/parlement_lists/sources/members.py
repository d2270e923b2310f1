"""The files of members: what a source says of a day is merged into them.

A source with dates replaces what it overlaps; members of one without dates are told by first and last seen.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from ..movement import words
from ..regular_file import write_whole
from ..tracking.members.known_members import Members
from ..tracking.members.members_files import (
    COLUMNS,
    GROUP_NAMES,
    GROUPS,
    MANDATES,
    PUBLIC_PAGES,
    GroupRow,
    MandateRow,
    MemberRows,
    Name,
    read_rows,
)
from ..tracking.members.spans import SAME_STAY, Span
from .originals import ChamberMembers, MemberRecord, OriginalRefused, Period

Row = TypeVar("Row", MandateRow, GroupRow)
# The first day of a span whose beginning nobody noted.
NOBODY_NOTED = datetime.date.min
ONE_DAY = datetime.timedelta(1)


def merge(
    folder: Path,
    chamber: str,
    read: ChamberMembers,
    day: datetime.date,
    last: datetime.date | None = None,
) -> None:
    """Merge the members read on a day into the files of a folder.

    `last` is the last day before on which the chamber's members were read, None where none was. A killed run
    leaves whole files, and the next one completes them. Raises OriginalRefused as `merge_rows`, MembersError
    if a file cannot be read: then nothing is written.
    """
    rows = merge_rows(read_rows(folder, begun=True), chamber, read, day, last)
    for name, table in _tables(rows):
        _write(folder / name, table)


def combine(
    folders: Iterable[Path], chamber: str, read: ChamberMembers | None, day: datetime.date
) -> Members:
    """The members of some folders with those read on a day; no file is written, and no mandate ends.

    Raises MembersError as `merge`.
    """
    rows = MemberRows()
    for other in map(read_rows, folders):
        rows = MemberRows(
            [*rows.mandates, *other.mandates],
            [*rows.groups, *other.groups],
            *({**mine, **its} for mine, its in zip(rows[2:], other[2:], strict=True)),
        )
    if read is None:
        return Members(rows)
    members = [
        member
        if member.mandates
        else member._replace(
            mandates=[Period(day, day)],
            groups=[Period(day, day, member.group)] if member.group else (),
        )
        for member in read.members
    ]
    read = read._replace(members=members, dated=True)
    return Members(_replace(rows, chamber, read), {chamber: day})


def merge_rows(
    rows: MemberRows,
    chamber: str,
    read: ChamberMembers,
    day: datetime.date,
    last: datetime.date | None = None,
) -> MemberRows:
    """The rows with the members read on a day, also on the same day again.

    What is open in the rows and read no longer ended on the `last` day. Raises OriginalRefused for a day before
    it, and where fewer than half of those who sat do.
    """
    if last is not None and day < last:
        raise OriginalRefused(
            f"a clock was wrong: members of {chamber} were read until {last}, after {day}:"
            " take that day out of journal.csv"
        )
    # Else open spans are known to go on until the newest day before in the rows.
    spans = [row.span for row in rows.mandates if row.chamber == chamber]
    spans += [row.span for row in rows.groups if row.chamber == chamber]
    days = (each for span in spans for each in (span.since, span.until))
    newest = last or max((each for each in days if each and each < day), default=day)
    until = min(newest, day - ONE_DAY)
    if not read.dated:
        read = _seen(rows, chamber, read, day)
    # Of whom the source has no dates, what is known goes on.
    sitting = {
        m.id for m in read.members if not m.mandates or any(p.span.covers(day) for p in m.mandates)
    }
    sat = {r.member for r in rows.mandates if r.chamber == chamber and r.span.covers(until)}
    if not sitting or len(sitting) * 2 < len(sat):
        raise OriginalRefused(
            f"{len(sitting)} members of {chamber} sit on {day}, fewer than half of the {len(sat)} of {until}"
        )
    # A source that tells no group at all says nothing about groups, nor one that knows no code of a member's.
    grouped = {(m.id, p.group) for m in read.members for p in m.groups if p.span.covers(day)}
    no_group = not any(code for _, code in grouped)
    silent = {m.id for m in read.members if no_group or not m.mandates or (m.id, "") in grouped}

    def ended(row: MandateRow | GroupRow) -> bool:
        if isinstance(row, MandateRow) or row.member in sitting & silent:
            return row.member not in sitting
        return (row.member, row.span.value) not in grouped

    return _replace(rows, chamber, read, ended, until)


def _seen(
    rows: MemberRows, chamber: str, read: ChamberMembers, day: datetime.date
) -> ChamberMembers:
    """Members without dates, with what is open of them, or has just ended, else with spans from a day on.

    Who is missing for SAME_STAY never left: a list that misses members for a day ends nobody. Since when a
    member sits who has no row at all, nobody knows on the first day of watching.
    """
    first = not any(r.origin == read.origin for r in rows.mandates if r.chamber == chamber)
    members = []
    for member in read.members:
        key = chamber, member.id
        mandates = [row for row in rows.mandates if row[:2] == key]
        groups = [row for row in rows.groups if row[:2] == key]
        ends = [row.span.until for row in mandates if row.origin == read.origin]
        recent = [until for until in ends if until and day - until <= SAME_STAY]
        just_ended = max(recent) if recent and None not in ends else None

        def goes_on(
            kept: Sequence[Row], code: str, just_ended: datetime.date | None = just_ended
        ) -> Period:
            begun = [
                row.span.since
                for row in kept
                if row.span.value == code and row.span.until in (None, just_ended)
            ]
            since = max(begun, default=NOBODY_NOTED if first and not kept else day)
            return Period(since, None, code)

        in_group = [goes_on(groups, member.group)] if member.group else ()
        members.append(member._replace(mandates=[goes_on(mandates, "")], groups=in_group))
    return read._replace(members=members)


def _replace(
    rows: MemberRows,
    chamber: str,
    read: ChamberMembers,
    ended: Callable[[MandateRow | GroupRow], bool] = lambda row: False,
    last: datetime.date | None = None,
) -> MemberRows:
    """The rows with the spans that the source tells in place of those they overlap, and its names.

    Of the others those that are open and `ended` did on the `last` day, or never began.
    """
    written = {row.member: row for row in rows.mandates if row.chamber == chamber}
    # What goes on is as who noted it first has it.
    noted = {(row[:2], row.span): row for row in (() if read.dated else rows.mandates)}
    origins = {(row[:2], row.span): row.origin for row in (() if read.dated else rows.groups)}
    mandates: list[MandateRow] = []
    groups: list[GroupRow] = []
    for member in read.members:
        key, known = (chamber, member.id), written.get(member.id)
        civility = member.civility or (known.civility if known else "")
        for period in member.mandates:
            row = MandateRow(
                *key, _name(member, known), civility, period.span, period.reason, read.origin
            )
            first = noted.get((key, period.span), row)
            mandates.append(row._replace(reason=first.reason, origin=first.origin))
        for period in member.groups:
            if period.group:
                origin = origins.get((key, period.span), read.origin)
                groups.append(GroupRow(*key, period.span, origin))

    def others(kept: Iterable[Row], told: Sequence[Row]) -> Iterator[Row]:
        """The rows, or the days of them, that stand beside those that the source tells of the same members.

        The days of a row before them stay, unless it is the same span now dated within SAME_STAY, or nobody
        had noted its beginning. A later row of the source's own is one that it has no longer.
        """
        spans: dict[tuple[str, str], list[Span]] = defaultdict(list)
        for row in told:
            spans[row[:2]].append(row.span)

        def end(row: Row) -> Row:
            told = row.chamber != chamber or row.span in spans[row[:2]]
            if told or row.span.until is not None or not ended(row):
                return row
            row = row._replace(span=row.span._replace(until=last))
            # Nobody said why it ended.
            return row._replace(reason="") if isinstance(row, MandateRow) else row

        for row in kept:
            # What a source dates anew ends where it says; of one without dates the last day is known.
            row = row if read.dated else end(row)
            of, since = spans[row[:2]], row.span.since
            if of and row.origin == read.origin and since >= min(span.since for span in of):
                continue
            over = [span for span in of if span.covers(since) or row.span.covers(span.since)]
            if over:
                begun = min(over, key=lambda span: span.since)
                redated = begun.value == row.span.value and begun.since - since <= SAME_STAY
                if since == NOBODY_NOTED or since >= begun.since or redated:
                    continue
                row = row._replace(span=row.span._replace(until=begun.since - ONE_DAY))
            row = end(row)
            if row.span.until is None or since <= row.span.until:
                yield row

    # A source that tells pages withdraws those that it leaves out; one that tells none says nothing.
    pages = {(chamber, member.id): member.hatvp for member in read.members if member.hatvp}
    withdrawn = {(chamber, member.id) for member in read.members} if pages else set()
    kept = {member: page for member, page in rows.pages.items() if member not in withdrawn}
    names = {(chamber, code): " ".join(name.split()) for code, name in read.group_names.items()}
    colours = {(chamber, code): colour for code, colour in read.group_colours.items()}
    return MemberRows(
        [*mandates, *others(rows.mandates, mandates)],
        [*groups, *others(rows.groups, groups)],
        {**rows.group_names, **names},
        {**rows.group_colours, **colours},
        {**kept, **pages},
    )


def _name(member: MemberRecord, known: MandateRow | None) -> Name:
    """The name as first written, where the source's has the same words: another spelling changes nothing."""
    name = known.name if known else None
    if name and name.family and words(*name[1:]) == words(member.family, member.given):
        return name
    return Name(f"{member.given} {member.family}".strip(), member.family, member.given)


def _tables(rows: MemberRows) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """The rows of each file."""
    names, colours = rows.group_names, rows.group_colours
    yield GROUP_NAMES, [(*key, name, colours.get(key, "")) for key, name in names.items()]
    yield GROUPS, [(*g[:2], g.span.value, *_days(g.span), g.origin) for g in rows.groups]
    if rows.pages:
        yield PUBLIC_PAGES, [(*member, page) for member, page in rows.pages.items()]
    # The last one: until it is written, a first day of watching is one still.
    yield (
        MANDATES,
        [(*m[:2], *m.name, m.civility, *_days(m.span), m.reason, m.origin) for m in rows.mandates],
    )


def _days(span: Span) -> tuple[str, str]:
    """A span's days as files have them; "" for a first day that nobody noted, and for an open end."""
    since = "" if span.since == NOBODY_NOTED else span.since.isoformat()
    return since, span.until.isoformat() if span.until else ""


def _write(path: Path, table: list[tuple[str, ...]]) -> None:
    """Write a table, sorted."""
    columns = COLUMNS[path.name]
    # A member's rows are in the order of time, whatever stands between name and first day.
    begins = next((columns.index(name) for name in ("debut", "depuis") if name in columns), 1)
    rows = sorted({(*row[:2], row[begins], *row) for row in table})
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(row[3:] for row in rows)
    write_whole(path, file.getvalue().encode())
