"""Two accepted lists -> who is lost and who is gained at each member; respellings are neither."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from .formats import Pair, PairKey
from .lists import List
from .names import near

# One person's pair in the list before, and the pair under another name in the list after.
Respelling = tuple[Pair, Pair]


class Step(NamedTuple):
    """What changed from one accepted list to the next, in the order of the keys.

    `respelled` are neither lost nor gained; `renamed` are those of them whose names are not near.
    """

    lost: list[Pair]
    gained: list[Pair]
    respelled: list[Respelling]
    renamed: list[Respelling]


def step(before: List, after: List) -> Step:
    """The pairs lost and gained, but for those whose name is only written another way."""
    lost = {key: before.pairs[key] for key in sorted(before.pairs.keys() - after.pairs.keys())}
    gained = {key: after.pairs[key] for key in sorted(after.pairs.keys() - before.pairs.keys())}
    respelled = _respelled(lost, gained)
    for old, new in respelled:
        del lost[old.key]
        del gained[new.key]
    return Step(list(lost.values()), list(gained.values()), respelled, [])


def _respelled(lost: dict[PairKey, Pair], gained: dict[PairKey, Pair]) -> list[Respelling]:
    """The old and the new pair where, at one member, a name is out and one near to it in; each once."""
    out: dict[str, list[Pair]] = defaultdict(list)
    for pair in lost.values():
        out[pair.member].append(pair)
    found = []
    for new in gained.values():
        candidates = out.get(new.member, [])
        old = next((pair for pair in candidates if near(pair.person, new.person)), None)
        if old is not None:
            candidates.remove(old)
            found.append((old, new))
    return found
