"""What follows a stay under the same name: a return to the member, or a stay with another one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from parlement_lists.dates import add_days, days_between
from parlement_lists.tenure import Tenure

from ..schema import HOMONYMS
from .namesakes import namesake_signs, stay_lines

# A stay with another member that begins later than this says little of the one that ended.
NEXT_DAYS = 365


class Succession(NamedTuple):
    """A stay that ended, and what began after it under the same name, all on one day."""

    ended: Tenure
    begun: tuple[Tenure, ...]  # by member; of a return one

    @property
    def days(self) -> int:
        """Days from `fin` of the one to `debut` of the other (`retour_jours`)."""
        return days_between(self.ended.fin, self.begun[0].debut)

    @property
    def by_transfer(self) -> bool:
        """Whether one movement ends the one and begins the other."""
        return bool(self.ended.mouvement_fin) and any(
            one.mouvement_debut == self.ended.mouvement_fin for one in self.begun
        )

    @property
    def bounds(self) -> tuple[int, int]:
        """The fewest and the most days that can lie between, as far as lists tell the days of both.

        The stay ended in (`fin_apres`, `fin`], and the next began in (`debut_apres`, `debut`]. Where one
        list shows both, the fewest are 0.
        """
        first = self.begun[0]
        left = min(self.ended.fin, add_days(self.ended.fin_apres, 1))
        # Where no list says who was there before, the next stay may have begun long ago.
        earliest = min(first.debut, add_days(first.debut_apres, 1)) if first.debut_apres else left
        return max(days_between(self.ended.fin, earliest), 0), days_between(left, first.debut)


# The number of a person among those who share a name, by the name's words and a member; see `_homonymes`.
Homonyms = Mapping[tuple[str, str], int]
HOMONYMS_SQL = f"select personne, elu_id, numero from {HOMONYMS}"


def homonyms(rows: Iterable[Sequence[Any]]) -> Homonyms:
    """The homonyms that HOMONYMS_SQL finds."""
    return {(person, member): number for person, member, number in rows}


class Successions(NamedTuple):
    """What the stays of some names say of each other, by the identifier of a stay."""

    returns: dict[
        str, Succession
    ]  # of a stay that begins: the one before with the member (`retour_de`)
    answered: dict[str, Succession]  # of one that ended: the next one with the member
    elsewhere: dict[
        str, Succession
    ]  # of one that ended: what came next, with others of the chamber
    several: set[str]  # names that a correction says are several people's; see `Tenure.person`

    def seen_next(self, ended: str) -> Succession | None:
        """Where the name is seen after a stay, but where a transfer says it (`vu_ensuite`)."""
        after = self.elsewhere.get(ended)
        return None if after is None or after.by_transfer else after


def find_successions(stays: Iterable[Tenure], apart: Homonyms) -> Successions:
    """The successions among stays, which are all those of each name, in every chamber.

    A name that is several people's with different members (`apart`) is as many names.

    A return is a stay with a member whom the same name was with before, however long ago. Where the name
    is seen next is told only if it begins with another member of the chamber up to NEXT_DAYS after the end,
    and not before a return; and not where namesakes are possible (`namesake_signs`). A return is of one
    civility. A stay whose name is withheld is linked with nothing (`Tenure.person`).
    """
    people: dict[tuple[str, int], list[Tenure]] = defaultdict(list)
    for stay in stays:
        people[stay.person, apart.get((stay.person, stay.elu_id), 0)].append(stay)
    several = Counter(name for name, _ in people)
    found = Successions({}, {}, {}, {name for name, many in several.items() if many > 1})
    for of in people.values():
        if len(of) > 1:
            of.sort(key=lambda one: (one.debut, one.elu_cle, one.elu_id, one.id))
            _find_returns(of, found)
            _find_elsewhere(of, found)
    return found


def _find_returns(stays: Sequence[Tenure], found: Successions) -> None:
    for stay in stays:
        same = [one for one in stays if _office(one) == _office(stay) and one.id != stay.id]
        if any(one.covers(stay.debut) for one in same):
            continue
        before = [one for one in same if one.fin and one.fin <= stay.debut and _agree(one, stay)]
        if before:
            ended = max(before, key=lambda one: (one.fin, one.debut, one.id))
            found.returns[stay.id] = Succession(ended, (stay,))
            found.answered.setdefault(ended.id, found.returns[stay.id])


def _find_elsewhere(stays: Sequence[Tenure], found: Successions) -> None:
    if namesake_signs(stays, stay_lines(stays)).found:
        return
    for ended in stays:
        if not ended.fin:
            continue
        later = [
            one
            for one in stays
            if one.chambre == ended.chambre and one.debut >= ended.fin and one.id != ended.id
        ]
        first = [one for one in later if one.debut == later[0].debut]
        soon = bool(first) and days_between(ended.fin, first[0].debut) <= NEXT_DAYS
        if soon and all(_office(one) != _office(ended) for one in first):
            found.elsewhere[ended.id] = Succession(ended, tuple(first))


def _office(stay: Tenure) -> tuple[str, str]:
    return stay.chambre, stay.elu_id


def _agree(one: Tenure, other: Tenure) -> bool:
    civilities = {one.collab_civilite, other.collab_civilite} - {""}
    return len(civilities) < 2
