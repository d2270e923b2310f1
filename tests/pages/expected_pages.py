"""What is so of a chamber by its lists and the files of members alone: nothing of the package is used but constants."""

from __future__ import annotations

import csv
import datetime
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from datasette_mouvements.dataset.figures import GROUPS_UNKNOWN, TOO_FEW

from .expected_groups import Groups
from .expected_mandates import LATE, LINGERS, RENEWALS, Spans, gathered
from .expected_words import (
    SIGNS,
    apart,
    between,
    day,
    exact,
    moved,
    people,
    plural,
    thousands,
)
from .from_lists import Listed, Stay, Words, bare
from .from_lists import stays as stays_of

HOLE, NEW = 10, 92
REST_LEAVES, LISTED_AGAIN = 3, 92
WITHHELD = "nom retiré"


class Year(NamedTuple):
    """Who worked somewhere in the year up to the last list, and who left: name -> the last end.

    `with_member` left as the mandate ended; `why` says why there is no figure, "" where there is one.
    """

    people: frozenset[Words]
    left: Mapping[Words, Stay]
    with_member: frozenset[Words]
    why: str

    @property
    def rate(self) -> Fraction | None:
        return None if self.why else Fraction(len(self.left), len(self.people))

    @property
    def departures(self) -> str:
        """« 1 départ sur 4 », « aucun départ (3 personnes) », or why no number says it."""
        if self.why:
            return self.why
        if not self.left:
            return f"aucun départ ({people(len(self.people))})"
        return f"{plural(len(self.left), 'départ')} sur {thousands(len(self.people))}"


class Event(NamedTuple):
    """What a list shows of one name: a stay that ended, one that began, both of a transfer."""

    day: str
    before: str
    out: Stay | None
    come: Stay | None

    @property
    def kind(self) -> str:
        return "Arrivée" if not self.out else "Transfert" if self.come else "Départ"

    @property
    def written(self) -> str:
        return self.row.written

    @property
    def row(self) -> Listed:
        """The name as the list writes it that shows the event; one that a later list puts right as that has it."""
        stay = self.come or self.out
        assert stay
        exchanged = stay.begun.name == stay.row.name and stay.begun.given != stay.row.given
        return stay.begun if self.come and not exchanged else stay.row

    @property
    def badge(self) -> str:
        return f"{SIGNS[self.kind]} {self.kind}"

    def come_to(self, member: str) -> bool:
        return self.come is not None and self.come.member == member

    @property
    def members(self) -> set[str]:
        return {stay.member for stay in (self.out, self.come) if stay}


