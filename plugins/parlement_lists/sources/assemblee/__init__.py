"""The Assemblée nationale: its zip of sitting deputies (AMO10), one file a person with groups and staff."""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...bounds import LIST_ROWS
from ...tracking.members.known_members import Members
from ...tracking.members.spans import Span, merged
from ...tracking.report import counted
from ..download import Downloads, Source
from ..json_elements import JsonElement, parse
from ..originals import (
    Address,
    ChamberMembers,
    Original,
    OriginalRefused,
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
_DAY = datetime.timedelta(1)
TWO_GROUPS = "two groups at once, left empty"


class Organ(NamedTuple):
    """A parliamentary group: the code that members' rows have, its full name, its first day."""

    code: str
    name: str
    since: str
    colour: str  # #rrggbb, or ""


class Amo10(NamedTuple):
    """What a zip says: deputies, groups by reference; `newest` is the day on which its newest file was made."""

    deputies: Sequence[Deputy]
    organs: Mapping[str, Organ]
    newest: datetime.date | None


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
        """The staff of the sitting deputies; OriginalRefused if nobody has any.

        The list is of no later day than the one after its original was made: an original that is sent long
        after says nothing of the days since. It says no day if the server did not say when it was made: an
        original at hand may have any dates in it.
        """
        original = _only(originals)
        amo10 = read_amo10(original)
        sitting = [deputy for deputy in amo10.deputies if deputy.sits]
        rows = [
            row._replace(groupe=deputy.member.group) for deputy in sitting for row in deputy.staff
        ]
        if not rows:
            nobody = f"0 of {len(sitting)} sitting deputies have staff"
            raise original.refusal(f"{nobody}: {ANOTHER_ADDRESS}")
        remarks = [*_left_out(sitting)]
        newest, modified = amo10.newest, original.modified
        if day and newest and (days := (day - newest).days) > LATE_DAYS:
            made = f"its newest file was made {days} days before, on {newest}"
            remarks.append(f"{original.name} is late: {made}: {ANOTHER_ADDRESS}")
        made_on = max(modified, newest or modified) if modified else None
        of_day = min(day, made_on + _DAY) if day and made_on else None
        return StaffList(rows, ORIGIN, of_day, remarks)


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
    for path, body, made in read_entries(original, _WANTED.search):
        reference = path.rpartition("/")[2].removesuffix(".json")
        try:
            document = parse(body)
            if reference.startswith("PO"):
                if organ := _read_organ(document, reference):
                    organs[reference] = organ
            else:
                persons += 1
                if deputy := read_acteur(document):
                    if deputy.member.id != reference:
                        raise ValueError(f"acteur.uid is not {reference}")
                    if reference in deputies:
                        raise ValueError(f"a second file of {reference}")
                    deputies[reference] = deputy
                    # Counted as they are read: a small zip may unpack to millions.
                    staff += len(deputy.staff)
                    LIST_ROWS.examine(staff)
        except ValueError as error:
            raise original.refusal(f"{path}: {error}") from error
        days += [made] if made else []
    if not deputies:
        raise original.refusal(f"no deputy in {persons} files acteur/PA*.json")
    coded = [_with_codes(deputy, organs) for deputy in deputies.values()]
    return Amo10(coded, organs, max(days, default=None))


def _only(originals: Sequence[Original]) -> Original:
    """The zip; OriginalRefused where there is more than one file."""
    if len(originals) != 1:
        names = ", ".join(original.name for original in originals)
        raise OriginalRefused(f"{names}: one file is needed, the zip")
    return originals[0]


def _read_organ(document: JsonElement, reference: str) -> Organ | None:
    """The group in an organ's file, None if the organ is of another kind."""
    organ = document.child("organe")
    if organ.child("uid").text() != reference:
        raise ValueError(f"organe.uid is not {reference}")
    code = organ.child("libelleAbrege").text()
    if organ.child("codeType").text() != "GP" or not code:
        return None
    # A wrong colour refuses no list.
    colour = organ.child("couleurAssociee").value
    colour = colour.lower() if isinstance(colour, str) and _COLOUR.fullmatch(colour) else ""
    since = organ.child("viMoDe").child("dateDebut").text()
    return Organ(code, organ.child("libelle").text(), since, colour)


def _with_codes(deputy: Deputy, organs: Mapping[str, Organ]) -> Deputy:
    """The deputy with codes for references of groups, "" for an organ that the zip lacks.

    `group` is that of the day, "" if no group is open, or groups of two codes are. Spans of one code
    that overlap or adjoin are one: whoever presides over a group has a mandate for that beside a member's.
    """
    spans: dict[str, list[Span]] = defaultdict(list)
    for period in sorted(deputy.member.groups, key=lambda period: period.since):
        code = organs[period.value].code if period.value in organs else ""
        if not code and period.until is None:
            what = f"a group whose organ {period.value} is missing, left empty"
            # Not again for an office in the group.
            if what not in dict(deputy.odd):
                deputy.odd.append((what, f"since {period.since}"))
        spans[code].append(period._replace(value=code))
    groups = sorted(
        (span for of_code in spans.values() for span in merged(of_code, _DAY)),
        key=lambda span: (span.since, span.value),
    )
    codes = sorted({period.value for period in groups if period.until is None})
    if len(codes) > 1:
        deputy.odd.append((TWO_GROUPS, " ".join(codes)))
    group = codes[0] if len(codes) == 1 else ""
    return deputy._replace(member=deputy.member._replace(group=group, groups=groups))


def _left_out(sitting: Sequence[Deputy]) -> Iterator[str]:
    """Sentences on values left out, with their places and without the names of staff."""
    places: dict[str, list[str]] = defaultdict(list)
    for deputy in sitting:
        for what, place in deputy.odd:
            places[what].append(f"{deputy.name}, {place}")
    for what, of_kind in places.items():
        yield f"{counted(len(of_kind), 'time')} {what}: {list_some(of_kind, 5, '; ')}"
