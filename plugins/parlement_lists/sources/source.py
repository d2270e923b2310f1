"""A source: how one chamber's list is downloaded and read, in one form for all three."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from ..tracking.members.known_members import Members
from .download import Downloads
from .originals import Address, ChamberMembers, Original, StaffList


@dataclass(frozen=True)
class Source:
    """How one chamber's list is downloaded and read; it has the chamber's name.

    `addresses` are its originals, by a short word that a maintainer may give another address for;
    `needs` is the module of the extra `lists` that `read` and `download` import.
    """

    chamber: str
    addresses: Mapping[str, Address] = field(default_factory=dict)
    needs: str = ""

    def at(self, urls: Mapping[str, str]) -> Self:
        """The same source with other addresses for some of its originals; KeyError for one it has not."""
        moved = {word: self.addresses[word]._replace(url=url) for word, url in urls.items()}
        return replace(self, addresses={**self.addresses, **moved})

    def download(self, downloads: Downloads) -> list[Original]:
        """Every original that the list and its members are read from; raises FetchFailed."""
        raise NotImplementedError

    def members(self, originals: Sequence[Original], day: datetime.date) -> ChamberMembers | None:
        """The members in originals of a day, None if no original has them; raises OriginalRefused."""
        return None

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> StaffList:
        """The list made of originals received on `day`; their content says which original is which.

        `day` is None if nobody knows it. `members` are those known of every chamber; those whom only the
        chamber's last list has are known by name alone. Raises OriginalRefused.
        """
        raise NotImplementedError
