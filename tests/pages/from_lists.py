"""Who worked for whom by the lists alone, in a dozen rules of its own: nothing of the package is used.

It is what pages are held against. A row is read as it stands; people are told apart by the words of their names.
"""

from __future__ import annotations

import datetime
import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise, permutations
from typing import NamedTuple

from tests.pages.raw_lists import RawRow, raw_rows

Words = frozenset[str]
# Days for which a name may be missing from lists without having left.
ABSENT = 7
# Across more days one new name for one that is gone is one person only where nobody else changed, and
# only a woman or one who keeps a word of the family name.
SOON = 10


class Listed(NamedTuple):
    """A row of a list: the words of the name, the civility, the words of the given name, how pages write it.

    Only the European Parliament says functions.
    """

    name: Words
    civility: str
    given: Words
    family: str  # as pages write it, in capitals
    written: str
    filed: str  # the family name first, in small letters without accents
    on_leave: bool
    function: str


class Stay(NamedTuple):
    """One stay of one person with one member: days of lists, "" where there is none."""

    member: str
    row: Listed  # by the last list that has it
    begun: Listed  # and by the first one
    after: str
    begin: str
    seen: str
    end: str
    former: tuple[str, ...]  # the names before those that a marriage, or the like, gave

    @property
    def name(self) -> Words:
        return self.row.name

    @property
    def written(self) -> str:
        return self.row.written

    def listed_on_leave(self, day: str) -> bool:
        """Whether the list of a day is its last, and says so."""
        return self.seen == day and self.row.on_leave


@functools.cache
def words(text: str) -> Words:
    """The words of a text without case, accents, punctuation, order."""
    return frozenset(bare(text).split())


@functools.cache
def bare(text: str) -> str:
    """A text without case, accents, punctuation."""
    apart = unicodedata.normalize("NFKD", text.lower().replace("œ", "oe").replace("æ", "ae"))
    letters = "".join(c for c in apart if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^a-z0-9]+", " ", letters).split())


def rows(content: bytes) -> dict[str, dict[Words, Listed]]:
    """Member -> name -> row, of a list of any chamber; the family name is in capitals.

    Where `nom` has fewer different values than `prénom`, the columns are exchanged.
    """
    listed_of: dict[str, dict[Words, Listed]] = defaultdict(dict)
    every = list(raw_rows(content))
    exchanged = len({row.family for row in every}) < len({row.given for row in every})
    for row in every:
        if row.full:
            listed = _listed(row, exchanged)
            listed_of[row.member][listed.name] = listed
    return {member: _once(there) for member, there in listed_of.items()}


@functools.cache  # most rows are those of the day before
def _listed(row: RawRow, exchanged: bool) -> Listed:
    family, given = (row.given, row.family) if exchanged else (row.family, row.given)
    written, filed = f"{given} {family.upper()}".strip(), bare(f"{family} {given}")
    named = words(row.full), row.civility, words(given), family.upper(), written, filed
    return Listed(*named, row.on_leave, row.function)


def _once(there: Mapping[Words, Listed]) -> dict[Words, Listed]:
    """Who is written two ways in one list, one name within the other, under the fuller name alone.

    Of one who is written with a letter less, too, if both ways have one civility.
    """
    if len(there) < 2:
        return dict(there)
    return {
        name: row
        for name, row in there.items()
        if len(name) < 2
        or not any(
            (
                name < other
                and (row.civility == fuller.civility or "" in (row.civility, fuller.civility))
            )
            or (row.civility == fuller.civility != "" and _lacks_a_letter(name, other))
            for other, fuller in there.items()
        )
    }


def _lacks_a_letter(name: Words, other: Words) -> bool:
    """Whether one word of a name is that of the other with a letter less, and all others are the same."""
    own, others = name - other, other - name
    if len(own) != 1 or len(others) != 1:
        return False
    [shorter], [longer] = own, others
    return any(shorter == longer[:at] + longer[at + 1 :] for at in range(len(longer)))


def stays(days: Mapping[str, Mapping[str, Mapping[Words, Listed]]]) -> list[Stay]:
    """The stays that the accepted lists of one chamber show, by day, the last list of each day.

    A build ends what the last list lacks, however few days before it was last seen.
    """
    order = sorted(days)
    members = sorted({member for one in days.values() for member in one})
    chained: list[Stay] = []
    anywhere = [frozenset(name for one in days[day].values() for name in one) for day in order]
    for member in members:
        here = [days[day].get(member, {}) for day in order]
        chains = _joined(_runs(order, here), order, anywhere)
        for runs in chains:
            first, last = runs[0].first, runs[-1].last
            before = order[first - 1] if first else ""
            after = order[last + 1] if last + 1 < len(order) else ""
            bounds = (before, order[first], order[last], after)
            steps = [(a.begun, b.begun) for a, b in pairwise(runs)]
            changed = (
                a for a, b in steps if not _near(a.name, b.name) or _doubled(a, b) or _taken(a, b)
            )
            former = tuple(dict.fromkeys(row.written for row in changed))
            chained.append(Stay(member, runs[-1].row, runs[0].begun, *bounds, former))
    return chained


