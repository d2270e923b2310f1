"""One chamber's accepted lists, in order -> its movements, each as soon as it can be known."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..movement import Movement, identifier, join_key
from .confidence import confidence, level
from .corrections import Corrections
from .diff import Respelling, TwoPeople, no_two_people, step
from .formats import Pair
from .lists import List
from .members import NEW_FOR, Members, Name
from .replaced import ReplacedLists
from .settle import Absence, Arrival, Evidence, Settled, Unsettled


class Change(NamedTuple):
    """Movements that are now sure; identifiers of earlier ones that they replace, each with the reason.

    `lost` and `gained` are how many pairs the list has less and more than the one before, but for
    respellings; `renamed` those of them whose names are not near (see `diff.Step`).
    """

    added: list[Movement]
    removed: dict[str, str]
    lost: int = 0
    gained: int = 0
    renamed: Sequence[Respelling] = ()


class Tracker:
    """One chamber's tracking: the same lists give the same movements, at once or one a day.

    `last`, `unsettled`, `gone_members`, `names` and `replaced` are all that later lists need: a tracker
    with those of another goes on where that one ended.
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

    def feed(
        self,
        list_: List,
        source: str,
        after_refused: bool = False,
        two_people: TwoPeople = no_two_people,
    ) -> Change:
        """What an accepted list, not older than the last one, makes sure."""
        before, self.last = self.last, list_
        present = list_.members.keys()
        if before is None:
            self._learn_names(list_.pairs.values())
            return Change([], {})
        self.replaced.replace(before, list_)
        self.unsettled.decide(list_.date)
        self.unsettled.seen(present, list_.pairs)
        gap = (list_.date - before.date).days
        evidence = Evidence(list_.date, source, level(gap, after_refused))
        change = step(
            before, list_, lambda old, new: self.unsettled.is_missing(new) or two_people(old, new)
        )
        self._learn_names([*change.lost, *change.gained])
        for pair in change.lost:
            gone = pair.member not in present
            self.unsettled.absences[pair.person].append(Absence(pair, evidence, gone))
        for pair in change.gained:
            if self.unsettled.end_absence(pair, list_.date, two_people) is None:
                new = pair.member not in before.members and self._is_new(pair.member, list_.date)
                self.unsettled.arrivals[pair.person].append(Arrival(pair, evidence, new))
        self.gone_members |= dict.fromkeys(before.members.keys() - present, before.date.isoformat())
        sure = self._movements_of(self.unsettled.settle(list_.date))
        lost, gained = len(change.lost), len(change.gained)
        return sure._replace(lost=lost, gained=gained, renamed=change.renamed)

    def pending(self) -> Change:
        """What would be sure if no list ever came again; the tracker stays as it is."""
        twin = Tracker(self.chamber, self.members)
        twin.unsettled, twin.names = self.unsettled.copy(), self.names
        twin.unsettled.decide(None)
        return twin._movements_of(twin.unsettled.settle(None))

    def rename(self, corrections: Corrections) -> None:
        """Give the persons known so far the keys that corrections, made since, give them."""
        if self.last is not None:
            self.last = corrections.apply(self.last)
        self.unsettled.rename(lambda *key: corrections.take_key(self.chamber, *key))

    def _learn_names(self, pairs: Iterable[Pair]) -> None:
        # A name whose words are known keeps its first split: lists cut compound names now here, now
        # there, and the member's key would change with them.
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
            elu_groupe=self._group(pair, day),
            elu_origine_nom=self._name(left.member).full if left else "",
            elu_origine_groupe=self._group(left, day) if left else "",
            fonction=pair.role,
            contexte=context,
            source=evidence.source,
            confiance=confidence(evidence.source, evidence.level, fact.ambiguous),
        )
        return movement._replace(id=identifier(movement))

    def _name(self, member: str) -> Name:
        return self.members.name(self.chamber, member) or self.names[member]

    def _group(self, pair: Pair, day: datetime.date) -> str:
        return pair.group or self.members.group(self.chamber, pair.member, day)
