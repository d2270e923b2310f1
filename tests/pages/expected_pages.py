"""What the pages of a member and of a name must say, from stays computed from the lists alone (`from_lists`)."""

from __future__ import annotations

import csv
import datetime
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from .from_lists import Listed, Stay, Words

MONTHS = (
    *("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août"),
    *("septembre", "octobre", "novembre", "décembre"),
)
HOLE, LINGERS = 10, 31
Spans = list[tuple[str, str]]


class Year(NamedTuple):
    """Who worked somewhere in the year up to the last list, and whose member stayed as they left."""

    people: frozenset[Words]
    left: frozenset[Words]

    @property
    def rate(self) -> Fraction | None:
        """None of fewer than three people."""
        return Fraction(len(self.left), len(self.people)) if len(self.people) > 2 else None


class Chamber(NamedTuple):
    """The lists of one chamber, and what they tell."""

    days: dict[str, dict[str, dict[Words, Listed]]]
    stays: list[Stay]
    mandates: dict[str, Spans]
    groups: dict[str, list[tuple[str, str, str]]]

    @property
    def order(self) -> list[str]:
        return sorted(self.days)

    @property
    def last(self) -> str:
        return max(self.days)

    @property
    def since(self) -> str:
        """The first day of the year that the last list ends."""
        day = datetime.date.fromisoformat(self.last)
        return (day.replace(year=day.year - 1) + datetime.timedelta(1)).isoformat()

    @property
    def unknown(self) -> str:
        """Why the year has no figure, "" where it has one: the first list or a hole is within it."""
        order = self.order
        if order[0] > self.since:
            return f"pas de liste avant le {day(order[0])}"
        for before, after in pairwise(order):
            if apart(before, after) > HOLE and after >= self.since:
                return f"pas de liste du {day(moved(before, 1))} au {day(moved(after, -1))}"
        return ""

    def of(self, member: str) -> list[Stay]:
        return [stay for stay in self.stays if stay.member == member]

    def gone_with_member(self, stay: Stay) -> bool:
        """Whether the end of a stay is that of the mandate: the member is off the list, and not known to sit on."""
        return stay.member not in self.days[stay.end] and not any(
            since <= stay.end and (not until or until >= moved(stay.end, LINGERS))
            for since, until in self.mandates.get(stay.member, [])
        )

    def year(self, stays: Iterable[Stay]) -> Year:
        of: dict[Words, list[Stay]] = defaultdict(list)
        for stay in stays:
            if not stay.end or stay.end >= self.since:
                of[stay.name].append(stay)
        left = set()
        for name, some in of.items():
            if all(stay.end for stay in some):
                end = max(stay.end for stay in some)
                at = [stay for stay in some if stay.end == end]
                if not all(self.gone_with_member(stay) for stay in at):
                    left.add(name)
        return Year(frozenset(of), frozenset(left))

    def group(self, member: str) -> str:
        """The group of the last day of the latest stay, or of the mandate that ended before."""
        latest = max(stay.seen for stay in self.of(member))
        ends = [u for s, u in self.mandates.get(member, []) if s <= latest]
        on = ends[-1] if ends and ends[-1] and ends[-1] < latest else latest
        rows = self.groups.get(member, [])
        # The file's first days are those on which somebody looked.
        held = [row for row in rows if row[0] <= on] or [
            row for row in rows[:1] if apart(on, row[0]) <= LINGERS
        ]
        if not held or (held[-1][1] and apart(held[-1][1], on) > LINGERS):
            return ""
        return held[-1][2]

    def mandate_end(self, member: str, today: str) -> str:
        """The last day of the mandate of the last list, "" of one that goes on or of which nothing is known."""
        end = ""
        for since, until in self.mandates.get(member, []):
            if since <= self.last or not end:
                end = until
        stays = self.of(member)
        behind = any(end and stay.begin > moved(end, LINGERS) for stay in stays) or any(
            end and not stay.end and self.last > moved(end, LINGERS) for stay in stays
        )
        return end if end and end < today and not behind else ""


def mandates(folder: Path, chamber: str) -> dict[str, Spans]:
    """First and last days, those within a month of one another made one."""
    found: dict[str, Spans] = defaultdict(list)
    for row in sorted(csv_rows(folder / "mandats.csv", chamber), key=lambda row: row["debut"]):
        of = found[row["elu_id"]]
        if of and of[-1][1] and apart(of[-1][1], row["debut"]) <= LINGERS:
            of[-1] = (of[-1][0], row["fin"] and max(of[-1][1], row["fin"]))
        else:
            of.append((row["debut"], row["fin"]))
    return found


