"""Figures that can be set beside others: the standard rate of rotation, the length of stays, who is there by sex.

Defined in docs/explanation/what-may-be-said.md, "Figures of periods".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
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

_GONE_ON = ""  # the movement that ends what a stay was in a group which its member has left

Part = tuple[str, str]  # the code of a group and one of SEXES, "" for all
# The code of a group, the first day in it and the first day after; "" is later than every day.
HeldGroup = tuple[str, str, str]
HeldGroups = Mapping[str, Sequence[HeldGroup]]  # of each member, in the order of time


class JoinedStay(NamedTuple):
    """What one person's stays with one member make, short absences left out of account."""

    begin: str
    arrival: bool  # whether it began on a known day: a list before lacks it
    sex: str
    last: Tenure

    @property
    def short(self) -> bool:
        """Whether it lasted up to SHORT_DAYS; of one older than the first list nobody knows."""
        end = self.last.fin
        return bool(self.arrival and end) and _days(self.begin, end) <= SHORT_DAYS


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


def join_stays(stays: Iterable[tuple[str, Tenure]], returns: Mapping[str, str]) -> list[JoinedStay]:
    """The stays of a chamber, each with its person, joined and without short ones.

    `returns` has of a stay after fewer than JOINED_DAYS the one that it returns to.
    """
    found: dict[str, JoinedStay] = {}  # by the identifier of the latest stay
    for _person, stay in sorted(stays, key=lambda one: one[1].debut):
        before = found.pop(returns.get(stay.id, ""), None)
        begin, arrival, sex = stay.debut, bool(stay.debut_apres), sex_of(stay)
        if before:
            begin, arrival, sex = before.begin, before.arrival, sex or before.sex
        found[stay.id] = JoinedStay(begin, arrival, sex, stay)
    return [one for one in found.values() if not one.short]


def held_during(
    stay: Tenure, begin: str, since: str, until: str, held: Sequence[HeldGroup]
) -> list[HeldGroup]:
    """The groups of the member during a stay that began on `begin`, within a period; "" where none is known.

    A stay that ends in the period ends in its own group. It has at least one, if only for no day.
    """
    after = day_after(until)
    at, end = max(begin, since), min(stay.fin or after, after)
    if len(held) == 1 and held[0][1] <= at < end and (not held[0][2] or end <= held[0][2]):
        return [(held[0][0], at, end)]  # as of most members
    found: list[HeldGroup] = []
    for code, first, over in held:
        if (over and over <= at) or first >= end:
            continue
        if first > at:
            found.append(("", at, first))
        stop = min(over or end, end)
        found.append((code, max(first, at), stop))
        at = stop
    if at < end or not found:
        found.append(("", at, max(at, end)))
    if stay.fin_apres <= until and stay.elu_groupe and not found[-1][0]:
        found[-1] = (stay.elu_groupe, *found[-1][1:])
    return found


def rotations(
    joined: Iterable[JoinedStay],
    stays: Iterable[tuple[str, Tenure]],
    period: CountedPeriod,
    last: str,
    held: HeldGroups,
    gone_with_member: frozenset[str],
) -> dict[Part, Rotation]:
    """The figures of every part of a chamber in a known period, of those with FEWEST people, also on average.

    `last` is the day of the chamber's last list, `gone_with_member` as for `chamber_figures`. Who goes to
    another group with the member neither leaves the one nor arrives in the other.
    """
    since, until = period.since, period.until
    own: dict[Part, _Tally] = defaultdict(_Tally)  # of each group and sex, "" where it is not known
    known: dict[str, list[HeldGroup]] = {}
    for one in joined:
        stay, end = one.last, one.last.fin
        if one.begin > until or (end and end < since):
            continue
        groups = held_during(stay, one.begin, since, until, held.get(stay.elu_id, ()))
        if one.begin == stay.debut:
            known[stay.id] = groups
        for code, first, over in groups:
            own[code, one.sex].days += _days(first, over)
        own[groups[-1][0], one.sex].departures += bool(end) and end <= until
        if one.arrival and one.begin >= since:
            tally = own[groups[0][0], one.sex]
            tally.arrivals += 1
            tally.lasted.append((_days(one.begin, end or last), bool(end)))
    reaching: dict[Part, list[tuple[str, Tenure]]] = defaultdict(list)
    for person, stay in stays:
        if stay.debut <= until and (not stay.fin or stay.fin >= since):
            groups = known.get(stay.id) or held_during(
                stay, stay.debut, since, until, held.get(stay.elu_id, ())
            )
            *before, (code, _, _) = groups
            sex = sex_of(stay)
            reaching[code, sex].append((person, stay))
            for left, _, over in before:
                gone_on = stay._replace(fin=over, mouvement_fin=_GONE_ON)
                reaching[left, sex].append((person, gone_on))
    for part, of in reaching.items():
        own[part].ends = ends_by_person(of, until, gone_with_member | {_GONE_ON})
    whole: dict[Part, _Tally] = defaultdict(_Tally)
    for (group, sex), tally in own.items():
        for part in {(g, s) for g in ("", group) for s in ("", sex)}:
            whole[part].add(tally)
    days = _days(since, until) + 1
    return {
        part: _rotation(tally, days)
        for part, tally in whole.items()
        if len(tally.ends) >= FEWEST and tally.days >= FEWEST * days
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
        changes[""][since] += 1
        changes[""][until] -= 1
        if sex := sex_of(stay):
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


def _days(since: str, until: str) -> int:
    return ordinal(until) - ordinal(since)


@cache
def day_after(day: str) -> str:
    """The day after."""
    return (date.fromisoformat(day) + timedelta(1)).isoformat()
