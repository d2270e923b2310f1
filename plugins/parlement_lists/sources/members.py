"""The files of members: what a source says of a day is merged into them.

A source with dates replaces what it overlaps; members of one without dates are told by first and last seen.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from ..csv_rows import to_csv
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
    read_rows,
)
from ..tracking.members.spans import SAME_STAY, Span
from .originals import ChamberMembers, MemberRecord, OriginalRefused

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
    leaves whole files, and the next one completes them. Raises OriginalRefused as `merge_rows`, FilesError
    if a file cannot be read: then nothing is written.
    """
    rows = merge_rows(read_rows(folder, begun=True), chamber, read, day, last)
    names, colours = rows.group_names, rows.group_colours
    for name, table in (
        (GROUP_NAMES, sorted((*key, name, colours.get(key, "")) for key, name in names.items())),
        (GROUPS, sorted(set(rows.groups), key=lambda row: (row[:2], row.depuis, row))),
        (PUBLIC_PAGES, sorted((*member, page) for member, page in rows.pages.items())),
        # The last one: until it is written, a first day of watching is one still.
        (MANDATES, sorted(set(rows.mandates), key=lambda row: (row[:2], row.debut, row))),
    ):
        if table or name != PUBLIC_PAGES:
            write_whole(folder / name, to_csv(COLUMNS[name], table))


def combine(
    folder: Path | None, chamber: str, read: ChamberMembers | None, day: datetime.date
) -> Members:
    """The members of a folder with those read on a day; no file is written, and no mandate ends.

    Raises FilesError as `merge`.
    """
    rows = read_rows(folder) if folder else MemberRows()
    if read is None:
        return Members(rows)
    members = [
        member
        if member.mandates
        else member._replace(mandates=[Span(day, day)], groups=[Span(day, day, member.group)])
        for member in (*read.members, *read.others)
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
    kept: list[MandateRow | GroupRow] = [*rows.mandates, *rows.groups]
    spans = [row.span for row in kept if row.chambre == chamber]
    days = (each for span in spans for each in (span.since, span.until))
    newest = last or max((each for each in days if each and each < day), default=day)
    until = min(newest, day - ONE_DAY)
    if not read.dated:
        read = _seen(rows, chamber, read, day)
    # Of whom the source has no dates, what is known goes on.
    sitting = {
        m.id for m in read.members if not m.mandates or any(span.covers(day) for span in m.mandates)
    }
    sat = {r.elu_id for r in rows.mandates if r.chambre == chamber and r.span.covers(until)}
    if not sitting or len(sitting) * 2 < len(sat):
        raise OriginalRefused(
            f"{len(sitting)} members of {chamber} sit on {day}, fewer than half of the {len(sat)} of {until}"
        )
    # A source that tells no group at all says nothing about groups, nor one that knows no code of a member's.
    grouped = {(m.id, s.value) for m in read.members for s in m.groups if s.covers(day)}
    no_group = not any(code for _, code in grouped)
    silent = {m.id for m in read.members if no_group or not m.mandates or (m.id, "") in grouped}

    def ended(row: MandateRow | GroupRow) -> bool:
        if isinstance(row, MandateRow) or row.elu_id in sitting & silent:
            return row.elu_id not in sitting
        return (row.elu_id, row.groupe) not in grouped

    return _replace(rows, chamber, read, ended, until)


def _seen(
    rows: MemberRows, chamber: str, read: ChamberMembers, day: datetime.date
) -> ChamberMembers:
    """Members without dates, with what is open of them, or has just ended, else with spans from a day on.

    Who is missing for SAME_STAY never left: a list that misses members for a day ends nobody. Since when a
    member sits who has no row at all, nobody knows on the first day of watching.
    """
    first = not any(r.origine == read.origin for r in rows.mandates if r.chambre == chamber)
    members = []
    for member in read.members:
        key = chamber, member.id
        mandates = [row for row in rows.mandates if row[:2] == key]
        groups = [row for row in rows.groups if row[:2] == key]
        ends = [row.span.until for row in mandates if row.origine == read.origin]
        recent = [until for until in ends if until and day - until <= SAME_STAY]
        just_ended = max(recent) if recent and None not in ends else None

        def goes_on(
            kept: Sequence[Row], code: str, just_ended: datetime.date | None = just_ended
        ) -> Span:
            begun = [
                row.span.since
                for row in kept
                if row.span.value == code and row.span.until in (None, just_ended)
            ]
            since = max(begun, default=NOBODY_NOTED if first and not kept else day)
            return Span(since, None, code)

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
    written = {row.elu_id: row for row in rows.mandates if row.chambre == chamber}
    # What goes on is as who noted it first has it.
    noted = {} if read.dated else {(*row[:2], *row[6:8]): row[8:] for row in rows.mandates}
    origins = {} if read.dated else {row[:5]: row.origine for row in rows.groups}
    mandates: list[MandateRow] = []
    groups: list[GroupRow] = []
    for member in read.members:
        key, known = (chamber, member.id), written.get(member.id)
        civility = member.civility or (known.civilite if known else "")
        name = _name(member, known)
        for span in member.mandates:
            days = _days(span)
            end = noted.get((*key, *days), (span.value, read.origin))
            mandates.append(MandateRow(*key, *name, civility, *days, *end))
        for span in member.groups:
            group = (*key, span.value, *_days(span))
            if span.value:
                groups.append(GroupRow(*group, origins.get(group, read.origin)))

    def others(kept: Iterable[Row], told: Sequence[Row]) -> Iterator[Row]:
        """The rows, or the days of them, that stand beside those that the source tells of the same members.

        The days of a row before them stay, unless it is the same span now dated within SAME_STAY, or nobody
        had noted its beginning. A later row of the source's own is one that it has no longer.
        """
        spans: dict[tuple[str, str], list[Span]] = defaultdict(list)
        for row in told:
            spans[row[:2]].append(row.span)

        def end(row: Row) -> Row:
            return row.ended(last) if last and row.span.until is None and ended(row) else row

        for row in kept:
            if row.chambre != chamber:
                yield row
                continue
            # What a source dates anew ends where it says; of one without dates the last day is known.
            row = row if read.dated else end(row)
            of, since = spans[row[:2]], row.span.since
            if of and row.origine == read.origin and since >= min(span.since for span in of):
                continue
            over = [span for span in of if span.covers(since) or row.span.covers(span.since)]
            if over:
                begun = min(over, key=lambda span: span.since)
                redated = begun.value == row.span.value and begun.since - since <= SAME_STAY
                if since == NOBODY_NOTED or since >= begun.since or redated:
                    continue
                row = row.ended(begun.since - ONE_DAY)
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


def _name(member: MemberRecord, row: MandateRow | None) -> tuple[str, str, str]:
    """The name as first written, where the source's has the same words: another spelling changes nothing."""
    if row and row.nom and words(*row[3:5]) == words(member.family, member.given):
        return row[2:5]
    return f"{member.given} {member.family}".strip(), member.family, member.given


def _days(span: Span) -> tuple[str, str]:
    """A span's days as files have them; "" for a first day that nobody noted, and for an open end."""
    since = "" if span.since == NOBODY_NOTED else span.since.isoformat()
    return since, span.until.isoformat() if span.until else ""
