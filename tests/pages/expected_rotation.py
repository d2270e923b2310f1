"""The figures of years and terms by the lists alone, day by day: nothing of the package is used."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from .expected_pages import Chamber, apart, moved
from .from_lists import Stay, Words

TERMS = {
    "assemblee": (
        ("2012-06-20", "2017-06-21"),
        ("2017-06-21", "2022-06-22"),
        ("2022-06-22", "2024-06-09"),
        ("2024-07-08", ""),
    ),
    "senat": (
        ("2014-10-01", "2017-10-02"),
        ("2017-10-02", "2020-10-01"),
        ("2020-10-01", "2023-10-02"),
        ("2023-10-02", "2026-10-01"),
    ),
    "europarl": (("2019-07-02", "2024-07-16"), ("2024-07-16", "2029-07-17")),
}
SEX = {"Mme": "femmes", "M.": "hommes", "": ""}
# An absence of fewer days is none; nor is a stay of no more days one.
JOINED, SHORT, FEWEST, YEAR = 120, 7, 3, 365


class Span(NamedTuple):
    """A year or a term: its name, its first and last day that are counted, whether it has figures."""

    kind: str
    name: str
    since: str
    until: str
    given: bool


class Joined(NamedTuple):
    """The first and the last of the stays that one person's absences do not part."""

    first: Stay
    last: Stay
    civility: str

    @property
    def short(self) -> bool:
        return bool(
            self.first.after and self.last.end and apart(self.first.begin, self.last.end) <= SHORT
        )


Key = tuple[str, str]  # group, sex


def spans(lists: Chamber) -> Iterator[Span]:
    """The years from the first list to the last, and the terms with two lists."""
    for year in range(int(lists.order[0][:4]), int(lists.last[:4]) + 1):
        since, until = f"{year}-01-01", f"{year}-12-31"
        eve = moved(since, -1)
        whole = lists.order[0] <= since and lists.last >= until
        over = [
            (before, after)
            for before, after in lists.holes
            if (before < eve and after >= since) or (before < until < after)
        ]
        yield Span("annee", str(year), since, until, whole and not over)
    for begin, end in TERMS[lists.name]:
        within = [day for day in lists.order if begin <= day and (day < end or not end)]
        if len(within) > 1:
            name = f"{begin[:4]}-{end[:4]}"
            long = apart(within[0], within[-1]) >= YEAR
            yield Span("legislature", name, moved(within[0], 1), within[-1], long)


def joined(lists: Chamber) -> list[Joined]:
    """Every person's stays with each member, one where they are not long apart."""
    found = []
    of_person: dict[tuple[str, Words], list[Stay]] = defaultdict(list)
    for stay in lists.stays:
        of_person[stay.member, stay.name].append(stay)
    for stays in of_person.values():
        chain: list[Joined] = []
        for stay in sorted(stays, key=lambda one: one.begin):
            before = chain[-1] if chain else None
            if (
                before
                and apart(before.last.end, stay.begin) < JOINED
                and len({before.last.civility, stay.civility} - {""}) < 2
            ):
                chain[-1] = Joined(before.first, stay, stay.civility or before.civility)
            else:
                chain.append(Joined(stay, stay, stay.civility))
        found += [one for one in chain if not one.short]
    return found


