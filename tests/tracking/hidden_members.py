"""The members whom lists hide, by the names of the lists alone."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Mapping, Set
from itertools import pairwise

SEVEN_DAYS = datetime.timedelta(7)
Hidden = dict[tuple[str, str], Set[str]]


def hidden_members(lists: Mapping[str, Mapping[str, Set[str]]]) -> Hidden:
    """By list and member: whom the last rows have of a member whom that list hides, of lists by day or moment.

    The next rows have one of them, and come at most seven days after the first list without rows.
    """
    order = sorted(lists)
    rows: dict[str, list[int]] = defaultdict(list)
    for place, moment in enumerate(order):
        for member, names in lists[moment].items():
            if names:
                rows[member].append(place)
    hidden: Hidden = {}
    for member, places in rows.items():
        for last, again in pairwise(places):
            before, back = (lists[order[place]][member] for place in (last, again))
            first, until = (datetime.date.fromisoformat(order[n][:10]) for n in (last + 1, again))
            if before & back and until - first <= SEVEN_DAYS:
                hidden |= {(order[n], member): before for n in range(last + 1, again)}
    return hidden
