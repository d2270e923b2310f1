"""Refuse the first list of another source where it changes more than the days between explain."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import NamedTuple

from .diff import Step
from .reading.lists import List, ListRefused


class Shares(NamedTuple):
    """How much a list changes: shares of pairs, but for `vanished` and `appeared`, which are of members.

    `exchanged` are those gone at a member where as many are new, of the pairs of members who stay.
    """

    lost: float
    gained: float
    exchanged: float
    vanished: float
    appeared: float


# What lists of one source change in so many days, between which the limits grow evenly. Of 4,018 such
# pairs of lists at hand, 1 to 1,000 days apart without a renewal, about one in a hundred has more
# (figure `source-limits`).
LIMITS = (
    (3, Shares(0.032, 0.032, 0.006, 0.012, 0.015)),
    (10, Shares(0.06, 0.06, 0.013, 0.024, 0.025)),
    (31, Shares(0.10, 0.13, 0.04, 0.035, 0.05)),
    (62, Shares(0.14, 0.19, 0.07, 0.045, 0.07)),
    (124, Shares(0.20, 0.31, 0.12, 0.06, 0.10)),
    (365, Shares(0.35, 0.50, 0.26, 0.085, 0.14)),
    (1000, Shares(0.55, 0.65, 0.40, 0.12, 0.14)),
)
# Up to so many pairs or members are no habit of writing or counting.
LEAST = 5


def limits_of(days: int) -> Shares:
    """The limits for lists so many days apart; past the last of LIMITS they grow on as before it."""
    after = bisect_left(LIMITS, days, 1, len(LIMITS) - 1, key=lambda row: row[0])
    (since, low), (until, high) = LIMITS[after - 1], LIMITS[after]
    part = max(0.0, (days - since) / (until - since))
    return Shares(*(a + (b - a) * part for a, b in zip(low, high, strict=True)))


def examine_source(list_: List, before: List, change: Step, renewal: bool) -> None:
    """Raises ListRefused, with the figure, where another source writes or counts otherwise.

    Everyone whom it does would have left or arrived. At a `renewal` much is lost and gained, but no
    more is exchanged at members who stay than at another time.
    """
    had, has = before.members.keys(), list_.members.keys()
    limits = limits_of((list_.date - before.date).days)
    exchanged, stay = _exchanged(list_, before, change)
    _limit(list_, before, "pairs exchanged at members who stay", exchanged, stay, limits.exchanged)
    if not renewal:
        lost, gained = len(change.lost), len(change.gained)
        _limit(list_, before, "pairs gone", lost, len(before.pairs), limits.lost)
        _limit(list_, before, "pairs new", gained, len(list_.pairs), limits.gained)
        _limit(list_, before, "members gone", len(had - has), len(had), limits.vanished)
        _limit(list_, before, "members new", len(has - had), len(has), limits.appeared)


def _exchanged(list_: List, before: List, change: Step) -> tuple[int, int]:
    """How many pairs are gone where as many are new, and how many the members of both lists have."""
    lost = Counter(pair.member for pair in change.lost if pair.member in list_.members)
    gained = Counter(pair.member for pair in change.gained if pair.member in before.members)
    old = len(before.pairs) - len(change.lost) + lost.total()
    new = len(list_.pairs) - len(change.gained) + gained.total()
    return (lost & gained).total(), max(old, new)


def _limit(list_: List, before: List, what: str, count: int, total: int, limit: float) -> None:
    """Raises ListRefused when so many of a total are more than a share of it, and more than LEAST."""
    if count > max(LEAST, limit * total):
        share = f"{count / total:.1%}"
        raise ListRefused(
            "source",
            f"another source than the list before ({before.source}, now {list_.source}): {share}"
            f" {what} (limit {limit:.1%}); it is right if both write and count the same people",
            share,
        )
