"""Movements and stays as they are published: corrected, without the names that masks withhold."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.correction import Entry, nameless
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import MemberKey
from parlement_lists.tracking.state import TrackingState

from ..dataset.filling.stored_map import StoredMap
from ..dataset.input_files import Numbered
from ..dataset.schema import TABLE, TENURES
from ..dataset.writer import Gone
from .corrected import as_corrected
from .erasure.near_names import NearNames
from .erasure.pseudonyms import Pseudonyms, is_named
from .published import Published, Row

# The reason for a movement that no source has any more, and for one whose identifier changed: another reason
# would tell that its name was withheld.
GONE = "n’est plus publié"


class Publication:
    """What the next file publishes: movements, the stays they begin and end, tombstones of those that are gone.

    The movements are written first: stays and tombstones name them as they were written. Identifiers are
    internal ones (see `Pseudonyms`) but for those of what is written. Of the file before, only the
    movements that a run concerns are looked at (`concerned`), or all of them.
    """

    def __init__(
        self,
        before: Published,
        corrections: Corrections,
        today: datetime.date,
        pseudonyms: Pseudonyms,
        concerned: Iterable[str] | None = None,
        spellings: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.corrections = corrections
        self.near_names = NearNames(corrections, before, today, spellings or {})
        self.pseudonyms = pseudonyms
        # The movements of the file before, each with the identifier it is published under.
        self.before = StoredMap(str)
        self.before.update(before.public_identifiers(concerned))
        self._file = before
        self._knows_all = concerned is None
        self._tombstones = before.withdrawn
        # The members of stays that are not taken, because they stay as they are.
        self._employers: set[tuple[MemberKey, str]] = set()
        self._today = today.isoformat()
        self._tenures: Collection[Tenure] = ()
        # What loses its name: internal identifiers of movements and stays.
        self._withheld: set[str] = set()
        # The movements written, each with the identifier it is published under.
        self._written = StoredMap(str)
        # The movements that a correction changed, and their types as they are published.
        self._changed: dict[str, tuple[Entry, str]] = {}

    @property
    def withdrawn(self) -> int:
        """How many movements of the file before are gone, once all movements are written."""
        return sum(id not in self._written for id in self.before)

    @property
    def lost(self) -> int:
        """How many of those no correction withdraws."""
        asked = {id for id, *_ in self.corrections.withdrawals()}
        return sum(id not in self._written and id not in asked for id in self.before)

    def take(
        self,
        tenures: Collection[Tenure],
        movements: Iterable[Movement],
        state: TrackingState | None = None,
        anew: bool = False,
    ) -> None:
        """Take the stays of the next file, before its movements are read.

        `movements` are those that may begin and end stays. A stay has its person's latest spelling, and its
        movements may have others: what is withheld in one of them is withheld in all that are connected.
        With the `state` that the file before belongs to, this run goes on from it, or makes all `anew` (see
        `NearNames`).
        """
        self._tenures = tenures
        if not self._knows_all:
            links = {id for t in self._tenures for id in (t.mouvement_debut, t.mouvement_fin)}
            self.before.update(self._file.public_identifiers(links))
        if self.corrections.masks:
            self._withheld = self.near_names.withhold(
                self._tenures, movements, state, anew, self._knows_all
            )

    @property
    def withheld(self) -> set[str]:
        """The internal identifiers of what loses its name."""
        return self._withheld

    def leave(self, replaced: Set[str], unended: Iterable[str]) -> Gone | None:
        """Leave all else in the file before as it is; None where more must be known of it.

        So it is where something that stays would lose its name, or has it back and a pseudonym still; and where a
        name that was taken is near a masked one.

        `replaced` are the movements that go or are given again, `unended` the stays that go or were taken.
        """
        doubtful = self._withheld.union(self.pseudonyms.known)
        if self.near_names.matters() or self._file.named_among(doubtful):
            return None
        self._written.update(
            (id, public) for id, public in self.before.items() if id not in replaced
        )
        taken = {self.pseudonyms.public(tenure.id) for tenure in self._tenures}
        self._employers = self._file.employers(taken.union(unended))
        gone = {self.before[id] for id in self.before.keys() & replaced}
        return {TABLE: gone, TENURES: {*unended}}

    def employers(self) -> set[tuple[MemberKey, str]]:
        """The members who have a stay, each with each group of one."""
        return self._employers | {((t.chambre, t.elu_id), t.elu_groupe) for t in self._tenures}

    def movement(self, movement: Movement) -> Movement | None:
        """The movement as it is published, under its internal identifier; None when it is withdrawn."""
        corrected = self.corrections.correct(movement)
        if corrected is None or movement.id not in self._withheld:
            return corrected
        return nameless(corrected)

    def tenure(self, tenure: Tenure) -> Tenure:
        """The stay without a name that is withheld."""
        return nameless(tenure) if tenure.id in self._withheld else tenure

    def movements(self, given: Iterable[Numbered]) -> Iterator[Numbered]:
        """The movements as they are written, each noted; to be read once, to the end."""
        last: list[Numbered] = []
        for line, public in given:
            movement = self.pseudonyms.restored(public)
            corrected = self.movement(movement)
            if corrected is None:
                self._note_withdrawn(movement)
                continue
            published = self.pseudonyms.published(corrected, movement)
            self._note(corrected, published.id)
            if is_named(movement) and not is_named(published):
                last.append((line, published))
            else:
                yield line, published
        # Lists are in the order of names, so the place of a movement would help to guess its name.
        yield from sorted(last, key=lambda numbered: numbered[1].id)

    def _note(self, corrected: Movement, public: str) -> None:
        self._written[corrected.id] = public
        change = self.corrections.change_of(corrected.id)
        if change is not None:
            self._changed[corrected.id] = change, corrected.type

    def _note_withdrawn(self, movement: Movement) -> None:
        """Note a movement that a correction withdraws: no tombstone has the identifier of a name that is withheld."""
        never = movement.id not in self.before and movement.id not in self._tombstones
        masked = movement.id in self._withheld or not is_named(self.corrections.withhold(movement))
        if never and is_named(movement) and masked:
            self.pseudonyms.take(movement)

    def tenure_rows(self) -> Iterator[Row]:
        """The rows of `collaborations`, once all movements are written; what has no value is NULL.

        Stays are corrected as their movements are. Raises CorrectionsError.
        """
        for tenure in map(self._published, self._tenures):
            yield tuple(value or None for value in tenure)

    def _published(self, tenure: Tenure) -> Tenure:
        """A stay as it is written; a movement that is withdrawn begins and ends none."""
        corrected = as_corrected(self.tenure(tenure), self._changed.get, self.corrections.file)
        return self.pseudonyms.published(corrected, tenure)._replace(
            mouvement_debut=self._written.get(tenure.mouvement_debut, ""),
            mouvement_fin=self._written.get(tenure.mouvement_fin, ""),
        )

    def homonym_rows(self, known: Iterable[Row] = ()) -> list[Row]:
        """The rows of `_homonymes` that the corrections say, and those `known`, of names that stays tell."""
        if not (known or self.corrections.homonym_members):
            return []
        told = {
            (one.person, one.elu_id): self.corrections.homonym(one.chambre, one.elu_id, one.person)
            for one in map(self._published, self._tenures)
            if is_named(one)
        }
        told |= {row[:2]: row[2] for row in known if row[:2] in told}
        return sorted((*of, number) for of, number in told.items() if number)

    def tombstone_rows(self, reasons: Mapping[str, str]) -> Iterator[Row]:
        """The rows of `retraits`, once all movements are written: identifiers published before and gone now.

        `reasons` say why movements are gone, by internal identifier.
        """
        rows: dict[str, Row] = {}
        for id, day, reason in self.corrections.withdrawals():
            public = self.before.get(id) or self.pseudonyms.public(id)
            rows[public] = public, day, reason
        rows |= self._tombstones
        for id, public in self.before.items():
            # A movement that lives on under a new identifier does not publish its reason under the old one.
            reason = GONE if id in self._written else reasons.get(id, GONE)
            rows.setdefault(public, (public, self._today, reason))
        for public in sorted(rows):
            if self._written.get(self.pseudonyms.internal(public)) != public:
                yield rows[public]
