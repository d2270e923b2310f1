"""What the limits of the guard rest on, counted in the real lists at hand: `python -m benchmarks.figures`.

True steps are two lists of a chamber that follow each other; what is spoiled is the last list of each sequence.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

from parlement_lists.movement import words
from parlement_lists.tracking.guard import (
    AWAY,
    LEAST_PAIRS,
    MOSTLY_LEAST,
    SHORT_GAP,
    USUAL_GAP,
    examine,
    near_renewal,
)
from parlement_lists.tracking.reading.formats import PairKey
from parlement_lists.tracking.reading.lists import List
from tests.real import windows

# By hand, from the description of the lists: what the guard thinks of them is not asked here.
BROKEN = (
    *("assemblee/2018-06-13", "assemblee/2018-06-14"),
    *("senat/2015-05-15T0146", "senat/2015-05-15T0150", "senat/2015-06-01T0315"),
)


class Change(NamedTuple):
    """What members whom two lists have lose and gain, as shares of their pairs."""

    moved: float
    lost: float
    gained: float
    replaced: float


def change(before: List, after: Iterable[PairKey]) -> Change | None:
    """How much pairs differ from those of a list; None where there are too few."""
    pairs = set(after)
    had, has = before.members.keys(), {member for member, _ in pairs}
    old = {key for key in before.pairs if key[0] in has}
    new = {key for key in pairs if key[0] in had}
    if min(len(old), len(new)) < LEAST_PAIRS:
        return None
    lost, gained, larger = old - new, new - old, max(len(old), len(new))
    moved = {person for _, person in lost} & {person for _, person in gained}
    return Change(
        len(moved) / larger,
        len(lost) / len(old),
        len(gained) / len(new),
        min(len(lost), len(gained)) / larger,
    )


def sequences() -> Iterator[list[List]]:
    """The lists of each window, the broken ones left out."""
    for window in windows.available().values():
        files = windows.list_files(window)
        lists = [file.read() for file in files if not file.name.startswith(BROKEN)]
        for list_ in lists:
            examine(list_, None)
        yield lists


def spoiled(list_: List) -> Iterator[tuple[str, Change | None]]:
    """The staff one row lower, and accents made blanks."""
    pairs = list(list_.pairs.values())
    lower = zip(pairs, pairs[1:] + pairs[:1], strict=True)
    yield "shifted column", change(list_, ((one.member, other.person) for one, other in lower))
    names = ((pair.member, f"{pair.family} {pair.given}") for pair in pairs)
    blank = ((member, words(re.sub(r"[^\x00-\x7f]", " ", name))) for member, name in names)
    yield "accents lost", change(list_, blank)


def main() -> None:
    steps = 0
    largest: dict[str, Change] = {}
    smallest: dict[str, Change] = {}
    vanished: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    back = (0, 1)
    for lists in sequences():
        left: dict[PairKey, date] = {}
        for before, after in itertools.pairwise(lists):
            steps += 1
            days = (after.date - before.date).days
            renewals = windows.known_members().renewals(after.chamber)
            renewal = near_renewal(before.date, after.date, renewals)
            new = after.pairs.keys() - before.pairs.keys()
            came_back = sum(key in left and after.date - left.pop(key) > AWAY for key in new)
            left |= dict.fromkeys(before.pairs.keys() - after.pairs.keys(), after.date)
            found = change(before, after.pairs) if days <= USUAL_GAP else None
            if found and not renewal:
                found = found._replace(gained=len(new) / len(after.pairs))
            kinds = ["steps"] + ["short steps"] * (days <= SHORT_GAP and not renewal)
            if found:
                for kind in kinds:
                    largest[kind] = Change(*map(max, largest.get(kind, found), found))
            if not renewal:
                had = before.members.keys()
                gone = len(had - after.members.keys()), len(had)
                for most in (SHORT_GAP, USUAL_GAP):
                    if days <= most:
                        name = f"{after.chamber}, {most} days"
                        vanished[name] = max(vanished[name], gone)
                if len(new) >= MOSTLY_LEAST and came_back * back[1] > back[0] * len(new):
                    back = came_back, len(new)
        if lists[-1].chamber != "europarl":
            for kind, found in spoiled(lists[-1]):
                if found:
                    smallest[kind] = Change(*map(min, smallest.get(kind, found), found))
    print(f"{steps} true steps; the most of them, then the least of what is spoiled:")
    for kind, each in (largest | smallest).items():
        shares = ", ".join(f"{name} {100 * share:.2f} %" for name, share in each._asdict().items())
        print(f"{kind}: {shares}")
    for name, (gone_members, had_members) in vanished.items():
        print(f"vanished, {name}: {gone_members} of {had_members} members")
    print(f"back after more than {AWAY.days} days: {back[0]} of {back[1]} new pairs")


if __name__ == "__main__":
    main()