class Chamber(Groups):
    """The accepted lists of one chamber, the members' files, and what follows from both."""

    @cached_property
    def since(self) -> str:
        """The first day of the year that the last list ends."""
        return year_before(self.last)

    @cached_property
    def holes(self) -> list[tuple[str, str]]:
        """The days of the lists before and after."""
        return [(a, b) for a, b in pairwise(self.order) if apart(a, b) > HOLE]

    @cached_property
    def gap(self) -> tuple[str, str] | None:
        """Why the year has no figure: no list before ("", first), or the lists around a hole over its begin."""
        if self.order[0] > self.since:
            return "", self.order[0]
        eve = moved(self.since, -1)
        return next((hole for hole in self.holes if hole[0] < eve and hole[1] >= self.since), None)

    @cached_property
    def events(self) -> list[Event]:
        """Each begin and end; of one name and list, an end and a begin elsewhere are one transfer."""
        came: dict[tuple[str, Words], list[Stay]] = defaultdict(list)
        for stay in self.stays:
            if stay.after:
                came[stay.begin, stay.begun.name].append(stay)
        events = []
        for stay in sorted(self.stays, key=lambda one: one.member):
            if stay.end:
                come = came[stay.end, stay.name]
                to = [s for s in come if len({s.begun.civility, stay.row.civility} - {""}) < 2][:1]
                come[:] = [s for s in come if s not in to]
                events.append(Event(stay.end, stay.seen, stay, to[0] if to else None))
        rest = [stay for of in came.values() for stay in of]
        return events + [Event(stay.begin, stay.after, None, stay) for stay in rest]

    @cached_property
    def told(self) -> dict[object, list[Event]]:
        """The events of each member, of each name as it was written, and of each stay."""
        return gathered(
            (key, event)
            for event in self.events
            for key in {*event.members, event.row.name, event.out, event.come} - {None}
        )

    def context(self, event: Event) -> str:
        """The mandate that begins or ends with it: « fin », « début », "" of neither."""
        if event.out and self.gone_with_member(event.out):
            return "fin"
        if event.come and event.come.member not in self.days[event.before]:
            since = next(
                (
                    since
                    for since, until in self.mandates.get(event.come.member, [])
                    if since <= moved(event.day, LINGERS) and event.day <= (until or self._read)
                ),
                "",
            )
            listed = [day for day in self.order if since <= day < event.day]
            if not since or apart(since, event.day) <= NEW:
                return "début" * (not any(event.come.member in self.days[day] for day in listed))
        return ""

    def gone_with_member(self, stay: Stay) -> bool:
        """Whether the end of a stay is that of the mandate."""
        return stay in self._gone

    @cached_property
    def _gone(self) -> set[Stay]:
        return {stay for stay in self.stays if stay.end and self._is_mandates_end(stay)}

    def _is_mandates_end(self, stay: Stay) -> bool:
        """Whether the member is off the lists, and not known to sit on."""
        named = self._named[stay.member]
        off = next((d for d in self.order if d >= stay.end and d not in named), "")
        if not off or apart(stay.end, off) > REST_LEAVES:
            return False
        mandates = self.mandates.get(stay.member, [])
        again = next((day for day in named if day > off), "")
        if again and apart(off, again) <= LISTED_AGAIN:
            last = [until for since, until in mandates if since <= off][-1:]
            over = any(until and until < off for until in last)
            over = over or any(until and stay.seen <= until < again for _, until in mandates)
            if apart(off, again) <= 7 or not over:
                return False
        return not any(
            since <= off and (until or self._read) >= moved(off, LINGERS)
            for since, until in mandates
        )

    def faint(self, stay: Stay) -> bool:
        """Whether the list that lacks a name came late: long after the mandate, or the last one at a renewal."""
        if apart(stay.seen, stay.end) > 1:
            return False  # between two lists, and told so
        ends = [u for since, u in self.mandates.get(stay.member, []) if since <= stay.end]
        off = stay.member not in self.days[stay.end]  # whom lists go on naming sits on
        if off and ends and ends[-1] and apart(ends[-1], stay.end) > LATE:
            return True
        near = any(-3 <= apart(day, stay.end) <= LINGERS for day in RENEWALS[self.name])
        return stay.end == self.last and near and self._halved

    def left(self, stay: Stay) -> str:
        """When a stay ended."""
        if self.faint(stay):
            absent = f"nom absent de la liste du {day(stay.end)}"
            # Of a team that was emptied nobody is told to have left.
            return absent if self.gone_with_member(stay) else f"{absent}, jour du départ inconnu"
        return between(stay.seen, stay.end)

    def when(self, event: Event) -> str:
        """The day of an event; of a transfer shown by a late list about when it was."""
        if event.out and self.faint(event.out):
            return f"vers le {day(event.day)}" if event.come else self.left(event.out)
        return (
            day(event.day) if exact(event.before, event.day) else between(event.before, event.day)
        )

    @cached_property
    def _halved(self) -> bool:
        """Whether the last list lacks more than a fifth of the pairs before it."""
        pairs = [{(m, name) for m, of in self.days[d].items() for name in of} for d in self.order]
        return len(pairs[-2] - pairs[-1]) > len(pairs[-2]) / 5

    def year(self, stays: Iterable[Stay]) -> Year:
        reach = (stay for stay in stays if not stay.end or stay.end >= self.since)
        of = gathered((stay.name, stay) for stay in reach)
        left, with_member = {}, set()
        for name, some in of.items():
            if all(stay.end for stay in some):
                end = max(stay.end for stay in some)
                own = [s for s in some if s.end == end and not self.gone_with_member(s)]
                if own:
                    left[name] = own[0]
                else:
                    with_member.add(name)
        why = TOO_FEW * (len(of) < 3)
        if self.gap and self.gap[0]:
            first, last = moved(self.gap[0], 1), moved(self.gap[1], -1)
            begun = day(first).split(" ")
            shared = sum(first[:length] == last[:length] for length in (4, 7))
            why = f"Pas de liste du {' '.join(begun[: 3 - shared])} au {day(last)}."
        elif self.gap:
            why = f"Pas de liste avant le {day(self.gap[1])}."
        return Year(frozenset(of), left, frozenset(with_member), why)

    @cached_property
    def teams(self) -> dict[str, Year]:
        return {member: self.year(stays) for member, stays in self.by_member.items()}

    def present(self, member: str) -> int:
        """How many collaborations the last list has, none where the mandate is over."""
        return sum(not stay.end for stay in self.by_member[member]) if self.sits(member) else 0

    @cached_property
    def groups_known(self) -> bool:
        """Whether the group of most teams is known: of a few members a group's figures tell nothing."""
        counted = [self.latest_group(m) for m, year in self.teams.items() if year.people]
        return 2 * counted.count("") <= len(counted)

    @cached_property
    def group_years(self) -> dict[str, Year]:
        stays: dict[str, list[Stay]] = {code: [] for code in self.group_spans}
        for stay in self.stays:
            if code := self.group_of_stay(stay):
                stays.setdefault(code, []).append(stay)
        years = {code: self.year(of) for code, of in stays.items()}
        why = "" if self.groups_known else GROUPS_UNKNOWN
        return {code: year._replace(why=why or year.why) for code, year in years.items()}

    @cached_property
    def medians(self) -> dict[str, Fraction]:
        """The median rate of the teams of each group."""
        years = self.teams.items() if self.groups_known else ()
        rates = gathered((self.latest_group(m), y.rate) for m, y in years if y.rate is not None)
        return {group: statistics.median(of) for group, of in rates.items()}

    def case(self, member: str) -> tuple[object, ...]:
        """What pages of members differ by."""
        stays = self.by_member[member]
        again = len(stays) > len({stay.name for stay in stays})
        renamed = any(stay.begun.name != stay.name for stay in stays)
        there = any(not stay.end for stay in stays)
        return self.standing(member).how, there, len(stays) > 20, again, renamed


