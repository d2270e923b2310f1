"""Calendar weeks, which of them lists tell of, and what each chamber's lists know of one."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from parlement_lists.movement import CHAMBERS

from ...dataset.coverage import Coverage, Gap, holes_between

# Weeks of a chart; known weeks from which it has a median.
CHARTED = 12
FEWEST_KNOWN = 6
_NAME = re.compile(r"([0-9]{4})-W([0-9]{2})")


class Week(NamedTuple):
    """A week of ISO 8601, by its Monday."""

    monday: datetime.date

    @property
    def name(self) -> str:
        """2026-W47."""
        year, week, _ = self.monday.isocalendar()
        return f"{year:04}-W{week:02}"

    @property
    def since(self) -> str:
        """Its Monday."""
        return self.monday.isoformat()

    @property
    def until(self) -> str:
        """Its Sunday; the last week that dates know ends on a Friday."""
        days = min(6, (datetime.date.max - self.monday).days)
        return (self.monday + datetime.timedelta(days)).isoformat()


def week_of(day: str) -> Week:
    """The week of a day."""
    date = datetime.date.fromisoformat(day)
    return Week(date - datetime.timedelta(date.weekday()))


def read(name: str) -> Week | None:
    """The week that an address names, « 2026-W47 »; None if there is none of that name."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        return Week(datetime.date.fromisocalendar(int(found[1]), int(found[2]), 1))
    except ValueError:
        return None


class WeekCoverage(NamedTuple):
    """What the lists of one chamber know of a week."""

    last: str = ""  # the day of the last list of that week; "" without one
    missing: Gap | None = None  # the days without a list, of which the week is a part
    over: Gap | None = (
        None  # the hole that a list of this week ended: what changed in it is dated here
    )


class Calendar:
    """The days of the accepted lists of each chamber, and of movements: which weeks there are to tell of."""

    def __init__(self, lists: Mapping[str, Iterable[str]], movements: Iterable[str]) -> None:
        self._lists = {chamber: sorted(set(lists.get(chamber, ()))) for chamber in CHAMBERS}
        days = {day for found in self._lists.values() for day in found} | set(movements)
        self.first, self.last = min(days, default=""), max(days, default="")
        self._mondays = sorted({week_of(day).since for day in days})
        self.weight = 100 * (len(days) + sum(map(len, self._lists.values())))  # bytes, about

    @property
    def newest(self) -> Week | None:
        """The week of the newest list; None where nothing is known at all."""
        return week_of(self._mondays[-1]) if self._mondays else None

    def has(self, week: Week) -> bool:
        """Whether a list or a movement is known of a week."""
        at = bisect_left(self._mondays, week.since)
        return self._mondays[at : at + 1] == [week.since]

    def before(self, week: Week) -> Week | None:
        """The last week before it that there is to tell of."""
        at = bisect_left(self._mondays, week.since)
        return week_of(self._mondays[at - 1]) if at else None

    def after(self, week: Week) -> Week | None:
        """The first week after it that there is to tell of."""
        at = bisect_right(self._mondays, week.since)
        return week_of(self._mondays[at]) if at < len(self._mondays) else None

    def nearest(self, week: Week) -> Week | None:
        """The week itself if there is something to tell of it, else the last one before it, else the first."""
        return week if self.has(week) else self.before(week) or self.after(week)

    @property
    def years(self) -> dict[str, Week]:
        """Each year with its first week, the latest year first."""
        found: dict[str, Week] = {}
        for monday in self._mondays:
            found.setdefault(monday[:4], week_of(monday))
        return dict(reversed(found.items()))

    def months(self, year: str) -> dict[str, list[Week]]:
        """The weeks of a year that there are to tell of, by the month of their Monday."""
        low, high = bisect_left(self._mondays, year), bisect_left(self._mondays, f"{year}-99")
        found: dict[str, list[Week]] = {}
        for monday in self._mondays[low:high]:
            found.setdefault(monday[:7], []).append(week_of(monday))
        return found

    def account(self, week: Week, chamber: str) -> WeekCoverage | None:
        """What the lists of a chamber know of a week; None of a chamber that has no list at all."""
        days = self._lists[chamber]
        if not days:
            return None
        low, high = bisect_left(days, week.since), bisect_right(days, week.until)
        before, after = days[low - 1] if low else "", days[high] if high < len(days) else ""
        if low == high:
            return WeekCoverage(missing=Gap(before, after))
        holes = holes_between(days[max(low - 1, 0) : high])
        return WeekCoverage(days[high - 1], over=holes[0] if holes else None)


class WeekBar(NamedTuple):
    """One week of the chart: its movements, None where a chamber that is counted has no list."""

    week: Week
    movements: int | None
    x: float  # in per cent
    height: float  # in pixels


class WeeksChart(NamedTuple):
    """The last weeks, and the median of those that are known; None where they are too few."""

    chambers: Sequence[str]  # those counted: the ones of which the week asked for is known
    bars: Sequence[WeekBar]
    median: float | None

    @property
    def told(self) -> bool:
        """Whether there is a week to compare another with."""
        return sum(bar.movements is not None for bar in self.bars) > 1


BAR_HEIGHT = 48.8


def weeks_chart(
    week: Week, coverage: Mapping[str, Coverage], counts: Mapping[tuple[str, str], int]
) -> WeeksChart:
    """The weeks up to this one: `counts` has the movements of a chamber in a week, by its Monday.

    A week is compared with weeks of the same chambers: one that has no number for the week asked for
    would make it look quieter than those in which it had lists.
    """
    weeks = [
        Week(week.monday - datetime.timedelta(7 * back)) for back in range(CHARTED - 1, -1, -1)
    ]
    chambers = [chamber for chamber, known in coverage.items() if _is_known(week, known)]
    known = [
        sum(counts.get((chamber, one.since), 0) for chamber in chambers)
        if chambers and all(_is_known(one, coverage[chamber]) for chamber in chambers)
        else None
        for one in weeks
    ]
    numbers = [number for number in known if number is not None]
    most = max(numbers, default=0) or 1
    bars = [
        WeekBar(
            one,
            number,
            round(100 * at / CHARTED + 0.8, 1),
            round(BAR_HEIGHT * (number or 0) / most, 1),
        )
        for at, (one, number) in enumerate(zip(weeks, known, strict=True))
    ]
    return WeeksChart(chambers, bars, median(numbers) if len(numbers) >= FEWEST_KNOWN else None)


def _is_known(week: Week, lists: Coverage) -> bool:
    """Whether a chamber had lists before the week and in or after it, and no hole that touches it."""
    return (
        bool(lists.last)
        and lists.first < week.since <= lists.last
        and not any(hole.touches(week.since, week.until) for hole in lists.holes)
    )
