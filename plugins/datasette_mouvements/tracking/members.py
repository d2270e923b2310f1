"""Mandates and groups of elected members, from `mandats.csv` and `groupes.csv`; the chambers' renewals."""

from __future__ import annotations

import csv
import datetime
import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..movement import CHAMBERS, NOT_XML, is_date
from ..regular_file import open_regular
from .spans import SAME_STAY, Span, formed, from_the_start, merged

# The first day of each new assembly, whose lists lose many members at once. A members folder adds the
# days on which it sees many mandates begin; a renewal that neither knows is accepted by a correction.
RENEWALS = {
    "assemblee": ("2012-06-20", "2017-06-21", "2022-06-22", "2024-06-09", "2024-07-08"),
    "senat": ("2014-10-01", "2017-10-02", "2020-10-01", "2023-10-02", "2026-10-01", "2029-10-01"),
    "europarl": ("2014-07-01", "2019-07-02", "2024-07-16", "2029-07-17"),
}
RENEWAL_SHARE = 0.2
# A member who hires for the first time this long after the mandate began has just arrived; the first
# hire of one who sat longer is no change of member. One who sits this long after the staff went, stayed.
NEW_FOR = datetime.timedelta(92)
STAYS_AFTER = datetime.timedelta(31)
# A group row seen to end this long before a day says nothing about that day any more.
GROUP_LASTS = datetime.timedelta(31)
_MANDATES = ("chambre", "elu_id", "nom_complet", "nom", "prenom", "civilite", "debut", "fin")
_GROUPS = ("chambre", "elu_id", "groupe", "depuis", "jusqua")

# A chamber and the identifier of one of its members.
MemberKey = tuple[str, str]


class MembersError(Exception):
    """A members file that cannot be used; the message names the file, and line and field where one is at fault."""


class Name(NamedTuple):
    """A member's name as the members file has it, else as the lists do."""

    full: str
    family: str
    given: str


