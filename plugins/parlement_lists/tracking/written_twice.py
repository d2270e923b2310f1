"""Who is written two ways at one member of one list: one person, under the fuller name."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Mapping

from ..movement import words
from .corrections import ShorterName
from .diff import TwoPeople, same_civility
from .reading.formats import Pair, PairKey
from .reading.lists import List, Pairs

# A family name alone may be anybody's.
LEAST_WORDS = 2


def written_twice(
    list_: List, two_people: TwoPeople, known: Collection[PairKey] = ()
) -> dict[PairKey, str]:
    """Each pair whose name's words are all in another's at that member, and the person of that other.

    Not where the civilities differ, or a correction says that they are `two_people`. Of the pairs that
    are `known` nobody is written twice: they are of such a list.
    """
    members = {member for member, _ in list_.pairs.keys() - known}
    return {
        shorter.key: longer.person
        for pairs in _by_member(list_.pairs, members)
        for shorter, longer in itertools.permutations(pairs, 2)
        if _is_within(shorter, longer) and not two_people(shorter, longer)
    }


def shorter_names(pairs: Pairs, twice: Mapping[PairKey, str]) -> set[ShorterName]:
    """The shorter names of those written twice, each beside every fuller one that the person has."""
    found = set()
    for key in twice:
        fuller = key
        while fuller in twice:
            fuller = fuller[0], twice[fuller]
            found.add((key[0], _words(pairs[fuller]), _words(pairs[key])))
    return found


def _words(pair: Pair) -> str:
    return words(pair.family, pair.given)


def written_once(list_: List, twice: Collection[PairKey]) -> List:
    """The list with some pairs left out."""
    if not twice:
        return list_
    left_out = tuple(list_.pairs[key] for key in twice)
    pairs = {key: pair for key, pair in list_.pairs.items() if key not in twice}
    return list_._replace(pairs=pairs, left_out=left_out)


def _by_member(pairs: Pairs, members: Collection[str]) -> Collection[list[Pair]]:
    found: dict[str, list[Pair]] = defaultdict(list)
    for key, pair in pairs.items():
        if key[0] in members:
            found[key[0]].append(pair)
    return found.values()


def _is_within(shorter: Pair, longer: Pair) -> bool:
    own = set(shorter.person.split())
    return (
        len(own) >= LEAST_WORDS
        and own < set(longer.person.split())
        and same_civility(shorter, longer)
    )
