"""The stays of a chamber -> its movements, what is told of each, and the rows of `collaborations`."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..movement import Movement, identifier, join_key, plain, words
from ..tenure import Tenure
from .guard import near_renewal
from .members.known_members import NEW_FOR, Members, Name
from .people import agree
from .reading.formats import Pair
from .stays import FLICKER, ChamberStays, Stay, Step

# Up to this many days between two lists the date is good, then middling, then approximate.
GOOD, MIDDLING = 3, 10
APPROXIMATE = 2
# A departure seen so long after the member's mandate ended says when the source was put right. Lists
# follow the end of a mandate within 8 days, or once, for 26 people, after 40 to 236.
AFTER_MANDATE = datetime.timedelta(10)
# The last list known, when a renewal takes more than this share of the pairs away. Three days after the
# dissolution of 2024, 323 of 577 deputies had lost all staff, the others nobody.
EMPTIED = 0.2
# Part of a team may leave so long before the rest of it: contracts end with the month, mandates the day after.
REST_LEAVES = datetime.timedelta(3)
# Whose staff is listed again within so many days did not leave the chamber, unless a mandate ended.
LISTED_AGAIN = datetime.timedelta(92)
_LEVELS = {"suivi": ("bot", "moyen", "faible"), "archives": ("fort", "moyen", "faible")}


class Fact(NamedTuple):
    """A stay that ended, a departure; one that began, an arrival; or both, a transfer; seen at one `step`.

    `ambiguous` when the arrival could have answered another departure, or another arrival this one.
    """

    step: Step
    ended: Stay | None
    begun: Stay | None
    ambiguous: bool = False


def movements_and_stays(
    chamber: ChamberStays, members: Members
) -> tuple[list[Movement], list[Tenure], Counter[datetime.date]]:
    """The movements of a chamber, its stays, and how many changes of each day wait for later lists."""
    labels = Labels(chamber, members)
    held: Counter[datetime.date] = Counter()
    movements: list[Movement] = []
    for fact in _facts(chamber.stays):
        if fact.ended and chamber.is_held(fact.ended.end):
            held[fact.step.day] += 1
            continue
        movement = labels.movement(fact)
        movements.append(movement)
        if fact.begun:
            fact.begun.begin_id = movement.id
        if fact.ended:
            fact.ended.end_id = movement.id
    movements.sort(key=lambda movement: movement.date_event)
    return movements, list(map(labels.tenure, chamber.stays)), held


def _facts(stays: Iterable[Stay]) -> Iterator[Fact]:
    """What began and ended, by day and person; the movements of each in the order of the members."""
    begun: dict[tuple[datetime.date, str], list[tuple[Step, Stay]]] = defaultdict(list)
    ended: dict[tuple[datetime.date, str], list[tuple[Step, Stay]]] = defaultdict(list)
    for stay in stays:
        if stay.begin:
            begun[stay.begin.day, stay.first.person].append((stay.begin, stay))
        if stay.end:
            ended[stay.end.day, stay.last.person].append((stay.end, stay))
    for key in sorted(begun.keys() | ended.keys()):
        departures = sorted(ended.get(key, ()), key=lambda departure: departure[1].last.member)
        arrivals = begun.get(key, [])
        several = len(arrivals) > 1
        for step, arrival in arrivals:
            origins = [
                departure
                for departure in departures
                if arrival.first.member != departure[1].last.member
                and agree(arrival.first, departure[1].last)
            ]
            several = several or len(origins) > 1
            if origins:
                departures.remove(origins[0])
            yield Fact(step, origins[0][1] if origins else None, arrival, bool(origins) and several)
        yield from (Fact(step, stay, None) for step, stay in departures)


class Labels:
    """What is told of a chamber's facts: names, groups, `contexte`, `confiance`."""

    def __init__(self, chamber: ChamberStays, members: Members) -> None:
        self.chamber = chamber
        self.members = members
        self._doubted = _taken_by_the_last_list(chamber, members.renewals(chamber.name))
        self._late = self._late_lists()

    def movement(self, fact: Fact) -> Movement:
        """The movement of a fact."""
        stay = fact.begun or fact.ended
        assert stay is not None
        pair = _mended(stay) if fact.begun else stay.last
        step = fact.step
        left = fact.ended if fact.begun else None
        name = self._name(pair.member, step.number)
        group = pair.group or self.members.group(self.chamber.name, pair.member, step.day)
        movement = Movement(
            id="",
            date_event=step.day.isoformat(),
            chambre=self.chamber.name,
            type="transfert" if left else "arrivee" if fact.begun else "depart",
            collab_nom=pair.family,
            collab_prenom=pair.given,
            collab_civilite=pair.civility,
            elu_cle=join_key(name.family, name.given),
            elu_id=pair.member,
            elu_nom=name.full,
            elu_groupe=group if fact.begun else self._last_group(stay),
            elu_origine_nom=self._name(left.last.member, step.number).full if left else "",
            elu_origine_groupe=self._last_group(left) if left else "",
            fonction=pair.role,
            contexte=self._context(fact),
            source=step.kind,
            confiance=_LEVELS[step.kind][min(APPROXIMATE, self._level(fact) + fact.ambiguous)],
        )
        return movement._replace(id=identifier(movement))

    def tenure(self, stay: Stay) -> Tenure:
        """The row of a stay; it goes on where no movement ends it."""
        pair = stay.last
        number = stay.end.number if stay.end else len(self.chamber.days) - 1
        name = self._name(pair.member, number)
        return Tenure(
            id=stay.id(self.chamber.name),
            chambre=self.chamber.name,
            elu_id=pair.member,
            elu_cle=join_key(name.family, name.given),
            elu_nom=name.full,
            elu_groupe=self._last_group(stay),
            collab_nom=pair.family,
            collab_prenom=pair.given,
            collab_civilite=pair.civility,
            fonction=pair.role,
            debut=stay.begun.isoformat(),
            debut_apres=stay.begin.before.isoformat() if stay.begin else "",
            fin=stay.end.day.isoformat() if stay.end and stay.end_id else "",
            fin_apres=stay.last_day.isoformat(),
            mouvement_debut=stay.begin_id,
            mouvement_fin=stay.end_id,
            conge=pair.leave,
            anciens_noms=" ; ".join(
                name
                for name in dict.fromkeys(stay.former)
                if words(name) != words(pair.family, pair.given)
            ),
        )

    def _name(self, member: str, number: int) -> Name:
        known = self.members.name(self.chamber.name, member)
        return known or self.chamber.name_on(member, number)

    def _last_group(self, stay: Stay) -> str:
        """The member's group on the last day of a stay, or of the mandate if that had ended before."""
        pair = stay.last
        group = self.members.last_group(self.chamber.name, pair.member, stay.last_day)
        return pair.group or group

    def _context(self, fact: Fact) -> str:
        if fact.ended and self._member_left(fact.ended):
            return "elu_sortant"
        return "elu_entrant" if fact.begun and self._is_new(fact.begun) else ""

    def _member_left(self, stay: Stay) -> bool:
        """Whether the member of a stay that ended left the chamber with it.

        Without staff there is no row, so mandates may deny it, and so may a list some weeks later.
        """
        assert stay.end is not None
        chamber, member, days = self.chamber, stay.last.member, self.chamber.days
        number = stay.end.number
        while chamber.names(member, number):
            number += 1
            if number == len(days) or days[number] - stay.end.day > REST_LEAVES:
                return False
        day, again = days[number], chamber.next_list(member, number)
        if again is not None and days[again] - day <= LISTED_AGAIN:
            over = self.members.mandate_end(chamber.name, member, day) is not None
            over = over or self.members.ended_between(
                chamber.name, member, stay.last_day, days[again]
            )
            if days[again] - day <= FLICKER or not over:
                return False
        return not self.members.stays(chamber.name, member, day)

    def _is_new(self, stay: Stay) -> bool:
        """Whether the member of a stay that began had just come to the chamber."""
        assert stay.begin is not None
        member, number, day = stay.first.member, stay.begin.number, stay.begin.day
        last = self.chamber.last_list(member, number)
        if last == number - 1:
            return False
        since = self.members.sits_since(self.chamber.name, member, day)
        if since is None:
            return last is None
        return day - since <= NEW_FOR and (last is None or self.chamber.days[last] < since)

    def _level(self, fact: Fact) -> int:
        """How well the day is known, of a transfer that of both stays: 0 good, 1 middling, 2 approximate."""
        stay, step = fact.ended, fact.step
        if stay is not None:
            long_ago = self._days_after_mandate(stay) > AFTER_MANDATE
            unknown = not self.members.mandates(self.chamber.name, stay.last.member)
            late = unknown and step.number in self._late and self._member_left(stay)
            if long_ago or late or (not fact.begun and id(stay) in self._doubted):
                return APPROXIMATE
        back = fact.begun is not None and fact.begun.back
        base = 0 if step.gap <= GOOD else 1 if step.gap <= MIDDLING else 2
        return min(APPROXIMATE, base + (step.doubtful or back))

    def _days_after_mandate(self, stay: Stay) -> datetime.timedelta:
        """How long after the member's mandate a stay ended; a member whom lists go on naming has one."""
        assert stay.end is not None
        member, number = stay.last.member, stay.end.number
        ended = self.members.mandate_end(self.chamber.name, member, stay.end.day)
        if ended is None or self.chamber.names(member, number):
            return datetime.timedelta(0)
        return stay.end.day - ended

    def _late_lists(self) -> set[int]:
        """The lists that drop whole teams long after their members' mandates: they show nobody's day."""
        ends: Counter[int] = Counter()
        late: Counter[int] = Counter()
        for stay in self.chamber.stays:
            if stay.end and self.members.mandates(self.chamber.name, stay.last.member):
                number = stay.end.number
                if not self.chamber.names(stay.last.member, number):
                    ends[number] += 1
                    late[number] += self._days_after_mandate(stay) > AFTER_MANDATE
        return {number for number, count in late.items() if count * 2 > ends[number]}


def _taken_by_the_last_list(chamber: ChamberStays, renewals: Sequence[datetime.date]) -> set[int]:
    """The stays that the last list ends where it may be half emptied by a renewal, by Python's `id`.

    It may be a list in the making, of which no later one says whether it was right. Of those who have
    another member in it, it shows where they went.
    """
    day = chamber.days[-1]
    ended = [stay for stay in chamber.stays if stay.end and stay.end.day == day]
    pairs = len(chamber.last.pairs) if chamber.last else 0
    if len(ended) <= EMPTIED * (pairs + len(ended)) or not near_renewal(day, day, renewals):
        return set()
    moved = {s.first.person for s in chamber.stays if s.begin and s.begin.day == day}
    return {id(stay) for stay in ended if stay.last.person not in moved}


def _mended(stay: Stay) -> Pair:
    """The pair with which a stay began, family and given name as a later list put them right."""
    first, last = stay.first, stay.last
    exchanged = (plain(first.family), plain(first.given)) == (plain(last.given), plain(last.family))
    return first._replace(family=last.family, given=last.given) if exchanged else first
