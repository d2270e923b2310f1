"""Spans of mandates and groups: a source's dates replace earlier spans; without dates, spans grow day by day."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ..movement import words
from ..tracking.members.members_files import GroupRow, MandateRow, MemberRows, Name
from ..tracking.members.spans import SAME_STAY, Span
from .source import ChamberMembers, MemberRecord, Period

Row = TypeVar("Row", MandateRow, GroupRow)
# The first day of a span whose beginning nobody noted.
NOBODY_NOTED = datetime.date.min
ONE_DAY = datetime.timedelta(1)


@dataclass(frozen=True)
class MembersOnDay:
    """The members of a chamber as they were read on a day."""

    chamber: str
    read: ChamberMembers
    day: datetime.date

    @cached_property
    def sitting(self) -> set[str]:
        """The members who sit on the day."""
        everybody = not self.read.dated
        return {
            member.id
            for member in self.read.members
            if everybody or any(period.span.covers(self.day) for period in member.mandates)
        }

    @cached_property
    def of_unknown_group(self) -> set[str]:
        """The members whose group on the day is not known: all of them if the source knows no group."""
        no_groups = not any(member.group or member.groups for member in self.read.members)
        return {
            member.id
            for member in self.read.members
            if no_groups or any(not p.group and p.span.covers(self.day) for p in member.groups)
        }

    @cached_property
    def mandates(self) -> list[MandateRow]:
        """The mandates that the source dates."""
        return [
            self._mandate(member, period.span, period.reason)
            for member in self.read.members
            for period in _without_empty(member.mandates)
        ]

    @cached_property
    def groups(self) -> list[GroupRow]:
        """The groups that the source dates; one without a code says nothing."""
        return [
            self._group(member, period.span)
            for member in self.read.members
            for period in _without_empty(member.groups)
            if period.group
        ]

    def replace_spans(self, rows: MemberRows) -> MemberRows:
        """The rows, with the source's spans in place of those they overlap.

        The days of an earlier span before them stay, unless the source dates the beginning of the same
        span otherwise, or nobody had noted it. The source took a span of its own back if it begins
        after the first one it has of that member, and the source has it no longer: it goes.
        """
        return rows._replace(
            mandates=self._replace_spans(rows.mandates, self.mandates),
            groups=self._replace_spans(rows.groups, self.groups),
        )

    def end_missing(self, rows: MemberRows, last: datetime.date) -> MemberRows:
        """The rows; open spans that the source has no longer end on the `last` day they were seen."""
        mandates, groups = set(self.mandates), set(self.groups)
        unknown = self.sitting & self.of_unknown_group
        return rows._replace(
            mandates=self._end(rows.mandates, mandates.__contains__, last),
            groups=self._end(rows.groups, lambda row: row in groups or row.member in unknown, last),
        )

    def watch(self, rows: MemberRows, last: datetime.date, first: bool) -> MemberRows:
        """The rows after a day of watching: new members begin, members no longer seen end.

        A new member was not there on the `last` day. On the `first` day of watching nobody knows since
        when a member sits who has no earlier row. Whoever is back within SAME_STAY never left, because a
        list that misses members for a day ends nobody.
        """
        seen = {member.id: member for member in self.read.members}
        mandates = self._end(rows.mandates, lambda row: row.member in seen, last)
        back = (
            {} if first else {row.member: row.span.until for row in self._find_just_ended(mandates)}
        )
        mandates = self._reopen(mandates, lambda row: row.member in back)
        mandates = [self._rename(row, seen) for row in mandates]
        groups = self._end(
            rows.groups,
            lambda row: (
                row.member in self.of_unknown_group
                or (row.member in seen and seen[row.member].group == row.span.value)
            ),
            last,
        )
        groups = self._reopen(
            groups,
            lambda row: (
                row.member in back
                and row.span.until == back[row.member]
                and row.span.value == seen[row.member].group
            ),
        )
        mandates += [
            self._mandate(member, Span(self._first_day(member, rows.mandates, first), None))
            for member in self._find_without_row(mandates)
        ]
        groups += [
            self._group(
                member, Span(self._first_day(member, rows.groups, first), None, member.group)
            )
            for member in self._find_without_row(groups)
            if member.group
        ]
        return rows._replace(mandates=mandates, groups=groups)

    def _find_just_ended(self, rows: Iterable[Row]) -> list[Row]:
        """The last row of each member who was read and has no row on the day, if it has just ended."""
        rows = list(rows)
        without = {member.id for member in self._find_without_row(rows)}
        newest: dict[str, tuple[datetime.date, Row]] = {}
        for row in rows:
            if row.chamber == self.chamber and row.member in without and row.span.until:
                until, _ = newest.get(row.member, (NOBODY_NOTED, row))
                if until < row.span.until < self.day:
                    newest[row.member] = row.span.until, row
        return [row for until, row in newest.values() if self.day - until <= SAME_STAY]

    def _reopen(self, rows: Iterable[Row], goes_on: Callable[[Row], bool]) -> list[Row]:
        """The rows; those that have just ended and go on have no end."""
        rows = list(rows)
        again = {row for row in self._find_just_ended(rows) if goes_on(row)}
        return [
            row._replace(span=row.span._replace(until=None)) if row in again else row
            for row in rows
        ]

    def _find_without_row(self, rows: Iterable[Row]) -> list[MemberRecord]:
        """The members who were read and have no row on the day."""
        have = {
            row.member for row in rows if row.chamber == self.chamber and row.span.covers(self.day)
        }
        return [member for member in self.read.members if member.id not in have]

    def _first_day(self, member: MemberRecord, rows: Iterable[Row], first: bool) -> datetime.date:
        """The first day of a span that was not seen before the day."""
        known = any(row.chamber == self.chamber and row.member == member.id for row in rows)
        return NOBODY_NOTED if first and not known else self.day

    def _replace_spans(self, kept: Iterable[Row], shown: Sequence[Row]) -> list[Row]:
        of: dict[str, list[Row]] = defaultdict(list)
        for row in shown:
            of[row.member].append(row)
        rows: list[Row] = list(shown)
        for row in kept:
            rows += self._keep_rest(row, of[row.member] if row.chamber == self.chamber else [])
        return rows

    def _keep_rest(self, row: Row, shown: Sequence[Row]) -> Iterator[Row]:
        """The part of a row that stands beside those that the source shows of the same member."""
        if not shown:
            yield row
            return
        begun = min(other.span.since for other in shown)
        if row.origin == self.read.origin and row.span.since >= begun:
            return
        overlapping = [other.span for other in shown if _overlap(other.span, row.span)]
        if not overlapping:
            yield row
            return
        over = min(overlapping, key=lambda span: span.since)
        if row.span.since < over.since and row.span.since != NOBODY_NOTED:
            redated = over.value == row.span.value and over.since - row.span.since <= SAME_STAY
            if not redated:
                yield row._replace(span=row.span._replace(until=over.since - ONE_DAY))

    def _end(
        self, rows: Iterable[Row], goes_on: Callable[[Row], bool], last: datetime.date
    ) -> list[Row]:
        """The rows; open ones of this chamber that do not go on end on the last day.

        A span that was to begin after that day never began: it goes.
        """
        kept: list[Row] = []
        for row in rows:
            if row.chamber != self.chamber or row.span.until is not None or goes_on(row):
                kept.append(row)
            elif row.span.since <= last:
                row = row._replace(span=row.span._replace(until=last))
                # Nobody said why it ended.
                kept.append(row._replace(reason="") if isinstance(row, MandateRow) else row)
        return kept

    def _rename(self, row: MandateRow, seen: Mapping[str, MemberRecord]) -> MandateRow:
        """A mandate of a member who is seen, under the name of today.

        The same words are the same name: two originals that spell it otherwise change nothing.
        """
        member = seen.get(row.member)
        if member is None or row.chamber != self.chamber or not row.span.covers(self.day):
            return row
        named = self._mandate(member, row.span)
        unchanged = row.name.family and words(*row.name[1:]) == words(member.family, member.given)
        return row._replace(
            name=row.name if unchanged else named.name, civility=named.civility or row.civility
        )

    def _mandate(self, member: MemberRecord, span: Span, reason: str = "") -> MandateRow:
        full = f"{member.given} {member.family}".strip()
        name = Name(full, member.family, member.given)
        named = (self.chamber, member.id, name, member.civility)
        return MandateRow(*named, span, reason, self.read.origin)

    def _group(self, member: MemberRecord, span: Span) -> GroupRow:
        return GroupRow(self.chamber, member.id, span, self.read.origin)


def _without_empty(periods: Iterable[Period]) -> list[Period]:
    """The periods without those that end before they begin."""
    return [p for p in periods if p.until is None or p.since <= p.until]


def _overlap(one: Span, other: Span) -> bool:
    return one.covers(other.since) or other.covers(one.since)
