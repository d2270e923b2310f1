"""The originals that chambers publish, and what is read in them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..tracking.members.spans import Span


class OriginalRefused(Exception):
    """An original cannot be used; the message names it, the place and the figure."""


class FetchFailed(Exception):
    """An original cannot be had; the message says why in one line."""


class Address(NamedTuple):
    """The address of one original, and the limits of its download.

    `name` is the file name of the copy that is kept; `most_bytes` limits the download, `seconds` each attempt.
    An answer of type text/html is a failure unless `html`.
    """

    name: str
    url: str
    most_bytes: int = 10_000_000
    seconds: float = 120.0
    html: bool = False


class Original(NamedTuple):
    """One file as its server sent it, or as a maintainer gives it.

    `modified` is the day in Paris on which the server says it was made, None where it says nothing.
    """

    name: str
    body: bytes
    modified: datetime.date | None = None

    def refusal(self, why: str) -> OriginalRefused:
        """The exception that refuses this original, by its name."""
        return OriginalRefused(f"{self.name}: {why}")


class StaffRow(NamedTuple):
    """One row of a list as it is kept: who works for whom; every value a string, "" where there is none.

    `conge` is `tenure.UNPAID` of who is on unpaid leave.
    """

    elu_id: str
    elu_nom: str
    elu_prenom: str
    groupe: str
    collab_civilite: str
    collab_nom: str
    collab_prenom: str
    fonction: str = ""
    conge: str = ""


class StaffList(NamedTuple):
    """A list made of originals: the pairs of member and staff member, in any order, and again where one stands again.

    `origin` names the source and the form of the original. `day` is the list's day if the originals
    say it; None stands for the day they were received. `remarks` are sentences for the maintainer's report.
    `unknown` are the names of members of the originals whom the list lacks, because nobody knows them.
    """

    rows: Sequence[StaffRow]
    origin: str
    day: datetime.date | None = None
    remarks: Sequence[str] = ()
    unknown: Sequence[str] = ()


class MemberRecord(NamedTuple):
    """One elected member as a source knows him or her.

    A source with dates gives all `mandates` and `groups` it knows. A source without dates gives none:
    the member sits on the day of the original, and `group` is the code of that day. `hatvp` is the address
    of the member's page at the Haute Autorité pour la transparence de la vie publique, where the source says it.
    """

    id: str
    family: str
    given: str
    civility: str = ""
    group: str = ""
    mandates: Sequence[Span] = ()
    groups: Sequence[Span] = ()
    hatvp: str = ""


class ChamberMembers(NamedTuple):
    """The members of a chamber as one source knows them, complete for the day of the original.

    `dated` if the source has the dates of mandates and groups: one without mandates sits, and what was known of
    the mandate goes on. Whom it no longer has sits no longer. Of `others` the originals disagree whether they sit
    that day: a list of a day before that of the originals needs their names. `group_names` are full names by code,
    `group_colours` the colours that are known, as `#rrggbb`; `origin` names the source in the files kept.
    """

    members: Sequence[MemberRecord]
    dated: bool
    origin: str
    group_names: Mapping[str, str] = {}
    remarks: Sequence[str] = ()
    group_colours: Mapping[str, str] = {}
    others: Sequence[MemberRecord] = ()


def list_some(texts: Sequence[str], most: int = 10, separator: str = ", ") -> str:
    """The first texts, and how many more there are, for a message."""
    more = len(texts) - most
    return separator.join([*texts[:most], *([f"and {more} more"] if more > 0 else [])])