def groups(folder: Path, chamber: str) -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for row in csv_rows(folder / "groupes.csv", chamber):
        found[row["elu_id"]].append((row["depuis"], row["jusqua"], row["groupe"]))
    return {member: sorted(of) for member, of in found.items()}


def csv_rows(path: Path, chamber: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["chambre"] == chamber]


def months(since: str, days: int) -> int:
    """How many months are over some days after a day."""
    begin = datetime.date.fromisoformat(since)
    end, number = begin + datetime.timedelta(days), 0
    while True:
        year, month = divmod(begin.year * 12 + begin.month - 1 + number + 1, 12)
        following = datetime.date(year + (month == 11), (month + 1) % 12 + 1, 1)
        length = (following - datetime.timedelta(1)).day
        if datetime.date(year, month + 1, min(begin.day, length)) > end:
            return number
        number += 1


def lasted(stays: list[Stay], last: str) -> str:
    """How long stays lasted together: each began after `after`, by `begin`, and ended after `seen`, by `end`."""
    stays = sorted(stays, key=lambda one: one.begin)
    least = sum(apart(s.begin, moved(s.seen, 1) if s.end else last) for s in stays)
    most = sum(apart(earliest(s), s.end or last) for s in stays)
    fewest, whole = months(stays[0].begin, least), months(earliest(stays[0]), most)
    if any(not stay.after for stay in stays):
        return f"au moins {fewest} mois" if fewest else f"au moins {plural(max(least, 1), 'jour')}"
    return about(fewest, whole)


def about(least: int, most: int) -> str:
    if not least:
        return f"moins de {most + 1} mois" if most else "moins d’un mois"
    return f"{least} mois" if least == most else f"entre {least} et {most} mois"


def presence(stays: list[Stay], last: str) -> str:
    """The median of those on the last list, up to it; "" of nobody."""
    there = sorted((apart(s.begin, last), not s.after) for s in stays if not s.end)
    if not there:
        return ""
    half = int(statistics.median(days for days, _ in there))
    number = months(moved(last, -half), half)
    return ("au moins " if there[len(there) // 2][1] else "") + about(number, number)


def earliest(stay: Stay) -> str:
    return moved(stay.after, 1) if stay.after else stay.begin


def between(after: str, on: str) -> str:
    """« le 12 mars 2024 », « entre le 3 et le 9 mars 2021 »."""
    if not after or apart(after, on) <= 1:
        return f"le {day(on)}"
    first = day(after).split()
    if after[:7] == on[:7]:
        first = first[:1]
    elif after[:4] == on[:4]:
        first = first[:2]
    return f"entre le {' '.join(first)} et le {day(on)}"


def began(stay: Stay) -> str:
    return (
        between(stay.after, stay.begin)
        if stay.after
        else f"avant le {day(stay.begin)} ou ce jour-là"
    )


def day(text: str) -> str:
    date = datetime.date.fromisoformat(text)
    return f"{'1er' if date.day == 1 else date.day} {MONTHS[date.month - 1]} {date.year}"


def percent(share: Fraction) -> str:
    """In whole per cent, a half upwards."""
    return f"{int(share * 100 + Fraction(1, 2))} %"


def plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}"


def medians(chamber: Chamber) -> dict[str, tuple[int, str]]:
    """How many offices have a rate and their median, by group, and under "" of the whole chamber."""
    by_member: dict[str, list[Stay]] = defaultdict(list)
    for stay in chamber.stays:
        by_member[stay.member].append(stay)
    rates: dict[str, list[Fraction]] = defaultdict(list)
    for member, stays in by_member.items():
        rate = chamber.year(stays).rate
        if rate is not None:
            rates[""].append(rate)
            group = chamber.group(member)
            if group:
                rates[group].append(rate)
    return {group: (len(of), percent(statistics.median(of))) for group, of in rates.items()}


def movements(stays: Iterable[Stay]) -> Counter[str]:
    """How many movements begin and end stays, under "came" and "went"."""
    some = list(stays)
    return Counter(came=sum(bool(s.after) for s in some), went=sum(bool(s.end) for s in some))


def apart(since: str, until: str) -> int:
    return (datetime.date.fromisoformat(until) - datetime.date.fromisoformat(since)).days


def moved(on: str, days: int) -> str:
    return (datetime.date.fromisoformat(on) + datetime.timedelta(days)).isoformat()


def in_words(number: int) -> str:
    """A number of offices in letters up to nine."""
    words = "une deux trois quatre cinq six sept huit neuf".split()
    return words[number - 1] if number <= len(words) else str(number)
