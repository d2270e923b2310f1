"""A year of nights of one source: 53 weeks of seven squares, and its bad nights in words."""

from __future__ import annotations

import datetime
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..words.french import SHORT_MONTHS

WEEKS = 53
# The widest part that a telephone shows two of; parts stand in one row where there is room.
PART_WEEKS = 14
STEP = 11
MOST_SPELLS = 40
_WEEK = datetime.timedelta(7)


class Square(NamedTuple):
    """One night of one source; `outcome`, `sign` and `told` are "" where nothing can be known of it."""

    day: str
    outcome: str = ""
    sign: str = ""
    told: str = ""


class NightWeeks(NamedTuple):
    """Some weeks side by side: the months that begin in them and the squares of each outcome as a path."""

    width: int
    months: Sequence[tuple[int, str]]
    paths: Mapping[str, str]


class Spell(NamedTuple):
    """Bad nights in a row of one reason."""

    since: str
    until: str
    told: str


class YearOfNights(NamedTuple):
    """The picture of a year; `counts` are nights by outcome, `older` the spells that are not in `spells`."""

    parts: Sequence[NightWeeks]
    counts: Counter[str]
    spells: Sequence[Spell]
    older: int


def draw(squares: Sequence[Square], today: datetime.date, good: Sequence[str]) -> YearOfNights:
    """The year up to a day, of nights in order of time; what no night is of stays empty."""
    begin = today - datetime.timedelta(today.weekday()) - (WEEKS - 1) * _WEEK
    own = [one for one in squares if one.outcome and one.day >= begin.isoformat()]
    places = [(divmod((_date(one.day) - begin).days, 7), one.outcome) for one in own]
    parts = []
    for week in range(0, WEEKS, PART_WEEKS):
        number = min(PART_WEEKS, WEEKS - week)
        within = [((w - week, d), o) for (w, d), o in places if 0 <= w - week < number]
        months = _months(begin + week * _WEEK, number)
        parts.append(NightWeeks(number * STEP, months, _paths(within)))
    spells = _spells(one for one in own if one.outcome not in good)[::-1]
    counts = Counter(one.outcome for one in own)
    return YearOfNights(parts, counts, spells[:MOST_SPELLS], len(spells[MOST_SPELLS:]))


def _paths(places: Sequence[tuple[tuple[int, int], str]]) -> dict[str, str]:
    """The squares of each outcome; those that follow each other in a week are one mark of the path."""
    found: dict[str, str] = defaultdict(str)
    for (week, outcome, _), run in itertools.groupby(
        enumerate(places), lambda place: (place[1][0][0], place[1][1], place[1][0][1] - place[0])
    ):
        days = [day for _, ((_, day), _) in run]
        found[outcome] += f"M{week * STEP} {days[0] * STEP}h{STEP}v{len(days) * STEP}h-{STEP}z"
    return dict(found)


def _months(begin: datetime.date, weeks: int) -> list[tuple[int, str]]:
    """The months whose first day is in one of the weeks."""
    ends = [begin + (week + 1) * _WEEK - datetime.timedelta(1) for week in range(weeks)]
    return [
        (week * STEP, SHORT_MONTHS[end.month - 1]) for week, end in enumerate(ends) if end.day <= 7
    ]


def _spells(bad: Iterable[Square]) -> list[Spell]:
    found: list[Spell] = []
    for one in bad:
        last = found[-1] if found else Spell("", "", "")
        if last.told == one.told and (_date(one.day) - _date(last.until)).days == 1:
            found[-1] = last._replace(until=one.day)
        else:
            found.append(Spell(one.day, one.day, one.told))
    return found


def _date(day: str) -> datetime.date:
    return datetime.date.fromisoformat(day)
