"""The Assemblée's zip of sitting deputies (AMO10): deputies, groups and staff, one file a person."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..source import (
    ListRead,
    MemberRead,
    MembersRead,
    Original,
    OriginalRefused,
    Period,
    StaffRow,
)
from .acteurs import Deputy, read_acteur
from .json_values import OddValue, child, parse, text
from .zip_entries import read_entries

ORIGIN = "assemblee-zip"
LATE_DAYS = 3
# Of so many deputies a staff member may be unreadable; past this the file has another form.
MOST_CARRIED = 3
_COLOUR = re.compile("#[0-9A-Fa-f]{6}")
_WANTED = re.compile(r"(?:^|/)(?:acteur/PA|organe/PO)[0-9]+\.json$")
_GROUP = "GP"
# Places that one sentence names; the figure counts all.
_PLACES = 5


class Organ(NamedTuple):
    """A parliamentary group under its reference: the code that members' rows have, and its full name."""

    code: str
    name: str
    since: str
    colour: str = ""  # #rrggbb


class Amo10(NamedTuple):
    """What the zip `name` says; `newest` is the day on which its newest file was made."""

    name: str
    deputies: list[Deputy]
    organs: dict[str, Organ]
    newest: datetime.date | None

    def sitting(self) -> Iterator[Deputy]:
        """The deputies with an open mandate."""
        return (deputy for deputy in self.deputies if deputy.sits)

    def groups(self, deputy: Deputy) -> list[Period]:
        """A deputy's groups by code, those that touch made one; "" for one whose organ is missing."""
        named: dict[str, list[Period]] = defaultdict(list)
        for period in deputy.groups:
            organ = self.organs.get(period.group)
            code = organ.code if organ else ""
            named[code].append(period._replace(group=code))
        joined = [period for periods in named.values() for period in _joined(periods)]
        return sorted(joined, key=lambda period: (period.since, period.group))

    def group(self, deputy: Deputy) -> str:
        """The code of the group a deputy is in; "" where none is open, or groups of two codes are."""
        codes = {period.group for period in self.groups(deputy) if period.until is None}
        return codes.pop() if len(codes) == 1 else ""


def read_amo10(original: Original) -> Amo10:
    """The deputies in the zip, whether or not any has staff.

    OriginalRefused names the entry, the place and the figure of what is not as it must be.
    """
    deputies: dict[str, Deputy] = {}
    organs: dict[str, Organ] = {}
    newest: datetime.date | None = None
    persons = 0
    for entry in read_entries(original, _WANTED.search):
        reference = entry.path.rpartition("/")[2].removesuffix(".json")
        try:
            document = parse(entry.body)
            if reference.startswith("PO"):
                if organ := _organ(document, reference):
                    organs[reference] = organ
            else:
                persons += 1
                _add(deputies, read_acteur(document), reference)
        except OddValue as error:
            raise OriginalRefused(f"{original.name}: {entry.path}: {error}") from error
        newest = max(filter(None, (newest, entry.made)), default=None)
    if not deputies:
        raise OriginalRefused(f"{original.name}: no deputy in {persons} files acteur/PA*.json")
    return Amo10(original.name, list(deputies.values()), organs, newest)


def read_list(amo10: Amo10, day: datetime.date | None) -> ListRead:
    """The list that the zip, received on `day`, makes; OriginalRefused where nobody has staff."""
    sitting = list(amo10.sitting())
    rows = [
        StaffRow(d.id, d.family, d.given, group, person.civility, person.family, person.given)
        for d in sitting
        for group in [amo10.group(d)]
        for person in d.staff
    ]
    if not rows:
        raise OriginalRefused(f"{amo10.name}: 0 of {len(sitting)} sitting deputies have staff")
    carried = [deputy for deputy in sitting if deputy.unread]
    if len(carried) > MOST_CARRIED:
        raise OriginalRefused(
            f"{amo10.name}: {len(carried)} deputies with staff that cannot be read, more than"
            f" {MOST_CARRIED}, such as {_places(_unread(carried))}"
        )
    told = [
        *_told_of_staff(sitting),
        *_told_of_groups(amo10),
        *_told_of_age(amo10, day),
    ]
    return ListRead(rows, ORIGIN, carried=[deputy.id for deputy in carried], told=told)


