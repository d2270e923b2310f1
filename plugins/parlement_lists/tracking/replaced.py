"""Which lists a chamber replaced by others: one of weeks ago that is served again is recognised."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable

from .reading.formats import PairKey
from .reading.lists import List

# Fewer changes than this may undo themselves; so many at once, exactly, do not.
LEAST_CHANGES = 6


class ReplacedLists:
    """The lists that were replaced, each by a mark that names nobody, and the day it was last replaced."""

    def __init__(self, days: dict[str, str] | None = None) -> None:
        self.days = days or {}
        self._list: List | None = None
        self._mark = 0

    def replace(self, before: List, after: List) -> None:
        """Note that one accepted list followed another."""
        mark = self._marked(before)
        changed = before.pairs.keys() ^ after.pairs.keys()
        if changed:
            self.days[_hex(mark)] = after.date.isoformat()
        self._list, self._mark = after, mark ^ _mark(changed)

    def day(self, before: List, after: List) -> datetime.date | None:
        """The day on which a list of the pairs of `after` was replaced; None where there was none."""
        changed = before.pairs.keys() ^ after.pairs.keys()
        if len(changed) < LEAST_CHANGES:
            return None
        found = self.days.get(_hex(self._marked(before) ^ _mark(changed)))
        return datetime.date.fromisoformat(found) if found else None

    def _marked(self, list_: List) -> int:
        if self._list is not list_:
            self._list, self._mark = list_, _mark(list_.pairs)
        return self._mark


def _mark(pairs: Iterable[PairKey]) -> int:
    """A number that stands for a set of pairs; that of a list and its changes gives the next list's."""
    mark = 0
    for member, person in pairs:
        digest = hashlib.blake2b(f"{member} {person}".encode(), digest_size=8).digest()
        mark ^= int.from_bytes(digest, "big")
    return mark


def mark_of(pairs: Iterable[PairKey]) -> str:
    """What stands for some pairs where nobody may be named."""
    return _hex(_mark(pairs))


def _hex(mark: int) -> str:
    return f"{mark:016x}"
