"""Two years by month: what is drawn of a chamber, and what comes with mandates, which is told in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from parlement_lists.movement import CHAMBERS

from ...dataset.coverage import Gap
from ...dataset.schema import MANDATES, TABLE, TENURES
from ..counts.days import NUMBERED_FROM
from ..counts.facts import Facts, Year
from .drawing import Mark, Month

Counts = Counter[str]  # by type
# Mandates that begin so soon after others ended are of one election: an Assemblée's takes a month.
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
    uncounted: str  # why no month at all has a number, "" where some have

    @property
    def most(self) -> int:
        """The highest bar."""
        return highest(self.rows, self.unknown)


def uncounted(months: Collection[str], unknown: Collection[str], last: str) -> str:
    """Why no month has a number, "" where some have; `last` is the day of the chamber's last list."""
    if set(months) - set(unknown):
        return ""
    if last[:7] < min(months, default="~"):
        return "Pas de liste connue dans ces deux ans"
    return "Aucun mois calculable : une période de plus de dix jours sans liste touche chacun d’eux"


def marks(turns: Iterable[Turn]) -> list[Mark]:
    """Where the turns are marked."""
    return [Mark(turn.since, turn.number) for turn in turns]


def highest(rows: Sequence[Month], unknown: Collection[str]) -> int:
    """The highest bar of the months that have numbers; a transfer stands on both sides of the line."""
    known = (row for row in rows if row[0] not in unknown)
    return max((max(arr, dep) + tra for _, arr, dep, tra in known), default=0)


async def read(facts: Facts) -> list[Chart]:
    """The charts of the chambers of which a list or a movement is known."""
    months = next(iter(facts.months.values()), {})
    apart = await turned(facts, min(months)) if months else {}
    year = {chamber: await _year(facts, chamber) for chamber in CHAMBERS} if months else {}
    charts = []
    for chamber, counts in year.items():
        rows = [
            (month, types["arrivee"], types["depart"], types["transfert"])
            for month, types in facts.months[chamber].items()
        ]
        days, by_month = apart.get(chamber, ({}, Counter()))
        turns = turns_of(days, months)
        charts.append(
            Chart(
                chamber,
                rows,
                facts.unlisted[chamber],
                by_month,
                turns,
                others(turns, by_month),
                facts.years[chamber],
                counts,
                uncounted(
                    facts.months[chamber], facts.unlisted[chamber], facts.coverage[chamber].last
                ),
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


async def turned(
    facts: Facts, since: str, only: str = "", given: Mapping[str, str] | None = None
) -> dict[str, tuple[dict[str, Counts], Counts]]:
    """Of each chamber, what came with mandates: by the nearest day of the mandate, and by month.

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
        near = min(mandates[chamber, member, ends] or [seen], key=_away_from(seen))
        days[chamber][near][kind] += 1
        months[chamber][seen[:7]] += 1
    return {chamber: (days[chamber], months[chamber]) for chamber in days}


def _away_from(seen: str) -> Callable[[str], int]:
    there = date.fromisoformat(seen)
    return lambda day: abs((date.fromisoformat(day) - there).days)


def turns_of(
    days: Mapping[str, Counts], months: Iterable[str], fewest: int = NUMBERED_FROM
) -> list[Turn]:
    """What `fewest` movements or more come with; days that follow soon are one turn, whose mark has room."""
    eves: list[Turn] = []
    for day in sorted(days):
        _add(eves, Turn(0, day, day, days[day]), 1)
    shown = frozenset(months)
    turns: list[Turn] = []
    for turn in eves:
        if turn.counts.total() >= fewest and turn.since[:7] in shown:
            _add(turns, turn, TURN_DAYS)
    return [turn._replace(number=number) for number, turn in enumerate(turns, 1)]


def others(turns: Iterable[Turn], by_month: Counts) -> int:
    """How many movements come with mandates that no turn tells."""
    return by_month.total() - sum(turn.counts.total() for turn in turns)


def _add(turns: list[Turn], turn: Turn, most_days: int) -> None:
    """Join a turn to the last one, if it follows that within so many days."""
    if turns and _away_from(turn.since)(turns[-1].until) <= most_days:
        last = turns.pop()
        turn = last._replace(until=turn.until, counts=last.counts + turn.counts)
    turns.append(turn)
