"""The Assemblée nationale: its zip of sitting deputies (AMO10), one file a person with groups and staff."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...bounds import LIST_ROWS, OverBound
from ...tracking.members.known_members import Members
from ..download import Downloads
from ..json_elements import JsonElement, OddValue, parse
from ..originals import (
    Address,
    ChamberMembers,
    Original,
    OriginalRefused,
    Period,
    StaffList,
    list_some,
)
from ..source import Source
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
    """A parliamentary group: the code that members' rows have, its full name, its first day."""

    code: str
    name: str
    since: str
    colour: str  # #rrggbb, or ""


class Amo10(NamedTuple):
    """What a zip says; `newest` is the day on which its newest file was made.

    The groups of the deputies have the organ's code, "" where `organs` lack it. `missing` are those that they
    lack, with the number of sitting deputies.
    """

    name: str
    deputies: list[Deputy]
    organs: Mapping[str, Organ]
    newest: datetime.date | None
    missing: Counter[str]


@dataclass(frozen=True)
class Assemblee(Source):
    """The list of the zip, with the dates of mandates and groups."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The zip, if it can be read; whether anybody has staff is examined later."""
        return [downloads.get(self.addresses["zip"], read_amo10)]

    def members(self, originals: Sequence[Original], day: datetime.date) -> ChamberMembers | None:
        """Everybody who has or had a seat, with the dates."""
        amo10 = read_amo10(_only(originals))
        oldest_first = sorted(amo10.organs.values(), key=lambda organ: organ.since)
        return ChamberMembers(
            [deputy.member for deputy in amo10.deputies],
            dated=True,
            origin=ORIGIN,
            group_names={organ.code: organ.name for organ in oldest_first},
            group_colours={organ.code: organ.colour for organ in oldest_first if organ.colour},
        )

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> StaffList:
        """The staff of the sitting deputies; OriginalRefused if nobody has any."""
        original = _only(originals)
        amo10 = read_amo10(original)
        sitting = [deputy for deputy in amo10.deputies if deputy.sits]
        rows = [
            row._replace(groupe=deputy.member.group) for deputy in sitting for row in deputy.staff
        ]
        if not rows:
            nobody = f"0 of {len(sitting)} sitting deputies have staff"
            raise original.refusal(f"{nobody}: {ANOTHER_ADDRESS}")
        remarks = [*_values_left_out(sitting), *_groups_left_out(sitting, amo10.missing)]
        if day and amo10.newest and (days := (day - amo10.newest).days) > LATE_DAYS:
            made = f"its newest file was made {days} days before, on {amo10.newest}"
            remarks.append(f"{amo10.name} is late: {made}: {ANOTHER_ADDRESS}")
        return StaffList(rows, ORIGIN, _list_day(original.modified, amo10.newest, day), remarks)


SOURCE = Assemblee(
    "assemblee",
    # The address holds the number of the legislature: a zip that is late or empty says that another one is needed.
    {
        "zip": Address(
            "AMO10.json.zip",
            "https://data.assemblee-nationale.fr/static/openData/repository/17/amo"
            "/deputes_actifs_mandats_actifs_organes"
            "/AMO10_deputes_actifs_mandats_actifs_organes.json.zip",
            most_bytes=50_000_000,
            seconds=300.0,
        )
    },
)


def read_amo10(original: Original) -> Amo10:
    """The deputies in the zip, whether or not any has staff.

    OriginalRefused names the entry and the place of the fault.
    """
    deputies: dict[str, Deputy] = {}
    organs: dict[str, Organ] = {}
    days = []
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
                if deputy := _read_deputy(document, reference, deputies):
                    deputies[reference] = deputy
                    # Counted as they are read: a small zip may unpack to millions.
                    staff += len(deputy.staff)
                    LIST_ROWS.examine(staff)
        except (OddValue, OverBound) as error:
            raise original.refusal(f"{entry.path}: {error}") from error
        days += [entry.made] if entry.made else []
    if not deputies:
        raise original.refusal(f"no deputy in {persons} files acteur/PA*.json")
    missing = Counter(
        reference
        for deputy in deputies.values()
        if deputy.sits
        for reference in {p.group for p in deputy.member.groups if p.until is None}
        if reference not in organs
    )
    grouped = [_with_codes(deputy, organs) for deputy in deputies.values()]
    return Amo10(original.name, grouped, organs, max(days, default=None), missing)


def _only(originals: Sequence[Original]) -> Original:
    """The zip; OriginalRefused where there is more than one file."""
    if len(originals) != 1:
        names = ", ".join(original.name for original in originals)
        raise OriginalRefused(f"{names}: one file is needed, the zip")
    return originals[0]


def _list_day(
    modified: datetime.date | None, newest: datetime.date | None, received: datetime.date | None
) -> datetime.date | None:
    """The day of a list received on a day: no later than the one after its original was made.

    An original that is sent long after it was made says nothing of the days since. `newest` is the day
    of the newest file in it. None if the server does not say when it was made: an original at hand
    may have any dates in it.
    """
    if received is None or modified is None:
        return None
    made = max(filter(None, (modified, newest)))
    return min(received, made + datetime.timedelta(1))


def _read_deputy(
    document: JsonElement, reference: str, deputies: Mapping[str, Deputy]
) -> Deputy | None:
    deputy = read_acteur(document)
    if deputy and deputy.member.id != reference:
        raise OddValue(f"acteur.uid is not {reference}")
    if deputy and reference in deputies:
        raise OddValue(f"a second file of {reference}")
    return deputy


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


def _with_codes(deputy: Deputy, organs: Mapping[str, Organ]) -> Deputy:
    """The deputy with codes for references of groups; periods of one code that adjoin are joined.

    `group` is that of the day, "" if no group is open, or groups of two codes are.
    """
    periods: dict[str, list[Period]] = defaultdict(list)
    for period in deputy.member.groups:
        code = organs[period.group].code if period.group in organs else ""
        periods[code].append(period._replace(group=code))
    groups = sorted(
        (period for of_code in periods.values() for period in _joined(of_code)),
        key=lambda period: (period.since, period.group),
    )
    codes = {period.group for period in groups if period.until is None}
    group = codes.pop() if len(codes) == 1 else ""
    return deputy._replace(member=deputy.member._replace(group=group, groups=groups))


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


def _values_left_out(sitting: list[Deputy]) -> Iterator[str]:
    """Sentences on values left out, with their places and without the names of staff."""
    places: dict[str, list[str]] = defaultdict(list)
    for deputy in sitting:
        for what, place in deputy.odd:
            places[what].append(f"{deputy.name}, {place}")
    for what, of_kind in places.items():
        yield f"{len(of_kind)} times {what}: {list_some(of_kind, 5, '; ')}"


def _groups_left_out(sitting: list[Deputy], missing: Counter[str]) -> Iterator[str]:
    """Sentences on the sitting deputies whose groups are left empty."""
    if missing:
        whose = ", ".join(f"{reference} ({n})" for reference, n in missing.most_common())
        yield f"{missing.total()} deputies without a group, whose organs are missing: {whose}"
    several = [
        deputy.name
        for deputy in sitting
        if len({period.group for period in deputy.member.groups if period.until is None}) > 1
    ]
    if several:
        who = list_some(several, 5, "; ")
        yield f"{len(several)} deputies in two groups at once, left empty: {who}"
