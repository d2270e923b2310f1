"""Mandates and groups of elected members; the chambers' renewals."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...chambers import KNOWN
from ...movement import CHAMBERS
from ..reading.formats import PARLTRACK
from .members_files import GroupRow, MandateRow, MemberRows, Name, read_rows
from .senate_groups import FULL_NAMES, named
from .spans import FORMED_WITHIN, SAME_STAY, Span, from_the_start, merged

__all__ = ("MemberKey", "Members", "Name")

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
    """What the rows of a members folder say of elected members; nothing unless one was read.

    `read_on` are the last days on which a chamber's source told who sits, of the chambers of which one is read
    each day. `civilities`, `group_names`, `group_colours` and `pages` are as the rows have them. Where they name a
    member twice, the last row's name is taken.
    """

    def __init__(
        self,
        rows: MemberRows = MemberRows(),  # noqa: B008 (it is not changed)
        read_on: Mapping[str, datetime.date] | None = None,
    ) -> None:
        self.read_on = read_on or {}
        shipped = {("senat", code): name for code, name in FULL_NAMES.items()}
        self.group_names = {**shipped, **rows.group_names}
        self.group_colours, self.pages = rows.group_colours, rows.pages
        self.civilities: dict[MemberKey, str] = {}
        self._names: dict[MemberKey, Name] = {}
        self._mandates: dict[MemberKey, list[Span]] = defaultdict(list)
        for mandate in rows.mandates:
            key = mandate.chambre, mandate.elu_id
            self._mandates[key].append(mandate.span)
            self._names[key] = Name(mandate.nom_complet, mandate.nom, mandate.prenom)
            self.civilities[key] = mandate.civilite
        self._stays = {key: merged(spans) for key, spans in self._mandates.items()}
        # Open spans are only known to run until the newest day that the file has of the chamber...
        self._seen_until: dict[str, datetime.date] = dict(self.read_on)
        # ... and an open mandate vouches for the days that its own source has.
        self._open_until: dict[MemberKey, datetime.date] = {}
        self._see(rows)
        self._renewals = {
            chamber: [datetime.date.fromisoformat(day) for day in days]
            for chamber, days in RENEWALS.items()
        }
        self._add_renewals()
        groups: dict[MemberKey, list[Span]] = defaultdict(list)
        ended: dict[MemberKey, list[Span]] = defaultdict(list)
        for group in rows.groups:
            key = group.chambre, group.elu_id
            # The one group it tells of a member is the last one known, whatever its first day.
            undated = group.span._replace(since=datetime.date.min)
            span = undated if group.origine == PARLTRACK else group.span
            ended[key].append(self._ended(key, span))
            groups[key].append(span._replace(since=ended[key][-1].since))
        self._memberships = {key: _of_their_time(key, spans) for key, spans in ended.items()}
        # Those of a new assembly from its first day on, and open where the files have them open.
        self._groups: dict[MemberKey, list[Span]] = {}
        for chamber in CHAMBERS:
            of_all = {key: spans for key, spans in groups.items() if key[0] == chamber}
            for key, spans in from_the_start(of_all, self._renewals[chamber]).items():
                self._groups[key] = sorted(_of_their_time(key, spans), key=lambda s: s.since)

    @classmethod
    def read(cls, folder: Path, read_on: Mapping[str, datetime.date] | None = None) -> Members:
        """The members in a folder; raises FilesError, which names what is wrong in which file."""
        return cls(read_rows(folder), read_on)

    def _see(self, rows: MemberRows) -> None:
        """Note the newest days of each chamber, and of each source of one."""
        newest: dict[tuple[str, str], datetime.date] = defaultdict(lambda: datetime.date.min)
        of_all: list[MandateRow | GroupRow] = [*rows.mandates, *rows.groups]
        for row in of_all:
            span, source = row.span, (row.chambre, row.origine)
            newest[source] = max(span.since, span.until or span.since, newest[source])
            self._seen_until[row.chambre] = max(
                newest[source], self._seen_until.get(row.chambre, datetime.date.min)
            )
        for mandate in rows.mandates:
            if not mandate.fin:
                key = mandate.chambre, mandate.elu_id
                day = newest[mandate.chambre, mandate.origine]
                self._open_until[key] = max(day, self._open_until.get(key, day))

    def _add_renewals(self) -> None:
        """Note the days on which many mandates began, of those that were open then."""
        for chamber, renewals in self._renewals.items():
            mandates = [
                span for key, spans in self._mandates.items() for span in spans if key[0] == chamber
            ]
            begun = Counter(span.since for span in mandates)
            for day, many in begun.items():
                # Mandates that all begin on the first day are those of a file that begins then.
                if many < FEWEST_RENEWED or day == min(begun) or day in renewals:
                    continue
                if many > RENEWAL_SHARE * sum(span.covers(day) for span in mandates):
                    renewals.append(day)

    def _ended(self, key: MemberKey, group: Span) -> Span:
        """A group that ended with the last mandate, or the assembly: files forget to.

        One of an assembly ends up to the first renewal that none of the member's mandates goes on over; one left
        open has been that of a member who came back later, too. Its end is noted when the next groups are formed,
        days after the renewal.
        """
        chamber, stays = key[0], self._stays.get(key, [])
        if group.until is None and stays and stays[-1].until and group.since <= stays[-1].until:
            group = group._replace(until=stays[-1].until)
        if group.since == datetime.date.min:
            # No source of the European Parliament says since when, and members change groups: the group is known of
            # the last day. In the others the first day is left out where it is long ago.
            last = group.until or self._seen_until[chamber]
            return group._replace(since=last) if chamber == "europarl" else group
        if group.until is None or not stays or chamber not in WHOLLY_RENEWED:
            return group
        for renewal in sorted(self._renewals[chamber]):
            before = renewal - datetime.timedelta(1)
            sits_on = any(stay.covers(before) and stay.covers(renewal) for stay in stays)
            formed_anew = group.until - renewal <= FORMED_WITHIN
            ended = not sits_on or (formed_anew and renewal.isoformat() not in DISSOLUTIONS)
            if group.covers(before) and group.covers(renewal) and ended:
                return group._replace(until=before)
        return group

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

    def memberships(self, chamber: str, member: str) -> list[Span]:
        """Every group that is known of a member, in no order, each until the last mandate's end at most."""
        return self._memberships.get((chamber, member), [])

    def group_spans(self, chamber: str) -> dict[str, list[Span]]:
        """The memberships of all members of a chamber, by group."""
        spans_by_group: dict[str, list[Span]] = defaultdict(list)
        for (of, _), spans in self._memberships.items():
            for span in spans if of == chamber else ():
                spans_by_group[span.value].append(span)
        return spans_by_group

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
