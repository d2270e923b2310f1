"""The groups that a member had in a time, as memberships tell it: the latest one is not that of all years."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from parlement_lists.tenure import Tenure
from parlement_lists.tracking.members.spans import FORMED_WITHIN, NO_GROUP_YET

from ..words.dates import days_between

Membership = tuple[str, str, str]  # code, first and last day, "" for one that nobody knows


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


def _touch(begin: str, end: str, since: str, until: str) -> bool:
    return begin <= until and (not end or since <= end)
