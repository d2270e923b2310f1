"""Stays under one name: what follows each, the lines that they are drawn on, and whether they may be several people's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from parlement_lists.dates import add_days, days_between
from parlement_lists.tenure import Tenure

from ..schema import HOMONYMS

# A stay with another member that begins later than this says little of the one that ended.
NEXT_DAYS = 365
# From so many members of the European Parliament on, stays of the same days and function are one line,
# because they are mostly a contract that the members share.
SHARED = 3
# So many lines, or chambers, at once are more than one person has.
MOST_AT_ONCE = 2


class StayLine(NamedTuple):
    """The stays with one member one after the other, or one stay that several members share."""

    stays: tuple[Tenure, ...]  # in order; of a shared one, that with the first of `members`
    members: tuple[Tenure, ...] = ()  # of a shared stay, one with each member


class NamesakeSigns(NamedTuple):
    """The signs, none of them a proof, that several people have a name: lists have no identifier of staff."""

    civilities: int  # 0 for fewer than two
    chambers: int  # the most at once, 0 where one person may be in so many
    lines: int  # the same


class Succession(NamedTuple):
    """A stay that ended, and what began after it under the same name, all on one day."""

    ended: Tenure
    begun: tuple[Tenure, ...]  # by member; of a return one

    @property
    def days(self) -> int:
        """Days from `fin` of the one to `debut` of the other (`retour_jours`)."""
        return days_between(self.ended.fin, self.begun[0].debut)

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

    returns: dict[str, Succession]  # of a stay that begins: the one before with the member
    answered: dict[str, Succession]  # of one that ended: the next one with the member
    elsewhere: dict[
        str, Succession
    ]  # of one that ended: what came next, with others of the chamber
    several: set[str]  # names that a correction says are several people's; see `Tenure.person`

    def seen_next(self, ended: str) -> Succession | None:
        """Where the name is seen after a stay, but where one movement ends it and begins the other (`vu_ensuite`)."""
        after = self.elsewhere.get(ended)
        transfer = after.ended.mouvement_fin if after else ""
        if after is None or (transfer and transfer in {s.mouvement_debut for s in after.begun}):
            return None
        return after


def find_successions(stays: Iterable[Tenure], apart: Homonyms) -> Successions:
    """The successions among stays, which are all those of each name, in every chamber.

    A name that is several people's with different members (`apart`) is as many names.

    A return is a stay with a member whom the same name was with before, however long ago, of one civility.
    Where the name is seen next is told only if it begins with another member of the chamber up to NEXT_DAYS
    after the end, and not before a return; and not where namesakes are possible (`namesake_signs`). A stay
    whose name is withheld is linked with nothing (`Tenure.person`).
    """
    people: dict[tuple[str, int], list[Tenure]] = defaultdict(list)
    for stay in stays:
        people[stay.person, apart.get((stay.person, stay.elu_id), 0)].append(stay)
    several = Counter(name for name, _ in people)
    successions = Successions({}, {}, {}, {name for name, many in several.items() if many > 1})
    for of_person in people.values():
        if len(of_person) < 2:
            continue
        of_person.sort(key=lambda stay: (stay.debut, stay.elu_cle, stay.elu_id, stay.id))
        namesakes = any(namesake_signs(of_person, stay_lines(of_person)))
        for stay in of_person:
            if ended := _before(stay, of_person):
                successions.returns[stay.id] = Succession(ended, (stay,))
                successions.answered.setdefault(ended.id, successions.returns[stay.id])
            if not namesakes and (begun := _after(stay, of_person)):
                successions.elsewhere[stay.id] = Succession(stay, begun)
    return successions


def _before(stay: Tenure, stays: Iterable[Tenure]) -> Tenure | None:
    """The stay with the same member that ended last before one, None beside another."""
    same = [other for other in stays if _office(other) == _office(stay) and other.id != stay.id]
    if any(other.covers(stay.debut) for other in same):
        return None
    before = [
        other
        for other in same
        if other.fin
        and other.fin <= stay.debut
        and len({other.collab_civilite, stay.collab_civilite} - {""}) < 2
    ]
    return max(before, key=lambda other: (other.fin, other.debut, other.id), default=None)


def _after(ended: Tenure, stays: Iterable[Tenure]) -> tuple[Tenure, ...]:
    """The first stays in the chamber after one that ended; none where one is with its member, or late."""
    later = [
        stay
        for stay in stays
        if ended.fin
        and stay.chambre == ended.chambre
        and stay.debut >= ended.fin
        and stay.id != ended.id
    ]
    first = tuple(stay for stay in later if stay.debut == later[0].debut)
    soon = first and days_between(ended.fin, first[0].debut) <= NEXT_DAYS
    return first if soon and all(_office(stay) != _office(ended) for stay in first) else ()


def _office(stay: Tenure) -> tuple[str, str]:
    return stay.chambre, stay.elu_id


def stay_lines(stays: Iterable[Tenure]) -> list[StayLine]:
    """The lines of a name, the earliest begin first; two stays at once with one member are beside each other."""
    shared: dict[tuple[str, ...], list[Tenure]] = defaultdict(list)
    for stay in stays:
        days = stay.debut_apres, stay.debut, stay.fin_apres, stay.fin
        terms = stay.fonction, stay.collab_civilite, stay.person
        shared[stay.chambre, *days, *terms].append(stay)
    lines: list[StayLine] = []
    offices: dict[tuple[str, str], list[list[Tenure]]] = defaultdict(list)
    alone: list[Tenure] = []
    for same in shared.values():
        if same[0].chambre == "europarl" and len({stay.elu_id for stay in same}) >= SHARED:
            same.sort(key=lambda stay: (stay.elu_groupe, stay.elu_cle, stay.elu_id))
            lines.append(StayLine((same[0],), tuple(same)))
        else:
            alone += same
    for stay in sorted(alone, key=lambda stay: (stay.debut, stay.id)):
        office = offices[_office(stay)]
        free = next((line for line in office if line[-1].fin_apres < stay.debut), None)
        if free is None:
            office.append([stay])
        else:
            free.append(stay)
    lines += [StayLine(tuple(line)) for office in offices.values() for line in office]
    return sorted(lines, key=lambda line: (line.stays[0].debut, line.stays[0].elu_cle))


def at_once(lines: Iterable[StayLine]) -> int:
    """The most lines that lists show on one day."""
    return _most_at_once([line.stays for line in lines])


def _most_at_once(groups: Sequence[Sequence[Tenure]]) -> int:
    """The most groups of stays of which lists show one on one day."""
    days = {stay.debut for stays in groups for stay in stays}
    there = (
        sum(any(stay.debut <= day <= stay.fin_apres for stay in stays) for stays in groups)
        for day in days
    )
    return max(there, default=0)


def namesake_signs(stays: Sequence[Tenure], lines: Sequence[StayLine]) -> NamesakeSigns:
    """The signs that `stays`, which are all of a name in every chamber, are several people's.

    Two civilities, more than two chambers at once, or more than two lines at once.
    """
    civilities = len({stay.collab_civilite for stay in stays if stay.collab_civilite})
    by_chamber = {stay.chambre: [s for s in stays if s.chambre == stay.chambre] for stay in stays}
    chambers, most = _most_at_once([*by_chamber.values()]), at_once(lines)
    return NamesakeSigns(
        civilities if civilities > 1 else 0,
        chambers if chambers > MOST_AT_ONCE else 0,
        most if most > MOST_AT_ONCE else 0,
    )
