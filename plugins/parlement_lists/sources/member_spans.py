"""Spans of mandates and groups: those that a source says, laid over those kept, or grown by watching."""

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
from .source import MemberRead, MembersRead, Period

Row = TypeVar("Row", MandateRow, GroupRow)
NOBODY_NOTED = datetime.date.min
ONE_DAY = datetime.timedelta(1)


@dataclass(frozen=True)
class Reading:
    """The members of a chamber as they were read on a day."""

    chamber: str
    read: MembersRead
    day: datetime.date

    @cached_property
    def sitting(self) -> set[str]:
        """Who sits on the day."""
        everybody = not self.read.dated
        return {
            member.id
            for member in self.read.members
            if everybody or any(_span(period).covers(self.day) for period in member.mandates)
        }

    @cached_property
    def of_unknown_group(self) -> set[str]:
        """Those of whose group on the day nothing is said: all, where the source knows no group at all."""
        if not any(member.group or member.groups for member in self.read.members):
            return {member.id for member in self.read.members}
        return {
            member.id
            for member in self.read.members
            if any(not p.group and _span(p).covers(self.day) for p in member.groups)
        }

    @cached_property
    def mandates(self) -> list[MandateRow]:
        """The mandates that the source dates."""
        return [
            self._mandate(member, _span(period), period.reason)
            for member in self.read.members
            for period in _real(member.mandates)
        ]

    @cached_property
    def groups(self) -> list[GroupRow]:
        """The groups that the source dates; one without a code says nothing."""
        return [
            self._group(member, _span(period))
            for member in self.read.members
            for period in _real(member.groups)
            if period.group
        ]

    def laid_over(self, rows: MemberRows) -> MemberRows:
        """The rows with the spans that the source dates in the place of what they overlap.

        Of a span kept, the days before them stay, unless the source dates the beginning of the same
        otherwise, or nobody had noted it. A span of this source that begins after the first one it
        has of that member, and that it has no longer, was taken back.
        """
        return rows._replace(
            mandates=self._laid_over(rows.mandates, self.mandates),
            groups=self._laid_over(rows.groups, self.groups),
        )

    def ended(self, rows: MemberRows, last: datetime.date) -> MemberRows:
        """The rows with an end, the `last` day they were seen, where the source has them no longer."""
        mandates, groups = set(self.mandates), set(self.groups)
        unknown = self.sitting & self.of_unknown_group
        return rows._replace(
            mandates=self._ended(rows.mandates, mandates.__contains__, last),
            groups=self._ended(
                rows.groups, lambda row: row in groups or row.member in unknown, last
            ),
        )

    def grown(self, rows: MemberRows, last: datetime.date, first: bool) -> MemberRows:
        """The rows as watching makes them: who is seen for the first time begins, who no longer is ends.

        What begins was not there on the `last` day; on the `first` day of watching nobody knows since
        when a member sits of whom there is no earlier row. Who is back within SAME_STAY never left: a
        list that missed members for a day ends nobody.
        """
        seen = {member.id: member for member in self.read.members}
        mandates = self._ended(rows.mandates, lambda row: row.member in seen, last)
        back = {} if first else {row.member: row.span.until for row in self._just_ended(mandates)}
        mandates = self._gone_on(mandates, lambda row: row.member in back)
        mandates = [self._renamed(row, seen) for row in mandates]
        groups = self._ended(
            rows.groups,
            lambda row: (
                row.member in self.of_unknown_group
                or (row.member in seen and seen[row.member].group == row.span.value)
            ),
            last,
        )
        groups = self._gone_on(
            groups,
            lambda row: (
                row.member in back
                and row.span.until == back[row.member]
                and row.span.value == seen[row.member].group
            ),
        )
        mandates += [
            self._mandate(member, Span(self._begun(member, rows.mandates, first), None))
            for member in self._without(mandates)
        ]
        groups += [
            self._group(member, Span(self._begun(member, rows.groups, first), None, member.group))
            for member in self._without(groups)
            if member.group
        ]
        return rows._replace(mandates=mandates, groups=groups)

    def _just_ended(self, rows: Iterable[Row]) -> list[Row]:
        """The last row of each member read of whom no row holds on the day, if it has just ended."""
        rows = list(rows)
        without = {member.id for member in self._without(rows)}
        newest: dict[str, tuple[datetime.date, Row]] = {}
        for row in rows:
            if row.chamber == self.chamber and row.member in without and row.span.until:
                until, _ = newest.get(row.member, (NOBODY_NOTED, row))
                if until < row.span.until < self.day:
                    newest[row.member] = row.span.until, row
        return [row for until, row in newest.values() if self.day - until <= SAME_STAY]

    def _gone_on(self, rows: Iterable[Row], goes_on: Callable[[Row], bool]) -> list[Row]:
        """The rows, those that have just ended and go on without an end."""
        rows = list(rows)
        again = {row for row in self._just_ended(rows) if goes_on(row)}
        return [
            row._replace(span=row.span._replace(until=None)) if row in again else row
            for row in rows
        ]

    def _without(self, rows: Iterable[Row]) -> list[MemberRead]:
        """The members read of whom no row holds on the day."""
        have = {
            row.member for row in rows if row.chamber == self.chamber and row.span.covers(self.day)
        }
        return [member for member in self.read.members if member.id not in have]

    def _begun(self, member: MemberRead, rows: Iterable[Row], first: bool) -> datetime.date:
        """The first day of what is seen on the day, and was not on the last one."""
        known = any(row.chamber == self.chamber and row.member == member.id for row in rows)
        return NOBODY_NOTED if first and not known else self.day

    def _laid_over(self, kept: Iterable[Row], shown: Sequence[Row]) -> list[Row]:
        of: dict[str, list[Row]] = defaultdict(list)
        for row in shown:
            of[row.member].append(row)
        found: list[Row] = list(shown)
        for row in kept:
            found += self._left(row, of[row.member] if row.chamber == self.chamber else [])
        return found

    def _left(self, row: Row, shown: Sequence[Row]) -> Iterator[Row]:
        """What is left of a row beside those that the source shows of the same member."""
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

    def _ended(
        self, rows: Iterable[Row], goes_on: Callable[[Row], bool], last: datetime.date
    ) -> list[Row]:
        """The rows, those of this chamber that do not go on with the last day as their end.

        One that was to begin after it never did, and goes.
        """
        found: list[Row] = []
        for row in rows:
            if row.chamber != self.chamber or row.span.until is not None or goes_on(row):
                found.append(row)
            elif row.span.since <= last:
                found.append(_closed(row, last))
        return found

    def _renamed(self, row: MandateRow, seen: Mapping[str, MemberRead]) -> MandateRow:
        """A mandate of one who is seen, under the name of today.

        The same words are the same name: two originals that write it otherwise are no news of it.
        """
        member = seen.get(row.member)
        if member is None or row.chamber != self.chamber or not row.span.covers(self.day):
            return row
        named = self._mandate(member, row.span)
        known = row.name.family and words(*row.name[1:]) == words(member.family, member.given)
        return row._replace(
            name=row.name if known else named.name, civility=named.civility or row.civility
        )

    def _mandate(self, member: MemberRead, span: Span, reason: str = "") -> MandateRow:
        full = f"{member.given} {member.family}".strip()
        name = Name(full, member.family, member.given)
        named = (self.chamber, member.id, name, member.civility)
        return MandateRow(*named, span, reason, self.read.origin)

    def _group(self, member: MemberRead, span: Span) -> GroupRow:
        return GroupRow(self.chamber, member.id, span, self.read.origin)


def _real(periods: Iterable[Period]) -> list[Period]:
    """The periods but those that end before they begin, and cover no day."""
    return [p for p in periods if p.until is None or p.since <= p.until]


def _span(period: Period) -> Span:
    return Span(period.since, period.until, period.group)


def _overlap(one: Span, other: Span) -> bool:
    return (one.until is None or other.since <= one.until) and (
        other.until is None or one.since <= other.until
    )


def _closed(row: Row, last: datetime.date) -> Row:
    """The row with its last day; why it ended nobody told."""
    row = row._replace(span=row.span._replace(until=last))
    return row._replace(reason="") if isinstance(row, MandateRow) else row
