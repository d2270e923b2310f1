"""The Assemblée nationale's source: its zip of sitting deputies, else two lists in CSV."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...tracking.members.known_members import Members
from ..downloading.retry_policy import FetchFailed
from ..kept_list import add_groups
from ..source import (
    Address,
    ChamberMembers,
    Downloads,
    Original,
    OriginalRefused,
    Source,
    StaffList,
)
from . import amo10, csv_lists
from .legislature import Legislature
from .zip_entries import is_zip

CHAMBER = "assemblee"
# 17 is the legislature: the next one is found by itself (see `Legislature`).
_REPOSITORY = "https://data.assemblee-nationale.fr/static/openData/repository/17/amo"
ADDRESSES = {
    "zip": Address(
        "AMO10.json.zip",
        f"{_REPOSITORY}/deputes_actifs_mandats_actifs_organes/"
        "AMO10_deputes_actifs_mandats_actifs_organes.json.zip",
        most_bytes=50_000_000,
        seconds=300.0,
    ),
    "csv": Address(
        "liste_collaborateurs.csv",
        f"{_REPOSITORY}/collaborateurs_csv_opendata/liste_collaborateurs_libre_office.csv",
    ),
    "deputes": Address(
        "liste_deputes.csv",
        f"{_REPOSITORY}/deputes_actifs_csv_opendata/liste_deputes_libre_office.csv",
    ),
}


@dataclass(frozen=True)
class Assemblee(Source):
    """The zip is the source; the lists in CSV are read if it cannot be had or read."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The zip; else the list of staff and, if it can be had, that of deputies."""
        # Whether anybody has staff is not examined. A sound zip says what the Assemblée publishes
        # today; a list in CSV that still names people is older, and must not stand in for it.
        known = Legislature(self.addresses, downloads)
        addresses = known.addresses
        found: amo10.Amo10 | None = None

        def examine(original: Original) -> None:
            nonlocal found
            found = amo10.read_amo10(original)

        failed, zips = "", []
        try:
            zips = [downloads.get(addresses["zip"], examine)]
        except FetchFailed as error:
            failed, found = str(error), None
        if other := known.other_than(found):
            return [other]
        if zips:
            return zips
        instead = "the list in CSV is read in its place, without civility"
        downloads.tell_stand_in(addresses["zip"].name, f"{failed}; {instead}")
        now = replace(self, addresses=addresses)
        instead = "groups are those known before"
        return [
            downloads.get(addresses["csv"], csv_lists.read_staff),
            *now.get_or_tell(downloads, "deputes", csv_lists.read_deputies, instead),
        ]

    def members(self, originals: Sequence[Original], day: datetime.date) -> ChamberMembers | None:
        """The deputies with their dates from the zip, else the sitting ones from their list."""
        if zip_ := _only(originals, is_zip):
            return amo10.read_members(amo10.read_amo10(zip_))
        if deputies := _only(originals, csv_lists.is_deputies):
            staff = _only(originals, csv_lists.is_staff)
            return csv_lists.read_deputies(deputies, csv_lists.read_staff(staff) if staff else None)
        return None

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> StaffList:
        """The list that the zip makes, else the one in CSV with the groups of the members."""
        if zip_ := _only(originals, is_zip):
            amo = amo10.read_amo10(zip_)
            list_day = _list_day(zip_.modified, amo.newest, day)
            return amo10.read_list(amo, day)._replace(day=list_day)
        staff = _only(originals, csv_lists.is_staff)
        if staff is None:
            names = ", ".join(original.name for original in originals)
            raise OriginalRefused(f"{names}: neither the zip nor the list of staff in CSV")
        read = csv_lists.read_staff(staff)
        rows = add_groups(read.rows, members, CHAMBER, day)
        return read._replace(rows=rows, day=_list_day(staff.modified, None, day))


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


def _only(originals: Sequence[Original], is_one: Callable[[Original], bool]) -> Original | None:
    """The original of a kind, None if there is none; OriginalRefused if there are two."""
    matching = [original for original in originals if is_one(original)]
    if len(matching) > 1:
        raise OriginalRefused(f"{matching[0].name} and {matching[1].name} are two of the same kind")
    return matching[0] if matching else None


SOURCE = Assemblee("assemblee", CHAMBER, ADDRESSES)
