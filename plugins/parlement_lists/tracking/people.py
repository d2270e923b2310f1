"""Who is the same person: in one list written two ways, from one list to the next under another name."""

from __future__ import annotations

import datetime
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable
from typing import NamedTuple

from ..movement import plain
from .reading.formats import Pair, PairKey
from .reading.lists import List
from .reading.names import letter_dropped, near, share_a_word

# One person's pair in the list before, and the pair under another name in the list after.
Respelling = tuple[Pair, Pair]
# Whether a correction says of two pairs of a member that they are two people, however alike.
TwoPeople = Callable[[Pair, Pair], bool]

# A family name alone may be anybody's.
LEAST_WORDS = 2
# Up to so many days after the list before, one given name out and the same in are one person, whoever
# else comes and goes there. In longer steps they are where nobody else does, and only women, or who keeps
# a word of the family name: of lists taken 14 to 182 days apart, 13 of 14 women so found were one person,
# and 1 of 3 men, a doubled name put right.
SOON = datetime.timedelta(10)


class Change(NamedTuple):
    """What changed from one accepted list to the next, in the order of the keys.

    `respelled` are neither lost nor gained; `renamed` are those of them that may be two people: their names are
    not near, or one is doubled.
    """

    lost: list[Pair]
    gained: list[Pair]
    respelled: list[Respelling]
    renamed: list[Respelling]


def same_civility(pair: Pair, other: Pair) -> bool:
    """Whether two civilities may be one person's: a source may have none. `M.` and `Mme` never are."""
    return not (pair.civility and other.civility) or pair.civility == other.civility


def near_names(old: Pair, new: Pair, two_people: TwoPeople) -> bool:
    """Whether a name at a member is a respelling of another there: near, the civilities not contradicting."""
    if not same_civility(old, new) or two_people(old, new):
        return False
    return near(old.person, new.person) or is_doubled(old, new)


def is_doubled(old: Pair, new: Pair) -> bool:
    """Whether one of two names is the other with its family name in place of the given name (`Martin MARTIN`).

    It may be anybody of that family: a person with the same civility, and never one without.
    """
    names = {old.person, new.person}
    doubled = [name for name in names if len(name.split()) == 1]
    return (
        len(doubled) == 1
        and bool(old.civility and new.civility)
        and doubled[0] == plain(old.family) == plain(new.family)
    )


def written_once(list_: List, two_people: TwoPeople, before: Collection[PairKey] = ()) -> List:
    """The list without the pairs of who stands in it with the same member under a fuller name, too.

    All words of the one are in the other, or with one civility the other doubles a letter that it drops. Not
    where the civilities differ, or a correction says that they are two people. Pairs of the list `before`
    were looked at there.
    """
    members = {member for member, _ in list_.pairs.keys() - before}
    fuller = {
        shorter.key: longer.key
        for pairs in _by_member(p for p in list_.pairs.values() if p.member in members).values()
        for shorter, longer in itertools.permutations(pairs, 2)
        if _is_within(shorter, longer) and not two_people(shorter, longer)
    }
    if not fuller:
        return list_
    for key in fuller:
        while fuller[key] in fuller:
            fuller[key] = fuller[fuller[key]]
    pairs = {key: pair for key, pair in list_.pairs.items() if key not in fuller}
    return list_._replace(pairs=pairs, fuller=fuller)


def _is_within(shorter: Pair, longer: Pair) -> bool:
    own = set(shorter.person.split())
    if len(own) < LEAST_WORDS or not same_civility(shorter, longer):
        return False
    if own < set(longer.person.split()):
        return True
    # Without a civility they may be a man and a woman: Michel and Michelle.
    return bool(shorter.civility and longer.civility) and letter_dropped(
        shorter.person, longer.person
    )


def compare(
    before: List,
    after: List,
    two_people: TwoPeople = lambda old, new: False,
    departed: Container[PairKey] = (),
    absent: Collection[str] = (),
) -> Change:
    """The pairs lost and gained, but for those whose name is only written another way, or a new one.

    Who had `departed` from that member under the very name comes back: it is nobody's new name.
    Nor has one of the persons `absent` from any member for some days a new name.
    """
    lost = {key: before.pairs[key] for key in sorted(before.pairs.keys() - after.pairs.keys())}
    gained = {key: after.pairs[key] for key in sorted(after.pairs.keys() - before.pairs.keys())}
    respelled: list[Respelling] = []

    def take(old: PairKey, new: PairKey) -> None:
        respelled.append((lost.pop(old), gained.pop(new)))

    # Who is written two ways there, and was in the list before the shorter way.
    for key, fuller in after.fuller.items():
        if key in lost and fuller in gained:
            take(key, fuller)
    out = _by_member(lost.values())
    for new in list(gained.values()):
        candidates = out.get(new.member, []) if new.key not in departed else []
        for old in candidates:
            if near_names(old, new, two_people):
                candidates.remove(old)
                take(old.key, new.key)
                break
    renamed = [both for both in respelled if is_doubled(*both)]
    # Who is there under one name, at any member, did not take the other.
    there = {person for _, person in after.pairs}
    were_there = {person for _, person in before.pairs}.union(absent)
    for old, new in _same_given_name(lost, gained, alone=after.date - before.date > SOON):
        another = old.person in there or new.person in were_there or new.key in departed
        if not another and not two_people(old, new):
            take(old.key, new.key)
            renamed.append((old, new))
    return Change(list(lost.values()), list(gained.values()), respelled, renamed)


def _by_member(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    by_member: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_member[pair.member].append(pair)
    return by_member


def _same_given_name(
    lost: dict[PairKey, Pair], gained: dict[PairKey, Pair], alone: bool
) -> list[Respelling]:
    """The old and the new pair where, at one member, exactly one of a civility and given name is out and one in.

    With `alone` nobody else is, at that member, and the two are women or share a word of the family name.
    """
    changes = Counter(pair.member for pair in (*lost.values(), *gained.values()))
    by_name: dict[tuple[str, str, str], tuple[list[Pair], list[Pair]]]
    by_name = defaultdict(lambda: ([], []))
    for side, pairs in enumerate((lost.values(), gained.values())):
        for pair in pairs:
            if given := plain(pair.given):
                by_name[pair.member, pair.civility, given][side].append(pair)
    return [
        (out[0], in_[0])
        for (member, *_), (out, in_) in by_name.items()
        if len(out) == len(in_) == 1
        and not (alone and (changes[member] > 2 or not _may_marry(out[0], in_[0])))
    ]


def _may_marry(old: Pair, new: Pair) -> bool:
    """Whether two family names may be one person's, weeks apart: a woman's, or names that share a word."""
    return old.civility == "Mme" or share_a_word(old.family, new.family)
