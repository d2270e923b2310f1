"""The Assemblée nationale's staff: from its zip of sitting deputies, else from two lists in CSV."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...tracking.members.known_members import Members
from ..downloading.retry_policy import FetchFailed
from ..source import (
    Address,
    Credit,
    Downloads,
    ListRead,
    MembersRead,
    Original,
    OriginalRefused,
    Source,
)
from . import amo10, csv_lists
from .zip_entries import is_zip

CHAMBER = "assemblee"
# 17 is the legislature: a maintainer gives other addresses when the next one begins.
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
    """The zip is the source; where it cannot be had or read, the lists in CSV are."""

    def download(self, downloads: Downloads) -> list[Original]:
        """The zip; else the list of staff and, where it can be had, that of deputies."""
        zip_ = self.addresses["zip"]
        try:
            # Whether anybody has staff is not examined. A sound zip says what the Assemblée publishes
            # today; a list in CSV that still names people is older, and must not stand in for it.
            return [downloads.get(zip_, amo10.read_amo10)]
        except FetchFailed as failed:
            why = _named(zip_, failed)
            downloads.tell(f"{why}; the list in CSV is read in its place, without civility")
        try:
            originals = [downloads.get(self.addresses["csv"], csv_lists.read_list)]
        except FetchFailed as failed:
            raise FetchFailed(f"{why}; {_named(self.addresses['csv'], failed)}") from failed
        try:
            originals.append(downloads.get(self.addresses["deputes"], csv_lists.read_deputies))
        except FetchFailed as failed:
            why = _named(self.addresses["deputes"], failed)
            downloads.tell(f"{why}; groups are those known before")
        return originals

    def members(self, originals: Sequence[Original], day: datetime.date) -> MembersRead | None:
        """The deputies with their dates from the zip, else the sitting ones from their list."""
        given = _recognise(originals)
        if given.zip is not None:
            return amo10.read_members(given.zip)
        if given.deputies is None:
            return None
        try:
            return csv_lists.read_members(csv_lists.sitting(given.deputies, given.staff))
        except OriginalRefused:
            if given.staff is None:
                raise
            return None  # `read` tells why

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> ListRead:
        """The list that the zip makes, else the one in CSV, which is told."""
        given = _recognise(originals)
        if given.zip is not None:
            made_for = _list_day(given.modified, given.zip.newest, day)
            return amo10.read_list(given.zip, day)._replace(day=made_for)
        if given.staff is None:
            names = ", ".join(original.name for original in originals)
            raise OriginalRefused(f"{names}: neither the zip nor the list of staff in CSV")
        told = list(given.told)
        try:
            if given.deputies is None:
                raise OriginalRefused("no list of deputies")
            sitting = csv_lists.sitting(given.deputies, given.staff)
            groups = {id: deputy.group for id, deputy in sitting.items()}
        except OriginalRefused as refused:
            told.append(f"{refused}; groups are those known before")
            known = {row.elu_id for row in given.staff.rows} if day else set()
            groups = {id: members.group(CHAMBER, id, day) for id in known if day}
        rows = [row._replace(groupe=groups.get(row.elu_id, "")) for row in given.staff.rows]
        made_for = _list_day(given.modified, None, day)
        return given.staff._replace(rows=rows, told=told, day=made_for)


class _Given(NamedTuple):
    """The originals by what they are, as read; the list of deputies is read beside that of staff.

    `modified` is when the server of what staff is read from says that it was made.
    """

    zip: amo10.Amo10 | None
    staff: ListRead | None
    deputies: Original | None
    modified: datetime.date | None = None
    told: Sequence[str] = ()


def _recognise(originals: Sequence[Original]) -> _Given:
    """Which original is what, by content; OriginalRefused where two are the same, or none can be read.

    A zip that cannot be read is told where there is a list of staff to read in its place.
    """
    zip_ = _only(originals, is_zip)
    staff = _only(originals, csv_lists.is_staff)
    deputies = _only(originals, csv_lists.is_deputies)
    if zip_ is not None:
        try:
            return _Given(amo10.read_amo10(zip_), None, None, zip_.modified)
        except OriginalRefused as refused:
            if staff is None:
                raise
            told = [f"{refused}; {staff.name} is read in its place, without civility"]
            return _Given(None, csv_lists.read_list(staff), deputies, staff.modified, told)
    if staff is None:
        return _Given(None, None, deputies)
    return _Given(None, csv_lists.read_list(staff), deputies, staff.modified)


def _list_day(
    modified: datetime.date | None, newest: datetime.date | None, received: datetime.date | None
) -> datetime.date | None:
    """The day of a list received on a day: no later than the one after its original was made.

    An original that is no longer made anew, and still sent, says nothing of the days since. `newest`
    is the day of the newest file within. None where the server does not say when it was made: an
    original at hand may have any dates within.
    """
    if received is None or modified is None:
        return None
    made = max(filter(None, (modified, newest)))
    return min(received, made + datetime.timedelta(1))


def _named(address: Address, failed: FetchFailed) -> str:
    """Why an original could not be had; a refusal names it already."""
    return f"{address.name}: {str(failed).removeprefix(f'{address.name}: ')}"


def _only(originals: Sequence[Original], is_one: Callable[[Original], bool]) -> Original | None:
    found = [original for original in originals if is_one(original)]
    if len(found) > 1:
        raise OriginalRefused(f"{found[0].name} and {found[1].name} are two of the same kind")
    return found[0] if found else None


SOURCE = Assemblee(
    "assemblee",
    CHAMBER,
    ADDRESSES,
    credit=Credit(
        "Assemblée nationale", "Licence Ouverte 2.0", "https://data.assemblee-nationale.fr/"
    ),
)
