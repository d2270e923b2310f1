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
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

from .from_lists import Listed, Stay, Words, bare, words
from .from_lists import stays as stays_of

HOLE, LINGERS, NEW, LATE = 10, 31, 92, 10
REST_LEAVES, LISTED_AGAIN = 3, 92
Spans = list[tuple[str, str]]
# The first days of new assemblies; at the Sénat half of the seats.
RENEWALS = {
    "assemblee": ("2017-06-21", "2022-06-22", "2024-06-09"),
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


class Year(NamedTuple):
    """Who worked somewhere in the year up to the last list, and who left: name -> the last end.

    `with_member` left as the mandate ended.
    """

    people: frozenset[Words]
    left: Mapping[Words, Stay]
    with_member: frozenset[Words]

    @property
    def rate(self) -> Fraction | None:
        """None of fewer than three people."""
        return Fraction(len(self.left), len(self.people)) if len(self.people) > 2 else None


class Standing(NamedTuple):
    """How a mandate stands: "" where it goes on as far as is known, else since which day it does not.

    « terminé » on its last day, « renouvelé » with all others, « inconnu » since a renewal that no list
    after it answers, « ancien » where no mandate is known either and every seat was renewed, « fin inconnue »
    where no list has named anybody for 60 days and no renewal came within them.
    """

    how: str = ""
    day: str = ""
    listed: str = ""  # the last list that names staff
    renewed: str = ""  # when every seat had been renewed

    @property
    def ended(self) -> bool:
        return self.how in ("terminé", "renouvelé")

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
        return self.come.as_begun if self.come else self.out.written if self.out else ""

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
    today: str

    @cached_property
    def order(self) -> list[str]:
        return sorted(self.days)

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
    def inside(self) -> list[tuple[str, str]]:
        """The holes within the year, where it has a figure."""
        return [] if self.gap else [hole for hole in self.holes if hole[1] >= self.since]

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
        found: dict[str, list[Stay]] = defaultdict(list)
        for stay in self.stays:
            found[stay.member].append(stay)
        return found

    @cached_property
    def by_name(self) -> dict[Words, list[Stay]]:
        found: dict[Words, list[Stay]] = defaultdict(list)
        for stay in self.stays:
            found[stay.name].append(stay)
        return found

    @cached_property
    def events(self) -> list[Event]:
        """Each begin and end; of one name and list, an end and a begin elsewhere are one transfer."""
        came: dict[tuple[str, Words], list[Stay]] = defaultdict(list)
        for stay in self.stays:
            if stay.after:
                came[stay.begin, words(stay.as_begun)].append(stay)
        found = []
        for stay in sorted(self.stays, key=lambda one: one.member):
            if stay.end:
                to = came[stay.end, stay.name]
                found.append(Event(stay.end, stay.seen, stay, to.pop(0) if to else None))
        rest = [stay for of in came.values() for stay in of]
        return found + [Event(stay.begin, stay.after, None, stay) for stay in rest]

    @cached_property
    def told(self) -> dict[object, list[Event]]:
        """The events of each member, of each name as it was written, and of each stay."""
        found: dict[object, list[Event]] = defaultdict(list)
        for event in self.events:
            for key in {*event.members, words(event.written), event.out, event.come} - {None}:
                found[key].append(event)
        return found

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
        """Whether the end of a stay is that of the mandate: the member is off the lists, and not known to sit on."""
        named = [day for day in self.order if stay.member in self.days[day]]
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
    def _read(self) -> str:
        """The newest day of the files: what is open then is not known to go on."""
        rows = [day for of in self.terms.values() for span in of for day in span]
        held = [day for of in self.groups.values() for row in of for day in row[:2]]
        return max(rows + held, default="")

    def standing(self, member: str) -> Standing:
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
            return Standing("terminé", until) if until < self.today else Standing()
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
        known = any(not until or until >= self.last for _, until in self.terms.get(member, []))
        listed = any(not stay.end for stay in self.by_member[member])
        return not self.standing(member).how and (known or listed)

    def _renewed(self, member: str, since: str, known: bool) -> Standing:
        """What the first renewal after a day says: a mandate that no later list confirms is not known."""
        stays, every = self.by_member[member], RENEWALS[self.name]
        begun, seen = max(stay.begin for stay in stays), max(stay.seen for stay in stays)
        whole = self.name == "assemblee"
        for place, renewal in enumerate(every):
            if (
                renewal > self.today
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
                former = member not in self.terms and all_by <= (self.today if whole else self.last)
                return Standing("ancien" if former else "inconnu", renewal, seen, all_by)
        return Standing()

    def faint(self, stay: Stay) -> bool:
        """Whether the list that lacks a name came late: long after the mandate, or the last one at a renewal."""
        if apart(stay.seen, stay.end) > 1:
            return False  # between two lists, and told so
        ends = [u for since, u in self.mandates.get(stay.member, []) if since <= stay.end]
        if ends and ends[-1] and apart(ends[-1], stay.end) > LATE:
            return True
        near = any(-3 <= apart(day, stay.end) <= LINGERS for day in RENEWALS[self.name])
        return stay.end == self.last and near and self._halved

    @cached_property
    def _halved(self) -> bool:
        """Whether the last list lacks more than a fifth of the pairs before it."""
        pairs = [{(m, name) for m, of in self.days[d].items() for name in of} for d in self.order]
        return len(pairs[-2] - pairs[-1]) > len(pairs[-2]) / 5

    def year(self, stays: Iterable[Stay]) -> Year:
        of: dict[Words, list[Stay]] = defaultdict(list)
        for stay in stays:
            if not stay.end or stay.end >= self.since:
                of[stay.name].append(stay)
        left, with_member = {}, set()
        for name, some in of.items():
            if all(stay.end for stay in some):
                end = max(stay.end for stay in some)
                own = [s for s in some if s.end == end and not self.gone_with_member(s)]
                if own:
                    left[name] = own[0]
                else:
                    with_member.add(name)
        return Year(frozenset(of), left, frozenset(with_member))

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
            row for row in rows[:1] if apart(day, row[0]) <= LINGERS
        ]
        if not held or (held[-1][1] and apart(held[-1][1], day) > LINGERS):
            return ""
        code = held[-1][2]
        named = _NAMES.get(code, ()) if self.name == "senat" else ()
        return max(((d, n) for d, n in named if d <= day), default=("", code))[1]

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

    def memberships(self, member: str) -> list[tuple[str, str, str]]:
        """Code, first and last day of each group, under its name of the time; not the wait for a new assembly's groups."""
        ended = max(self.mandates.get(member, []), default=("", ""))[1]
        if self.name == "europarl":  # the last group that is known, for all years
            rows = self.groups.get(member, [])
            return [(code, until or self._read, until) for _, until, code in rows]
        found = []
        for since, until, code in self.groups.get(member, []):
            until = until or (ended if since <= ended else "")
            until = self._with_its_assembly(member, since, until)
            if code in ("NI", "AUCUN") and since and until and apart(since, until) <= LINGERS:
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
                a <= moved(renewal, LINGERS) and (not b or b >= renewal) for a, b in mandates
            )
            soon = (
                renewal != "2024-06-09" and apart(renewal, until or moved(renewal, 99)) <= LINGERS
            )
            if since < renewal <= until and (soon or not (before and after)):
                return moved(renewal, -1)
        return until

    def groups_of(self, stay: Stay) -> list[str]:
        """The groups that the member had during a stay, the last one that of its last day."""
        held = [
            code
            for code, since, until in self.memberships(stay.member)
            if since <= stay.seen and stay.begin <= (until or stay.begin)
        ]
        last = self.group(stay.member, stay.seen, leaving=True)
        return [code for code, _ in groupby([*held, *[last] * bool(last)])]

    @cached_property
    def medians(self) -> dict[str, tuple[int, Fraction]]:
        """How many offices have a rate and their median, by group, and under "" of the whole chamber."""
        rates: dict[str, list[Fraction]] = defaultdict(list)
        for member, stays in self.by_member.items():
            rate = self.year(stays).rate
            if rate is not None:
                for group in {"", self.group_of(member)}:
                    rates[group].append(rate)
        counted = [
            self.group_of(member)
            for member, stays in self.by_member.items()
            if any(not stay.end or stay.end >= self.since for stay in stays)
        ]
        if 2 * counted.count("") > len(counted):
            rates = {"": rates[""]} if rates else {}  # of a few members a group's tells nothing
        return {group: (len(of), statistics.median(of)) for group, of in rates.items()}

    def case(self, member: str) -> tuple[object, ...]:
        """What pages of members differ by."""
        stays, there = self.by_member[member], [s for s in self.by_member[member] if not s.end]
        again = len(stays) > len({stay.name for stay in stays})
        renamed = any(words(stay.as_begun) != stay.name for stay in stays)
        return self.standing(member).how, bool(there), len(stays) > 20, again, renamed

    def group_of(self, member: str) -> str:
        """The group of the last day of the latest stay."""
        latest = max(stay.seen for stay in self.by_member[member])
        return self.group(member, latest, leaving=True)


def chamber(
    name: str,
    days: Mapping[str, Mapping[str, Mapping[Words, Listed]]],
    names: Mapping[str, list[tuple[str, str]]],
    folder: Path,
    today: str,
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
        stays_of(days),
        {member: sorted(of) for member, of in terms.items()},
        {member: sorted(of) for member, of in groups.items()},
        members,
        names,
        today,
    )


def csv_rows(path: Path, chamber: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["chambre"] == chamber]


def apart(since: str, until: str) -> int:
    return (datetime.date.fromisoformat(until) - datetime.date.fromisoformat(since)).days


def year_before(last: str) -> str:
    """The first day of the year that ends with a day."""
    day = datetime.date.fromisoformat(last)
    leap = (day.month, day.day) == (2, 29)
    return moved(day.replace(year=day.year - 1, day=28 if leap else day.day).isoformat(), 1)


def moved(on: str, days: int) -> str:
    return (datetime.date.fromisoformat(on) + datetime.timedelta(days)).isoformat()


def namesakes(chamber: Chamber, member: str) -> list[str]:
    """The other members of that name."""
    own = words(chamber.member(member)[0])
    return [
        one for one in chamber.by_member if one != member and words(chamber.member(one)[0]) == own
    ]
