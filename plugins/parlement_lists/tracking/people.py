"""Who is the same person: in one list written two ways, from one list to the next under another name."""

from __future__ import annotations

import datetime
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from ..movement import plain
from .reading.formats import Pair, PairKey
from .reading.lists import List
from .reading.names import ONE_LETTER, misspelling, near, share_a_word

# One person's pair as it was, and as the list after has it.
Joined = tuple[Pair, Pair]
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

    `joined` are those who go on: under another name, with another civility, or after some days of absence. Who was in
    the list before is neither lost nor gained then.
    """

    lost: list[Pair]
    gained: list[Pair]
    joined: list[Joined]

    def told(self) -> list[Joined]:
        """Those of them who may be two people: the name or the civility is another."""
        return [both for both in self.joined if both[0].key != both[1].key or not agree(*both)]


def agree(pair: Pair, other: Pair) -> bool:
    """Whether two civilities may be one person's: a source may have none. `M.` and `Mme` never are."""
    return not (pair.civility and other.civility) or pair.civility == other.civility


def with_civility(old: Pair, new: Pair) -> Pair:
    """The new pair of somebody, with the civility that was given last where it has none."""
    return new if new.civility or not old.civility else new._replace(civility=old.civility)


def near_names(old: Pair, new: Pair, two_people: TwoPeople) -> bool:
    """Whether a name at a member is a respelling of another there: near, the civilities not contradicting."""
    if not agree(old, new) or two_people(old, new):
        return False
    return near(old.person, new.person) or is_doubled(old, new)


def is_doubled(old: Pair, new: Pair) -> bool:
    """Whether one of two names is the other with its family name in place of the given name (`Martin MARTIN`).

    It may be anybody of that family: a person with the same civility, and never one without.
    """
    doubled = [name for name in {old.person, new.person} if len(name.split()) == 1]
    return (
        len(doubled) == 1
        and bool(old.civility and new.civility)
        and doubled[0] == plain(old.family) == plain(new.family)
    )


def remember_civilities(list_: List, before: List) -> None:
    """Give each row of a list without a civility the one that lists gave last.

    Of a man and a woman of one name the one who was there is kept: the other is the one who is only told.
    """
    pairs, had = list_.pairs, before.pairs
    for number, double in enumerate(list_.doubles):
        if (key := double.key) in pairs and key in had and had[key].civility == double.civility:
            list_.doubles[number], pairs[key] = pairs[key], double
    for pair in itertools.filterfalse(attrgetter("civility"), list(pairs.values())):
        pairs[pair.key] = with_civility(had.get(pair.key, pair), pair)


def written_once(list_: List, two_people: TwoPeople, before: Collection[PairKey] = ()) -> List:
    """The list without the pairs of who stands in it with the same member under a fuller name, too.

    All words of the one are in the other, or with one civility the other doubles a letter that it drops. Not
    where the civilities differ, or a correction says that they are two people. Pairs of the list `before`
    were looked at there.
    """
    new = list_.pairs.keys() - before
    members = {member for member, _ in new}
    fuller = {
        shorter.key: longer.key
        for pairs in _by_member(p for p in list_.pairs.values() if p.member in members).values()
        for shorter, longer in itertools.permutations(pairs, 2)
        if (shorter.key in new or longer.key in new)
        and _is_within(shorter, longer)
        and not two_people(shorter, longer)
    }
    if not fuller:
        return list_
    for key in fuller:
        while fuller[key] in fuller:
            fuller[key] = fuller[fuller[key]]
    pairs = {key: pair for key, pair in list_.pairs.items() if key not in fuller}
    return replace(list_, pairs=pairs, fuller=fuller)


def _is_within(shorter: Pair, longer: Pair) -> bool:
    own = set(shorter.person.split())
    if len(own) < LEAST_WORDS or not agree(shorter, longer):
        return False
    if own < set(longer.person.split()):
        return True
    # Without a civility they may be a man and a woman: Michel and Michelle.
    both = shorter.person, longer.person
    one_more = len(longer.person) == len(shorter.person) + 1
    return bool(shorter.civility and longer.civility and one_more) and (
        misspelling(*both) == ONE_LETTER
    )


