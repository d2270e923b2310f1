"""Spans of days, mandates and groups: which are one stay, from when on a new assembly's groups hold."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

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


class Span(NamedTuple):
    """A mandate or a group's time, both days included; `until` is None where it had no end yet."""

    since: datetime.date
    until: datetime.date | None
    value: str = ""

    def covers(self, day: datetime.date) -> bool:
        """Whether a day is one of it."""
        return self.since <= day and (self.until is None or day <= self.until)


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those near to one another made one."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda s: s.since):
        last = found[-1] if found else None
        if last and (last.until is None or span.since - last.until <= SAME_STAY):
            open_ended = last.until is None or span.until is None
            until = None if open_ended else max(last.until, span.until)  # type: ignore[type-var]
            found[-1] = Span(last.since, until)
        else:
            found.append(span)
    return found


def formed(
    groups: Collection[list[Span]], renewals: Iterable[datetime.date]
) -> dict[datetime.date, datetime.date]:
    """Each day on which a chamber's groups were seen to be formed, and the renewal before it.

    `groups` are the spans of each member. It is the day on which most begin, if a tenth of all do.
    """
    begun = Counter(s.since for spans in groups for s in spans if s.value not in NO_GROUP_YET)
    found = {}
    for renewal in sorted(renewals):
        days = [day for day in sorted(begun) if renewal <= day <= renewal + FORMED_WITHIN]
        day = max(days, key=begun.__getitem__, default=renewal)
        current = sum(any(span.covers(day) for span in spans) for spans in groups)
        if day > renewal and begun[day] > FORMED_SHARE * current:
            found[day] = renewal
    return found


def from_the_start(spans: list[Span], renewal: datetime.date, day: datetime.date) -> list[Span]:
    """A member's groups, that of the day on which groups were formed from the renewal on."""
    of_day = max((span for span in spans if span.covers(day)), default=None, key=lambda s: s.since)
    if of_day is None or of_day.since <= renewal:
        return spans
    others = [span for span in spans if not renewal <= span.since <= of_day.since]
    return [*others, of_day._replace(since=renewal)]
