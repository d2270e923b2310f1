"""Two years by month: what is drawn of a chamber, and what is of whole teams, which is told in words.

Whole teams leave, and new ones come, mostly as mandates end and begin.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from markupsafe import Markup

from parlement_lists.dates import days_between
from parlement_lists.movement import CHAMBERS

from ...dataset.coverage import CountedPeriod, Gap
from ...dataset.schema import TABLE
from ..counts.days import NUMBERED_FROM
from ..counts.facts import Facts
from . import drawing
from .drawing import Month

Counts = Counter[str]  # by type
# Days without any of them that end a span of movements of whole teams: as many as make a hole of the lists.
APART_DAYS = 10
# What comes with a whole team that leaves, or with a new one.
_OF_WHOLE_TEAMS = f"""
    select chambre, date_event, type, count(*) from {TABLE} m
    where contexte <> '' and date_event >= :since
"""


class Turn(NamedTuple):
    """What was of whole teams in some days that follow one another; `number` is that of its mark."""

    number: int
    since: str
    until: str
    counts: Counts


class MonthsChart(NamedTuple):
    """The months of a chamber up to the newest list of all."""

    chamber: str
    rows: list[Month]  # without what is of whole teams
    unknown: dict[str, Gap]  # the months that have no number, and why
    whole_teams: Counts  # month -> movements of whole teams
    turns: list[Turn]  # those large enough to be told one by one
    year: CountedPeriod
    counts: Counts  # of the chamber's twelve months, without what is of whole teams
    uncounted: str  # why no month at all has a number, "" where some have

    @property
    def others(self) -> int:
        """The movements of whole teams that no turn tells."""
        return self.whole_teams.total() - sum(turn.counts.total() for turn in self.turns)

    @property
    def most(self) -> int:
        """The highest bar of the months that have numbers; a transfer stands on both sides of the line."""
        known = (row for row in self.rows if row[0] not in self.unknown)
        return max((max(arr, dep) + tra for _, arr, dep, tra in known), default=0)

    def draw(self, top: int, label: str) -> Markup:
        """The chart, on a scale that ends with `top`."""
        marks = [drawing.Mark(turn.since, turn.number) for turn in self.turns]
        return drawing.months(self.rows, self.unknown, marks, top, label)


def chart_of(
    facts: Facts,
    chamber: str,
    rows: list[Month],
    whole_teams: Mapping[str, Counts],
    counts: Counts,
    fewest: int = NUMBERED_FROM,
) -> MonthsChart:
    """The chart of these months; `whole_teams` by day, as counted here, `fewest` as of `turns_of`."""
    by_month = Counts()
    for day, of_day in whole_teams.items():
        by_month[day[:7]] += of_day.total()
    months, unknown = facts.months[chamber], facts.unlisted[chamber]
    return MonthsChart(
        chamber,
        rows,
        unknown,
        by_month,
        turns_of(whole_teams, fewest),
        facts.years[chamber],
        counts,
        why_uncounted(months, unknown, facts.coverage[chamber].last),
    )


def why_uncounted(months: Collection[str], unknown: Mapping[str, Gap], last: str) -> str:
    """Why no month has a number, "" where some have; `last` is the day of the chamber's last list."""
    if set(months) - set(unknown):
        return ""
    if last[:7] < min(months, default="~"):
        return "Pas de liste connue dans ces deux ans"
    inside = [bool(unknown[month].before and unknown[month].after) for month in months]
    outside = "d’avant la première liste ou d’après la dernière"
    if not any(inside):
        return f"Aucun mois calculable : ils sont {outside}"
    why = "Aucun mois calculable : une période de plus de dix jours sans liste touche chacun"
    return f"{why} d’eux" if all(inside) else f"{why} de ceux qui ne sont pas {outside}"


async def read(facts: Facts) -> list[MonthsChart]:
    """The charts of the chambers of which a list or a movement is known."""
    months = next(iter(facts.months.values()), {})
    if not months:
        return []
    by_chamber = await count_of_whole_teams(facts, min(months))
    charts = []
    for chamber in CHAMBERS:
        rows = [
            (month, types["arrivee"], types["depart"], types["transfert"])
            for month, types in facts.months[chamber].items()
        ]
        counts = await _year(facts, chamber)
        charts.append(chart_of(facts, chamber, rows, by_chamber[chamber], counts))
    return [one for one in charts if facts.coverage[one.chamber].last or one.most]


async def _year(facts: Facts, chamber: str) -> Counts:
    year = facts.years[chamber]
    found = await facts.reader.rows(
        f"""
        select type, count(*) from {TABLE}
        where chambre = ? and contexte = '' and date_event between ? and ? group by 1
        """,
        [chamber, year.since, year.until],
    )
    return Counter(dict(map(tuple, found)))


async def count_of_whole_teams(
    facts: Facts, since: str, only: str = "", given: Mapping[str, str] | None = None
) -> dict[str, dict[str, Counts]]:
    """Of each chamber, the movements of whole teams that left and of new ones, by day, from a month on.

    `only` is a further condition on the movements, with its parameters.
    """
    days: dict[str, dict[str, Counts]] = defaultdict(lambda: defaultdict(Counter))
    found = await facts.reader.rows(
        f"{_OF_WHOLE_TEAMS} {only} group by 1, 2, 3", {"since": f"{since}-01", **(given or {})}
    )
    for chamber, day, kind, number in found:
        days[chamber][day][kind] = number
    return days


def turns_of(days: Mapping[str, Counts], fewest: int = NUMBERED_FROM) -> list[Turn]:
    """The spans with at least `fewest` movements; days no more than APART_DAYS apart are of one span."""
    spans: list[Turn] = []
    for day, counts in sorted(days.items()):
        if spans and days_between(spans[-1].until, day) <= APART_DAYS:
            counts = spans[-1].counts + counts
            spans[-1] = spans[-1]._replace(until=day, counts=counts)
        else:
            spans.append(Turn(0, day, day, counts))
    large = (span for span in spans if span.counts.total() >= fewest)
    return [span._replace(number=number) for number, span in enumerate(large, 1)]