def compare(
    before: List,
    after: List,
    two_people: TwoPeople = lambda old, new: False,
    departed: Container[PairKey] = (),
    missing: Mapping[PairKey, Pair] = MappingProxyType({}),
    renamed: Container[frozenset[PairKey]] = frozenset(),
) -> Change:
    """The pairs lost and gained, and who goes on: as before, under a near name or a new one.

    Who is `missing` for some days may be back. Who had `departed` from that member under the very name comes back:
    it is nobody's new name. Nor has one of the persons missing anywhere a new name. Two names that were one person's
    before (`renamed`) are so again, whoever bears one of them elsewhere.
    """
    pairs = before.pairs
    changed = [pair for key, pair in after.pairs.items() if pairs.get(key) is not pair]
    lost = {key: pairs[key] for key in sorted(pairs.keys() - after.pairs.keys())}
    gained = {pair.key: pair for pair in sorted(changed) if pair.key not in pairs}
    joined = [(pairs[new.key], new) for new in changed if new.key in pairs]
    joined = [both for both in joined if not agree(*both)]
    joined += [(missing[key], pair) for key, pair in gained.items() if key in missing]
    come = {key: pair for key, pair in gained.items() if key not in missing}
    gone = lost | {key: pair for key, pair in missing.items() if key not in after.pairs}

    def join(old: PairKey, new: PairKey) -> None:
        joined.append((gone.pop(old), come.pop(new)))

    # Who is written two ways in one of the lists, and the shorter way in the other.
    ways = [*after.fuller.items(), *((fuller, key) for key, fuller in before.fuller.items())]
    for old, new in ways:
        if old in lost and old in gone and new in come:
            join(old, new)
    out = _by_member(gone.values())
    near_keys = [
        (other.key, key)
        for key, pair in come.items()
        if key not in departed
        for other in out.get(pair.member, ())
        if near_names(other, pair, two_people)
    ]
    # Of several near names nobody knows which.
    many = Counter(itertools.chain(*near_keys))
    for old, new in near_keys:
        if many[old] == many[new] == 1:
            join(old, new)
    left = [pair for key, pair in gone.items() if key in lost]
    for was, is_ in _same_given_name(left, come.values(), alone=after.date - before.date > SOON):
        # Who is there under one name, at any member, did not take the other.
        elsewhere = frozenset((was.key, is_.key)) not in renamed and (
            any(person == was.person for _, person in after.pairs)
            or any(person == is_.person for _, person in (*pairs, *missing))
        )
        another = elsewhere or is_.key in departed or not many.keys().isdisjoint((was.key, is_.key))
        if not another and not two_people(was, is_):
            join(was.key, is_.key)
    went_on = {new.key for old_pair, new in joined if old_pair.key in lost}
    return Change(
        [pair for key, pair in lost.items() if key in gone],
        [pair for key, pair in gained.items() if key not in went_on],
        joined,
    )


def _by_member(pairs: Iterable[Pair]) -> dict[str, list[Pair]]:
    by_member: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_member[pair.member].append(pair)
    return by_member


def _same_given_name(gone: Iterable[Pair], come: Iterable[Pair], alone: bool) -> list[Joined]:
    """The old and the new pair where, at one member, exactly one of a civility and given name is out and one in.

    With `alone` nobody else is, at that member, and the two are women or share a word of the family name.
    """
    changes: Counter[str] = Counter()
    by_name: dict[tuple[str, str, str], tuple[list[Pair], list[Pair]]]
    by_name = defaultdict(lambda: ([], []))
    for side, pairs in enumerate((gone, come)):
        for pair in pairs:
            changes[pair.member] += 1
            if given := plain(pair.given):
                by_name[pair.member, pair.civility, given][side].append(pair)
    return [
        (out[0], in_[0])
        for (member, civility, _), (out, in_) in by_name.items()
        if len(out) == len(in_) == 1
        and not (
            alone
            # Weeks apart two family names may be one person's: a woman's, or names that share a word.
            and (
                changes[member] > 2
                or not (civility == "Mme" or share_a_word(out[0].family, in_[0].family))
            )
        )
    ]
