"""What the next database says: its movements as corrections leave them, and the tables beside them."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Set

from ..dataset.input_files import InputRefused, Line
from ..dataset.schema import MANDATES, TENURES
from ..dataset.writer import MovementInput
from ..movement import Movement
from ..tenure import Tenure
from ..tracking.corrections import Corrections, Entry, nameless
from ..tracking.members import Members
from ..tracking.report import Record
from ..tracking.run import RunResult
from .corrected import as_corrected
from .mandates import mandate_rows
from .published import Published, Row

# How many movements of a chamber's list of a day wait for later lists.
Held = Counter[tuple[str, datetime.date]]


class Withheld:
    """Whose names the masks withhold: in their movements, and in the stays these begin and end.

    A stay has its person's latest spelling, and its movements may have others: what is withheld in
    one of them is withheld in all that hang together.
    """

    def __init__(
        self,
        corrections: Corrections,
        tenures: Iterable[Tenure] = (),
        movements: Iterable[Movement] = (),
    ) -> None:
        self._corrections = corrections
        self._movements: set[str] = set()
        self._tenures: set[str] = set()
        if corrections.masks:
            tenures = list(tenures)
            self._movements |= {m.id for m in movements if _is_nameless(corrections.withhold(m))}
            self._tenures |= {t.id for t in tenures if _is_nameless(corrections.withhold(t))}
            while self._spread(tenures):
                pass

    def _spread(self, tenures: Iterable[Tenure]) -> bool:
        """Withhold what hangs together with what is withheld; whether that was anything more."""
        before = len(self._movements) + len(self._tenures)
        for tenure in tenures:
            ends = {id for id in (tenure.mouvement_debut, tenure.mouvement_fin) if id}
            if tenure.id in self._tenures or ends & self._movements:
                self._tenures.add(tenure.id)
                self._movements |= ends
        return len(self._movements) + len(self._tenures) > before

    def movement(self, movement: Movement) -> Movement:
        """The movement as it is published."""
        published = self._corrections.withhold(movement)
        return nameless(published) if movement.id in self._movements else published

    def tenure(self, tenure: Tenure) -> Tenure:
        """The stay as it is published."""
        return nameless(tenure) if tenure.id in self._tenures else tenure


def _is_nameless(named: Movement | Tenure) -> bool:
    return not (named.collab_nom or named.collab_prenom)


class Ledger:
    """The next database beside the one before: what is in both, what is new, what is gone."""

    def __init__(self, before: Published, corrections: Corrections, today: datetime.date) -> None:
        self.before = before
        self.corrections = corrections
        self.today = today.isoformat()
        self.existing = before.identifiers()
        self._gone = set(self.existing)
        self._written: set[str] = set()
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
        try:
            for line, movement in movements:
                corrected = self._correct(movement)
                if corrected is not None:
                    self._note(corrected)
                    yield line, corrected
        except InputRefused as error:
            refused.append(error)
            raise

    def _correct(self, movement: Movement) -> Movement | None:
        corrected = self.corrections.correct(movement)
        return self._withheld.movement(corrected) if corrected is not None else None

    def _note(self, corrected: Movement) -> None:
        self._written.add(corrected.id)
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
        published = self._withheld.tenure(tenure)
        published = as_corrected(published, self._changed.get, self.corrections.file)
        for link in ("mouvement_debut", "mouvement_fin"):
            id = getattr(tenure, link)
            if id and id not in self._written:
                published = published._replace(**{link: ""})
        return published

    def differs(self, movements: Mapping[str, Movement]) -> bool:
        """Whether a movement, as it would be published, is not so in the database before."""
        found = self.before.movements() if movements else ()
        before = {movement.id: movement for movement in found if movement.id in movements}
        return any(self._correct(m) != before.get(id) for id, m in movements.items())

    def learns(self, members: Members) -> bool:
        """Whether the mandates that are known now are not those of the database before."""
        before = self.before
        rows = mandate_rows(before.members(), members, before.mandates)
        return set(rows) != {row for rows in before.mandates.values() for row in rows}

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

        `reasons` say why movements of before are no more; in the chambers that are `followed` the
        mandates of before are those of members whom `members` does not know.
        """
        known = {key: rows for key, rows in self.before.mandates.items() if key[0] in followed}
        return {
            TENURES: self._tenure_rows(),
            MANDATES: mandate_rows(((t.chambre, t.elu_id) for t in self._tenures), members, known),
            "corrections": self.corrections.rows(),
            "listes": lists,
            "retraits": self._withdrawals(reasons),
        }

    def _tenure_rows(self) -> Iterator[Row]:
        yield from tenure_rows(map(self._told, self._tenures))

    def _withdrawals(self, reasons: Mapping[str, str]) -> Iterator[Row]:
        rows = {row[0]: row for row in self.corrections.withdrawals()} | self.before.withdrawn
        for id in self._gone:
            reason = reasons.get(id) or "absent des sources à la reconstruction"
            rows.setdefault(id, (id, self.today, reason))
        yield from (rows[id] for id in sorted(rows.keys() - self._written))


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