class Members:
    """What is known of elected members; nothing unless it was read from a folder."""

    def __init__(self) -> None:
        self._names: dict[MemberKey, Name] = {}
        self._mandates: dict[MemberKey, list[Span]] = {}
        self._stays: dict[MemberKey, list[Span]] = {}
        self._groups: dict[MemberKey, list[Span]] = {}
        # Open spans are only known to run until the newest day the file saw in that chamber.
        self._seen_until: dict[str, datetime.date] = {}
        self._renewals = {
            chamber: [datetime.date.fromisoformat(day) for day in days]
            for chamber, days in RENEWALS.items()
        }

    @classmethod
    def read(cls, folder: Path) -> Members:
        """The members in a folder; raises MembersError, which names what is wrong in which file."""
        members = cls()
        mandates: dict[MemberKey, list[Span]] = defaultdict(list)
        for key, row, since, until in _rows(folder / "mandats.csv", _MANDATES, "debut", "fin"):
            mandates[key].append(Span(since, until))
            members._names[key] = Name(row["nom_complet"], row["nom"], row["prenom"])
            members._saw(key[0], since, until)
        groups: dict[MemberKey, list[Span]] = defaultdict(list)
        for key, row, since, until in _rows(folder / "groupes.csv", _GROUPS, "depuis", "jusqua"):
            groups[key].append(Span(since, until, row["groupe"]))
            members._saw(key[0], since, until)
        members._mandates = dict(mandates)
        members._stays = {key: merged(spans) for key, spans in mandates.items()}
        members._add_renewals(mandates)
        members._add_groups(groups)
        return members

    def _saw(self, chamber: str, *days: datetime.date | None) -> None:
        newest = max(day for day in (*days, self._seen_until.get(chamber)) if day)
        self._seen_until[chamber] = newest

    def _add_renewals(self, mandates: dict[MemberKey, list[Span]]) -> None:
        begun = Counter((key[0], span.since) for key, spans in mandates.items() for span in spans)
        known = Counter(chamber for chamber, _ in mandates)
        for (chamber, day), count in begun.items():
            if count > RENEWAL_SHARE * known[chamber] and day not in self._renewals[chamber]:
                self._renewals[chamber].append(day)

    def _add_groups(self, groups: dict[MemberKey, list[Span]]) -> None:
        """Keep the groups, those of a new assembly from its first day on."""
        for chamber in CHAMBERS:
            found = {key: spans for key, spans in groups.items() if key[0] == chamber}
            for day, renewal in formed(found.values(), self._renewals[chamber]).items():
                found = {key: from_the_start(s, renewal, day) for key, s in found.items()}
            for key, spans in found.items():
                self._groups[key] = sorted(spans, key=lambda s: s.since)

    def renewals(self, chamber: str) -> Sequence[datetime.date]:
        """The days on which the chamber, or half of it, was renewed."""
        return self._renewals[chamber]

    def mandates(self, chamber: str, member: str) -> list[Span]:
        """Every mandate that is known of a member, in no order; none when the member is not known."""
        return self._mandates.get((chamber, member), [])

    def name(self, chamber: str, member: str) -> Name | None:
        """The member's name, or None when the member is not known."""
        return self._names.get((chamber, member))

    def known(self, chamber: str) -> Iterator[tuple[str, Name]]:
        """The identifier and name of every member of a chamber that is known."""
        return ((id, name) for (of, id), name in self._names.items() if of == chamber)

    def group(self, chamber: str, member: str, day: datetime.date) -> str:
        """The member's group on a day, else the last one before it, if not long before; else "".

        Between the first day of an assembly and the forming of its groups it is the one then formed.
        """
        best: Span | None = None
        for span in self._groups.get((chamber, member), ()):
            if span.since <= day:
                best = span
            elif best is None and span.since - day <= GROUP_LASTS:
                # Group rows begin when the group was first seen, some days after the mandate did.
                best = span
        if best is None or (best.until is not None and day - best.until > GROUP_LASTS):
            return ""
        return best.value

    def last_group(self, chamber: str, member: str, day: datetime.date) -> str:
        """The group of the last day of the mandate that ended at or before a day, else that of the day."""
        return self.group(chamber, member, self.mandate_end(chamber, member, day) or day)

    def mandate_end(self, chamber: str, member: str, day: datetime.date) -> datetime.date | None:
        """The last day of the mandate that is known to have ended by a day.

        None when the member sits on that day, the last one of a mandate included, or nothing is known.
        """
        ended = None
        for span in self._stays.get((chamber, member), ()):
            if span.since <= day:
                ended = span.until
        return ended if ended is not None and ended < day else None

    def stays(self, chamber: str, member: str, day: datetime.date) -> bool:
        """Whether the member is known to sit on for longer than STAYS_AFTER after a day."""
        later = day + STAYS_AFTER
        return any(
            span.since <= day and later <= (span.until or self._seen_until[chamber])
            for span in self._stays.get((chamber, member), ())
        )

    def sits_since(self, chamber: str, member: str, day: datetime.date) -> datetime.date | None:
        """Since when the member sits, on a day or within SAME_STAY of it; None when no mandate says."""
        for span in self._stays.get((chamber, member), ()):
            if span.since <= day + SAME_STAY and day <= (span.until or self._seen_until[chamber]):
                return span.since
        return None


def _rows(
    path: Path, columns: tuple[str, ...], since: str, until: str
) -> Iterator[tuple[MemberKey, dict[str, str], datetime.date, datetime.date | None]]:
    """Each row's (chamber, id), fields, first and last day; MembersError names file, line and field."""
    try:
        with io.TextIOWrapper(open_regular(path), "utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise MembersError(f"{path}: line 1: no column {', '.join(missing)}")
            for row in reader:
                yield _row(row, f"{path}: line {reader.line_num}", since, until)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise MembersError(f"{path}: {error}") from error


def _row(
    row: dict[str, str], where: str, since: str, until: str
) -> tuple[MemberKey, dict[str, str], datetime.date, datetime.date | None]:
    if row["chambre"] not in CHAMBERS:
        raise MembersError(f"{where}: chambre: {row['chambre'][:80]!r} is not one of {CHAMBERS}")
    for field, value in row.items():
        if isinstance(value, str) and NOT_XML.search(value):
            raise MembersError(f"{where}: {field}: {value[:80]!r} holds a control character")
    for field in (since, until):
        if row[field] and not is_date(row[field]):
            raise MembersError(f"{where}: {field}: {row[field][:80]!r} is not a date YYYY-MM-DD")
    # A first day left empty is one nobody noted, long ago.
    first = datetime.date.fromisoformat(row[since]) if row[since] else datetime.date.min
    last = datetime.date.fromisoformat(row[until]) if row[until] else None
    return (row["chambre"], row["elu_id"]), row, first, last
