"""Turnover and presence: how many of an office, group or chamber left, how long those who are there are.

Figures of pages, defined in docs/explanation/what-may-be-said.md, "Turnover". People are told apart by `Tenure.person`.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from parlement_lists.dates import days_between
from parlement_lists.tenure import Tenure

from .coverage import CountedPeriod, Coverage, Gap

# Of fewer people a share says something of each of them.
FEWEST = 3


class Turnover(NamedTuple):
    """Who left of those who worked somewhere at some time from `since` to `until`, both included."""

    left: int
    people: int
    since: str
    until: str
    holes: tuple[Gap, ...] = ()  # within the period: who came and went in one is not counted

    @property
    def rate(self) -> float:
        return self.left / self.people


class NotGiven(NamedTuple):
    """Why there is no turnover of a period: days without a list, or fewer than FEWEST people."""

    since: str
    until: str
    gap: Gap | None = None  # None: too few people
    holes: tuple[Gap, ...] = ()  # as of Turnover, for what else is counted of the period


class LastEnd(NamedTuple):
    """How somebody's time somewhere stood at the end of a period."""

    there: bool
    day: str  # that of the last end, "" for one who is there
    left: bool  # by that end, the member staying
    stay: Tenure


class Median(NamedTuple):
    """The median of the turnovers of offices, and of how many: those that have one."""

    rate: float
    offices: int
    holes: tuple[Gap, ...] = ()  # as of Turnover


class Presence(NamedTuple):
    """The median of the days that the stays of the chamber's last list have lasted up to it."""

    days: float
    stays: int
    at_least: (
        bool  # it is that of a stay begun before the first list: it is longer by what nobody knows
    )


class Figures(NamedTuple):
    """What is told of one office, group or chamber."""

    turnover: Turnover | NotGiven
    presence: Presence | None = None  # None where the last list has no stay
    median: Median | None = None  # of its offices; None where none of them has a turnover
    group: str = ""  # of an office, that of its latest stay: in whose median it counts


class ChamberFigures(NamedTuple):
    """The figures of a chamber, of its groups by name and of its offices by the member's identifier.

    Those in whom nobody worked in the period, nor works now, are left out: theirs are `nobody`. Groups have
    none where that of most offices is not known (`grouped`): they would be those of a few of their members.
    """

    whole: Figures
    groups: dict[str, Figures]
    offices: dict[str, Figures]
    nobody: Figures
    grouped: bool


_Stays: TypeAlias = list[tuple[str, Tenure]]  # each with its person


def last_ends(
    tenures: Iterable[Tenure], period: tuple[str, str], gone_with_member: Container[str]
) -> dict[str, LastEnd]:
    """All who worked somewhere in a period, by `Tenure.person`: the people whom a turnover counts.

    The arguments are as for `chamber_figures`; of a period that is not known they are those whom lists
    show.
    """
    since, until = period
    return ends_by_person(_relevant(tenures, since), until, gone_with_member)


def presence(
    tenures: Iterable[Tenure], coverage: Coverage, ended: Container[str] = ()
) -> Presence | None:
    """The median presence of those of `tenures` that the chamber's last list has; None where it has none.

    Nobody is present with the members `ended`, whose mandate had ended before the last list: it may
    name their staff still.
    """
    last = coverage.last
    lasted = sorted(
        (days_between(one.debut, last), not one.debut_apres)
        for one in tenures
        if last and one.debut <= last <= one.fin_apres and one.elu_id not in ended
    )
    if not lasted:
        return None
    # Stays begun before the first list are the longest: the longer of the two in the middle tells.
    _, at_least = lasted[len(lasted) // 2]
    return Presence(statistics.median(days for days, _ in lasted), len(lasted), at_least)


def chamber_figures(
    tenures: Iterable[Tenure],
    coverage: Coverage,
    gone_with_member: Container[str],
    period: tuple[str, str] | None = None,
    ended: Container[str] = (),
    day: str = "",
) -> ChamberFigures:
    """The figures of one chamber, all of whose stays are `tenures`, each read once.

    `gone_with_member` are the identifiers of the movements whose contexte is `elu_sortant`; `period`
    is its first and last day, by default the year that ends with the last list; `ended` is as for
    `presence`; `day` is that of the list whose people are present, by default the last. A stay counts
    in the group it names, an office among those of the group of its latest stay.
    """
    counted = coverage.period(*(period or coverage.year))
    shown = coverage._replace(last=day or coverage.last)
    stays = _relevant(tenures, counted.since)
    offices: dict[str, _Stays] = defaultdict(list)
    groups: dict[str, _Stays] = defaultdict(list)
    for person, one in stays:
        offices[one.elu_id].append((person, one))
        if one.elu_groupe:
            groups[one.elu_groupe].append((person, one))

    def figures(of: _Stays) -> Figures:
        return Figures(
            _turnover(of, counted, gone_with_member),
            presence((one for _, one in of), shown, ended),
        )

    def median(rates: list[float]) -> Median | None:
        return Median(statistics.median(rates), len(rates), counted.holes) if rates else None

    by_office = {m: figures(of)._replace(group=_group(of)) for m, of in offices.items()}
    rates: dict[str, list[float]] = defaultdict(list)
    for found in by_office.values():
        if isinstance(found.turnover, Turnover):
            rates[found.group].append(found.turnover.rate)
    grouped = 2 * sum(bool(found.group) for found in by_office.values()) >= len(by_office)
    return ChamberFigures(
        figures(stays)._replace(median=median([r for of in rates.values() for r in of])),
        {g: figures(of)._replace(median=median(rates[g])) for g, of in groups.items() if grouped},
        by_office,
        Figures(NotGiven(*counted)),
        grouped,
    )


def _relevant(tenures: Iterable[Tenure], since: str) -> _Stays:
    """The stays that reach the period; the words of a name are made for these only."""
    return [(one.person, one) for one in tenures if not one.fin or one.fin >= since]


def _turnover(
    stays: _Stays, counted: CountedPeriod, gone_with_member: Container[str]
) -> Turnover | NotGiven:
    ends = ends_by_person(stays, counted.until, gone_with_member)
    if counted.gap or len(ends) < FEWEST:
        return NotGiven(*counted)
    return Turnover(count_left(ends), len(ends), counted.since, counted.until, counted.holes)


def count_left(ends: Mapping[str, LastEnd]) -> int:
    """How many of some people left."""
    return sum(one.left for one in ends.values())


def ends_by_person(
    stays: Iterable[tuple[str, Tenure]], until: str, gone_with_member: Container[str]
) -> dict[str, LastEnd]:
    """Of each person the last end by `until`; `stays` reach the period, each with its person."""
    ends: dict[str, LastEnd] = {}
    for person, one in stays:
        if one.debut > until:
            continue
        if not one.fin or one.fin > until:
            end = LastEnd(True, "", False, one)
        else:
            end = LastEnd(False, one.fin, one.mouvement_fin not in gone_with_member, one)
        known = ends.get(person)
        if known is None or known < end:
            ends[person] = end
    return ends


def _group(stays: _Stays) -> str:
    """The group of the latest of an office's stays."""
    return max((one.fin_apres, one.debut, one.elu_groupe) for _, one in stays)[2]
