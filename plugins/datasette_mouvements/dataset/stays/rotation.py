"""Figures that can be set beside others: the standard rate of rotation, the length of stays, who is there by sex.

Defined in docs/explanation/what-may-be-said.md, "Figures of periods".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from ..coverage import CountedPeriod
from ..turnover import FEWEST

# Who is back with the same member after fewer days was not away.
JOINED_DAYS = 120
# A stay of no more days is none.
SHORT_DAYS = 7
WOMEN, MEN = SEXES = ("femmes", "hommes")
_SEX = {"Mme": WOMEN, "M.": MEN}
_DAYS_OF_YEAR = 365.25
# Later than every day (see `ordinal`): the end of what goes on.
NEVER = date.max.toordinal()

Part = tuple[str, str]  # the code of a group and one of SEXES, "" for all
# The code of a group, the first day in it and the first day after; days are numbers, see `ordinal`.
HeldGroup = tuple[str, int, int]
HeldGroups = Mapping[str, Sequence[HeldGroup]]  # of each member, in the order of time


class CountedStay(NamedTuple):
    """What is counted of a stay, without its texts: a chamber has ten thousands. Days are numbers, see `ordinal`."""

    row: int
    person: str  # as of `Tenure`
    member: str
    group: str
    sex: str  # as the list's civility says, "" where it gives none; a given name says nothing
    begin: int
    end: int  # NEVER of one in progress
    listed: int  # the last list that has it
    arrival: bool  # whether it began on a known day: a list before lacks it
    leaves: bool  # whether the person left at its end, and the member stayed


class JoinedStay(NamedTuple):
    """What one person's stays with one member make, short absences left out of account."""

    begin: int
    arrival: bool
    sex: str
    last: CountedStay

    @property
    def short(self) -> bool:
        """Whether it lasted up to SHORT_DAYS; of one older than the first list nobody knows."""
        return self.arrival and self.last.end - self.begin <= SHORT_DAYS


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
        # Of each person the last end: twice the day, and one more where he or she left by it.
        self.ends: dict[str, int] = {}

    def end(self, person: str, end: int) -> None:
        """Note an end of somebody, if it is the last one."""
        if end > self.ends.get(person, 0):
            self.ends[person] = end

    def add(self, other: _Tally) -> None:
        self.days += other.days
        self.arrivals += other.arrivals
        self.departures += other.departures
        self.lasted += other.lasted
        for person, end in other.ends.items():
            self.end(person, end)


def join_stays(stays: Iterable[CountedStay], returns: Mapping[int, int]) -> list[JoinedStay]:
    """The stays of a chamber, which come in the order of first days, joined and without short ones.

    `returns` has of a stay after fewer than JOINED_DAYS the one that it returns to, by row.
    """
    found: dict[int, JoinedStay] = {}  # by the row of the latest stay
    for stay in stays:
        before = found.pop(returns.get(stay.row, 0), None)
        begin, arrival, sex = stay.begin, stay.arrival, stay.sex
        if before:
            begin, arrival, sex = before.begin, before.arrival, sex or before.sex
        found[stay.row] = JoinedStay(begin, arrival, sex, stay)
    return [one for one in found.values() if not one.short]


def held_during(
    stay: CountedStay, begin: int, since: int, until: int, held: Sequence[HeldGroup]
) -> list[HeldGroup]:
    """The groups of the member during a stay that began on `begin`, within a period; "" where none is known.

    A stay that ends in the period ends in its own group. It has at least one, if only for no day.
    """
    at, end = max(begin, since), min(stay.end, until + 1)
    if len(held) == 1 and held[0][1] <= at < end <= held[0][2]:
        return [(held[0][0], at, end)]  # as of most members
    found: list[HeldGroup] = []
    for code, first, over in held:
        if over <= at or first >= end:
            continue
        if first > at:
            found.append(("", at, first))
        stop = min(over, end)
        found.append((code, max(first, at), stop))
        at = stop
    if at < end or not found:
        found.append(("", at, max(at, end)))
    if stay.listed <= until and stay.group and not found[-1][0]:
        found[-1] = (stay.group, *found[-1][1:])
    return found


def rotations(
    joined: Iterable[JoinedStay],
    stays: Iterable[CountedStay],
    period: CountedPeriod,
    last: str,
    held: HeldGroups,
) -> dict[Part, Rotation]:
    """The figures of every part of a chamber in a known period, of those with FEWEST people, also on average.

    `last` is the day of the chamber's last list. Who goes to another group with the member neither leaves the
    one nor arrives in the other.
    """
    since, until, cut = ordinal(period.since), ordinal(period.until), ordinal(last)
    own: dict[Part, _Tally] = defaultdict(_Tally)  # of each group and sex, "" where it is not known
    known: dict[int, list[HeldGroup]] = {}
    for begin, arrival, sex, stay in joined:
        end = stay.end
        if begin > until or end < since:
            continue
        groups = held_during(stay, begin, since, until, held.get(stay.member, ()))
        if begin == stay.begin:
            known[stay.row] = groups
        for code, first, over in groups:
            own[code, sex].days += over - first
        if end <= until:
            own[groups[-1][0], sex].departures += 1
        if arrival and begin >= since:
            tally = own[groups[0][0], sex]
            tally.arrivals += 1
            tally.lasted.append(((end if end < NEVER else cut) - begin, end < NEVER))
    for stay in stays:
        end = stay.end
        if stay.begin > until or end < since:
            continue
        groups = known.get(stay.row) or held_during(
            stay, stay.begin, since, until, held.get(stay.member, ())
        )
        told = 2 * NEVER if end > until else 2 * end + stay.leaves
        own[groups[-1][0], stay.sex].end(stay.person, told)
        for left, _, over in groups[:-1]:
            own[left, stay.sex].end(stay.person, 2 * over)
    whole: dict[Part, _Tally] = defaultdict(_Tally)
    for (group, sex), tally in own.items():
        for part in {(g, s) for g in ("", group) for s in ("", sex)}:
            whole[part].add(tally)
    days = until - since + 1
    return {
        part: _rotation(tally, days)
        for part, tally in whole.items()
        if len(tally.ends) >= FEWEST and tally.days >= FEWEST * days
    }


def _rotation(tally: _Tally, days: int) -> Rotation:
    return Rotation(
        len(tally.ends),
        sum(end & 1 for end in tally.ends.values()),
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


def headcounts(stays: Iterable[CountedStay], first: str, last: str) -> dict[str, list[int]]:
    """How many stays lists show on each day from the first list to the last, by sex, "" for all."""
    begin, end = ordinal(first), ordinal(last) + 1
    changes = {sex: [0] * (end - begin + 1) for sex in ("", *SEXES)}
    for stay in stays:
        for sex in {"", stay.sex}:
            changes[sex][stay.begin - begin] += 1
            changes[sex][min(stay.end, end) - begin] -= 1
    return {sex: list(accumulate(of))[:-1] for sex, of in changes.items()}


def sex_of(civility: str) -> str:
    """The one of SEXES that a civility tells, "" for none."""
    return _SEX.get(civility, "")


@cache
def ordinal(day: str) -> int:
    """The number of a day."""
    return date.fromisoformat(day).toordinal()
