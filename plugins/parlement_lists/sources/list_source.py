"""A chamber's list that somebody publishes as one CSV, in any form that tracking reads."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field

from ..tracking.members.known_members import Members
from . import kept_list
from .source import Address, ListRead, Original, OriginalRefused, Source, StaffRow

ORIGINAL = "liste"


@dataclass(frozen=True)
class ListSource(Source):
    """The list at one address; `most_bytes` and `seconds` are those of its `Address`."""

    url: InitVar[str] = ""
    most_bytes: InitVar[int] = 10_000_000
    seconds: InitVar[float] = 120.0
    addresses: Mapping[str, Address] = field(default_factory=dict, kw_only=True)

    def __post_init__(self, url: str, most_bytes: int, seconds: float) -> None:
        if not self.addresses:
            address = Address("liste.csv", url, most_bytes, seconds)
            object.__setattr__(self, "addresses", {ORIGINAL: address})

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> ListRead:
        """The rows of the one original, with the groups that members have on the day where it has none.

        OriginalRefused where it is no list, or wrong by itself (tracking/guard).
        """
        if len(originals) != 1:
            raise OriginalRefused(f"{self.name}: one list is read at a time, not {len(originals)}")
        (original,) = originals
        try:
            found = kept_list.read(original.body, self.chamber)
        except OriginalRefused as error:
            raise OriginalRefused(f"{original.name}: {error}") from error
        rows = kept_list.rows_of(found)
        if day is not None:
            rows = [self._with_group(row, members, day) for row in rows]
        left_out = found.without_member + found.unreadable
        told = [f"{original.name}: {left_out} of {found.rows} rows cannot be read"]
        return ListRead(rows, found.source, told=told if left_out else ())

    def _with_group(self, row: StaffRow, members: Members, day: datetime.date) -> StaffRow:
        group = row.groupe or members.group(self.chamber, row.elu_id, day)
        return row._replace(groupe=group)
