"""Which pairs left a chamber's lists, and when: a list that mostly has people back is stale, or late."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Collection, Iterable

from .reading.formats import Pair, PairKey

# Past this a pair is forgotten: of those who come back after more than a month (figure `comebacks`),
# 92 % do so within two years. A year more would bring 5 % and make the memory half as long again.
REMEMBERED = datetime.timedelta(731)
# Contracts that end with a month are renewed within the next: back before this is no sign of an old list.
AWAY = datetime.timedelta(31)
# Of what a list gains, people who had left that member: more than this share, and at least so many.
MOSTLY, MOSTLY_LEAST = 0.5, 20


class DepartedPairs:
    """The pairs that left and are not back, each by a mark that names nobody, and the day it left."""

    def __init__(self, days: dict[str, str] | None = None) -> None:
        self.days = days or {}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, tuple) and mark_of(key) in self.days

    def note(self, day: datetime.date, lost: Iterable[Pair], gained: Iterable[Pair]) -> None:
        """Note what an accepted list no longer has and what it has again; forget what is long ago."""
        for pair in gained:
            self.days.pop(mark_of(pair.key), None)
        for pair in lost:
            mark = mark_of(pair.key)
            self.days.pop(mark, None)  # the oldest come first
            self.days[mark] = day.isoformat()
        oldest = (day - REMEMBERED).isoformat()
        while self.days and self.days[first := next(iter(self.days))] < oldest:
            del self.days[first]

    def returned(
        self, keys: Iterable[PairKey], day: datetime.date, away: datetime.timedelta
    ) -> list[PairKey]:
        """Those of the pairs that left more than `away` before `day`."""
        latest = (day - away).isoformat()
        return [key for key in keys if self.days.get(mark_of(key), latest) < latest]

    def mostly_back(
        self,
        keys: Collection[PairKey],
        day: datetime.date,
        away: datetime.timedelta = datetime.timedelta(),
        wider: float = 1.0,
    ) -> list[PairKey]:
        """Those of the pairs gained that are back after more than `away`, where most are; else none.

        The share that they must be is so much `wider`.
        """
        back = self.returned(keys, day, away)
        return back if len(back) >= MOSTLY_LEAST and len(back) > MOSTLY * wider * len(keys) else []


def mark_of(key: PairKey) -> str:
    """What stands for a pair where nobody may be named."""
    return hashlib.blake2b(" ".join(key).encode(), digest_size=8).hexdigest()
