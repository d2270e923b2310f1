"""On the real lists: the stays that cover a day are its list's pairs, but for what the rules explain."""

from __future__ import annotations

import datetime
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from datasette_mouvements.dataset.check import inspect
from parlement_lists.movement import plain, words
from parlement_lists.tracking.reading.list_file import ListFile
from parlement_lists.tracking.reading.lists import Reader
from parlement_lists.tracking.reading.names import near
from tests.published import Published
from tests.tracking.windows import DATA, MISSING

from .real_file import real_file, real_lists

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=MISSING)
SEVEN_DAYS = datetime.timedelta(7)
# Of all pairs of all lists, so many may be told otherwise than by one rule: 5, 5 and 156, the last of one
# person whom 13 members share, and whose name was written another way twice.
UNEXPLAINED = {"assemblee": 0.000_006, "senat": 0.000_015, "europarl": 0.001}
folded = cache(plain)  # most given names are those of the day before
Pair = tuple[str, str]  # member, the words of the name
Given = tuple[str, str]  # civility, given name


class Compared(NamedTuple):
    """One chamber's lists beside its stays: how many pairs, and those that differ."""

    pairs: int
    extra: int  # covered by a stay, not in the list
    missing: int  # in the list, covered by no stay
    explained: int
    unexplained: list[tuple[str, str, Pair]]  # the list's day, extra or missing


def last_lists(database: Path) -> dict[str, dict[str, dict[Pair, Given]]]:
    """Chamber -> day -> the pairs of the last list that was accepted that day, each with its given name."""
    accepted = {n for n, row in Published(database).lists.items() if row[3] != "refusee"}
    reader, found = Reader(), defaultdict[str, dict[str, dict[Pair, Given]]](dict)
    for file in unique(real_lists().files):
        if file.name in accepted:
            pairs = file.read(reader).pairs
            found[file.chamber][file.date.isoformat()] = {
                key: (pair.civility, folded(pair.given)) for key, pair in pairs.items()
            }
    return found


def unique(files: Iterable[ListFile]) -> Iterable[ListFile]:
    """The first of the files of a name: windows and archives share days."""
    seen: set[str] = set()
    for file in files:
        if file.name not in seen:
            seen.add(file.name)
            yield file


def compare(
    days: dict[str, dict[Pair, Given]], stays: list[tuple[Pair, Given, str, str]]
) -> Compared:
    listed: dict[Pair, list[str]] = defaultdict(list)
    for day, pairs in days.items():
        for pair in pairs:
            listed[pair].append(day)
    order = sorted(days)
    covering: dict[str, dict[Pair, Given]] = {day: {} for day in order}
    for pair, given, begin, end in stays:
        for day in order:
            if begin <= day and (not end or day < end):
                covering[day][pair] = given
    extra = missing = explained = 0
    rest: list[tuple[str, str, Pair]] = []
    for day in order:
        more = covering[day].keys() - days[day].keys()
        less = days[day].keys() - covering[day].keys()
        extra, missing = extra + len(more), missing + len(less)
        for pair in sorted(more):
            if only_missing(listed.get(pair, []), order, day):
                more.discard(pair)
                explained += 1
        for pair in sorted(less):
            # A name written otherwise then, or changed since: the stay has the latest.
            given = days[day][pair]
            others = (
                one
                for one in sorted(more)
                if one[0] == pair[0]
                and (
                    near(one[1], pair[1])
                    or (given[1] and covering[day][one] == given)
                    or is_doubled(one[1], pair[1])
                )
            )
            other = next(others, None)
            if other is not None:
                more.discard(other)
                less.discard(pair)
                explained += 2
        for pair in sorted(less):
            # The same list has the person under a fuller name, too, which the stay has.
            if any(m == pair[0] and n != pair[1] and near(n, pair[1]) for m, n in days[day]):
                less.discard(pair)
                explained += 1
        for pair in sorted(more):
            # Missing for some days, and back under a near name.
            alike = (on for one, on in listed.items() if one == pair or _is_near(one, pair))
            if only_missing(sorted(itertools.chain(*alike)), order, day):
                more.discard(pair)
                explained += 1
        rest += [(day, "extra", pair) for pair in more] + [(day, "missing", pair) for pair in less]
    return Compared(sum(map(len, days.values())), extra, missing, explained, rest)


def _is_near(one: Pair, other: Pair) -> bool:
    return one[0] == other[0] and near(one[1], other[1])


def is_doubled(one: str, other: str) -> bool:
    """Whether one of two names is a family name alone, put right by a later list."""
    shorter, longer = sorted((one.split(), other.split()), key=len)
    return len(shorter) == 1 and shorter[0] in longer


def only_missing(had: list[str], order: list[str], day: str) -> bool:
    """Whether a pair is missing for seven days or less."""
    before, after = [d for d in had if d < day], [d for d in had if d > day]
    if not before or not after:
        return False
    first = order[order.index(max(before)) + 1]
    return (
        datetime.date.fromisoformat(min(after)) - datetime.date.fromisoformat(first) <= SEVEN_DAYS
    )


@pytest.fixture(scope="module")
def compared() -> dict[str, Compared]:
    database = real_file()
    assert inspect(database) == []
    stays: dict[str, list[tuple[Pair, Given, str, str]]] = defaultdict(list)
    for t in Published(database).tenures():
        name = words(t.collab_nom, t.collab_prenom)
        given = (t.collab_civilite, folded(t.collab_prenom))
        stays[t.chambre].append(((t.elu_id, name), given, t.debut, t.fin))
    return {c: compare(days, stays[c]) for c, days in last_lists(database).items()}


@pytest.mark.parametrize("chamber", UNEXPLAINED)
def test_the_stays_that_cover_a_day_are_its_lists_pairs(
    compared: dict[str, Compared], chamber: str
) -> None:
    found = compared[chamber]
    assert found.pairs > 10_000
    # Without names.
    told = Counter((day, kind, member) for day, kind, (member, _) in found.unexplained)
    assert len(found.unexplained) <= UNEXPLAINED[chamber] * found.pairs, (
        f"{found._replace(unexplained=[])}: {len(found.unexplained)} unexplained: {sorted(told.items())}"
    )
