"""The Assemblée's zip of sitting deputies (AMO10): deputies, groups and staff, one file a person."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...bounds import LIST_ROWS, OverBound
from ..json_elements import JsonElement, OddValue, parse
from ..source import (
    ChamberMembers,
    Original,
    OriginalRefused,
    Period,
    StaffList,
    list_some,
)
from .acteurs import Deputy, read_acteur
from .zip_entries import read_entries

ORIGIN = "assemblee-zip"
LATE_DAYS = 3
# What a zip is that nobody makes anew.
ANOTHER_ADDRESS = (
    "if a new legislature sits, give the address of its zip in the file of --sources"
    " (assemblee: adresses: zip)"
)
_COLOUR = re.compile("#[0-9A-Fa-f]{6}")
_WANTED = re.compile(r"(?:^|/)(?:acteur/PA|organe/PO)[0-9]+\.json$")


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
        """A deputy's groups, adjoining ones joined; the code is "" if the organ is missing."""
        named: dict[str, list[Period]] = defaultdict(list)
        for period in deputy.member.groups:
            organ = self.organs.get(period.group)
            code = organ.code if organ else ""
            named[code].append(period._replace(group=code))
        joined = [period for periods in named.values() for period in _joined(periods)]
        return sorted(joined, key=lambda period: (period.since, period.group))

    def group(self, deputy: Deputy) -> str:
        """The code of the group a deputy is in; "" if no group is open, or groups of two codes are."""
        codes = {period.group for period in self.groups(deputy) if period.until is None}
        return codes.pop() if len(codes) == 1 else ""


def read_amo10(original: Original) -> Amo10:
    """The deputies in the zip, whether or not any has staff.

    OriginalRefused names the entry and the place of the fault.
    """
    deputies: dict[str, Deputy] = {}
    organs: dict[str, Organ] = {}
    newest: datetime.date | None = None
    persons = staff = 0
    for entry in read_entries(original, _WANTED.search):
        reference = entry.path.rpartition("/")[2].removesuffix(".json")
        try:
            document = parse(entry.body)
            if reference.startswith("PO"):
                if organ := _read_organ(document, reference):
                    organs[reference] = organ
            else:
                persons += 1
                deputy = read_acteur(document)
                _add(deputies, deputy, reference)
                # Counted as they are read: a small zip may unpack to millions.
                staff += len(deputy.staff) if deputy else 0
                LIST_ROWS.examine(staff)
        except (OddValue, OverBound) as error:
            raise original.refusal(f"{entry.path}: {error}") from error
        newest = max(filter(None, (newest, entry.made)), default=None)
    if not deputies:
        raise original.refusal(f"no deputy in {persons} files acteur/PA*.json")
    return Amo10(original.name, list(deputies.values()), organs, newest)


def read_list(amo10: Amo10, day: datetime.date | None) -> StaffList:
    """The list made of the zip received on `day`; OriginalRefused if nobody has staff."""
    sitting = list(amo10.sitting())
    rows = [
        row._replace(groupe=group)
        for deputy in sitting
        for group in [amo10.group(deputy)]
        for row in deputy.staff
    ]
    if not rows:
        raise OriginalRefused(
            f"{amo10.name}: 0 of {len(sitting)} sitting deputies have staff: {ANOTHER_ADDRESS}"
        )
    told = [*_told_of_values(sitting), *_told_of_groups(amo10)]
    if day and amo10.newest and (days := (day - amo10.newest).days) > LATE_DAYS:
        made = f"its newest file was made {days} days before, on {amo10.newest}"
        told.append(f"{amo10.name} is late: {made}: {ANOTHER_ADDRESS}")
    return StaffList(rows, ORIGIN, told=told)


def read_members(amo10: Amo10) -> ChamberMembers:
    """Everybody who has or had a seat, with the dates of seats and groups."""
    members = [
        deputy.member._replace(group=amo10.group(deputy), groups=amo10.groups(deputy))
        for deputy in amo10.deputies
    ]
    oldest_first = sorted(amo10.organs.values(), key=lambda organ: organ.since)
    names = {organ.code: organ.name for organ in oldest_first}
    colours = {organ.code: organ.colour for organ in oldest_first if organ.colour}
    return ChamberMembers(members, True, ORIGIN, names, group_colours=colours)


def _add(deputies: dict[str, Deputy], deputy: Deputy | None, reference: str) -> None:
    if deputy is None:
        return
    if deputy.member.id != reference:
        raise OddValue(f"it is the file of {deputy.member.id}")
    if reference in deputies:
        raise OddValue(f"a second file of {reference}")
    deputies[reference] = deputy


def _read_organ(document: JsonElement, reference: str) -> Organ | None:
    """The group in an organ's file, None if the organ is of another kind."""
    organ = document.child("organe")
    if organ.child("uid").text() != reference:
        raise OddValue(f"organe.uid is not {reference}")
    code = organ.child("libelleAbrege").text()
    if organ.child("codeType").text() != "GP" or not code:
        return None
    # A wrong colour refuses no list.
    colour = organ.child("couleurAssociee").value
    colour = colour.lower() if isinstance(colour, str) and _COLOUR.fullmatch(colour) else ""
    since = organ.child("viMoDe").child("dateDebut").text()
    return Organ(code, organ.child("libelle").text(), since, colour)


def _joined(periods: Iterable[Period]) -> list[Period]:
    """The periods of one group in order; those that overlap or adjoin are joined.

    Whoever presides over a group has a mandate for that beside a member's.
    """
    joined: list[Period] = []
    for period in sorted(periods, key=lambda p: p.since):
        last = joined[-1] if joined else None
        if last and (last.until is None or period.since <= last.until + datetime.timedelta(1)):
            ends = (last.until, period.until)
            joined[-1] = last._replace(until=None if None in ends else max(filter(None, ends)))
        else:
            joined.append(period)
    return joined


def _told_of_values(sitting: list[Deputy]) -> Iterator[str]:
    """Values left out, with their places and without the names of staff."""
    odd: dict[str, list[str]] = defaultdict(list)
    for deputy in sitting:
        for what, place in deputy.odd:
            odd[what].append(f"{deputy.name}, {place}")
    for what, places in odd.items():
        yield f"{len(places)} times {what}: {list_some(places, 5, '; ')}"


def _told_of_groups(amo10: Amo10) -> list[str]:
    """The sitting deputies whose groups are left empty, and why."""
    missing: Counter[str] = Counter()
    several = []
    for deputy in amo10.sitting():
        references = {period.group for period in deputy.member.groups if period.until is None}
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
        who = list_some(several, 5, "; ")
        told.append(f"{len(several)} deputies in two groups at once, left empty: {who}")
    return told
