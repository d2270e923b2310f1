"""Refuse a list that is empty, garbled, shifted or half gone, before it becomes false movements."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence, Set
from operator import attrgetter
from types import MappingProxyType

from .reading.formats import PairKey
from .reading.lists import List, ListRefused

# Shares past which a list is wrong. The comparisons hold for lists up to USUAL_GAP days apart; past it
# they widen with the gap. `python -m benchmarks.figures` counts all that is said of real lists here. Of 932
# true steps / spoiled lists: transfers up to 0.63 % / 26 %, pairs lost up to 11.3 %, gained up to 21.8 %.
WITHOUT_MEMBER = 0.01
BROKEN_NAMES = 0.02
TRANSFERS = 0.02
LOST, GAINED = 0.25, 0.4
# Within so many days, outside a renewal, little changes. True steps: 9.6 % of the pairs are lost, 7.5 %
# gained, 3.3 % lost and gained; with every name that has an accent spoiled, 20 %. All that
# a list may lose (LOST) may be back in the next one.
SHORT_GAP = 10
LOST_SOON, GAINED_SOON, REPLACED_SOON = 0.15, LOST, 0.12
USUAL_GAP = 62
# Members who vanish outside a renewal, as a share and as a number that always passes. True steps
# of up to SHORT_GAP days: 10 of 524 deputies, 2 of 341 senators, 1 of 79 European members; of up to
# USUAL_GAP days: 17 of 569, 9 of 346, 4 of 79.
VANISHED_SOON, VANISHED_SOON_LEAST = 0.03, 5
VANISHED, VANISHED_LEAST = 0.05, 6
# Fewer pairs than this on either side say nothing about shares.
LEAST_PAIRS = 20
# A renewal empties the lists from its day on; whoever publishes them may take weeks to follow.
RENEWAL_BEFORE, RENEWAL_AFTER = datetime.timedelta(3), datetime.timedelta(31)
# Of what a list gains, people back at a member they had left: more than this share, and at least so many,
# are of an old list, or of one that lacked them for some time.
MOSTLY, MOSTLY_LEAST = 0.5, 20
# Contracts that end with a month are renewed within the next: back before this is no sign of an old list.
AWAY = datetime.timedelta(31)
# Of those who come back after more than a month, 92 % do so within two years, and 5 % in the third.
REMEMBERED = datetime.timedelta(731)

# Each pair that left and is not back -> the day of the list that no longer had it.
Departed = Mapping[PairKey, datetime.date]


def examine(
    list_: List,
    before: List | None,
    renewals: Sequence[datetime.date] = (),
    departed: Departed = MappingProxyType({}),
) -> None:
    """Raises ListRefused, with the figure, when the list is wrong by itself or beside the last accepted one."""
    _examine_alone(list_)
    if before is None or list_.rebuilt:
        return
    gap = (list_.date - before.date).days
    wider = max(1.0, gap / USUAL_GAP)
    renewal = near_renewal(before.date, list_.date, renewals)
    soon = gap <= SHORT_GAP and not renewal
    if not renewal:
        _examine_members(list_, before, soon, wider)
    came = list_.pairs.keys() - before.pairs.keys()
    _examine_pairs(list_, before, came, soon, renewal, wider)
    # A list of months ago that new people were added to: those it has back never came. In true steps outside a
    # renewal at most 7 of 22 are back after more than AWAY; at a renewal candidates take their staff back.
    if not renewal and (back := mostly_back(departed, came, list_.date, AWAY, wider)):
        raise ListRefused(
            "stale",
            f"{len(back)} of {len(came)} new pairs are people back at a member they left more than"
            f" {AWAY.days} days before",
            f"{len(back)} pairs",
        )


def near_renewal(
    before: datetime.date, day: datetime.date, renewals: Sequence[datetime.date]
) -> bool:
    """Whether a renewal may show between two lists."""
    return any(before - RENEWAL_AFTER < renewal <= day + RENEWAL_BEFORE for renewal in renewals)


def _examine_alone(list_: List) -> None:
    if not list_.rows:
        raise ListRefused("empty", "the list has a header and no rows", "0 rows")
    share = list_.without_member / list_.rows
    _limit("without_member", "rows without a member's identifier", share, WITHOUT_MEMBER)
    share = list_.unreadable / list_.rows
    _limit("unreadable", "rows that are not what the header says", share, WITHOUT_MEMBER)
    if not list_.pairs:
        raise ListRefused("empty", "no row of the list can be read", "0 pairs")
    share = sum(map(attrgetter("broken"), list_.pairs.values())) / len(list_.pairs)
    _limit("encoding", "names with broken letters", share, BROKEN_NAMES)


def _examine_members(list_: List, before: List, soon: bool, wider: float) -> None:
    """Refuse a list that lost more members than its chamber loses outside a renewal."""
    had = len(before.members)
    gone = len(before.members.keys() - list_.members.keys())
    share, least = (VANISHED_SOON, VANISHED_SOON_LEAST) if soon else (VANISHED, VANISHED_LEAST)
    limit = int(max(share * had, least) * wider)
    if gone > limit:
        figure = f"{gone / had:.1%}"
        what = f"members who vanish outside a renewal: {gone} of {had} (limit {limit})"
        raise ListRefused("vanished", f"{figure} {what}", figure)


def _examine_pairs(
    list_: List, before: List, came: Set[PairKey], soon: bool, renewal: bool, wider: float
) -> None:
    """Compare who works for the members that both lists have; outside a renewal, who `came` with new ones too."""
    vanished = before.members.keys() - list_.members.keys()
    new = list_.members.keys() - before.members.keys()
    had = len(before.pairs) - sum(map(before.members.__getitem__, vanished))
    has = len(list_.pairs) - sum(map(list_.members.__getitem__, new))
    if min(had, has) < LEAST_PAIRS:
        return
    gone = before.pairs.keys() - list_.pairs.keys()
    lost = {key for key in gone if key[0] not in vanished}
    gained, pairs = {key for key in came if key[0] not in new}, max(had, has)
    share = len({person for _, person in lost} & {person for _, person in gained}) / pairs
    _limit("shifted", "staff who change member at once", share, TRANSFERS * wider)
    if soon:
        share = min(len(lost), len(gained)) / pairs
        _limit("changed", "pairs replaced within days", share, REPLACED_SOON)
    limit = (LOST_SOON if soon else LOST) * wider
    _limit("changed", "pairs gone among members who stay", len(lost) / had, limit)
    # New members hire in waves.
    share = len(gained) / has if renewal else len(came) / len(list_.pairs)
    _limit("changed", "new pairs", share, (GAINED_SOON if soon else GAINED) * wider)


def mostly_back(
    departed: Departed,
    gained: Collection[PairKey],
    day: datetime.date,
    away: datetime.timedelta = datetime.timedelta(),
    wider: float = 1.0,
) -> list[PairKey]:
    """Those of the pairs gained on a day that are back after more than `away`, where most are; else none.

    The share that they must be is so much `wider`.
    """
    back = [key for key in gained if key in departed and away < day - departed[key] <= REMEMBERED]
    return back if len(back) >= MOSTLY_LEAST and len(back) > MOSTLY * wider * len(gained) else []


def _limit(reason: str, what: str, share: float, limit: float) -> None:
    """Raises ListRefused, with the figure, when a share is above its limit."""
    if share > limit:
        raise ListRefused(reason, f"{share:.1%} {what} (limit {limit:.0%})", f"{share:.1%}")
