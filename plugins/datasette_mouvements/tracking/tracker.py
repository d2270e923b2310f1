"""One chamber's accepted lists, in order -> its movements, each as soon as it can be known."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import NamedTuple

from ..movement import Movement, identifier, join_key
from .confidence import AFTER_MANDATE, APPROXIMATE, EMPTIED, confidence, level
from .corrections import Corrections
from .departed import DepartedPairs
from .diff import step
from .formats import Pair
from .guard import near_renewal
from .lists import List
from .members import NEW_FOR, Members, Name
from .replaced import ReplacedLists
from .settle import Absence, Arrival, Evidence, Settled, Unsettled


class Change(NamedTuple):
    """Movements that are now sure; identifiers of earlier ones that they replace, each with the reason.

    `lost` and `gained` are how many pairs the list has less and more than the one before.
    """

    added: list[Movement]
    removed: dict[str, str]
    lost: int = 0
    gained: int = 0


class Tracker:
    """One chamber's tracking: the same lists give the same movements, at once or one a day.

    `last`, `unsettled`, `gone_members`, `names`, `replaced` and `departed` are all that later lists need:
    a tracker with those of another goes on where that one ended.
    """

    def __init__(self, chamber: str, members: Members, transfer_days: int = 0) -> None:
        self.chamber = chamber
        self.members = members
        self.unsettled = Unsettled(transfer_days)
        self.last: List | None = None
        # Members who lost all their rows -> the last day a list had them.
        self.gone_members: dict[str, str] = {}
        self.names: dict[str, Name] = {}
        self.replaced = ReplacedLists()
        self.departed = DepartedPairs()

    def feed(self, list_: List, source: str, after_refused: bool = False) -> Change:
        """What an accepted list, not older than the last one, makes sure."""
        before, self.last = self.last, list_
        present = list_.members.keys()
        if before is None:
            self._learn_names(list_.pairs.values())
            return Change([], {})
        self.replaced.replace(before, list_)
        self.unsettled.decide(list_.date)
        self.unsettled.seen(present)
        gap = (list_.date - before.date).days
        evidence = Evidence(list_.date, source, level(gap, after_refused))
        change = step(before, list_)
        self.departed.note(list_.date, change.lost, change.gained)
        self._learn_names([*change.lost, *change.gained])
        for pair in change.lost:
            gone = pair.member not in present
            self.unsettled.absences[pair.person].append(Absence(pair, evidence, gone))
        for pair in change.gained:
            if not self.unsettled.end_absence(pair, list_.date):
                new = pair.member not in before.members and self._is_new(pair.member, list_.date)
                self.unsettled.arrivals[pair.person].append(Arrival(pair, evidence, new))
        self.gone_members |= dict.fromkeys(before.members.keys() - present, before.date.isoformat())
        sure = self._movements_of(self.unsettled.settle(list_.date))
        return sure._replace(lost=len(change.lost), gained=len(change.gained))

    def pending(self) -> Change:
        """What would be sure if no list ever came again; the tracker stays as it is."""
        twin = Tracker(self.chamber, self.members)
        twin.unsettled, twin.names = self.unsettled.copy(), self.names
        self._doubt_last_list(twin.unsettled)
        twin.unsettled.decide(None)
        return twin._movements_of(twin.unsettled.settle(None))

    def _doubt_last_list(self, unsettled: Unsettled) -> None:
        """Make approximate what the last list takes away where it may be half emptied by a renewal.

        It may be a list in the making, of which no later one says whether it was right.
        """
        if self.last is None:
            return
        day, pairs = self.last.date, len(self.last.pairs)
        lost = [absence for absence in unsettled.undecided() if absence.evidence.date == day]
        renewals = self.members.renewals(self.chamber)
        if len(lost) > EMPTIED * (pairs + len(lost)) and near_renewal(day, day, renewals):
            for absence in lost:
                absence.evidence = absence.evidence._replace(level=APPROXIMATE)

    def rename(self, corrections: Corrections) -> None:
        """Give the persons known so far the keys that corrections, made since, give them."""
        if self.last is not None:
            self.last = corrections.apply(self.last)
        self.unsettled.rename(lambda *key: corrections.take_key(self.chamber, *key))

    def _learn_names(self, pairs: Iterable[Pair]) -> None:
        # A name whose words are known keeps its first split: for some days in 2017 the lists had
        # family and given names the wrong way round.
        for pair in pairs:
            known = self.names.get(pair.member)
            full = f"{pair.member_given} {pair.member_family}".strip()
            if known is None or sorted(known.full.split()) != sorted(full.split()):
                self.names[pair.member] = Name(full, pair.member_family, pair.member_given)

    def _movements_of(self, settled: list[Settled]) -> Change:
        added, removed = [], {}
        for fact in settled:
            movement = self._made(fact)
            added.append(movement)
            if fact.absence is None:
                continue
            if fact.arrival is None:
                fact.absence.departure = movement.id
            elif fact.absence.departure:
                removed[fact.absence.departure] = f"remplacé par le transfert {movement.id}"
        return Change(added, removed)

    def _member_left(self, absence: Absence) -> bool:
        """Whether the member left the chamber: without staff there is no row, so mandates may deny it."""
        return absence.member_gone and not self.members.stays(
            self.chamber, absence.pair.member, absence.evidence.date
        )

    def _is_new(self, member: str, day: datetime.date) -> bool:
        """Whether a member whom the list before did not have has just come to the chamber."""
        last = self.gone_members.get(member)
        since = self.members.sits_since(self.chamber, member, day)
        if since is None:
            return last is None
        return day - since <= NEW_FOR and (last is None or last < since.isoformat())

    def _made(self, fact: Settled) -> Movement:
        absence, arrival = fact.absence, fact.arrival
        context = "elu_entrant" if arrival and arrival.new_member else ""
        if absence and self._member_left(absence):
            context = "elu_sortant"
        kind = "transfert" if absence and arrival else "arrivee" if arrival else "depart"
        change = arrival or absence
        assert change is not None
        pair, evidence = change.pair, change.evidence
        left = absence.pair if absence and arrival else None
        name, day = self._name(pair.member), evidence.date
        movement = Movement(
            id="",
            date_event=day.isoformat(),
            chambre=self.chamber,
            type=kind,
            collab_nom=pair.family,
            collab_prenom=pair.given,
            collab_civilite=pair.civility,
            elu_cle=join_key(name.family, name.given),
            elu_id=pair.member,
            elu_nom=name.full,
            elu_groupe=self._group(pair, day, leaves=not arrival),
            elu_origine_nom=self._name(left.member).full if left else "",
            elu_origine_groupe=self._group(left, day, leaves=True) if left else "",
            fonction=pair.role,
            contexte=context,
            source=evidence.source,
            confiance=confidence(evidence.source, self._level(fact), fact.ambiguous),
        )
        return movement._replace(id=identifier(movement))

    def _name(self, member: str) -> Name:
        return self.members.name(self.chamber, member) or self.names[member]

    def _level(self, fact: Settled) -> int:
        """How well the day is known; a list that drops somebody long after the mandate ended came late."""
        change = fact.arrival or fact.absence
        assert change is not None
        if fact.absence is not None:
            day = fact.absence.evidence.date
            ended = self.members.mandate_end(self.chamber, fact.absence.pair.member, day)
            if ended is not None and day - ended > AFTER_MANDATE:
                return APPROXIMATE
        return change.evidence.level

    def _group(self, pair: Pair, day: datetime.date, leaves: bool) -> str:
        """The member's group on the day; of who leaves a member whose mandate ended, on its last day."""
        of = self.members.last_group if leaves else self.members.group
        return pair.group or of(self.chamber, pair.member, day)
