"""Two accepted lists -> who is lost and who is gained at each member; who has another name is neither."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable
from typing import NamedTuple

from ..movement import plain
from .reading.formats import Pair, PairKey
from .reading.lists import List
from .reading.names import alike, near, share_a_word

# One person's pair in the list before, and the pair under another name in the list after.
Respelling = tuple[Pair, Pair]
# Whether a correction says of two pairs of a member that they are two people, however alike.
TwoPeople = Callable[[Pair, Pair], bool]

# Up to so many days after the list before, one given name out and the same in are one person, whoever
# else comes and goes there. In longer steps they are where nobody else does, and only women, or who keeps
# a word of the family name: of lists taken 14 to 182 days apart, 13 of 14 women so found were one person,
# and 0 of 2 men (figure `renamings`).
SOON = datetime.timedelta(10)


def no_two_people(old: Pair, new: Pair) -> bool:
    """What holds where no correction is at hand."""
    return False


class Step(NamedTuple):
    """What changed from one accepted list to the next, in the order of the keys.

    `respelled` are neither lost nor gained; `renamed` are those of them whose names are not near.
    """

    lost: list[Pair]
    gained: list[Pair]
    respelled: list[Respelling]
    renamed: list[Respelling]


def step(
    before: List,
    after: List,
    two_people: TwoPeople = no_two_people,
    departed: Container[PairKey] = (),
    absent: Container[str] = (),
) -> Step:
    """The pairs lost and gained, but for those whose name is only written another way, or a new one.

    Who had `departed` from that member under the very name comes back: it is nobody's new name.
    Nor has one of the persons `absent` from any member for some days a new name. Where the lists come
    from two sources, one person's are also names that may be spellings of one (`names.alike`), and a
    civility that one of them lacks is no difference.
    """
    lost = {key: before.pairs[key] for key in sorted(before.pairs.keys() - after.pairs.keys())}
    gained = {key: after.pairs[key] for key in sorted(after.pairs.keys() - before.pairs.keys())}
    new_ones = [pair for pair in gained.values() if pair.key not in departed]
    near_ones = _take(_near(lost.values(), new_ones, two_people), lost, gained)

    def one_person(found: Iterable[Respelling]) -> list[Respelling]:
        return [
            (old, new)
            for old, new in found
            if new.key not in departed
            and new.person not in absent
            and not (_present(old, after) or _present(new, before) or two_people(old, new))
        ]

    renamed = []
    other_source = after.other_source(before)
    if other_source:
        renamed = _take(one_person(_alike(lost, gained)), lost, gained)
    alone = after.date - before.date > SOON
    found = _same_given_name(lost, gained, alone, with_civility=not other_source)
    renamed += _take(one_person(found), lost, gained)
    return Step(list(lost.values()), list(gained.values()), near_ones + renamed, renamed)


def _take(
    found: list[Respelling], lost: dict[PairKey, Pair], gained: dict[PairKey, Pair]
) -> list[Respelling]:
    """Take from those lost and gained the people found to have stayed; the same."""
    for old, new in found:
        del lost[old.key]
        del gained[new.key]
    return found


def _near(lost: Iterable[Pair], gained: Iterable[Pair], two_people: TwoPeople) -> list[Respelling]:
    """The old and the new pair where, at one member, a name is out and one near to it in; each once."""
    out = _by_member(lost)
    found = []
    for new in gained:
        candidates = out.get(new.member, [])
        for old in candidates:
            if near(old.person, new.person) and not two_people(old, new):
                candidates.remove(old)
                found.append((old, new))
                break
    return found


def _alike(lost: dict[PairKey, Pair], gained: dict[PairKey, Pair]) -> list[Respelling]:
    """The old and the new pair where, at one member, they alone may be two sources' spellings of one name."""
    out = _by_member(lost.values())
    found = [
        (old, new)
        for new in gained.values()
        for old in out.get(new.member, ())
        if alike(old.family, old.given, new.family, new.given) and same_civility(old, new)
    ]
    times = Counter(pair.key for both in found for pair in both)
    return [(old, new) for old, new in found if times[old.key] == times[new.key] == 1]


def _by_member(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[pair.member].append(pair)
    return found


def same_civility(one: Pair, other: Pair) -> bool:
    """Whether two civilities may be one person's: a source may have none."""
    return not (one.civility and other.civility) or one.civility == other.civility


def _same_given_name(
    lost: dict[PairKey, Pair], gained: dict[PairKey, Pair], alone: bool, with_civility: bool
) -> list[Respelling]:
    """The old and the new pair where, at one member, exactly one of a civility and given name is out and one in.

    With `alone` nobody else is, at that member, and the two are women or share a word of the family name.
    Not `with_civility`, one that a list lacks may be any.
    """
    changes = Counter(pair.member for pair in (*lost.values(), *gained.values()))
    out = _by_given_name(lost.values(), with_civility)
    in_ = _by_given_name(gained.values(), with_civility)
    return [
        (out[key][0], in_[key][0])
        for key in out
        if len(out[key]) == len(in_.get(key, ())) == 1
        and same_civility(out[key][0], in_[key][0])
        and not (alone and (changes[key[0]] > 2 or not _may_marry(out[key][0], in_[key][0])))
    ]


def _may_marry(old: Pair, new: Pair) -> bool:
    """Whether two family names may be one person's, weeks apart: a woman's, or names that share a word."""
    return "Mme" in (old.civility, new.civility) or share_a_word(old.family, new.family)


def _by_given_name(
    pairs: Iterable[Pair], with_civility: bool
) -> dict[tuple[str, str, str], list[Pair]]:
    found: dict[tuple[str, str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        if given := plain(pair.given):
            civility = pair.civility if with_civility else ""
            found[pair.member, civility, given].append(pair)
    return found


def _present(pair: Pair, list_: List) -> bool:
    """Whether a list has the person at any member: who is there under one name did not take the other."""
    return any(person == pair.person for _, person in list_.pairs)
