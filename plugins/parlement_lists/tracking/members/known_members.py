"""Mandates and groups of elected members; the chambers' renewals."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path

from ...chambers import KNOWN
from ...movement import CHAMBERS
from ..reading.formats import PARLTRACK
from .members_files import GroupRow, MandateRow, MemberRows, MembersError, Name, read_rows
from .senate_groups import FULL_NAMES, named
from .spans import FORMED_WITHIN, SAME_STAY, Span, formed, from_the_start, merged

__all__ = ("MemberKey", "Members", "MembersError", "Name")

RENEWALS = {name: chamber.renewals for name, chamber in KNOWN.items()}
WHOLLY_RENEWED = tuple(name for name, chamber in KNOWN.items() if chamber.wholly_renewed)
# Days of RENEWALS on which no assembly began: a dissolution ended all mandates.
DISSOLUTIONS = frozenset(("2024-06-09",))
RENEWAL_SHARE = 0.2
FEWEST_RENEWED = 20
# A member who hires for the first time this long after the mandate began has just arrived; the first
# hire of one who sat longer is no change of member. One who sits this long after the staff went, stayed.
NEW_FOR = datetime.timedelta(92)
STAYS_AFTER = datetime.timedelta(31)
# A group row seen to end this long before a day says nothing about that day any more.
GROUP_LASTS = datetime.timedelta(31)
# A chamber and the identifier of one of its members.
MemberKey = tuple[str, str]


class Members:
    """What is known of elected members; nothing unless it was read from a folder.

    `read_on` are the last days on which a chamber's source told who sits, of the chambers of which one is read
    each day.
    """

    def __init__(self, read_on: Mapping[str, datetime.date] | None = None) -> None:
        self.read_on: Mapping[str, datetime.date] = read_on or {}
        self._names: dict[MemberKey, Name] = {}
        self._mandates: dict[MemberKey, list[Span]] = defaultdict(list)
        self._stays: dict[MemberKey, list[Span]] = {}
        self._groups: dict[MemberKey, list[Span]] = {}
        self._civilities: dict[MemberKey, str] = {}
        # As the file has them, where `_groups` hold from the first day of an assembly.
        self._memberships: dict[MemberKey, list[Span]] = {}
        self._group_names: Mapping[tuple[str, str], str] = {}
        self._group_colours: Mapping[tuple[str, str], str] = {}
        self._pages: Mapping[MemberKey, str] = {}
        # Open spans are only known to run until the newest day that the file has of the chamber...
        self._seen_until: dict[str, datetime.date] = dict(self.read_on)
        # ... and an open mandate vouches for the days that its own source has.
        self._open_until: dict[MemberKey, datetime.date] = {}
        self._renewals = {
            chamber: [datetime.date.fromisoformat(day) for day in days]
            for chamber, days in RENEWALS.items()
        }

    @classmethod
    def read(cls, folder: Path, read_on: Mapping[str, datetime.date] | None = None) -> Members:
        """The members in a folder; raises MembersError, which names what is wrong in which file."""
        return cls.of(read_rows(folder), read_on)

    @classmethod
    def of(cls, rows: MemberRows, read_on: Mapping[str, datetime.date] | None = None) -> Members:
        """The members of a folder's rows; where they name one twice, the last row's name is taken."""
        members = cls(read_on)
        for mandate in rows.mandates:
            key = mandate.chamber, mandate.member
            members._mandates[key].append(mandate.span)
            members._names[key] = mandate.name
            members._civilities[key] = mandate.civility
        groups: dict[MemberKey, list[Span]] = defaultdict(list)
        for group in rows.groups:
            # The one group it tells of a member is the last one known, whatever its first day.
            undated = group.span._replace(since=datetime.date.min)
            span = undated if group.origin == PARLTRACK else group.span
            groups[group.chamber, group.member].append(span)
        members._stays = {key: merged(spans) for key, spans in members._mandates.items()}
        members._see(rows)
        members._add_renewals()
        members._memberships = {
            key: _of_their_time(
                key, [members._known(key, span) for span in members._ended(key, spans)]
            )
            for key, spans in groups.items()
        }
        members._add_groups(groups)
        shipped = {("senat", code): name for code, name in FULL_NAMES.items()}
        members._group_names = {**shipped, **rows.group_names}
        members._group_colours = rows.group_colours
        members._pages = rows.pages
        return members

    def _see(self, rows: MemberRows) -> None:
        """Note the newest days of each chamber, and of each source of one."""
        newest: dict[tuple[str, str], datetime.date] = {}
        rows_of_all: list[MandateRow | GroupRow] = [*rows.mandates, *rows.groups]
        for row in rows_of_all:
            source = row.chamber, row.origin
            days = row.span.since, row.span.until, newest.get(source)
            newest[source] = max(day for day in days if day)
        for (chamber, _), day in newest.items():
            self._seen_until[chamber] = max(day, self._seen_until.get(chamber, day))
        for mandate in rows.mandates:
            if mandate.span.until is None:
                key = mandate.chamber, mandate.member
                self._open_until[key] = max(
                    newest[mandate.chamber, mandate.origin],
                    self._open_until.get(key, datetime.date.min),
                )

    def _add_renewals(self) -> None:
        begun = Counter(
            (of[0], span.since) for of, spans in self._mandates.items() for span in spans
        )
        known = Counter(chamber for chamber, _ in self._mandates)
        # Mandates that all begin on one day are those of a file that begins then.
        first = {chamber: min(day for of, day in begun if of == chamber) for chamber in known}
        for (chamber, day), count in begun.items():
            many = count >= FEWEST_RENEWED and count > RENEWAL_SHARE * known[chamber]
            if many and day > first[chamber] and day not in self._renewals[chamber]:
                self._renewals[chamber].append(day)

    def _ended(self, key: MemberKey, groups: list[Span]) -> list[Span]:
        """A member's groups, those left open ended with the last mandate, or the assembly: files forget to."""
        last = max(self._stays.get(key, ()), default=None, key=lambda span: span.since)
        if last is not None and last.until is not None:
            groups = [
                span._replace(until=last.until)
                if span.until is None and span.since <= last.until
                else span
                for span in groups
            ]
        return [self._of_one_assembly(key, span) for span in groups]

    def _of_one_assembly(self, key: MemberKey, group: Span) -> Span:
        """A group that ended up to the first renewal that none of the member's mandates goes on over.

        One still open has been that of a member who came back later, too. The end of a group of the old
        assembly is noted when the new ones are formed, days after the renewal.
        """
        stays = self._stays.get(key, ())
        dated = stays and group.since != datetime.date.min and key[0] in WHOLLY_RENEWED
        if group.until is None or not dated:
            return group
        for renewal in sorted(self._renewals[key[0]]):
            before = renewal - datetime.timedelta(1)
            sits_on = any(stay.covers(before) and stay.covers(renewal) for stay in stays)
            formed_anew = group.until - renewal <= FORMED_WITHIN
            ended = not sits_on or (formed_anew and renewal.isoformat() not in DISSOLUTIONS)
            if group.since <= before and group.covers(renewal) and ended:
                return group._replace(until=before)
        return group

    def _add_groups(self, groups: dict[MemberKey, list[Span]]) -> None:
        """Keep the groups, those of a new assembly from its first day on."""
        for chamber in CHAMBERS:
            found = {key: spans for key, spans in groups.items() if key[0] == chamber}
            for day, renewal in formed(found.values(), self._renewals[chamber]).items():
                found = {key: from_the_start(s, renewal, day) for key, s in found.items()}
            for key, spans in found.items():
                spans = [self._known(key, span) for span in spans]
                self._groups[key] = sorted(_of_their_time(key, spans), key=lambda s: s.since)

    def _known(self, key: MemberKey, group: Span) -> Span:
        """A group when it is known: of a European member on its last day, where nobody noted since when.

        No source of that chamber says it, and members change groups; in the others the first day is
        left out where it is long ago.
        """
        if key[0] != "europarl" or group.since != datetime.date.min:
            return group
        (ended,) = self._ended(key, [group])
        return group._replace(since=ended.until or self._seen_until[key[0]])

    def renewals(self, chamber: str) -> Sequence[datetime.date]:
        """The days on which the chamber, or half of it, was renewed."""
        return self._renewals[chamber]

    def mandates(self, chamber: str, member: str) -> list[Span]:
        """Every mandate that is known of a member, in no order; none when the member is not known."""
        return self._mandates.get((chamber, member), [])

    def name(self, chamber: str, member: str) -> Name | None:
        """The member's name, or None when the member is not known."""
        return self._names.get((chamber, member))

    def names(self, chamber: str) -> dict[str, Name]:
        """The names of all members of a chamber, past and present, by identifier."""
        return {member: name for (of, member), name in self._names.items() if of == chamber}

    def also_named(self, chamber: str, names: Mapping[str, Name]) -> Members:
        """The same members, and by name alone those of `names` whose identifier is not known."""
        members = copy(self)
        members._names = {**{(chamber, id): name for id, name in names.items()}, **self._names}
        return members

    def civility(self, chamber: str, member: str) -> str:
        """The member's civility as the file has it, "" when it is not known."""
        return self._civilities.get((chamber, member), "")

    def page(self, chamber: str, member: str) -> str:
        """The address of a member's page at the HATVP, "" if it is not known."""
        return self._pages.get((chamber, member), "")

    def memberships(self, chamber: str, member: str) -> list[Span]:
        """Every group that is known of a member, in no order, each until the last mandate's end at most."""
        return self._memberships.get((chamber, member), [])

    def group_spans(self, chamber: str) -> dict[str, list[Span]]:
        """The memberships of all members of a chamber, by group."""
        found: dict[str, list[Span]] = defaultdict(list)
        for (of, _), spans in self._memberships.items():
            for span in spans if of == chamber else ():
                found[span.value].append(span)
        return found

    def group_name(self, chamber: str, code: str) -> str:
        """A group's full name, the code itself where nobody told it."""
        return self._group_names.get((chamber, code), code)

    def group_colour(self, chamber: str, code: str) -> str:
        """A group's colour as `#rrggbb`, "" where nobody told it."""
        return self._group_colours.get((chamber, code), "")

    def group(self, chamber: str, member: str, day: datetime.date) -> str:
        """The member's group on a day, else the last one before it, if not long before; else "".

        Between the first day of an assembly and the forming of its groups it is the one then formed. A
        group of one assembly is not told of a day of another, and past a renewal that the file was not
        there to see nobody's group is known.
        """
        if self._unseen_renewal(chamber, day) is not None:
            return ""
        best: Span | None = None
        for span in self._groups.get((chamber, member), ()):
            if span.since <= day:
                best = span
            elif best is None and self._soon(chamber, day, span.since):
                # Group rows begin when the group was first seen, some days after the mandate did.
                best = span
        if best is None or not (
            best.until is None or day <= best.until or self._soon(chamber, best.until, day)
        ):
            return ""
        return best.value

    def _soon(self, chamber: str, day: datetime.date, later: datetime.date) -> bool:
        """Whether a day follows another within GROUP_LASTS, and no renewal lies between them."""
        renewed = any(day < renewal <= later for renewal in self._renewals[chamber])
        return later - day <= GROUP_LASTS and not renewed

    def last_group(self, chamber: str, member: str, day: datetime.date) -> str:
        """The group of the last day of the mandate that ended at or before a day, else that of the day.

        A renewal that the file was not there to see may have ended it.
        """
        end = self.mandate_end(chamber, member, day)
        renewal = self._unseen_renewal(chamber, day)
        if end is None and renewal is not None and day - renewal <= GROUP_LASTS:
            end = renewal - datetime.timedelta(1)
        return self.group(chamber, member, end or day)

    def _unseen_renewal(self, chamber: str, day: datetime.date) -> datetime.date | None:
        """The first renewal by a day that comes after the newest day the file saw."""
        seen = self._seen_until.get(chamber, datetime.date.max)
        return min((r for r in self._renewals[chamber] if seen < r <= day), default=None)

    def mandate_end(self, chamber: str, member: str, day: datetime.date) -> datetime.date | None:
        """The last day of the mandate that is known to have ended by a day.

        None when the member sits on that day, the last one of a mandate included, or nothing is known.
        """
        ended = None
        for span in self._stays.get((chamber, member), ()):
            if span.since <= day:
                ended = span.until
        return ended if ended is not None and ended < day else None

    def ended_between(
        self, chamber: str, member: str, first: datetime.date, last: datetime.date
    ) -> bool:
        """Whether a mandate is known to have ended from a day on, and before another."""
        spans = self._stays.get((chamber, member), ())
        return any(span.until is not None and first <= span.until < last for span in spans)

    def stays(self, chamber: str, member: str, day: datetime.date) -> bool:
        """Whether the member is known to sit on for longer than STAYS_AFTER after a day.

        Where members are read each day nobody waits so long: who still sat when they were last read stays.
        """
        later = day + STAYS_AFTER
        read = day <= self.read_on.get(chamber, datetime.date.min)
        open_until = self._open_until.get((chamber, member), datetime.date.min)
        return any(
            span.since <= day and (later <= (span.until or open_until) or (read and not span.until))
            for span in self._stays.get((chamber, member), ())
        )

    def sits_since(self, chamber: str, member: str, day: datetime.date) -> datetime.date | None:
        """Since when the member sits, on a day or within SAME_STAY of it; None when no mandate says."""
        for span in self._stays.get((chamber, member), ()):
            if span.since <= day + SAME_STAY and day <= (span.until or self._seen_until[chamber]):
                return span.since
        return None


def _of_their_time(key: MemberKey, groups: list[Span]) -> list[Span]:
    """A member's groups under the names of their time."""
    return [span for group in groups for span in named(group)] if key[0] == "senat" else groups