def chamber(
    name: str,
    days: Mapping[str, Mapping[str, Mapping[Words, Listed]]],
    names: Mapping[str, list[tuple[str, str]]],
    folder: Path,
    today: str,
    masked: Words = frozenset(),
) -> Chamber:
    """A chamber with what the files of members say; `names` are those of the lists, from which day on."""
    terms: dict[str, Spans] = defaultdict(list)
    groups: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    members = {}
    for row in csv_rows(folder / "mandats.csv", name):
        terms[row["elu_id"]].append((row["debut"], row["fin"]))
        filed = bare(f"{row['nom']} {row['prenom']}")
        members[row["elu_id"]] = (row["nom_complet"], row["civilite"], filed)
    for row in csv_rows(folder / "groupes.csv", name):
        groups[row["elu_id"]].append((row["depuis"], row["jusqua"], row["groupe"]))
    return Chamber(
        name,
        days,
        [_withheld(stay) if stay.name == masked else stay for stay in stays_of(days)],
        {member: sorted(of) for member, of in terms.items()},
        {member: sorted(of) for member, of in groups.items()},
        members,
        names,
        today,
    )


def _withheld(stay: Stay) -> Stay:
    row, begun = (one._replace(written=WITHHELD) for one in (stay.row, stay.begun))
    return stay._replace(row=row, begun=begun)


def csv_rows(path: Path, chamber: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["chambre"] == chamber]


def year_before(last: str) -> str:
    """The first day of the year that ends with a day."""
    day = datetime.date.fromisoformat(last)
    leap = (day.month, day.day) == (2, 29)
    return moved(day.replace(year=day.year - 1, day=28 if leap else day.day).isoformat(), 1)
