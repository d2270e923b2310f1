"""Who sits in a chamber by its lists and the files of members alone: nothing of the package is used but constants."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from .expected_words import OF, ago, apart, day, joined, moved, renewed
from .from_lists import Listed, Stay, Words, bare, words

LINGERS, LATE = 31, 10
_AFTER_NAME = re.compile(r" (\S+) \(DE\)$", re.IGNORECASE)
Spans = list[tuple[str, str]]
Key = TypeVar("Key")
Value = TypeVar("Value")
# The first days of new assemblies; at the Sénat half of the seats.
RENEWALS = {
    "assemblee": ("2017-06-21", "2022-06-22", "2024-06-09", "2024-07-08"),
    "senat": ("2014-10-01", "2017-10-02", "2020-10-01", "2023-10-02", "2026-10-01"),
    "europarl": ("2014-07-01", "2019-07-02", "2024-07-16"),
}


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
        """The day that pages say: the one before a new assembly, that of a dissolution."""
        if self.how == "ancien":
            return self.listed
        began = self.how in ("renouvelé", "inconnu") and self.day != "2024-06-09"
        return moved(self.day, -1) if began else self.day

    @property
    def over(self) -> str:
        """From when on whom a list lacks did not leave."""
        return "9999" if not self.how else moved(self.day, self.how in ("terminé", "fin inconnue"))


@dataclass(frozen=True, eq=False, repr=False)
class Seats:
    """The accepted lists of one chamber, the members' files, and what follows from both."""

    name: str
    days: Mapping[str, Mapping[str, Mapping[Words, Listed]]]
    stays: list[Stay]
    terms: Mapping[str, Spans]  # as the file has them, in order
    groups: Mapping[str, list[tuple[str, str, str]]]
    members: Mapping[str, tuple[str, str, str]]  # name, civility, family name first: of the files
    names: Mapping[str, list[tuple[str, str]]]  # of the lists: from which day on
    today: str  # the day on which pages speak

    def __repr__(self) -> str:  # what pytest prints of it names nobody
        return f"{type(self).__name__}({self.name})"

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
    def mandates(self) -> dict[str, Spans]:
        """First and last days, those within a month of one another made one."""
        spans_of: dict[str, Spans] = defaultdict(list)
        for member, terms in self.terms.items():
            of = spans_of[member]
            for since, until in terms:
                if of and (not of[-1][1] or apart(of[-1][1], since) <= LINGERS):
                    of[-1] = (of[-1][0], of[-1][1] and until and max(of[-1][1], until))
                else:
                    of.append((since, until))
        return spans_of

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

    def member(self, member: str) -> tuple[str, str]:
        """The name and civility of a member; whom only lists name has that of the last one."""
        if member in self.members:
            return self.members[member][:2]
        return _AFTER_NAME.sub(r" de \1", self.names[member][-1][1]), ""

    def filed(self, member: str) -> str:
        return self.members[member][2] if member in self.members else bare(self.member(member)[0])

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
        standing = self._renewed(member, since, known)
        seen = max(s.seen for s in stays)
        vanished = known and not open_ and apart(seen, self.last) > 60
        if vanished and (not standing.how or standing.day > moved(seen, 60)):
            return Standing("fin inconnue", seen, seen)
        return standing

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
            if begun < renewal and seen <= moved(renewal, LINGERS if whole else -1):
                # Of whom no mandate is known sits no more once every seat was renewed.
                all_by = renewal if whole else next(iter(every[place + 1 :]), "9999")
                former = member not in self.terms and all_by <= self.last
                return Standing("ancien" if former else "inconnu", renewal, seen)
        return Standing()

    def sat(self, member: str, day: str) -> bool:
        """Whether the mandate went on on the day of a list, by what is known at the last one."""
        terms, stays = self.terms.get(member), self.by_member[member]
        until = "" if self.sits(member) else self.over(member)
        if until and until < day:
            return False
        if not terms:
            return min(s.begin for s in stays) <= day <= max(s.seen for s in stays)
        return any(since <= day <= (end or day) for since, end in terms)

    def is_unnoted(self, member: str, day: str) -> bool:
        """Whether somebody was hired long after the last known mandate, and is on the list of a day."""
        terms = [term for term in self.terms.get(member, []) if term[0] <= day]
        over = "" if self.sits(member) else self.over(member)
        if not terms or self.sat(member, day) or (over and over < day):
            return False
        ended = max(end for _, end in terms)
        return any(
            stay.begin <= day <= stay.seen and apart(ended, stay.begin) > LINGERS
            for stay in self.by_member[member]
        )

    def over(self, member: str) -> str:
        """Up to when a mandate that is over is known."""
        return self.standing(member).until or max(s.seen for s in self.by_member[member])

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
        told = f"La dernière liste {OF[self.name]} date du {day(self.last)}, {ago(self.last, self.today)} : cette page s’arrête à cette date. "
        if not since:
            return told + "Ce qui a changé depuis n’est pas connu."
        have = "ont" if len(since) > 1 else "a"
        return f"{told}Depuis {have} eu lieu {joined([renewed(on) for on in since])} : ce que cela a changé n’est pas connu."

    def namesakes(self, member: str) -> list[str]:
        """The other members of that name."""
        own = words(self.member(member)[0])
        return [m for m in self.by_member if m != member and words(self.member(m)[0]) == own]


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key."""
    values: dict[Key, list[Value]] = defaultdict(list)
    for key, value in pairs:
        values[key].append(value)
    return values