def read_members(amo10: Amo10) -> MembersRead:
    """Everybody who has or had a seat, with the dates of seats and groups; the list tells what is odd."""
    members = [
        MemberRead(
            deputy.id,
            deputy.family,
            deputy.given,
            deputy.civility,
            amo10.group(deputy),
            sorted(deputy.seats, key=lambda seat: seat.since),
            amo10.groups(deputy),
        )
        for deputy in amo10.deputies
    ]
    oldest_first = sorted(amo10.organs.values(), key=lambda organ: organ.since)
    names = {organ.code: organ.name for organ in oldest_first}
    colours = {organ.code: organ.colour for organ in oldest_first if organ.colour}
    return MembersRead(members, True, ORIGIN, names, group_colours=colours)


def _add(deputies: dict[str, Deputy], deputy: Deputy | None, reference: str) -> None:
    if deputy is None:
        return
    if deputy.id != reference:
        raise OddValue(f"it is the file of {deputy.id}")
    if deputy.id in deputies:
        raise OddValue(f"a second file of {deputy.id}")
    deputies[deputy.id] = deputy


def _organ(document: Any, reference: str) -> Organ | None:
    """The group in an organ's file, None where the organ is of another kind."""
    organ = child(document, "organe", "the document")
    if text(child(organ, "codeType", "organe"), "organe.codeType") != _GROUP:
        return None
    if text(child(organ, "uid", "organe"), "organe.uid") != reference:
        raise OddValue(f"organe.uid is not {reference}")
    code, name = (
        text(child(organ, field, "organe"), f"organe.{field}")
        for field in ("libelleAbrege", "libelle")
    )
    life = child(organ, "viMoDe", "organe")
    since = text(child(life, "dateDebut", "organe.viMoDe"), "organe.viMoDe") if life else ""
    # Nobody's list is worth less for a colour.
    told = organ.get("couleurAssociee")
    colour = told.lower() if isinstance(told, str) and _COLOUR.fullmatch(told) else ""
    return Organ(code, name, since, colour) if code else None


def _joined(periods: Iterable[Period]) -> list[Period]:
    """Periods of one group, in order, those that overlap or follow one another made one.

    Whoever presides over a group has a mandate for it beside that of a member.
    """
    found: list[Period] = []
    for period in sorted(periods, key=lambda p: p.since):
        last = found[-1] if found else None
        if last and (last.until is None or period.since <= last.until + datetime.timedelta(1)):
            ends = (last.until, period.until)
            found[-1] = last._replace(until=None if None in ends else max(filter(None, ends)))
        else:
            found.append(period)
    return found


def _unread(deputies: Iterable[Deputy]) -> list[str]:
    return [f"{deputy.name}, {place}" for deputy in deputies for place in deputy.unread]


def _places(places: list[str]) -> str:
    return "; ".join(places[:_PLACES]) + ("; ..." if len(places) > _PLACES else "")


def _told_of_staff(sitting: list[Deputy]) -> Iterator[str]:
    """What is odd about single persons, without their names."""
    if places := _unread(sitting):
        yield (
            f"{len(places)} staff members cannot be read, and what was last known of these deputies'"
            f" staff stands: {_places(places)}"
        )
    odd: dict[str, list[str]] = defaultdict(list)
    for deputy in sitting:
        for what, place in deputy.odd:
            odd[what].append(f"{deputy.name}, {place}")
    for what, places in odd.items():
        yield f"{len(places)} times {what}: {_places(places)}"


def _told_of_groups(amo10: Amo10) -> list[str]:
    """Which sitting deputies' groups are left empty, and why."""
    missing: Counter[str] = Counter()
    several = []
    for deputy in amo10.sitting():
        references = {period.group for period in deputy.groups if period.until is None}
        missing.update(references - amo10.organs.keys())
        if len({period.group for period in amo10.groups(deputy) if period.until is None}) > 1:
            several.append(deputy.name)
    told = []
    if missing:
        whose = ", ".join(f"{reference} ({n})" for reference, n in missing.most_common())
        told.append(
            f"{missing.total()} deputies without a group, whose organs are missing: {whose}"
        )
    if several:
        told.append(
            f"{len(several)} deputies in two groups at once, left empty: {_places(several)}"
        )
    return told


def _told_of_age(amo10: Amo10, day: datetime.date | None) -> Iterator[str]:
    if day and amo10.newest and (days := (day - amo10.newest).days) > LATE_DAYS:
        yield f"{amo10.name} is late: its newest file was made {days} days before, on {amo10.newest}"
