"""Figures that can be set beside others: the standard rate of rotation, the length of stays, who is there by sex.

Defined in docs/explanation/what-may-be-said.md, "Figures of periods".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from parlement_lists.tenure import Tenure

from ..coverage import CountedPeriod
from ..turnover import FEWEST, LastEnd, count_left, ends_by_person

# Who is back with the same member after fewer days was not away.
JOINED_DAYS = 120
# A stay of no more days is none.
SHORT_DAYS = 7
WOMEN, MEN = SEXES = ("femmes", "hommes")
_SEX = {"Mme": WOMEN, "M.": MEN}
_DAYS_OF_YEAR = 365.25

Part = tuple[str, str]  # the code of a group and one of SEXES, "" for all
# The group to which a stay belongs in a period, "" where it is not known.
GroupOf = Callable[[Tenure], str]


class JoinedStay(NamedTuple):
    """What one person's stays with one member make, short absences left out of account; days are ordinals."""

    begin: int
    end: int  # the first day without, 0 while it goes on
    arrival: bool  # whether it began on a known day: a list before lacks it
    sex: str
    last: Tenure


class Lasting(NamedTuple):
    """How long those stay who arrive in a period: the median of Kaplan and Meier, stays in progress being cut off."""

    days: int | None  # None where more than half of them are there still
    arrivals: int


class Rotation(NamedTuple):
    """The figures of a part of a chamber in a period."""

    people: int
    left: int  # of these, as other pages count them
    headcount: float  # stays on a day of the period, on average
    arrivals: int
    departures: int
    years: float  # that the period lasts
    lasting: Lasting | None  # None where fewer than FEWEST arrived

    @property
    def rate(self) -> float:
        """Half of all arrivals and departures by the mean headcount."""
        return (self.arrivals + self.departures) / 2 / self.headcount

    @property
    def by_year(self) -> float:
        return self.rate / self.years


class _Tally:
    """What is counted of a part; `lasted` are days, and whether the stay ended then."""

    def __init__(self) -> None:
        self.days = self.arrivals = self.departures = 0
        self.lasted: list[tuple[int, bool]] = []
        self.ends: dict[str, LastEnd] = {}

    def add(self, other: _Tally) -> None:
        self.days += other.days
        self.arrivals += other.arrivals
        self.departures += other.departures
        self.lasted += other.lasted
        for person, end in other.ends.items():
            known = self.ends.get(person)
            if known is None or known < end:
                self.ends[person] = end


def join_stays(
    stays: Iterable[tuple[str, Tenure]], returns: Mapping[str, str]
) -> list[JoinedStay]:
    """The stays of a chamber, each with its person, joined and without short ones.

    `returns` has of a stay after fewer than JOINED_DAYS the one that it returns to.
    """
    found: dict[str, JoinedStay] = {}  # by the identifier of the latest stay
    for person, stay in sorted(stays, key=lambda one: one[1].debut):
        before = found.pop(returns.get(stay.id, ""), None)
        begin, arrival, sex = ordinal(stay.debut), bool(stay.debut_apres), sex_of(stay)
        if before:
            begin, arrival, sex = before.begin, before.arrival, sex or before.sex
        end = ordinal(stay.fin) if stay.fin else 0
        found[stay.id] = JoinedStay(begin, end, arrival, sex, stay)
    # Of a stay older than the first list nobody knows that it was short.
    return [
        one
        for one in found.values()
        if not (one.end and one.arrival and one.end - one.begin <= SHORT_DAYS)
    ]


def rotations(
    joined: Iterable[JoinedStay],
    stays: Iterable[tuple[str, Tenure]],
    period: CountedPeriod,
    last: str,
    group_of: GroupOf,
    gone_with_member: frozenset[str],
) -> dict[Part, Rotation]:
    """The figures of every part of a chamber in a period that is known, of those with FEWEST people.

    `last` is the day of the chamber's last list, `gone_with_member` as for `chamber_figures`.
    """
    since, until = ordinal(period.since), ordinal(period.until)
    own: dict[Part, _Tally] = defaultdict(_Tally)  # of each group and sex, "" where it is not known
    for one in joined:
        if one.begin > until or (one.end and one.end < since):
            continue
        tally = own[group_of(one.last), one.sex]
        tally.days += max(min(one.end or until + 1, until + 1) - max(one.begin, since), 0)
        tally.departures += 0 < one.end <= until
        if one.arrival and one.begin >= since:
            tally.arrivals += 1
            tally.lasted.append(((one.end or ordinal(last)) - one.begin, bool(one.end)))
    reaching: dict[Part, list[tuple[str, Tenure]]] = defaultdict(list)
    for person, stay in stays:
        if stay.debut <= period.until and (not stay.fin or stay.fin >= period.since):
            reaching[group_of(stay), sex_of(stay)].append((person, stay))
    for part, of in reaching.items():
        own[part].ends = ends_by_person(of, period.until, gone_with_member)
    whole: dict[Part, _Tally] = defaultdict(_Tally)
    for (group, sex), tally in own.items():
        for part in {(g, s) for g in ("", group) for s in ("", sex)}:
            whole[part].add(tally)
    return {
        part: _rotation(tally, until - since + 1)
        for part, tally in whole.items()
        if len(tally.ends) >= FEWEST and tally.days
    }


def _rotation(tally: _Tally, days: int) -> Rotation:
    return Rotation(
        len(tally.ends),
        count_left(tally.ends),
        tally.days / days,
        tally.arrivals,
        tally.departures,
        days / _DAYS_OF_YEAR if days > 366 else 1,
        _lasting(tally.lasted),
    )


def _lasting(lasted: Sequence[tuple[int, bool]]) -> Lasting | None:
    if len(lasted) < FEWEST:
        return None
    return Lasting(median_lasting(lasted), len(lasted))


def median_lasting(lasted: Iterable[tuple[int, bool]]) -> int | None:
    """The day by which half have left (Kaplan and Meier): days, and whether the stay ended then.

    None where more than half are there still.
    """
    ended: dict[int, int] = defaultdict(int)
    cut: dict[int, int] = defaultdict(int)
    for days, over in lasted:
        (ended if over else cut)[days] += 1
    there, surviving = sum(ended.values()) + sum(cut.values()), 1.0
    for days in sorted({*ended, *cut}):
        surviving *= 1 - ended[days] / there
        if surviving <= 0.5 + 1e-9:  # a product of floats that is one half may be a little more
            return days
        there -= ended[days] + cut[days]
    return None


def headcounts(stays: Iterable[Tenure], first: str, last: str) -> dict[str, list[int]]:
    """How many stays lists show on each day from the first list to the last, by sex, "" for all."""
    begin, end = ordinal(first), ordinal(last) + 1
    changes = {sex: [0] * (end - begin + 1) for sex in ("", *SEXES)}
    for stay in stays:
        since, until = ordinal(stay.debut) - begin, (ordinal(stay.fin) if stay.fin else end) - begin
        for sex in {"", sex_of(stay)}:
            changes[sex][since] += 1
            changes[sex][until] -= 1
    return {sex: list(accumulate(of))[:-1] for sex, of in changes.items()}


def sex_of(stay: Tenure) -> str:
    """As the list's civility says, "" where it gives none; a given name says nothing."""
    return _SEX.get(stay.collab_civilite, "")


@cache
def ordinal(day: str) -> int:
    """The number of a day."""
    return date.fromisoformat(day).toordinal()