class _Run(NamedTuple):
    row: Listed  # as it is written on the last day
    first: int
    last: int
    begun: Listed  # and on the first


def _runs(order: Sequence[str], here: Sequence[Mapping[Words, Listed]]) -> list[_Run]:
    """Each name from list to list, missing for ABSENT days or less between two of them."""
    standing: dict[Words, list[_Run]] = defaultdict(list)
    for day, listed in enumerate(here):
        for name, row in listed.items():
            before = standing[name]
            last = before[-1].last if before else None
            if last is not None and (
                last == day - 1 or _days(order[last + 1], order[day]) <= ABSENT
            ):
                before[-1] = _Run(row, before[-1].first, day, before[-1].begun)
            else:
                before.append(_Run(row, day, day, row))
    return [run for runs in standing.values() for run in runs]


def _joined(
    runs: list[_Run], order: Sequence[str], anywhere: Sequence[Collection[Words]]
) -> list[list[_Run]]:
    """The runs of one person each: of one who is written or named otherwise from some day on."""
    chains = [[run] for run in sorted(runs, key=lambda one: (one.first, one.last))]
    for chain in list(chains):
        begun = chain[0]
        left = [
            other
            for other in chains
            if other is not chain
            and other[-1].last < begun.first
            and (
                other[-1].last == begun.first - 1
                or _days(order[other[-1].last + 1], order[begun.first]) <= ABSENT
            )
        ]
        same = [other for other in left if _near(other[-1].row.name, begun.row.name)]
        if not same and begun.first:
            # One out and one in at this step, of one civility and given name: a marriage.
            step = [other for other in left if other[-1].last == begun.first - 1]
            given = begun.row.given
            out = [o for o in step if given and o[-1].row[1:3] == begun.row[1:3]]
            new = [
                o for o in chains if o[0].first == begun.first and o[0].row[1:3] == begun.row[1:3]
            ]
            same = out if len(out) == len(new) == 1 else []
            if same and _two_people(same[0][-1], begun, chains, order, anywhere):
                same = []
        if same:
            same[0].extend(chain)
            chains = [other for other in chains if other is not chain]
    return chains


def _two_people(
    old: _Run,
    new: _Run,
    chains: list[list[_Run]],
    order: Sequence[str],
    anywhere: Sequence[Collection[Words]],
) -> bool:
    """Whether two names of one given name are two people's: both are listed, or others changed too."""
    if new.row.name in anywhere[old.last] or old.row.name in anywhere[new.first]:
        return True
    if any(of[-1].row.name == new.row.name and of[-1].last < new.first for of in chains):
        return True
    out = sum(chain[-1].last == old.last for chain in chains)
    come = sum(chain[0].first == new.first for chain in chains)
    kept = (old.row.name - old.row.given) & (new.row.name - new.row.given)
    alike = new.row.civility == "Mme" or any(len(word) > 3 for word in kept)
    long = _days(order[old.last], order[new.first]) > SOON
    return long and ((out, come) != (1, 1) or not alike)


def _near(one: Words, other: Words) -> bool:
    """Whether two names are spellings of one: a word more, or in two; a letter other, or two exchanged; a long word's letters."""
    common, left, right = one & other, one - other, other - one
    if not common or not left or not right:
        return bool(common)
    if {"".join(some) for some in permutations(left)} & {
        "".join(some) for some in permutations(right)
    }:
        return True
    if sorted("".join(left)) == sorted("".join(right)) and sum(map(len, left)) > 7:
        return True
    if len(left) > 1 or len(right) > 1:
        return False
    [a], [b] = left, right
    exchanged = any(a == b[:at] + b[at + 1] + b[at] + b[at + 2 :] for at in range(len(b) - 1))
    return (exchanged or _changed(a, b) == 1) and max(len(a), len(b)) > 2


def _taken(one: Listed, other: Listed) -> bool:
    """Whether of two names of one given name one has a word of the family name more."""
    left, right = (set(bare(row.family).split()) for row in (one, other))
    within = left != right and (left <= right or right <= left)
    return one.given == other.given and within and max(map(len, left ^ right)) > 3


def _doubled(one: Listed, other: Listed) -> bool:
    """Whether one of two names, of one civility, is a word twice: it may be anybody's of that family."""
    return one.civility != "" and (len(one.name) == 1) != (len(other.name) == 1)


def _changed(one: str, other: str) -> int:
    """How many letters make the one of the other."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        above, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (a != b))
    return row[-1]


def _days(since: str, until: str) -> int:
    return (datetime.date.fromisoformat(until) - datetime.date.fromisoformat(since)).days
