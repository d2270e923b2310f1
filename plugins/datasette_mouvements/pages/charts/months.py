"""Two years by month: what is drawn of a chamber, and what comes with mandates, which is told in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from markupsafe import Markup

from parlement_lists.movement import CHAMBERS
from parlement_lists.tracking.members.known_members import NEW_FOR

from ...dataset.coverage import CountedPeriod, Gap
from ...dataset.schema import MANDATES, TABLE, TENURES
from ..counts.days import NUMBERED_FROM
from ..counts.facts import Facts
from ..words.dates import days_between
from . import drawing
from .drawing import Month

Counts = Counter[str]  # by type
# Days within which ends and begins of mandates belong to one election: the Assemblée's takes a month.
TURN_DAYS = 45
# What comes with mandates, and of whom: of a transfer at a mandate's end, the member who was left.
_WITH_MANDATES = f"""
    select m.chambre, m.type, m.date_event, m.contexte = 'elu_sortant' as ends,
      coalesce(case m.contexte when 'elu_sortant' then
        (select elu_id from {TENURES} where mouvement_fin = m.id) end, m.elu_id, '') as elu
    from {TABLE} m where m.contexte <> '' and m.date_event >= :since
"""
_MANDATE_DAYS = f"""
    select chambre, elu_id, 0, debut from {MANDATES} where debut <> ''
    union all select chambre, elu_id, 1, fin from {MANDATES} where fin <> ''
"""


class Turn(NamedTuple):
    """What came with the mandates that ended or began on some days; `number` is that of its mark."""

    number: int
    since: str
    until: str
    counts: Counts


class MonthsChart(NamedTuple):
    """The months of a chamber up to the newest list of all."""

    chamber: str
    rows: list[Month]  # without what comes with mandates
    unknown: dict[str, Gap]  # the months that have no number, and why
    with_mandates: Counts  # month -> movements that come with mandates
    turns: list[Turn]  # those large enough to be told one by one
    year: CountedPeriod
    counts: Counts  # of the chamber's twelve months, without what comes with mandates
    uncounted: str  # why no month at all has a number, "" where some have

    @property
    def others(self) -> int:
        """The movements that come with mandates and that no turn tells."""
        return self.with_mandates.total() - sum(turn.counts.total() for turn in self.turns)

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
    with_mandates: tuple[Mapping[str, Counts], Counts],
    counts: Counts,
    fewest: int = NUMBERED_FROM,
) -> MonthsChart:
    """The chart of these months; `with_mandates` as of `turned`, `fewest` as of `turns_of`."""
    days, by_month = with_mandates
    months, unknown = facts.months[chamber], facts.unlisted[chamber]
    return MonthsChart(
        chamber,
        rows,
        unknown,
        by_month,
        turns_of(days, months, fewest),
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
    why = "Aucun mois calculable : une période de plus de dix jours sans liste touche chacun d’eux"
    outside = any(not (unknown[month].before and unknown[month].after) for month in months)
    return why + ", ou ils sont d’avant la première liste ou d’après la dernière" * outside


async def read(facts: Facts) -> list[MonthsChart]:
    """The charts of the chambers of which a list or a movement is known."""
    months = next(iter(facts.months.values()), {})
    if not months:
        return []
    by_chamber = await count_with_mandates(facts, min(months))
    charts = []
    for chamber in CHAMBERS:
        rows = [
            (month, types["arrivee"], types["depart"], types["transfert"])
            for month, types in facts.months[chamber].items()
        ]
        with_mandates = by_chamber.get(chamber, ({}, Counter()))
        counts = await _year(facts, chamber)
        charts.append(chart_of(facts, chamber, rows, with_mandates, counts))
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


async def count_with_mandates(
    facts: Facts, since: str, only: str = "", given: Mapping[str, str] | None = None
) -> dict[str, tuple[dict[str, Counts], Counts]]:
    """Of each chamber, what came with mandates: by day and by month.

    The day is the nearest on which a mandate of the member began or ended. Of a mandate of which no
    day is known others may be, of years before: where none is within NEW_FOR it is the movement's own.
    `only` is a further condition on the movements, with its parameters.
    """
    mandates: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for chamber, member, ends, day in await facts.reader.rows(_MANDATE_DAYS, []):
        mandates[chamber, member, ends].append(day)
    days: dict[str, dict[str, Counts]] = defaultdict(lambda: defaultdict(Counter))
    months: dict[str, Counts] = defaultdict(Counter)
    found = await facts.reader.rows(
        f"{_WITH_MANDATES} {only}", {"since": f"{since}-01", **(given or {})}
    )
    for chamber, kind, seen, ends, member in found:
        distances = ((_distance(seen, day), day) for day in mandates[chamber, member, ends])
        distance, near = min(distances, default=(0, seen))
        days[chamber][near if distance <= NEW_FOR.days else seen][kind] += 1
        months[chamber][seen[:7]] += 1
    return {chamber: (days[chamber], months[chamber]) for chamber in days}


def _distance(one: str, other: str) -> int:
    return abs(days_between(one, other))


def turns_of(
    days: Mapping[str, Counts], months: Iterable[str], fewest: int = NUMBERED_FROM
) -> list[Turn]:
    """The days with at least `fewest` movements; days that follow within TURN_DAYS are one turn with one mark."""
    eves: list[Turn] = []
    for day in sorted(days):
        _add(eves, Turn(0, day, day, days[day]), 1)
    shown = frozenset(months)
    turns: list[Turn] = []
    for turn in eves:
        if turn.counts.total() >= fewest and turn.since[:7] in shown:
            _add(turns, turn, TURN_DAYS)
    return [turn._replace(number=number) for number, turn in enumerate(turns, 1)]


def _add(turns: list[Turn], turn: Turn, most_days: int) -> None:
    """Join a turn to the last one, if it follows that within so many days."""
    if turns and _distance(turns[-1].until, turn.since) <= most_days:
        last = turns.pop()
        turn = last._replace(until=turn.until, counts=last.counts + turn.counts)
    turns.append(turn)
