"""What is so of a chamber by its lists and the files of members alone: nothing of the package is used."""

from __future__ import annotations

import csv
import datetime
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

from parlement_lists.tracking.members.senate_groups import FULL_NAMES

from .expected_words import (
    OF,
    SIGNS,
    ago,
    apart,
    between,
    day,
    exact,
    joined,
    moved,
    people,
    plural,
    renewed,
    thousands,
)
from .from_lists import Listed, Stay, Words, bare, words
from .from_lists import stays as stays_of

HOLE, LINGERS, NEW, LATE = 10, 31, 92, 10
REST_LEAVES, LISTED_AGAIN = 3, 92
Spans = list[tuple[str, str]]
Key = TypeVar("Key")
Value = TypeVar("Value")
# The first days of new assemblies; at the Sénat half of the seats.
RENEWALS = {
    "assemblee": ("2017-06-21", "2022-06-22", "2024-06-09", "2024-07-08"),
    "senat": ("2014-10-01", "2017-10-02", "2020-10-01", "2023-10-02"),
    "europarl": ("2019-07-02",),
}
SEATS = {"assemblee": 577, "senat": 348, "europarl": 81}
# Groups of the Sénat keep their first code in the files; the names that they had from a day on.
_NAMES = {
    "UMP": (("2015-06-02", "LR"),),
    "SOC": (("2017-10-02", "SOCR"), ("2020-10-01", "SER")),
    "CRC": (("2017-10-02", "CRCE"), ("2023-10-02", "CRCE-K")),
    "LREM": (("2020-10-01", "RDPI"),),
    "RTLI": (("", "LIRT"),),
    "UC": (("2012-10-01", "UDI-UC"), ("2017-10-02", "UC")),
}


WITHHELD = "nom retiré"
# Why nobody is counted.
TOO_FEW = "Moins de trois personnes."
GROUPS_UNKNOWN = "Le groupe de la plupart des membres n’est pas connu."


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


class Standing(NamedTuple):
    """How a mandate stands at the last list: "" where it goes on as far as is known, else since which day it does not.

    « terminé » on its last day, « renouvelé » with all others, « inconnu » since a renewal that no list
    after it answers, « ancien » where no mandate is known either and every seat was renewed, « fin inconnue »
    where no list has named anybody for 60 days and no renewal came within them.
    """

    how: str = ""
    day: str = ""
    listed: str = ""  # the last list that names staff

    @property
    def ended(self) -> bool:
        return self.how in ("terminé", "renouvelé")

    @property
    def until(self) -> str:
        """The day that pages say."""
        return self.listed if self.how == "ancien" else self.day

    @property
    def over(self) -> str:
        """From when on whom a list lacks did not leave."""
        return "9999" if not self.how else moved(self.day, self.how in ("terminé", "fin inconnue"))


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


