"""What a source is: which originals a chamber publishes, and what is read in them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, Self

from ..tracking.members.known_members import Members

# How the reason of an original begins that was not asked for, because too many others failed.
NOT_ASKED = "not asked"


class OriginalRefused(Exception):
    """An original that is not what it should be; the message names it, the place and the figure."""


class Address(NamedTuple):
    """Where one original is, and what its download may take.

    `name` is that of its kept copy; `most_bytes` bounds what is downloaded, `seconds` each attempt.
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


class StaffRow(NamedTuple):
    """One row of a list as it is kept: who works for whom; every value a string, "" where there is none."""

    elu_id: str
    elu_nom: str
    elu_prenom: str
    groupe: str
    collab_civilite: str
    collab_nom: str
    collab_prenom: str
    fonction: str = ""


class ListRead(NamedTuple):
    """What originals say: the rows, one a pair, in no order.

    `origin` names the source and the form of original that the rows come from. `day` is the list's
    day where the originals say it, else None: the day they were received. `carried` are the members
    of whom nothing could be read, and for whom what was last known stands. `told` are sentences for
    the maintainer's report.
    """

    rows: Sequence[StaffRow]
    origin: str
    day: datetime.date | None = None
    carried: Sequence[str] = ()
    told: Sequence[str] = ()


class Credit(NamedTuple):
    """Whom lists are owed to: who publishes them, under what licence, and where that is told."""

    publisher: str
    licence: str
    address: str


class Period(NamedTuple):
    """From a first day to a last one, both included, None while it goes on: a mandate, or a group's code.

    `reason` says why a mandate ended, where the source does.
    """

    since: datetime.date
    until: datetime.date | None = None
    group: str = ""
    reason: str = ""


class MemberRead(NamedTuple):
    """One elected member as a source knows him or her.

    Where the source has dates, `mandates` and `groups` are all it knows. Where it has none they are
    empty, the member sits on the day of the original, and `group` is the code of that day.
    """

    id: str
    family: str
    given: str
    civility: str = ""
    group: str = ""
    mandates: Sequence[Period] = ()
    groups: Sequence[Period] = ()


class MembersRead(NamedTuple):
    """The members of a chamber as one source knows them, complete for the day of the original.

    `dated` where the source has the dates of mandates and groups; else those whom it no longer has
    sit no longer. `group_names` are full names by code, `group_colours` the colours that are known, as
    `#rrggbb`; `origin` names the source in the files kept.
    """

    members: Sequence[MemberRead]
    dated: bool
    origin: str
    group_names: Mapping[str, str] = {}
    told: Sequence[str] = ()
    group_colours: Mapping[str, str] = {}


class Downloads(Protocol):
    """One run's downloads for one source; what did not change since the last one is not sent again."""

    # The day in Paris, and what the source noted in earlier runs, to be changed in place: JSON values.
    day: datetime.date
    memory: dict[str, Any]

    def get(
        self, address: Address, examine: Callable[[Original], object] = ..., attempts: int = ...
    ) -> Original:
        """The original; raises FetchFailed after the last attempt.

        OriginalRefused by `examine` is a failed attempt, too: it may be an error page.
        """

    def get_all(
        self,
        addresses: Iterable[Address],
        examine: Callable[[Original], object] = ...,
        attempts: int = ...,
        at_once: int = ...,
        most_failures: int | None = ...,
    ) -> tuple[list[Original], dict[str, str]]:
        """The originals that could be had, in order, and of each other one, by name, why not.

        Once more than `most_failures` could not be had, the others are not asked for: NOT_ASKED.
        """

    def tell(self, sentence: str) -> None:
        """Say something in the maintainer's report."""


@dataclass(frozen=True)
class Source:
    """One chamber's list, and how it is had and read; a package derives its own from it.

    `addresses` are its originals, by a short word that a maintainer may give another address for;
    `credit` is shown by services whose lists are the source's.
    """

    name: str
    chamber: str
    addresses: Mapping[str, Address] = field(default_factory=dict)
    credit: Credit | None = field(default=None, kw_only=True)

    def at(self, urls: Mapping[str, str]) -> Self:
        """The same source with other addresses for some of its originals; KeyError for one it has not."""
        moved = {word: self.addresses[word]._replace(url=url) for word, url in urls.items()}
        return replace(self, addresses={**self.addresses, **moved})

    def download(self, downloads: Downloads) -> list[Original]:
        """Every original that the list and its members are read from; raises FetchFailed."""
        return [downloads.get(address) for address in self.addresses.values()]

    def members(self, originals: Sequence[Original], day: datetime.date) -> MembersRead | None:
        """The members among originals of a day, None where none of them says; raises OriginalRefused."""
        return None

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> ListRead:
        """The list that originals, received on `day`, make; which they are is told by their content.

        `day` is None where nobody knows it, and the originals must say it if it is needed.
        `members` are those known of every chamber, and by name those whom only the chamber's list
        before has. Raises OriginalRefused.
        """
        raise NotImplementedError
