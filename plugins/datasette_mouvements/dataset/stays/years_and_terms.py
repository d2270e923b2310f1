"""The years and the terms of a chamber, as far as its lists tell of them, and the figures that are given of each."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from parlement_lists.tracking.members.known_members import DISSOLUTIONS, RENEWALS

from ..coverage import CountedPeriod, Coverage, Gap
from .rotation import SEXES, Part, Rotation

YEAR, TERM = ("annee", "legislature")
DAY = datetime.timedelta(1)
_date = datetime.date.fromisoformat
# Of fewer days of a term a rate by year says little.
LEAST_DAYS = 365


class NamedTime(NamedTuple):
    """A year, or the time from one renewal of a chamber to the next, by the calendar."""

    kind: str
    name: str  # « 2018 », « 2017-2022 », « 2024- » of a term whose end nobody knows
    since: str
    until: str  # "" where nobody knows it


class YearOrTerm(NamedTuple):
    """A year or a term, as far as lists tell of it."""

    kind: str
    name: str
    counted: CountedPeriod  # of a term: from its first list to its last
    short: bool = False  # a term with fewer than LEAST_DAYS of lists

    @property
    def given(self) -> bool:
        """Whether figures are given of it."""
        return not (self.counted.gap or self.short)


class MonthCount(NamedTuple):
    """How many stays lists show on a day of a month, on average, by sex ("" for all); none where a hole touches it."""

    month: str
    stays: dict[str, float]
    gap: Gap | None = None


class RotationFigures(NamedTuple):
    """The figures of a year or a term; none where they cannot be given.

    Groups have none where that of most is not known (`grouped`).
    """

    period: YearOrTerm
    rotations: dict[Part, Rotation]
    grouped: bool = False

    @property
    def whole(self) -> Rotation | None:
        """The figures of the chamber."""
        return self.rotations.get(("", ""))

    @property
    def groups(self) -> list[str]:
        """The codes of the groups that have figures."""
        return sorted({group for group, _ in self.rotations if group})

    def women(self, group: str = "") -> float | None:
        """The share of women among stays whose civility lists give; None where it is not known of both sexes."""
        women, men = (self.rotations.get((group, sex)) for sex in SEXES)
        return women.headcount / (women.headcount + men.headcount) if women and men else None


class ChamberRotation(NamedTuple):
    """What is told of the years, terms and months of a chamber."""

    figures: list[RotationFigures]
    months: list[MonthCount]


def named_times(chamber: str, lists: Coverage) -> Iterator[NamedTime]:
    """The years and the terms that a chamber's lists reach, the earliest first."""
    if not lists.last:
        return
    for year in range(int(lists.first[:4]), int(lists.last[:4]) + 1):
        yield NamedTime(YEAR, str(year), f"{year}-01-01", f"{year}-12-31")
    for begin, end in pairwise((*RENEWALS[chamber], "")):
        until = (_date(end) - DAY).isoformat() if end else ""
        reached = begin <= lists.last and (not until or lists.first <= until)
        # No assembly begins with a dissolution.
        if reached and begin not in DISSOLUTIONS:
            yield NamedTime(TERM, f"{begin[:4]}-{end[:4]}", begin, until)


def years_and_terms(chamber: str, lists: Coverage, days: list[str]) -> list[YearOrTerm]:
    """Those with figures of rotation, the earliest first; `days` are those of accepted lists, in order."""
    found = []
    for kind, name, since, until in named_times(chamber, lists):
        if kind == YEAR:
            found.append(YearOrTerm(kind, name, lists.period(since, until)))
            continue
        within = [day for day in days if since <= day and (not until or day <= until)]
        # The first list of an assembly tells who is there, and no change.
        if len(within) > 1:
            first, last = _date(within[0]), _date(within[-1])
            counted = lists.period((first + DAY).isoformat(), within[-1])
            found.append(YearOrTerm(kind, name, counted, (last - first).days < LEAST_DAYS))
    return found