class Recount:
    """A chamber's cells of one span."""

    def __init__(self, lists: Chamber, span: Span, every: list[Joined]) -> None:
        self._lists, self._span = lists, span
        self._days: dict[Key, int] = defaultdict(int)
        self._events: dict[Key, list[str]] = defaultdict(list)
        self._lasted: dict[Key, list[tuple[int, bool]]] = defaultdict(list)
        # Key -> name -> what each end was: the day ("9" of who is there), whether the person left.
        self._people: dict[Key, dict[Words, list[tuple[str, bool]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._after = moved(span.until, 1)
        self._held = cache(self._sorted)
        for one in every:
            self._add_joined(one)
        for stay in lists.stays:
            self._add_person(stay)

    def _pieces(self, stay: Stay, begin: str) -> list[tuple[str, str, str]]:
        """Group, first day and day after, of the days of the span."""
        end = min(stay.end or self._after, self._after)
        at = max(begin, self._span.since)
        held = self._held(stay.member)
        turns = {day for _, since, until in held for day in (since, until and moved(until, 1))}
        found: list[list[str]] = []
        for day, over in pairwise([at, *sorted(t for t in turns if at < t < end), end]):
            of_day = [code for code, since, until in held if since <= day <= (until or day)]
            if day < end:
                found.append([of_day[-1] if of_day else "", day, over])
        found = found or [["", at, at]]
        if stay.seen <= self._span.until and not found[-1][0]:
            found[-1][0] = self._lists.group(stay.member, stay.seen, leaving=True)
        return [(code, first, over) for code, first, over in found]

    def _sorted(self, member: str) -> list[tuple[str, str, str]]:
        return sorted(self._lists.memberships(member), key=lambda one: one[1])

    def _add_joined(self, one: Joined) -> None:
        since, until = self._span.since, self._span.until
        begin, end, sex = one.first.begin, one.last.end, SEX[one.civility]
        if begin > until or (end and end < since):
            return
        pieces = self._pieces(one.last, begin)
        for code, first, over in pieces:
            for key in keys(code, sex):
                self._days[key] += apart(first, over)
        if end and end <= until:
            for key in keys(pieces[-1][0], sex):
                self._events[key].append("out")
        if one.first.after and begin >= since:
            for key in keys(pieces[0][0], sex):
                self._events[key].append("in")
                self._lasted[key].append((apart(begin, end or self._lists.last), bool(end)))

    def _add_person(self, stay: Stay) -> None:
        since, until = self._span.since, self._span.until
        if stay.begin > until or (stay.end and stay.end < since):
            return
        *before, (code, _, _) = self._pieces(stay, stay.begin)
        gone = bool(stay.end) and stay.end <= until
        left = gone and not self._lists.gone_with_member(stay)
        sex = SEX[stay.civility]
        ends = [(code, stay.end if gone else "9", left)]
        ends += [(group, over, False) for group, _, over in before]
        for group, day, went in ends:
            for key in keys(group, sex):
                self._people[key][stay.name].append((day, went))

    def cells(self) -> dict[Key, dict[str, str]]:
        """The columns of the file for each cell of enough people."""
        found = {}
        days = apart(self._span.since, self._span.until) + 1
        for key, people in self._people.items():
            if len(people) >= FEWEST and self._days[key] >= FEWEST * days:
                found[key] = self._cell(key, people, days)
        known = sum(
            Fraction(self._days[group, ""], days) for group, sex in found if group and not sex
        )
        if found and 2 * known < Fraction(self._days["", ""], days):
            found = {key: one for key, one in found.items() if not key[0]}
        return found

    def _cell(
        self, key: Key, people: Mapping[Words, list[tuple[str, bool]]], days: int
    ) -> dict[str, str]:
        come, out = (self._events[key].count(kind) for kind in ("in", "out"))
        there = Fraction(self._days[key], days)
        rate = Fraction(come + out, 2) / there
        years = Fraction(days * 4, 1461) if days > 366 else 1
        left = sum(max(ends)[1] for ends in people.values())
        lasted = self._lasted[key]
        median = half_left(lasted) if len(lasted) >= FEWEST else None
        return {
            "personnes": str(len(people)),
            "effectif_moyen": f"{float(there):.2f}",
            "arrivees": str(come),
            "departs": str(out),
            "taux": f"{float(rate):.4f}",
            "taux_par_an": f"{float(rate / years):.4f}",
            "duree_mediane_jours": "" if median is None else str(median),
            "duree_arrivees": str(len(lasted)) if len(lasted) >= FEWEST else "",
            "parties": str(left),
            "part": f"{left / len(people):.4f}",
        }


def keys(group: str, sex: str) -> set[Key]:
    """The cells that one stay is counted in."""
    return {("", ""), (group, ""), ("", sex), (group, sex)}


def half_left(lasted: Iterable[tuple[int, bool]]) -> int | None:
    """By which day half have gone, those still there counted as long as they are seen."""
    every = sorted(lasted)
    staying = Fraction(1)
    for day in sorted({days for days, over in every if over}):
        seen = sum(days >= day for days, _ in every)
        gone = sum(days == day and over for days, over in every)
        staying *= Fraction(seen - gone, seen)
        if 2 * staying <= 1:
            return day
    return None


def months(lists: Chamber) -> Iterator[tuple[str, dict[str, float]]]:
    """How many stays there are on a day of each month, by sex; nothing of a month that a hole touches."""
    first, last = lists.order[0], lists.last
    month = f"{first[:7]}-01"
    while month <= last:
        later = datetime.date.fromisoformat(month) + datetime.timedelta(31)
        following = later.replace(day=1).isoformat()
        since, until = max(month, first), min(moved(following, -1), last)
        if any(before < until and since <= after for before, after in lists.holes):
            yield month[:7], {}
        else:
            days = [moved(since, n) for n in range(apart(since, until) + 1)]
            yield month[:7], _means(lists.stays, days)
        month = following


def _means(stays: Iterable[Stay], days: list[str]) -> dict[str, float]:
    total: dict[str, int] = defaultdict(int)
    for stay in stays:
        there = sum(stay.begin <= day and (not stay.end or day < stay.end) for day in days)
        for sex in {"", SEX[stay.civility]} if there else ():
            total[sex] += there
    sexes = ("", "femmes", "hommes") if len(total) > 1 else ("",)
    return {sex: total[sex] / len(days) for sex in sexes}
