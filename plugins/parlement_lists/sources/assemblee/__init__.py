"""The Assemblée nationale's source: its zip of sitting deputies."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from ...tracking.members.known_members import Members
from ..source import (
    Address,
    ChamberMembers,
    Downloads,
    Original,
    OriginalRefused,
    Source,
    StaffList,
)
from . import amo10

CHAMBER = "assemblee"
# The address of a legislature holds its number: a zip that is late or empty says that another one is needed.
ADDRESSES = {
    "zip": Address(
        "AMO10.json.zip",
        "https://data.assemblee-nationale.fr/static/openData/repository/17/amo"
        "/deputes_actifs_mandats_actifs_organes/AMO10_deputes_actifs_mandats_actifs_organes.json.zip",
        most_bytes=50_000_000,
        seconds=300.0,
    ),
}


@dataclass(frozen=True)
class Assemblee(Source):
    """The list of the zip, with the dates of mandates and groups."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The zip, if it can be read; whether anybody has staff is examined later."""
        return [downloads.get(self.addresses["zip"], amo10.read_amo10)]

    def members(self, originals: Sequence[Original], day: datetime.date) -> ChamberMembers | None:
        """Everybody who has or had a seat, with the dates."""
        return amo10.read_members(amo10.read_amo10(_only(originals)))

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> StaffList:
        """The list that the zip makes."""
        zip_ = _only(originals)
        amo = amo10.read_amo10(zip_)
        list_day = _list_day(zip_.modified, amo.newest, day)
        return amo10.read_list(amo, day)._replace(day=list_day)


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


def _only(originals: Sequence[Original]) -> Original:
    """The zip; OriginalRefused where there is more than one file."""
    if len(originals) != 1:
        names = ", ".join(original.name for original in originals)
        raise OriginalRefused(f"{names}: one file is needed, the zip")
    return originals[0]


SOURCE = Assemblee("assemblee", CHAMBER, ADDRESSES)
