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
from .reading.names import alike, letter_dropped, near, share_a_word

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
        for pairs in _by_member(list_.pairs.values(), members).values()
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
    absent: Container[str] = (),
) -> Change:
    """The pairs lost and gained, but for those whose name is only written another way, or a new one.

    Who had `departed` from that member under the very name comes back: it is nobody's new name.
    Nor has one of the persons `absent` from any member for some days a new name. Where the lists come
    from two sources, one person's are also names that may be spellings of one (`names.alike`), and a
    civility that one of them lacks is no difference.
    """
    lost = {key: before.pairs[key] for key in sorted(before.pairs.keys() - after.pairs.keys())}
    gained = {key: after.pairs[key] for key in sorted(after.pairs.keys() - before.pairs.keys())}
    # Who is written two ways there, and was in the list before the shorter way.
    respelled = [
        (lost.pop(key), gained.pop(fuller))
        for key, fuller in after.fuller.items()
        if key in lost and fuller in gained
    ]
    new_pairs = [pair for pair in gained.values() if pair.key not in departed]
    respelled += _take(_near(lost.values(), new_pairs, two_people), lost, gained)
    there = {person for _, person in after.pairs}
    were_there = {person for _, person in before.pairs}

    def may_be_renamed(old: Pair, new: Pair) -> bool:
        if new.key in departed or new.person in absent or two_people(old, new):
            return False
        # Who is there under one name, at any member, did not take the other.
        return old.person not in there and new.person not in were_there

    renamed: list[Respelling] = []
    other_source = after.source != before.source
    if other_source:
        renamed += _take(_alike(lost, gained, may_be_renamed), lost, gained)
    alone = after.date - before.date > SOON
    pairs = _same_given_name(lost, gained, alone, with_civility=not other_source)
    renamed += _take([both for both in pairs if may_be_renamed(*both)], lost, gained)
    doubled = [both for both in respelled if is_doubled(*both)]
    return Change(
        lost=list(lost.values()),
        gained=list(gained.values()),
        respelled=respelled + renamed,
        renamed=renamed + doubled,
    )


def _take(
    pairs: list[Respelling], lost: dict[PairKey, Pair], gained: dict[PairKey, Pair]
) -> list[Respelling]:
    """Take from those lost and gained the people who have stayed; the same."""
    for old, new in pairs:
        del lost[old.key]
        del gained[new.key]
    return pairs


def _near(lost: Iterable[Pair], gained: Iterable[Pair], two_people: TwoPeople) -> list[Respelling]:
    """The old and the new pair where, at one member, a name is out and one near to it in; each once."""
    out = _by_member(lost)
    respelled = []
    for new in gained:
        candidates = out.get(new.member, [])
        for old in candidates:
            if near_names(old, new, two_people):
                candidates.remove(old)
                respelled.append((old, new))
                break
    return respelled


def _alike(
    lost: dict[PairKey, Pair],
    gained: dict[PairKey, Pair],
    may_be_renamed: Callable[[Pair, Pair], bool],
) -> list[Respelling]:
    """The old and the new pair where, at one member, they alone may be two sources' spellings of one name."""
    out = _by_member(lost.values())
    pairs = [
        (old, new)
        for new in gained.values()
        for old in out.get(new.member, ())
        if alike(old.family, old.given, new.family, new.given) and same_civility(old, new)
    ]
    times = Counter(pair.key for both in pairs for pair in both)
    return [
        (old, new)
        for old, new in pairs
        if times[old.key] == times[new.key] == 1 and may_be_renamed(old, new)
    ]


def _by_member(
    pairs: Iterable[Pair], members: Container[str] | None = None
) -> dict[str, list[Pair]]:
    by_member: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if members is None or pair.member in members:
            by_member[pair.member].append(pair)
    return by_member


def _same_given_name(
    lost: dict[PairKey, Pair], gained: dict[PairKey, Pair], alone: bool, with_civility: bool
) -> list[Respelling]:
    """The old and the new pair where, at one member, exactly one of a civility and given name is out and one in.

    With `alone` nobody else is, at that member, and the two are women or share a word of the family name.
    Not `with_civility`, one that a list lacks may be any.
    """
    changes = Counter(pair.member for pair in (*lost.values(), *gained.values()))
    by_name: dict[tuple[str, str, str], tuple[list[Pair], list[Pair]]]
    by_name = defaultdict(lambda: ([], []))
    for side, pairs in enumerate((lost.values(), gained.values())):
        for pair in pairs:
            if given := plain(pair.given):
                civility = pair.civility if with_civility else ""
                by_name[pair.member, civility, given][side].append(pair)
    return [
        (out[0], in_[0])
        for (member, *_), (out, in_) in by_name.items()
        if len(out) == len(in_) == 1
        and same_civility(out[0], in_[0])
        and not (alone and (changes[member] > 2 or not _may_marry(out[0], in_[0])))
    ]


def _may_marry(old: Pair, new: Pair) -> bool:
    """Whether two family names may be one person's, weeks apart: a woman's, or names that share a word."""
    return "Mme" in (old.civility, new.civility) or share_a_word(old.family, new.family)
