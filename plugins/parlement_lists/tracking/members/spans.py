"""Spans of days, mandates and groups: which are one stay, from when on a new assembly's groups hold."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

# Mandates this near to one another are one stay: a re-elected member did not leave.
SAME_STAY = datetime.timedelta(31)
# The groups of a new assembly are formed within so many days: after 12 and 8 at the Assemblée (2017, 2022),
# 6, 1 and 4 at the Sénat (2014, 2017, 2020). Until then members have the old group, none, or one of
# these.
FORMED_WITHIN = datetime.timedelta(31)
NO_GROUP = "AUCUN"  # as the file of the Sénat says that a member is in none
NO_GROUP_YET = ("NI", NO_GROUP)
# So many of the groups of that day begin on it: 62 and 48 % (the files leave the groups of many former
# deputies open), 25, 36 and 25 % where half was renewed; on any other day of those months one at most.
FORMED_SHARE = 0.1

Member = TypeVar("Member")


class Span(NamedTuple):
    """A mandate or a group's time, both days included; `until` is None where it had no end yet.

    `value` is the group's code, or why the mandate ended, where a source says so.
    """

    since: datetime.date
    until: datetime.date | None = None
    value: str = ""

    def covers(self, day: datetime.date) -> bool:
        """Whether a day is one of it."""
        return self.since <= day and (self.until is None or day <= self.until)


def merged(spans: Iterable[Span], near: datetime.timedelta = SAME_STAY) -> list[Span]:
    """Spans in order, those `near` to one another made one, which has the value of the first."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda s: s.since):
        last = joined[-1] if joined else None
        if last and (last.until is None or span.since - last.until <= near):
            ends = [until for until in (last.until, span.until) if until]
            joined[-1] = last._replace(until=max(ends) if len(ends) == 2 else None)
        else:
            joined.append(span)
    return joined


def from_the_start(
    groups: Mapping[Member, list[Span]], renewals: Iterable[datetime.date]
) -> Mapping[Member, list[Span]]:
    """The groups of each member, those that are formed after a renewal from the renewal on.

    They are formed on the day on which most begin, if a tenth of all do.
    """
    for renewal in sorted(renewals):
        begun = Counter(
            span.since
            for spans in groups.values()
            for span in spans
            if span.value not in NO_GROUP_YET and renewal <= span.since <= renewal + FORMED_WITHIN
        )
        day = max(sorted(begun), default=renewal, key=begun.__getitem__)
        current = sum(any(span.covers(day) for span in spans) for spans in groups.values())
        if day > renewal and begun[day] > FORMED_SHARE * current:
            groups = {key: _since(spans, renewal, day) for key, spans in groups.items()}
    return groups


def _since(spans: list[Span], renewal: datetime.date, day: datetime.date) -> list[Span]:
    """A member's groups, that of the day on which groups were formed from the renewal on."""
    of_day = max((span for span in spans if span.covers(day)), default=None, key=lambda s: s.since)
    if of_day is None or of_day.since <= renewal:
        return spans
    others = [span for span in spans if not renewal <= span.since <= of_day.since]
    return [*others, of_day._replace(since=renewal)]
