"""Two years of a chamber by month: what is drawn, and what comes with mandates, which is told in words."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..dataset.coverage import Gap
from ..dataset.schema import MANDATES, TABLE, TENURES
from ..movement import CHAMBERS
from .days import NUMBERED_FROM
from .drawing import Mark, Month
from .facts import Facts, Year

Counts = Counter[str]  # by type
# Each movement that comes with a mandate's end or begin, by the day of that mandate which is nearest.
_WITH_MANDATES = f"""
    select m.chambre, m.type, substr(m.date_event, 1, 7), coalesce((
      select case m.contexte when 'elu_sortant' then fin else debut end as jour from {MANDATES}
      where chambre = m.chambre and jour <> '' and elu_id = case m.contexte when 'elu_sortant'
        then coalesce((select elu_id from {TENURES} where mouvement_fin = m.id), m.elu_id)
        else m.elu_id end
      order by abs(julianday(jour) - julianday(m.date_event)) limit 1), m.date_event)
    from {TABLE} m where m.contexte <> '' and m.date_event >= ?
"""


class Turn(NamedTuple):
    """What came with the mandates that ended or began on one day; `number` is that of its mark."""

    number: int
    day: str
    counts: Counts


class Chart(NamedTuple):
    """The months of a chamber up to the newest list of all."""

    chamber: str
    rows: list[Month]  # without what comes with mandates
    unknown: dict[str, Gap]  # the months that have no number, and why
    with_mandates: Counts  # month -> movements that come with mandates
    turns: list[Turn]  # those large enough to be told one by one
    others: int  # the movements of all others
    year: Year
    counts: Counts  # of the chamber's twelve months, without what comes with mandates

    @property
    def marks(self) -> list[Mark]:
        """Where the turns are marked."""
        return [Mark(turn.day, turn.number) for turn in self.turns]

    @property
    def most(self) -> int:
        """The highest bar; a transfer stands on both sides of the line."""
        known = (row for row in self.rows if row[0] not in self.unknown)
        return max((max(arr, dep) + tra for _, arr, dep, tra in known), default=0)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw: no movement, and no month that is known for its lists."""
        return not any(self.rows[0][1:]) and len(self.unknown) == len(self.rows)


async def read(facts: Facts) -> list[Chart]:
    """The charts of the chambers of which a list or a movement is known."""
    months = next(iter(facts.months.values()), {})
    turned = await _turned(facts, min(months)) if months else {}
    year = {chamber: await _year(facts, chamber) for chamber in CHAMBERS} if months else {}
    charts = []
    for chamber, counts in year.items():
        rows = [
            (month, types["arrivee"], types["depart"], types["transfert"])
            for month, types in facts.months[chamber].items()
        ]
        days, by_month = turned.get(chamber, ({}, Counter()))
        turns = _turns(days, months)
        told = sum(turn.counts.total() for turn in turns)
        charts.append(
            Chart(
                chamber,
                rows,
                facts.unlisted[chamber],
                by_month,
                turns,
                by_month.total() - told,
                facts.years[chamber],
                counts,
            )
        )
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


async def _turned(facts: Facts, since: str) -> dict[str, tuple[Mapping[str, Counts], Counts]]:
    """Of each chamber, what came with mandates: by the day of the mandate, and by month."""
    days: dict[str, dict[str, Counts]] = defaultdict(lambda: defaultdict(Counter))
    months: dict[str, Counts] = defaultdict(Counter)
    for chamber, kind, month, day in await facts.reader.rows(_WITH_MANDATES, [f"{since}-01"]):
        days[chamber][day][kind] += 1
        months[chamber][month] += 1
    return {chamber: (days[chamber], months[chamber]) for chamber in days}


def _turns(days: Mapping[str, Counts], months: Iterable[str]) -> list[Turn]:
    """The days that many movements come with, in order; one mandate ends on the eve of the next."""
    joined: dict[str, Counts] = {}
    for day in sorted(days):
        eve = (datetime.date.fromisoformat(day) - datetime.timedelta(1)).isoformat()
        joined[day] = joined.pop(eve, Counter()) + days[day]
    shown = frozenset(months)
    many = [
        (day, counts)
        for day, counts in joined.items()
        if counts.total() >= NUMBERED_FROM and day[:7] in shown
    ]
    return [Turn(number, day, counts) for number, (day, counts) in enumerate(many, 1)]