@dataclass(frozen=True, eq=False)
class Chamber:
    """The accepted lists of one chamber, the members' files, and what follows from both."""

    name: str
    days: Mapping[str, Mapping[str, Mapping[Words, Listed]]]
    stays: list[Stay]
    terms: Mapping[str, Spans]  # as the file has them, in order
    groups: Mapping[str, list[tuple[str, str, str]]]
    members: Mapping[str, tuple[str, str, str]]  # name, civility, family name first: of the files
    names: Mapping[str, list[tuple[str, str]]]  # of the lists: from which day on
    today: str  # the day on which pages speak

    @cached_property
    def order(self) -> list[str]:
        return sorted(self.days)

    @property
    def first(self) -> str:
        return self.order[0]

    @property
    def last(self) -> str:
        return self.order[-1]

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
    def mandates(self) -> dict[str, Spans]:
        """First and last days, those within a month of one another made one."""
        found: dict[str, Spans] = defaultdict(list)
        for member, terms in self.terms.items():
            of = found[member]
            for since, until in terms:
                if of and (not of[-1][1] or apart(of[-1][1], since) <= LINGERS):
                    of[-1] = (of[-1][0], of[-1][1] and until and max(of[-1][1], until))
                else:
                    of.append((since, until))
        return found

    @cached_property
    def by_member(self) -> dict[str, list[Stay]]:
        return gathered((stay.member, stay) for stay in self.stays)

    @cached_property
    def by_name(self) -> dict[Words, list[Stay]]:
        return gathered((stay.name, stay) for stay in self.stays)

    @cached_property
    def by_former(self) -> dict[Words, list[Stay]]:
        """The stays of people who had a name before."""
        return gathered(
            (name, stay) for stay in self.stays for name in set(map(words, stay.former))
        )

    @cached_property
    def events(self) -> list[Event]:
        """Each begin and end; of one name and list, an end and a begin elsewhere are one transfer."""
        came: dict[tuple[str, Words], list[Stay]] = defaultdict(list)
        for stay in self.stays:
            if stay.after:
                came[stay.begin, stay.begun.name].append(stay)
        found = []
        for stay in sorted(self.stays, key=lambda one: one.member):
            if stay.end:
                come = came[stay.end, stay.name]
                to = [s for s in come if len({s.begun.civility, stay.row.civility} - {""}) < 2][:1]
                come[:] = [s for s in come if s not in to]
                found.append(Event(stay.end, stay.seen, stay, to[0] if to else None))
        rest = [stay for of in came.values() for stay in of]
        return found + [Event(stay.begin, stay.after, None, stay) for stay in rest]

    @cached_property
    def told(self) -> dict[object, list[Event]]:
        """The events of each member, of each name as it was written, and of each stay."""
        return gathered(
            (key, event)
            for event in self.events
            for key in {*event.members, event.row.name, event.out, event.come} - {None}
        )

    def member(self, member: str, day: str = "9999") -> tuple[str, str]:
        """The name and civility of a member; whom only lists name has that of the day."""
        if member in self.members:
            return self.members[member][:2]
        return [name for since, name in self.names[member] if since <= day][-1], ""

    def filed(self, member: str) -> str:
        return self.members[member][2] if member in self.members else bare(self.member(member)[0])

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

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        """The days of the lists that name staff of each member."""
        return gathered((member, on) for on in self.order for member in self.days[on])

    @cached_property
    def _read(self) -> str:
        """The newest day of the files: what is open then is not known to go on."""
        rows = [day for of in self.terms.values() for span in of for day in span]
        held = [day for of in self.groups.values() for row in of for day in row[:2]]
        return max(rows + held, default="")

    def standing(self, member: str) -> Standing:
        return self._standings[member]

    @cached_property
    def _standings(self) -> dict[str, Standing]:
        return {member: self._standing(member) for member in self.by_member}

    def _standing(self, member: str) -> Standing:
        """How the mandate of the last list stands."""
        stays, terms = self.by_member[member], self.mandates.get(member, [])
        since, until = max(
            (s for s in terms if s[0] <= self.last), default=(terms or [("", "")])[0]
        )
        # Of mandates that follow each other, the last.
        begins = [begin for begin, _ in self.terms.get(member, []) if begin <= (until or "9999")]
        since = max([since, *begins])
        later = [s.begin for s in stays if until and moved(until, LINGERS) < (s.end and s.begin)]
        open_ = [stay.begin for stay in stays if not stay.end]
        known = bool(terms)
        if later or (until and open_ and moved(until, LINGERS) < self.last):
            known, since = False, min(open_ + later)  # the lists know of a later mandate
        elif until:
            return Standing("terminé", until) if until < self.last else Standing()
        elif not known:
            since = min(open_, default="")
        found = self._renewed(member, since, known)
        seen = max(s.seen for s in stays)
        vanished = known and not open_ and apart(seen, self.last) > 60
        if vanished and (not found.how or found.day > moved(seen, 60)):
            return Standing("fin inconnue", seen, seen)
        return found

    def sits(self, member: str) -> bool:
        """Whether the mandate goes on: one that is known, or the last list names staff."""
        terms = self.terms.get(member, [])
        known = any(a <= self.last and (not b or b >= self.last) for a, b in terms)
        listed = any(not stay.end for stay in self.by_member[member])
        return not self.standing(member).how and (known or listed)

    def _renewed(self, member: str, since: str, known: bool) -> Standing:
        """What the first renewal after a day says: a mandate that no later list confirms is not known."""
        stays, every = self.by_member[member], RENEWALS[self.name]
        begun, seen = max(stay.begin for stay in stays), max(stay.seen for stay in stays)
        whole = self.name == "assemblee"
        for place, renewal in enumerate(every):
            if (
                renewal > self.last
                or (moved(since, LINGERS) if whole and known else since) >= renewal
            ):
                continue
            # Senators sit for six years: a mandate of a renewal ends at the next but one.
            if not whole and known and since in every and (place - every.index(since)) % 2:
                continue
            if (
                whole
                and self.last <= moved(renewal, LINGERS)
                and (known or since or seen >= renewal)
            ):
                return Standing("renouvelé", renewal)
            if begun < renewal and seen <= (moved(renewal, LINGERS) if whole else renewal):
                # Of whom no mandate is known sits no more once every seat was renewed.
                all_by = renewal if whole else next(iter(every[place + 1 :]), "9999")
                former = member not in self.terms and all_by <= self.last
                return Standing("ancien" if former else "inconnu", renewal, seen)
        return Standing()

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
            return f"absent de la liste du {day(stay.end)}, jour du départ inconnu"
        return between(stay.seen, stay.end)

    def when(self, event: Event) -> str:
        """The day of an event; of a transfer shown by a late list about when it was."""
        if event.out and self.faint(event.out):
            return f"vers le {day(event.day)}" if event.come else f"nom {self.left(event.out)}"
        return (
            day(event.day) if exact(event.before, event.day) else between(event.before, event.day)
        )

    def full_group(self, code: str) -> str:
        name = FULL_NAMES.get(code, "") if self.name == "senat" else ""
        return f"{code} {name}".strip()

    @property
    def late(self) -> bool:
        return apart(self.last, self.today) > LATE

    @cached_property
    def renewals(self) -> list[str]:
        """Those since the last list."""
        return [on for on in RENEWALS[self.name] if self.last < on <= self.today]

    def as_of(self, renewals: bool = True) -> str:
        """When the last list was, and what the calendar says since."""
        since = self.renewals if renewals else []
        if not since and not self.late:
            return ""
        told = f"La dernière liste {OF[self.name]} date du {day(self.last)}, {ago(self.last, self.today)} : tout est dit à cette date. "
        if not since:
            return told + "Ce qui a changé depuis n’est pas connu."
        have = "ont" if len(since) > 1 else "a"
        return f"{told}Depuis {have} eu lieu {joined([renewed(on) for on in since])} : ce que cela a changé n’est pas connu."

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
            why = f"Pas de liste du {day(first)} au {day(last)}."
        elif self.gap:
            why = f"Pas de liste avant le {day(self.gap[1])}."
        return Year(frozenset(of), left, frozenset(with_member), why)

    @cached_property
    def teams(self) -> dict[str, Year]:
        return {member: self.year(stays) for member, stays in self.by_member.items()}

    def present(self, member: str) -> int:
        """How many collaborations the last list has, none where the mandate is over."""
        return sum(not stay.end for stay in self.by_member[member]) if self.sits(member) else 0

    def group(self, member: str, day: str, leaving: bool = False) -> str:
        """The group on a day, of who leaves that of the mandate's last day, under its name of that time."""
        if leaving:
            ends = [until for since, until in self.mandates.get(member, []) if since <= day]
            ended = ends[-1] if ends else ""
            if not ended:
                ended = max((d for d in RENEWALS[self.name] if self._read < d <= day), default="")
            day = min(day, ended or day)
        if any(self._read < renewal < day for renewal in RENEWALS[self.name]):
            return ""
        if self.name == "europarl":
            spans = self.memberships(member)
            return next((c for c, last, _ in spans if abs(apart(last, day)) <= LINGERS), "")
        rows = self._held.get(member, [])
        # The file's first days are those on which somebody looked.
        held = [row for row in rows if row[0] <= day] or [
            row for row in rows[:1] if self._soon(day, row[0])
        ]
        if not held or (held[-1][1] and day > held[-1][1] and not self._soon(held[-1][1], day)):
            return ""
        code = held[-1][2]
        named = _NAMES.get(code, ()) if self.name == "senat" else ()
        return max(((d, n) for d, n in named if d <= day), default=("", code))[1]

    def _soon(self, day: str, later: str) -> bool:
        """Whether a day follows another within LINGERS, in the same assembly."""
        renewed = any(day < renewal <= later for renewal in RENEWALS[self.name])
        return apart(day, later) <= LINGERS and not renewed

    @cached_property
    def _held(self) -> dict[str, list[tuple[str, str, str]]]:
        """The groups' rows; those of the day on which a new assembly formed them hold from its first."""
        found = {member: list(of) for member, of in self.groups.items()}
        for renewal in RENEWALS[self.name]:
            begun = Counter(
                row[0]
                for of in found.values()
                for row in of
                if renewal < row[0] <= moved(renewal, LINGERS) and row[2] not in ("NI", "AUCUN")
            )
            formed, many = max(begun.items(), key=lambda one: one[1], default=("", 0))
            for of in found.values() if many > SEATS[self.name] / 10 else ():
                on = [row for row in of if renewal < row[0] <= formed <= (row[1] or formed)]
                if on:
                    rest = [row for row in of if not renewal <= row[0] <= on[-1][0]]
                    of[:] = sorted([*rest, (renewal, *on[-1][1:])])
        return found

    def memberships(self, member: str, waits: bool = False) -> list[tuple[str, str, str]]:
        """Code, first and last day of each group, under its name of the time; not the wait for a new assembly's groups."""
        ended = max(self.mandates.get(member, []), default=("", ""))[1]
        if self.name == "europarl":  # the last group that is known, for all years
            rows = self.groups.get(member, [])
            return [(code, until or self._read, until) for _, until, code in rows]
        found = []
        for since, until, code in self.groups.get(member, []):
            until = until or (ended if since <= ended else "")
            until = self._with_its_assembly(member, since, until)
            waited = code in ("NI", "AUCUN") and since and until and apart(since, until) <= LINGERS
            if waited and not waits:
                continue
            named = [(d, n) for d, n in _NAMES.get(code, ()) if self.name == "senat"]
            later = [(d, n) for d, n in named if since < d <= (until or d)]
            first = max(((d, n) for d, n in named if d <= since), default=("", code))[1]
            days = [since, *(d for d, _ in later)]
            ends = [*(moved(d, -1) for d in days[1:]), until]
            found += zip([first, *(n for _, n in later)], days, ends, strict=True)
        return found

    def _with_its_assembly(self, member: str, since: str, until: str) -> str:
        """The end of a row: groups end with the assembly, and whoever kept the file saw it when new ones were formed."""
        mandates = self.mandates.get(member, [])
        if self.name != "assemblee" or not since or not mandates:
            return until
        for renewal in RENEWALS[self.name]:
            before = any(
                a < renewal and (not b or moved(b, LINGERS) >= renewal) for a, b in mandates
            )
            after = any(
                a < moved(renewal, LINGERS) and (not b or b >= renewal) for a, b in mandates
            )
            soon = (
                renewal != "2024-06-09" and apart(renewal, until or moved(renewal, 99)) <= LINGERS
            )
            if since < renewal <= until and (soon or not (before and after)):
                return moved(renewal, -1)
        return until

    def group_of_stay(self, stay: Stay) -> str:
        return self.group(stay.member, stay.seen, leaving=True)

    def group_of(self, member: str) -> str:
        """The group at the last list; of whose mandate is over that of the latest stay."""
        on, held = self.last, self.memberships(member)
        of_day = [code for code, since, until in held if since <= on and (not until or until >= on)]
        listed = any(not stay.end for stay in self.by_member[member])
        if self.sits(member) and not listed:
            return of_day[-1] if of_day and of_day[-1] != "AUCUN" else ""
        return self.latest_group(member)

    def latest_group(self, member: str) -> str:
        return max((s.seen, s.begin, self.group_of_stay(s)) for s in self.by_member[member])[2]

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
    def group_spans(self) -> dict[str, tuple[str, str]]:
        """The first and the last day of the memberships of each group that members with staff had."""
        codes = {c for m in self.by_member for c, _, _ in self.memberships(m, waits=True)}
        found: dict[str, tuple[str, str]] = {}
        for member in self.groups:
            for code, since, until in self.memberships(member, waits=True):
                if code in codes - {"AUCUN"}:
                    first, last = found.get(code, ("9999", "0"))
                    found[code] = min(first, since), max(last, until) if last and until else ""
        return found

    @cached_property
    def medians(self) -> dict[str, Fraction]:
        """The median rate of the teams of each group."""
        years = self.teams.items() if self.groups_known else ()
        rates = gathered((self.latest_group(m), y.rate) for m, y in years if y.rate is not None)
        return {group: statistics.median(of) for group, of in rates.items()}

    def namesakes(self, member: str) -> list[str]:
        """The other members of that name."""
        own = words(self.member(member)[0])
        return [m for m in self.by_member if m != member and words(self.member(m)[0]) == own]

    def sat(self, member: str, day: str) -> bool:
        """Whether the mandate went on on the day of a list, by what is known at the last one."""
        terms, stays = self.terms.get(member), self.by_member[member]
        if not terms:
            return min(s.begin for s in stays) <= day <= max(s.seen for s in stays)
        open_until = "" if self.sits(member) else self.over(member)
        return any(since <= day <= (until or open_until or day) for since, until in terms)

    def over(self, member: str) -> str:
        """Up to when a mandate that is over is known."""
        return self.standing(member).until or max(s.seen for s in self.by_member[member])

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


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key."""
    found: dict[Key, list[Value]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return found


def csv_rows(path: Path, chamber: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["chambre"] == chamber]


def year_before(last: str) -> str:
    """The first day of the year that ends with a day."""
    day = datetime.date.fromisoformat(last)
    leap = (day.month, day.day) == (2, 29)
    return moved(day.replace(year=day.year - 1, day=28 if leap else day.day).isoformat(), 1)
