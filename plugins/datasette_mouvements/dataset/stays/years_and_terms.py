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
# Of fewer days of a term a rate by year says little.
LEAST_DAYS = 365


class YearOrTerm(NamedTuple):
    """A year, or the time from one renewal of a chamber to the next."""

    kind: str
    name: str  # « 2018 », « 2017-2022 », « 2024- » of a term whose end nobody knows
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


def years_and_terms(chamber: str, lists: Coverage, days: list[str]) -> list[YearOrTerm]:
    """The years and terms with a list, the earliest first; `days` are those of accepted lists, in order."""
    years = range(int(lists.first[:4]), int(lists.last[:4]) + 1)
    found = [
        YearOrTerm(YEAR, str(year), lists.period(f"{year}-01-01", f"{year}-12-31"))
        for year in years
    ]
    return found + list(_terms(chamber, lists, days))


def _terms(chamber: str, lists: Coverage, days: list[str]) -> Iterator[YearOrTerm]:
    for begin, end in pairwise((*RENEWALS[chamber], "")):
        within = [day for day in days if begin <= day and (not end or day < end)]
        # No assembly begins with a dissolution; the first list of one tells who is there, and no change.
        if begin in DISSOLUTIONS or len(within) < 2:
            continue
        first, until = (datetime.date.fromisoformat(day) for day in (within[0], within[-1]))
        since = first + datetime.timedelta(1)
        yield YearOrTerm(
            TERM,
            f"{begin[:4]}-{end[:4]}",
            lists.period(since.isoformat(), until.isoformat()),
            (until - first).days < LEAST_DAYS,
        )
