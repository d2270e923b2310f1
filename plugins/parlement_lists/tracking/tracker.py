"""One chamber's accepted lists, in order -> its movements, each as soon as it can be known."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..movement import Movement, identifier, join_key
from ..tenure import Tenure
from .confidence import AFTER_MANDATE, APPROXIMATE, EMPTIED, confidence, level
from .corrections import Corrections, ShorterName
from .departed import DepartedPairs
from .diff import Respelling, TwoPeople, no_two_people, step
from .guard import near_renewal
from .members.known_members import NEW_FOR, Members, Name
from .reading.formats import Pair, PairKey
from .reading.lists import List, unknown
from .settle import Absence, Arrival, Evidence, Settled, Unsettled
from .stays import Stay, Stays
from .written_twice import shorter_names, written_once, written_twice


class Change(NamedTuple):
    """Movements that are now sure, and the stays that they end.

    `lost` and `gained` are how many pairs the list has less and more than the one before, but for
    respellings; `renamed` those of them whose names are not near (see `diff.Step`).
    """

    added: list[Movement]
    ended: list[Tenure]
    lost: int = 0
    gained: int = 0
    renamed: Sequence[Respelling] = ()


class Tracker:
    """One chamber's tracking: the same lists give the same movements, at once or one a day.

    `last`, `unread`, `unsettled`, `stays`, `gone_members`, `names`, `shorter` and `departed` are all that
    later lists need: a tracker with those of another goes on where that one ended.
    """

    def __init__(self, chamber: str, members: Members) -> None:
        self.chamber = chamber
        self.members = members
        self.unsettled = Unsettled()
        self.stays = Stays()
        self.last: List | None = None
        # Members of whom nothing was read in the last list -> the day of the last one that has something, if any.
        self.unread: dict[str, datetime.date | None] = {}
        # Members who lost all their rows -> the last day a list had them.
        self.gone_members: dict[str, str] = {}
        self.names: dict[str, Name] = {}
        # Of those whom a list wrote two ways: masks name either.
        self.shorter: set[ShorterName] = set()
        self.departed = DepartedPairs()

    def feed(
        self,
        list_: List,
        source: str,
        after_refused: bool = False,
        two_people: TwoPeople = no_two_people,
    ) -> Change:
        """What an accepted list, not older than the last one, makes sure."""
        before, self.last = self.last, list_
        if before is None:
            self.unread = {m: list_.date if m in list_.members else None for m in list_.unread}
            self._learn_names(list_.pairs.values())
            for pair in list_.pairs.values():
                self.stays.begin(self.chamber, pair, list_.date, None)
            return Change([], [])
        self.last = list_ = list_.repeating(before)
        present = list_.members.keys()
        self.unsettled.decide(list_.date)
        self.unsettled.seen(list_.pairs)
        gap = (list_.date - before.date).days
        doubtful = after_refused or list_.other_source(before)
        evidence = Evidence(list_.date, source, level(gap, doubtful))
        change = step(
            before,
            list_,
            lambda old, new: self.unsettled.is_missing(new) or two_people(old, new),
            self.departed,
            self.unsettled.absent(),
        )
        unread = {member: self._read_before(member, before) for member in list_.unread}
        back = self._mostly_back(change.gained, before, list_)
        self.departed.note(list_.date, change.lost, [*change.gained, *list_.left_out])
        self._learn_names([*change.lost, *change.gained])
        for old, new in change.respelled:
            self.stays.respell(old, new)
        for pair in change.lost:
            last = self.unread.get(pair.member) or before.date
            self._lose(pair, evidence.after(last, doubtful), last, gone=pair.member not in present)
        returned = {p.key: self._end_absence(p, list_.date, two_people) for p in change.gained}
        self.unsettled.back(present)
        for pair in change.gained:
            if returned[pair.key] is None:
                seen = self._read_before(pair.member, before)
                if seen is None:
                    self.stays.begin(self.chamber, pair, list_.date, None)
                    continue
                is_new = pair.member not in before.members and self._is_new(pair.member, list_.date)
                shown = evidence.after(seen, doubtful or pair.key in back)
                stay = self.stays.begin(self.chamber, pair, list_.date, seen)
                self.unsettled.arrivals[pair.person].append(Arrival(pair, shown, is_new, stay))
        self.unread = unread
        self.gone_members |= dict.fromkeys(before.members.keys() - present, before.date.isoformat())
        sure = self._movements_of(self.unsettled.settle())
        lost, gained = len(change.lost), len(change.gained)
        return sure._replace(lost=lost, gained=gained, renamed=change.renamed)

    def _mostly_back(self, gained: list[Pair], before: List, list_: List) -> Container[PairKey]:
        """Those of the pairs gained that are back, where most are, outside a renewal; else none.

        The lists before may have lacked them for some days, as when nobody looks after them.
        """
        if near_renewal(before.date, list_.date, self.members.renewals(self.chamber)):
            return ()
        return set(self.departed.mostly_back([pair.key for pair in gained], list_.date))

    def _read_before(self, member: str, before: List) -> datetime.date | None:
        """The day of the last list up to that before which says who was at a member; None where none does.

        One who was not known was left out under the name.
        """
        known_as, name = [member], self.members.name(self.chamber, member) or self.names.get(member)
        if self.unread and name and member not in before.members:
            known_as.append(unknown(name.full))
        days = [self.unread[one] for one in known_as if one in self.unread] or [before.date]
        return None if None in days else min(filter(None, days))

    def _lose(self, pair: Pair, evidence: Evidence, seen: datetime.date, gone: bool) -> None:
        """Note a pair that was `seen` last on a day; `gone` when its member has no row either."""
        stay = self.stays.open.pop(pair.key)
        absence = Absence(pair, evidence, gone, stay, seen.isoformat())
        self.unsettled.absences[pair.person].append(absence)

    def _end_absence(self, pair: Pair, day: datetime.date, two_people: TwoPeople) -> Absence | None:
        """Go on with the stay of a pair that was only missing; its absence, None where there was none."""
        absence = self.unsettled.end_absence(pair, two_people)
        if absence is not None:
            # Under a near name the old one did not leave either: it may be written again.
            self.departed.note(day, (), [absence.pair])
            self.stays.go_on(absence.stay, absence.pair, pair)
        return absence

    def pending(self) -> Change:
        """What would be sure if no list ever came again; the tracker stays as it is."""
        return self._concluded()[1]

    def tenures(self, published: Container[str] | None = None) -> Iterator[Tenure]:
        """The stays that no movement told by the lists so far ends, each as the movements tell it.

        A pending movement that is not among `published` is not told: what it would end goes on.
        Without `published` all of them are.
        """
        twin, pending = self._concluded()
        for tenure in (*pending.ended, *twin._open()):
            begin, end = tenure.mouvement_debut, tenure.mouvement_fin
            if published is not None and begin not in published:
                tenure = tenure._replace(mouvement_debut="")
            if published is not None and end and end not in published:
                tenure = tenure._replace(fin="", mouvement_fin="")
            yield tenure

    def _concluded(self) -> tuple[Tracker, Change]:
        """This tracker as if no list ever came again, and what that makes sure."""
        twin = Tracker(self.chamber, self.members)
        twin.last, twin.names = self.last, self.names
        twin.unsettled, twin.stays = self.unsettled.copy(), self.stays.copy()
        self._doubt_last_list(twin.unsettled)
        twin.unsettled.decide(None)
        return twin, twin._movements_of(twin.unsettled.settle())

    def _open(self) -> Iterator[Tenure]:
        """The stays of the last list's pairs."""
        assert self.last is not None
        last_day = self.last.date.isoformat()
        for key, stay in self.stays.open.items():
            yield self._tenure(stay, self.last.pairs[key], last_day)

    def _doubt_last_list(self, unsettled: Unsettled) -> None:
        """Make approximate what the last list takes away where it may be half emptied by a renewal.

        It may be a list in the making, of which no later one says whether it was right.
        """
        if self.last is None:
            return
        day, pairs = self.last.date, len(self.last.pairs)
        doubted = [absence for absence in unsettled.undecided() if absence.evidence.date == day]
        lost = len(doubted)
        renewals = self.members.renewals(self.chamber)
        if lost > EMPTIED * (pairs + lost) and near_renewal(day, day, renewals):
            # The list itself shows where they went.
            elsewhere = {arrival.pair.person for arrival in unsettled.waiting()}
            for absence in (one for one in doubted if one.pair.person not in elsewhere):
                absence.evidence = absence.evidence._replace(level=APPROXIMATE)

    def rename(self, corrections: Corrections) -> None:
        """Give the persons known so far the keys that corrections, made since, give them.

        So are those whom a state of before has under two names at one member.
        """
        twice: dict[PairKey, str] = {}
        if self.last is not None:
            last = corrections.apply(self.last)
            two_people = functools.partial(corrections.two_people, self.chamber)
            twice = written_twice(last, two_people)
            self.shorter |= shorter_names(last.pairs, twice)
            self.last = written_once(last, twice)

        def key(member: str, person: str) -> str:
            person = corrections.take_key(self.chamber, member, person)
            return twice.get((member, person), person)

        self.unsettled.rename(key)
        self.stays.rename(key)

    def _learn_names(self, pairs: Iterable[Pair]) -> None:
        # A name whose words are known keeps its first split: lists cut compound names now here, now
        # there, and the member's key would change with them.
        for pair in pairs:
            known = self.names.get(pair.member)
            full = f"{pair.member_given} {pair.member_family}".strip()
            if known is None or sorted(known.full.split()) != sorted(full.split()):
                self.names[pair.member] = Name(full, pair.member_family, pair.member_given)

    def _movements_of(self, settled: list[Settled]) -> Change:
        added = []
        left: list[tuple[Absence, str]] = []
        for fact in settled:
            movement = self._made(fact)
            added.append(movement)
            if fact.arrival is not None:
                self.stays.arrivals[fact.arrival.stay.id] = movement.id
            if fact.absence is not None:
                left.append((fact.absence, movement.id))
        ended = [
            self._tenure(a.stay, a.pair, a.last_seen, a.evidence.date.isoformat(), movement_id)
            for a, movement_id in left
        ]
        for absence, _ in left:
            self.stays.arrivals.pop(absence.stay.id, None)
        return Change(added, ended)

    def _tenure(
        self, stay: Stay, pair: Pair, last_day: str, end: str = "", departure: str = ""
    ) -> Tenure:
        """The row of a stay whose pair was last seen on `last_day`, as `pair`."""
        name = self._name(pair.member)
        return Tenure(
            id=stay.id,
            chambre=self.chamber,
            elu_id=pair.member,
            elu_cle=join_key(name.family, name.given),
            elu_nom=name.full,
            elu_groupe=self._last_group(pair, last_day),
            collab_nom=pair.family,
            collab_prenom=pair.given,
            collab_civilite=pair.civility,
            fonction=pair.role,
            debut=stay.begin,
            debut_apres=stay.begin_after,
            fin=end,
            fin_apres=last_day,
            mouvement_debut=self.stays.arrivals.get(stay.id, ""),
            mouvement_fin=departure,
            conge=pair.leave,
        )

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
            elu_groupe=self._group(pair, day) if arrival else self._group_left(absence),
            elu_origine_nom=self._name(left.member).full if left else "",
            elu_origine_groupe=self._group_left(absence) if left else "",
            fonction=pair.role,
            contexte=context,
            source=evidence.source,
            confiance=confidence(evidence.source, self._level(fact), fact.ambiguous),
        )
        return movement._replace(id=identifier(movement))

    def _name(self, member: str) -> Name:
        return self.members.name(self.chamber, member) or self.names[member]

    def _level(self, fact: Settled) -> int:
        """How well the day is known, of a transfer that of both stays.

        A list that drops somebody long after the mandate ended came late.
        """
        if fact.absence is not None:
            day = fact.absence.evidence.date
            ended = self.members.mandate_end(self.chamber, fact.absence.pair.member, day)
            if ended is not None and day - ended > AFTER_MANDATE:
                return APPROXIMATE
        return max(one.evidence.level for one in (fact.absence, fact.arrival) if one is not None)

    def _group(self, pair: Pair, day: datetime.date) -> str:
        """The member's group on the day."""
        return pair.group or self.members.group(self.chamber, pair.member, day)

    def _group_left(self, absence: Absence | None) -> str:
        """The group of the stay that an absence ends."""
        return self._last_group(absence.pair, absence.last_seen) if absence else ""

    def _last_group(self, pair: Pair, last_day: str) -> str:
        """The member's group on the last day of a stay, or of the mandate if that had ended before."""
        day = datetime.date.fromisoformat(last_day)
        return pair.group or self.members.last_group(self.chamber, pair.member, day)
