"""Figures of how much lists change from one to a later one."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from parlement_lists.movement import plain, words
from parlement_lists.tracking.guard import LEAST_PAIRS, SHORT_GAP, USUAL_GAP
from parlement_lists.tracking.people import compare
from parlement_lists.tracking.reading.formats import Pair, PairKey
from parlement_lists.tracking.reading.lists import List
from parlement_lists.tracking.reading.names import near

from .figure import Values, figure
from .sequences import Pace, all_lists, audit, of_chamber, paces, sequences

GUARD, MOVEMENTS = "plugins/parlement_lists/tracking/guard.py", "docs/explanation/movements.md"
PEOPLE = "plugins/parlement_lists/tracking/people.py"


class Changed(NamedTuple):
    """What members whom two lists have lose and gain, as shares of their pairs."""

    moved: float
    lost: float
    gained: float
    replaced: float


def changed(before: List, pairs: Iterable[PairKey]) -> Changed | None:
    """How much some pairs differ from those of a list; None where there are too few."""
    pairs = set(pairs)
    had, has = before.members.keys(), {member for member, _ in pairs}
    old = {key for key in before.pairs if key[0] in has}
    new = {key for key in pairs if key[0] in had}
    if min(len(old), len(new)) < LEAST_PAIRS:
        return None
    lost, gained, of = old - new, new - old, max(len(old), len(new))
    moved = {person for _, person in before.pairs.keys() - pairs if (_ in has)}
    moved &= {person for _, person in gained}
    each = (len(moved) / of, len(lost) / len(old), len(gained) / len(new))
    return Changed(*each, min(len(lost), len(gained)) / of)


def percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}"


@figure(
    (GUARD, "Of {steps} true steps (figure `steps`)"),
    (GUARD, "transfers up to {moved} % /"),
    (GUARD, "pairs lost up to {lost} %, gained up to {gained} %"),
    (
        GUARD,
        "True steps: {lost_soon} % of the pairs are lost, {gained_soon} % gained, {replaced_soon} % lost and gained",
    ),
    (MOVEMENTS, "the largest of the {steps} accepted steps"),
    (MOVEMENTS, "at once (real: {moved} %"),
    (MOVEMENTS, "are gone (real: {lost} %); more than 40 % are new ({gained} %)"),
)
def steps() -> Values:
    """The most that one list differs from the list before it."""
    all_, soon = [], []
    for pace in paces():
        if (change := changed(pace.before, pace.after.pairs)) and pace.days <= USUAL_GAP:
            if not pace.renewal:
                new = len(pace.after.pairs.keys() - pace.before.pairs.keys())
                change = change._replace(gained=new / len(pace.after.pairs))
            all_.append(change)
            if pace.days <= SHORT_GAP and not pace.renewal:
                soon.append(change)
    return {
        "steps": len(paces()),
        "moved": percent(max(one.moved for one in all_), 2),
        "lost": percent(max(one.lost for one in all_), 1),
        "gained": percent(max(one.gained for one in all_), 1),
        "lost_soon": percent(max(one.lost for one in soon), 1),
        "gained_soon": percent(max(one.gained for one in soon), 1),
        "replaced_soon": percent(max(one.replaced for one in soon), 1),
    }


@figure(
    (GUARD, "% / {column} %, pairs lost"),
    (GUARD, "every name that has an accent spoiled, {accents} %"),
    (MOVEMENTS, "a shifted column: {column} %"),
)
def damage() -> Values:
    """The least that a spoiled list differs from itself: the staff one row lower; accents made blanks."""
    columns, accents = [], []
    for of in sequences().values():
        list_ = of[-1]
        if list_.chamber != "europarl":
            pairs = list(list_.pairs.values())
            lower = zip(pairs, pairs[1:] + pairs[:1], strict=True)
            columns.append(changed(list_, ((one.member, next_.person) for one, next_ in lower)))
            accents.append(changed(list_, ((pair.member, _spoiled(pair)) for pair in pairs)))
    return {
        "column": percent(min(one.moved for one in columns if one)),
        "accents": percent(min(one.replaced for one in accents if one)),
    }


def _spoiled(pair: Pair) -> str:
    return words(re.sub(r"[^\x00-\x7f]", " ", f"{pair.family} {pair.given}"))


@figure(
    (
        GUARD,
        "days: {deputies} of {of_deputies} deputies, {senators} of {of_senators} senators, {europeans} of"
        " {of_europeans} European members; of up to USUAL_GAP days: {deputies_later} of"
        " {of_deputies_later}, {senators_later} of {of_senators_later}, {europeans_later} of"
        " {of_europeans_later}",
    )
)
def vanished() -> Values:
    """The most members whom a list lacks and the list before has, outside a renewal."""
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    names = {"assemblee": "deputies", "senat": "senators", "europarl": "europeans"}
    for pace in paces():
        had = pace.before.members.keys()
        gone = len(had - pace.after.members.keys()), len(had)
        for most, later in ((SHORT_GAP, ""), (USUAL_GAP, "_later")):
            if pace.days <= most and not pace.renewal:
                name = names[pace.after.chamber] + later
                found[name] = max(found[name], gone)
    values = {name: gone for name, (gone, _) in found.items()}
    return {**values, **{f"of_{name}": had for name, (_, had) in found.items()}}


def returns_of(of: Iterable[List]) -> Iterator[tuple[Pace, int, list[int]]]:
    """Each step with the number of its new pairs, and for those that are back how many days they were gone."""
    left: dict[PairKey, date] = {}
    for before, after in itertools.pairwise(of):
        gained = after.pairs.keys() - before.pairs.keys()
        yield (
            Pace(before, after),
            len(gained),
            [(after.date - left.pop(key)).days for key in gained if key in left],
        )
        left |= dict.fromkeys(before.pairs.keys() - after.pairs.keys(), after.date)


@figure((GUARD, "outside a renewal at most {back} of {new} are back"))
def returns() -> Values:
    """Of 20 or more that a list gains outside a renewal, the largest share of people gone for over a month."""
    all_ = [
        (sum(days > 31 for days in back), new)
        for of in sequences().values()
        for pace, new, back in returns_of(of)
        if new >= 20 and not pace.renewal
    ]
    back, new = max(all_, key=lambda one: one[0] / one[1])
    return {"back": back, "new": new}


@figure((MOVEMENTS, "of {new} new pairs, {back} were back"))
def holidays() -> Values:
    """Who came back in the list of 28 December 2017; who was gone longer than a week only every list can tell."""
    of = list(of_chamber("assemblee")) if all_lists() else audit("an-fetes-2017")
    days = date(2017, 12, 27), date(2017, 12, 29)
    [(_, new, back)] = [one for one in returns_of(of) if days[0] < one[0].after.date < days[1]]
    short, long = sum(d <= 7 for d in back), sum(d > 31 for d in back)
    values: Values = {"new": new, "days": short, "back": None, "weeks": None, "months": None}
    if all_lists():
        values |= {"back": len(back), "weeks": len(back) - short - long, "months": long}
    return values


@figure(
    (
        "plugins/parlement_lists/tracking/stays.py",
        "would give {assemblee} % more movements at the Assemblée and {senat} % more at the Sénat",
    )
)
def flicker() -> Values:
    """How many more movements there would be, in a year of daily lists, if nobody were waited for."""
    found = {}
    for name, chamber in (("an-quotidien-2020", "assemblee"), ("se-quotidien-2018", "senat")):
        of = list(of_chamber(chamber)) if all_lists() else sequences()[name]
        left: dict[PairKey, date] = {}
        all_ = back = 0
        for before, after in itertools.pairwise(of):
            change = compare(before, after)
            all_ += len(change.lost) + len(change.gained)
            gone = [left.get(pair.key) for pair in change.gained]
            back += sum(day is not None and after.date - day <= timedelta(7) for day in gone)
            left |= dict.fromkeys((pair.key for pair in change.lost), after.date)
        found[chamber] = percent(2 * back / (all_ - 2 * back))
    return dict(found)


@figure(
    (
        "plugins/parlement_lists/tracking/guard.py",
        "{two} % do so within two years, and {third} % in the third",
    )
)
def comebacks() -> Values:
    """Of those who come back after more than a month, how many do within two years, and in the third."""
    years: Counter[int] = Counter()
    for name in ("assemblee", "senat") if all_lists() else ("an-mensuel", "se-mensuel"):
        for _, _, back in returns_of(sequences()[name]):
            years.update(int(days / 365.25) for days in back if days > 31)
    all_ = years.total()
    return {"two": percent((years[0] + years[1]) / all_), "third": percent(years[2] / all_)}


@figure(
    (
        PEOPLE,
        "{women} of {all_women} women so found were one person, and {men} of {all_men} men, a doubled name put right",
    )
)
def renamings() -> Values:
    """Of people in and out alone at a member in lists weeks apart, how many the lists between show to be one."""
    found: dict[tuple[str, bool], set[tuple[PairKey, PairKey]]] = defaultdict(set)
    for of in sequences().values():
        for weeks in (2, 5, 9, 13, 18, 26):
            for begin, end in _apart(of, 7 * weeks):
                for old, new in _replaced_alone(of[begin], of[end]):
                    last = max(n for n in range(begin, end) if old.key in of[n].pairs)
                    first = min(n for n in range(begin + 1, end + 1) if new.key in of[n].pairs)
                    found[old.civility, first == last + 1].add((old.key, new.key))
    women, two, men, other = (
        len(found[civility, one]) for civility in ("Mme", "M.") for one in (True, False)
    )
    return {"women": women, "all_women": women + two, "men": men, "all_men": men + other}


def _apart(of: list[List], days: int) -> Iterator[tuple[int, int]]:
    """Each list with the first one so many days later, by their places, where no days between lack lists."""
    for begin, list_ in enumerate(of):
        later = (n for n in range(begin + 1, len(of)) if (of[n].date - list_.date).days >= days)
        end = next(later, None)
        if end is not None:
            between = itertools.pairwise(of[begin : end + 1])
            if all(Pace(*two).days <= SHORT_GAP for two in between):
                yield begin, end


def _replaced_alone(before: List, after: List) -> Iterator[tuple[Pair, Pair]]:
    """Who is gone and who is new where they alone are, of one given name, at a member."""
    gone, come = defaultdict(list), defaultdict(list)
    for key in before.pairs.keys() - after.pairs.keys():
        gone[key[0]].append(before.pairs[key])
    for key in after.pairs.keys() - before.pairs.keys():
        come[key[0]].append(after.pairs[key])
    were, are = ({person for _, person in one.pairs} for one in (before, after))
    for member in gone.keys() & come.keys():
        if len(gone[member]) == len(come[member]) == 1:
            old, new = gone[member][0], come[member][0]
            one = (old.civility, plain(old.given)) == (new.civility, plain(new.given))
            elsewhere = old.person in are or new.person in were
            if one and old.civility and not elsewhere and not near(old.person, new.person):
                yield old, new
