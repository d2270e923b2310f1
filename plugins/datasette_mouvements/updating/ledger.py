"""What the next database says: its movements as corrections leave them, and the tables beside them."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from ..dataset.input_files import InputRefused, Line
from ..dataset.writer import MovementInput
from ..movement import Movement
from ..tracking.corrections import Corrections
from ..tracking.report import Record
from .published import Published, Row

# How many movements of a chamber's list of a day wait for later lists.
Held = Counter[tuple[str, datetime.date]]


class Ledger:
    """The next database beside the one before: what is in both, what is new, what is gone."""

    def __init__(self, before: Published, corrections: Corrections, today: datetime.date) -> None:
        self.before = before
        self.corrections = corrections
        self.today = today.isoformat()
        self.existing = before.identifiers()
        self._gone = set(self.existing)
        self._written: set[str] = set()

    @property
    def withdrawn(self) -> int:
        """How many movements of before are no more, once all that are written were noted."""
        return len(self._gone)

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
                corrected = self.corrections.correct(movement)
                if corrected is not None:
                    self._written.add(corrected.id)
                    self._gone.discard(corrected.id)
                    yield line, corrected
        except InputRefused as error:
            refused.append(error)
            raise

    def differs(self, movements: Mapping[str, Movement]) -> bool:
        """Whether a movement, as it would be published, is not so in the database before."""
        found = self.before.movements() if movements else ()
        before = {movement.id: movement for movement in found if movement.id in movements}
        return any(self.corrections.correct(m) != before.get(id) for id, m in movements.items())

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

    def tables(self, lists: list[Row], reasons: Mapping[str, str]) -> dict[str, Iterable[Row]]:
        """The tables beside the movements, to be read once all of these are written.

        `reasons` say why movements of before are no more.
        """
        withdrawals = self._withdrawals(reasons)
        return {"corrections": self.corrections.rows(), "listes": lists, "retraits": withdrawals}

    def _withdrawals(self, reasons: Mapping[str, str]) -> Iterator[Row]:
        rows = {row[0]: row for row in self.corrections.withdrawals()} | self.before.withdrawn
        for id in self._gone:
            reason = reasons.get(id) or "absent des sources à la reconstruction"
            rows.setdefault(id, (id, self.today, reason))
        yield from (rows[id] for id in sorted(rows.keys() - self._written))


def _with_held(row: Row, held: Held) -> Row:
    name, chamber, day, status, *others, _ = row
    if status == "refusee":
        return row
    waiting = held[chamber, datetime.date.fromisoformat(day)]
    return (name, chamber, day, "retenue" if waiting else "acceptee", *others, waiting)
