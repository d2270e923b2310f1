"""A chamber's list that somebody publishes as one CSV, in any form that tracking reads."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from ..tracking.members.known_members import Members
from . import kept_list
from .source import Address, Original, OriginalRefused, Source, StaffList


class ListSource(Source):
    """The list at one address; `most_bytes` and `seconds` are those of its `Address`."""

    def __init__(
        self,
        name: str,
        chamber: str,
        url: str = "",
        most_bytes: int = 10_000_000,
        seconds: float = 120.0,
        **others: Any,
    ) -> None:
        address = Address("liste.csv", url, most_bytes, seconds)
        super().__init__(name, chamber, **{"addresses": {"liste": address}, **others})

    def read(
        self, originals: Sequence[Original], members: Members, day: datetime.date | None
    ) -> StaffList:
        """The rows of the one original, with the groups that members have on the day if it has none.

        OriginalRefused if it is no list, or wrong by itself (tracking/guard).
        """
        if len(originals) != 1:
            raise OriginalRefused(f"{self.name}: one list is read at a time, not {len(originals)}")
        (original,) = originals
        list_ = kept_list.read(original, self.chamber)
        rows = kept_list.add_groups(kept_list.to_rows(list_), members, self.chamber, day)
        left_out = list_.without_member + list_.unreadable
        told = [f"{original.name}: {left_out} of {list_.rows} rows cannot be read"]
        return StaffList(rows, list_.source, told=told if left_out else ())
