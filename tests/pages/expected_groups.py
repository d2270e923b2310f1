"""The political groups of members by the files of members alone, under their names of the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from parlement_lists.tracking.members.senate_groups import FULL_NAMES

from .expected_mandates import LINGERS, RENEWALS, Seats
from .expected_words import apart, moved
from .from_lists import Stay

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


def is_renamed(old: str, new: str) -> bool:
    """Whether two names are those of one group of the Sénat."""
    return any({old, new} <= {code, *(n for _, n in names)} for code, names in _NAMES.items())


def _waits(held: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The rows that are the wait for a new assembly's groups: a short time in none that did not follow a group."""
    dated = [row for row in held if row[1] in ("NI", "AUCUN") and row[0] and row[2]]
    short = [row for row in dated if apart(row[0], row[2]) <= LINGERS]
    left = {row[2] for row in held if row not in short}
    begins = {day for days in RENEWALS.values() for day in days}
    return [row for row in short if row[0] in begins or not left & {row[0], moved(row[0], -1)}]


class Groups(Seats):
    """A chamber with the groups of its members."""

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
        rows_of = {member: list(of) for member, of in self.groups.items()}
        for renewal in RENEWALS[self.name]:
            begun = Counter(
                row[0]
                for of in rows_of.values()
                for row in of
                if renewal < row[0] <= moved(renewal, LINGERS) and row[2] not in ("NI", "AUCUN")
            )
            formed, many = max(begun.items(), key=lambda one: one[1], default=("", 0))
            for of in rows_of.values() if many > SEATS[self.name] / 10 else ():
                on = [row for row in of if renewal < row[0] <= formed <= (row[1] or formed)]
                if on:
                    rest = [row for row in of if not renewal <= row[0] <= on[-1][0]]
                    of[:] = sorted([*rest, (renewal, *on[-1][1:])])
        return rows_of

    def memberships(self, member: str, waits: bool = False) -> list[tuple[str, str, str]]:
        """Code, first and last day of each group, under its name of the time; not the wait for a new assembly's groups."""
        ended = max(self.mandates.get(member, []), default=("", ""))[1]
        if self.name == "europarl":  # the last group that is known, for all years
            rows = self.groups.get(member, [])
            return [(code, until or self._read, until) for _, until, code in rows]
        held = []
        for since, until, code in self.groups.get(member, []):
            until = until or (ended if since <= ended else "")
            held.append((since, code, self._with_its_assembly(member, since, until)))
        spans, left_out = [], () if waits else _waits(held)
        for since, code, until in (row for row in held if row not in left_out):
            named = [(d, n) for d, n in _NAMES.get(code, ()) if self.name == "senat"]
            later = [(d, n) for d, n in named if since < d <= (until or d)]
            first = max(((d, n) for d, n in named if d <= since), default=("", code))[1]
            days = [since, *(d for d, _ in later)]
            ends = [*(moved(d, -1) for d in days[1:]), until]
            spans += zip([first, *(n for _, n in later)], days, ends, strict=True)
        return spans

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
        """The group at the last list, or of the last day of a mandate that is over; of no known one the latest stay's."""
        sits = self.sits(member)
        on = self.last if sits else self.over(member)
        held = self.memberships(member, waits=not sits)
        of_day = [code for code, since, until in held if since <= on and (not until or until >= on)]
        listed = any(not stay.end for stay in self.by_member[member])
        if (sits and not listed) or (not sits and of_day):
            return of_day[-1] if of_day and of_day[-1] != "AUCUN" else ""
        return self.latest_group(member)

    @cached_property
    def told_on(self) -> tuple[str, str]:
        """The list of which pages of groups tell: the last, or that before a renewal that ended every mandate by then; and it."""
        ended = max((on for on in RENEWALS[self.name] if on <= self.last), default="")
        before = max((on for on in self.order if on < ended), default="")
        if not before or any(map(self.sits, self.by_member)):
            return self.last, ""
        return before, ended

    def group_then(self, member: str) -> str:
        """The group on that day."""
        on, ended = self.told_on
        if not ended:
            return self.group_of(member)
        held = self.memberships(member, waits=True)
        of_day = [code for code, since, until in held if since <= on and (not until or until >= on)]
        there = [stay for stay in self.by_member[member] if stay.begin <= on <= stay.seen]
        code = of_day[-1] if of_day else ""
        if not held and there:
            code = self.group_of_stay(max(there, key=lambda stay: stay.begin))
        return code if code != "AUCUN" else ""

    def latest_group(self, member: str) -> str:
        return max((s.seen, s.begin, self.group_of_stay(s)) for s in self.by_member[member])[2]

    @cached_property
    def group_spans(self) -> dict[str, tuple[str, str]]:
        """The first and the last day of the memberships of each group that members with staff had."""
        codes = {c for m in self.by_member for c, _, _ in self.memberships(m, waits=True)}
        spans: dict[str, tuple[str, str]] = {}
        for member in self.groups:
            for code, since, until in self.memberships(member, waits=True):
                if code in codes - {"AUCUN"}:
                    first, last = spans.get(code, ("9999", "0"))
                    spans[code] = min(first, since), max(last, until) if last and until else ""
        return spans

    def full_group(self, code: str) -> str:
        name = FULL_NAMES.get(code, "") if self.name == "senat" else ""
        return f"{code} {name}".strip()
