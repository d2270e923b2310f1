"""What the next database says: its movements as corrections leave them, and the tables beside them."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Set

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections, Entry
from parlement_lists.tracking.members.known_members import MemberKey, Members
from parlement_lists.tracking.report import Record
from parlement_lists.tracking.run import RunResult

from ..dataset.input_files import InputRefused, Line
from ..dataset.schema import TENURES
from ..dataset.writer import MovementInput
from .corrected import as_corrected
from .member_tables import member_tables
from .pseudonyms import Pseudonyms, in_no_order_of_names, is_named, loses_name
from .published import Published, Row
from .tombstones import withdrawal_rows
from .withheld import Withheld

# How many movements of a chamber's list of a day wait for later lists.
Held = Counter[tuple[str, datetime.date]]


class Ledger:
    """The next database beside the one before: what is in both, what is new, what is gone.

    Identifiers are internal ones (see `Pseudonyms`) but for those of what is written.
    """

    def __init__(
        self,
        before: Published,
        corrections: Corrections,
        today: datetime.date,
        pseudonyms: Pseudonyms,
    ) -> None:
        self.before = before
        self.corrections = corrections
        self.today = today.isoformat()
        self.pseudonyms = pseudonyms
        self._was = before.public_identifiers()
        self.existing = set(self._was)
        self._gone = set(self.existing)
        # The movements written, each with the identifier it is published under.
        self._written: dict[str, str] = {}
        self._tenures: list[Tenure] = []
        self._withheld = Withheld(corrections)
        # The movements that a correction changed, and their types as they are published.
        self._changed: dict[str, tuple[Entry, str]] = {}

    @property
    def withdrawn(self) -> int:
        """How many movements of before are no more, once all that are written were noted."""
        return len(self._gone)

    def published(self, result: RunResult) -> Set[str]:
        """The identifiers of before, with what a run found and without what it replaces."""
        return self.existing.union(result.added) - result.removed.keys()

    def corrected(
        self, inputs: Iterable[MovementInput], matched: Set[str] = frozenset()
    ) -> Iterator[MovementInput]:
        """The inputs as they are published, each movement noted; to be read once, to the end.

        `matched` are the digests of corrections known to match. Raises CorrectionsError at the end
        for those that match nothing, unless an input was refused: what could not be read may be
        what a correction is about.
        """
        refused: list[InputRefused] = []
        for name, movements in inputs:
            yield name, self._corrected(movements, refused)
        if not refused:
            self.corrections.check_matched(matched)

    def _corrected(
        self, movements: Iterable[tuple[Line, Movement]], refused: list[InputRefused]
    ) -> Iterator[tuple[Line, Movement]]:
        last: list[tuple[Line, Movement]] = []
        try:
            for line, given in movements:
                movement = self.pseudonyms.restored(given)
                corrected = self._correct(movement)
                if corrected is None:
                    self._note_withdrawn(movement)
                    continue
                published = self.pseudonyms.published(corrected, movement)
                self._note(corrected, published.id)
                if loses_name(movement, published):
                    last.append((line, published))
                else:
                    yield line, published
        except InputRefused as error:
            refused.append(error)
            raise
        yield from in_no_order_of_names(last)

    def _correct(self, movement: Movement) -> Movement | None:
        corrected = self.corrections.correct(movement)
        return self._withheld.movement(corrected) if corrected is not None else None

    def _note_withdrawn(self, movement: Movement) -> None:
        """Note a movement that a correction withdraws: `retraits` must not have the identifier that a mask withholds."""
        never = movement.id not in self._was and movement.id not in self.before.withdrawn
        if never and is_named(movement) and not is_named(self._withheld.movement(movement)):
            self.pseudonyms.take(movement)

    def _note(self, corrected: Movement, public: str) -> None:
        self._written[corrected.id] = public
        self._gone.discard(corrected.id)
        change = self.corrections.change_of(corrected.id)
        if change is not None:
            self._changed[corrected.id] = change, corrected.type

    def take(self, tenures: Iterable[Tenure], movements: Iterable[Movement]) -> None:
        """Take the stays that go into the next database, before its movements are read.

        `movements` are those that may begin and end stays.
        """
        self._tenures = list(tenures)
        self._withheld = Withheld(self.corrections, self._tenures, movements)

    def _told(self, tenure: Tenure) -> Tenure:
        """A stay as it is published, once all movements are written: corrected as they are.

        A movement that is withdrawn begins and ends none. Raises CorrectionsError.
        """
        told = self._withheld.tenure(tenure)
        told = as_corrected(told, self._changed.get, self.corrections.file)
        return self.pseudonyms.published(told, tenure)._replace(
            mouvement_debut=self._written.get(tenure.mouvement_debut, ""),
            mouvement_fin=self._written.get(tenure.mouvement_fin, ""),
        )

    def differs(self, movements: Mapping[str, Movement]) -> bool:
        """Whether a movement, as it would be published, is not so in the database before."""
        found = self.before.movements() if movements else ()
        before = {movement.id: movement for movement in found if movement.id in movements}
        return any(self._correct(m) != before.get(id) for id, m in movements.items())

    def learns(self, members: Members) -> bool:
        """Whether what is known of members now is not what the database before has."""
        before = self.before
        return self._of_members(before.employers(), members, before.members) != before.members

    def lists(self, records: list[Record], reach: Mapping[str, str], held: Held) -> list[Row]:
        """The rows of `listes`: this run's, and those of before.

        Of a chamber in `reach` an earlier row stays where it is of a later day than `reach` says.
        """
        rows = {record.name: record.row() for record in records}
        for name, row in self.before.lists.items():
            chamber, day = row[1], row[2]
            if chamber in reach and day > reach[chamber] and name not in rows:
                rows[name] = row
        return [_with_held(rows[name], held) for name in sorted(rows)]

    def tables(
        self,
        lists: list[Row],
        reasons: Mapping[str, str],
        members: Members,
        followed: Container[str],
    ) -> dict[str, Iterable[Row]]:
        """The tables beside the movements, to be read once all of these are written.

        `reasons` say why movements of before are no more; in the chambers that are `followed`, what
        was known before is known of members whom `members` does not know.
        """
        known = {
            table: [row for row in rows if row[0] in followed]
            for table, rows in self.before.members.items()
        }
        employers = (((t.chambre, t.elu_id), t.elu_groupe) for t in self._tenures)
        return {
            TENURES: tenure_rows(map(self._told, self._tenures)),
            **self._of_members(set(employers), members, known),
            "corrections": self.corrections.rows(),
            "listes": lists,
            "retraits": self._withdrawals(reasons),
        }

    @staticmethod
    def _of_members(
        employers: Set[tuple[MemberKey, str]],
        members: Members,
        before: Mapping[str, Iterable[Row]],
    ) -> dict[str, list[Row]]:
        keys = {key for key, _ in employers}
        groups = {(chamber, group) for (chamber, _), group in employers}
        return member_tables(keys, groups, members, before)

    def _withdrawals(self, reasons: Mapping[str, str]) -> Iterator[Row]:
        rows: dict[str, Row] = {}
        for id, day, reason in self.corrections.withdrawals():
            # Under the identifier that was published.
            public = self._was.get(id) or self.pseudonyms.public(id)
            rows[public] = public, day, reason
        yield from withdrawal_rows(
            rows | self.before.withdrawn,
            self._was,
            self._written,
            reasons,
            self.today,
        )


def tenure_rows(tenures: Iterable[Tenure]) -> Iterator[Row]:
    """The rows of `collaborations`: in order, what has no value NULL."""
    for tenure in sorted(tenures, key=lambda t: (t.chambre, t.debut, t.id)):
        yield tuple(value or None for value in tenure)


def _with_held(row: Row, held: Held) -> Row:
    name, chamber, day, status, *others, _ = row
    if status == "refusee":
        return row
    waiting = held[chamber, datetime.date.fromisoformat(day)]
    return (name, chamber, day, "retenue" if waiting else "acceptee", *others, waiting)
