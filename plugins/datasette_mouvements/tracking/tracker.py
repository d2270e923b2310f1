"""One chamber's accepted lists, in order -> its movements, each as soon as it can be known."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import NamedTuple

from ..movement import Movement, identifier, join_key
from .confidence import confidence, level
from .corrections import Corrections
from .diff import step
from .formats import Pair
from .lists import List
from .members import NEW_FOR, Members, Name
from .replaced import ReplacedLists
from .settle import Absence, Arrival, Arrived, Departed, Moved, Origin, Settled, Unsettled


class Change(NamedTuple):
    """Movements that are now sure, and identifiers of published ones that a better reading replaces."""

    added: list[Movement]
    removed: dict[str, str]
    lost: int = 0
    gained: int = 0


class Tracker:
    """Feed it accepted lists; the same lists give the same movements, at once or one a day.

    `last`, `unsettled`, `gone`, `names` and `replaced` are all that later lists need: a tracker restored from
    them goes on.
    """

    def __init__(self, chamber: str, members: Members, transfer_days: int = 0) -> None:
        self.chamber = chamber
        self.members = members
        self.unsettled = Unsettled(transfer_days)
        self.last: List | None = None
        # Members no list has any more -> the last day one had them.
        self.gone: dict[str, str] = {}
        self.names: dict[str, Name] = {}
        self.replaced = ReplacedLists()

    def feed(self, list_: List, source: str, after_refused: bool = False) -> Change:
        """Take an accepted list, not older than the last one; returns what it makes sure."""
        before, self.last = self.last, list_
        present = list_.members.keys()
        if before is None:
            self._learn_names(list_.pairs.values())
            return Change([], {})
        self.replaced.replace(before, list_)
        self.unsettled.decide(list_.date)
        self.unsettled.seen(present)
        gap = (list_.date - before.date).days
        origin = Origin(list_.date, source, level(gap, after_refused))
        change = step(before, list_)
        self._learn_names([*change.lost, *change.gained])
        for pair in change.lost:
            gone = pair.elu not in present
            self.unsettled.absences[pair.person].append(Absence(pair, origin, gone))
        for pair in change.gained:
            if not self.unsettled.returned(pair, list_.date):
                new = pair.elu not in before.members and self._is_new(pair.elu, list_.date)
                self.unsettled.arrivals[pair.person].append(Arrival(pair, origin, new))
        self.gone |= dict.fromkeys(before.members.keys() - present, before.date.isoformat())
        told = self._movements_of(self.unsettled.settle(list_.date))
        return told._replace(lost=len(change.lost), gained=len(change.gained))

    def pending(self) -> Change:
        """What would be sure if no list ever came again; changes nothing."""
        twin = Tracker(self.chamber, self.members)
        twin.unsettled, twin.names = self.unsettled.copy(), self.names
        twin.unsettled.decide(None)
        return twin._movements_of(twin.unsettled.settle(None))

    def rename(self, corrections: Corrections) -> None:
        """Give persons met before the keys that corrections made since give them."""
        if self.last is not None:
            self.last = corrections.apply(self.last)
        self.unsettled.rename(lambda elu, person: corrections.person(self.chamber, elu, person))

    def _learn_names(self, pairs: Iterable[Pair]) -> None:
        # A name whose words are known keeps its first split: for some days in 2017 the lists had
        # family and given names the wrong way round.
        for pair in pairs:
            known = self.names.get(pair.elu)
            full = f"{pair.elu_prenom} {pair.elu_nom}".strip()
            if known is None or sorted(known.full.split()) != sorted(full.split()):
                self.names[pair.elu] = Name(full, pair.elu_nom, pair.elu_prenom)

    def _movements_of(self, settled: list[Settled]) -> Change:
        added, removed = [], {}
        for fact in settled:
            movement = self._movement(fact)
            added.append(movement)
            if isinstance(fact, Departed):
                fact.absence.published = movement.id
            elif isinstance(fact, Moved) and fact.absence.published:
                removed[fact.absence.published] = f"remplacé par le transfert {movement.id}"
        return Change(added, removed)

    def _movement(self, fact: Settled) -> Movement:
        if isinstance(fact, Departed):
            absence = fact.absence
            context = "elu_sortant" if self._left(absence) else ""
            return self._made("depart", absence.pair, absence.origin, context)
        arrival = fact.arrival
        context = "elu_entrant" if arrival.new_member else ""
        if isinstance(fact, Arrived):
            return self._made("arrivee", arrival.pair, arrival.origin, context)
        if self._left(fact.absence):
            context = "elu_sortant"
        return self._made(
            "transfert", arrival.pair, arrival.origin, context, fact.absence.pair, fact.ambiguous
        )

    def _left(self, absence: Absence) -> bool:
        return absence.gone and not self.members.stays(
            self.chamber, absence.pair.elu, absence.origin.date
        )

    def _is_new(self, elu: str, day: datetime.date) -> bool:
        """Whether a member whom the list before did not have has just come to the chamber."""
        last = self.gone.get(elu)
        since = self.members.sits_since(self.chamber, elu, day)
        if since is None:
            return last is None
        return day - since <= NEW_FOR and (last is None or last < since.isoformat())

    def _made(
        self,
        kind: str,
        pair: Pair,
        origin: Origin,
        context: str,
        left: Pair | None = None,
        ambiguous: bool = False,
    ) -> Movement:
        name = self._name(pair.elu)
        movement = Movement(
            id="",
            date_event=origin.date.isoformat(),
            chambre=self.chamber,
            type=kind,
            collab_nom=pair.nom,
            collab_prenom=pair.prenom,
            collab_civilite=pair.civilite,
            elu_cle=join_key(name.family, name.given),
            elu_id=pair.elu,
            elu_nom=name.full,
            elu_groupe=self._group(pair, origin.date),
            elu_origine_nom=self._name(left.elu).full if left else "",
            elu_origine_groupe=self._group(left, origin.date) if left else "",
            fonction=pair.fonction,
            contexte=context,
            source=origin.source,
            confiance=confidence(origin.source, origin.level, ambiguous),
        )
        return movement._replace(id=identifier(movement))

    def _name(self, elu: str) -> Name:
        return self.members.name(self.chamber, elu) or self.names[elu]

    def _group(self, pair: Pair, day: datetime.date) -> str:
        return pair.groupe or self.members.group(self.chamber, pair.elu, day)
