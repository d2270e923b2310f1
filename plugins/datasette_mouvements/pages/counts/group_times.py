"""The groups that a member had in a time, as memberships tell it: the latest one is not that of all years."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain, groupby, pairwise
from typing import Any

from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.spans import FORMED_WITHIN, NO_GROUP_YET

from ...dataset.schema import MEMBERSHIPS
from ..words.dates import days_between

Membership = tuple[str, str, str]  # code, first and last day, "" for one that nobody knows
HELD_SQL = f"select elu_id, groupe, debut, fin from {MEMBERSHIPS} where chambre = ? order by debut"
# The members of a group that another one must have, and have had: figures at hand are 0.8 or more, or under 0.65.
SAME_GROUP = 0.75


def groups_of(stay: Tenure, memberships: Iterable[Membership]) -> list[str]:
    """The groups of the member during a stay, in the order of time: the last one is the stay's own, if it has one."""
    since, until = stay.debut, stay.fin_apres
    held = [code for code, begin, end in formed(memberships) if _touch(begin, end, since, until)]
    if stay.elu_groupe and held[-1:] != [stay.elu_groupe]:
        held.append(stay.elu_groupe)
    return [code for code, _ in groupby(held)]


def group_on(day: str, memberships: Iterable[Membership], otherwise: str) -> str:
    """The group of a day, or the first one formed soon after it; `otherwise` of whom no membership is known."""
    held = formed(memberships)
    there = [code for code, begin, end in held if _touch(begin, end, day, day)]
    soon = [
        code
        for code, begin, _ in held
        if day < begin and days_between(day, begin) <= FORMED_WITHIN.days
    ]
    return (there[-1:] + soon[:1] or [""])[0] if held else otherwise


def before(group: str, day: str, memberships: Iterable[Membership]) -> list[tuple[str, str]]:
    """The groups that a member of `group` on a day had left by then, each with its last day, the latest first."""
    found: dict[str, str] = {}
    for code, _, end in formed(memberships):
        if end and end < day and code != group:
            found[code] = max(end, found.get(code, ""))
    return sorted(found.items(), key=lambda one: one[1], reverse=True)


def formed(memberships: Iterable[Membership]) -> list[Membership]:
    """The memberships but the wait for the groups of a new assembly to be formed."""
    return [
        (code, begin, end)
        for code, begin, end in memberships
        if not (
            code in NO_GROUP_YET
            and begin
            and end
            and days_between(begin, end) <= FORMED_WITHIN.days
        )
    ]


def by_member(rows: Iterable[Any]) -> dict[str, list[Membership]]:
    """The memberships of each member of a chamber, which HELD_SQL finds."""
    held: dict[str, list[Membership]] = defaultdict(list)
    for member, code, begin, end in rows:
        held[member].append((code, begin, end))
    return held


def renamed(memberships: Iterable[Iterable[Membership]]) -> set[tuple[str, str]]:
    """The groups that go on under another code, old and new: most members of both were in the one, then in the other.

    Members who come to a chamber or leave it as the code changes say nothing of it; but those who went along are
    half of the smaller of the two at least.
    """
    held = [formed(of) for of in memberships]
    ended: dict[str, str] = {}
    begun: dict[str, str] = {}
    for code, begin, end in chain.from_iterable(held):
        ended[code] = max(end or "9999-12-31", ended.get(code, ""))
        begun[code] = min(begin, begun.get(code, begin))
    steps = [
        (old, end, new, begin)
        for of in held
        for (old, _, end), (new, begin, _) in pairwise(of)
        if old != new and _soon(end, begin)
    ]
    last = Counter(code for of in held for code, _, end in of if _soon(end, ended[code]))
    first = Counter(code for of in held for code, begin, _ in of if _soon(begun[code], begin))
    left = Counter(old for old, end, _, _ in steps if _soon(end, ended[old]))
    came = Counter(new for _, _, new, begin in steps if _soon(begun[new], begin))
    return {
        (old, new)
        for (old, new), number in Counter((old, new) for old, _, new, _ in steps).items()
        if ended[old] <= begun[new]
        and number >= SAME_GROUP * max(left[old], came[new])
        and 2 * number >= min(last[old], first[new])
    }


def _soon(day: str, later: str) -> bool:
    return bool(day) and days_between(day, later) <= FORMED_WITHIN.days


def _touch(begin: str, end: str, since: str, until: str) -> bool:
    return begin <= until and (not end or since <= end)
