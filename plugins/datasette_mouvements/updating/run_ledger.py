"""What a run found, compared with the database before, and the tables that it writes."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from parlement_lists.movement import Movement
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.report import Record

from ..dataset.input_files import InputRefused, Numbered
from ..dataset.schema import HOMONYMS, NIGHTS, TENURES
from ..dataset.writer import MovementInput
from .member_tables import member_tables
from .publication import Publication
from .published import Published, Row

# How many movements of a chamber wait for later lists, by the day of their list.
Held = Counter[tuple[str, datetime.date]]


class Ledger:
    """What a run found, beside the database `before`.

    Identifiers are internal ones (see `Pseudonyms`) but for those of what is written.
    """

    def __init__(self, before: Published, publication: Publication) -> None:
        self.before = before
        self.publication = publication
        self.corrections = publication.corrections

    def corrected(
        self, inputs: Iterable[MovementInput], matched: Set[str] = frozenset()
    ) -> Iterator[MovementInput]:
        """The inputs as they are published; to be read once, to the end.

        `matched` are the digests of corrections known to match. Raises CorrectionsError at the end
        for those that match nothing, unless an input was refused: what could not be read may be
        what a correction is about.
        """
        refused: list[InputRefused] = []
        for name, movements in inputs:
            yield name, self.publication.movements(_noting(refused, movements))
        if not refused:
            self.corrections.check_matched(matched)

    def differs(self, movements: Mapping[str, Movement]) -> bool:
        """Whether one of the movements would be published otherwise than in the database before."""
        before = {movement.id: movement for movement in self.before.movements(movements)}
        corrected = self.publication.movement
        return any(corrected(m) != before.get(id) for id, m in movements.items())

    def learns(self, members: Members) -> bool:
        """Whether the tables of members would differ from those of the database before."""
        before = self.before
        return member_tables(before.employers(), members, before.members) != before.members

    def tables(
        self,
        lists: list[Row],
        reasons: Mapping[str, str],
        members: Members,
        known: Mapping[str, Iterable[Row]],
    ) -> dict[str, Iterable[Row]]:
        """The tables beside the movements, to be read once all of these are written.

        `reasons` say why movements are gone; `known` are rows of members, for those whom `members` does not
        know.
        """
        return {
            TENURES: self.publication.tenure_rows(),
            **member_tables(self.publication.employers(), members, known),
            HOMONYMS: self.publication.homonym_rows(),
            "corrections": self.corrections.rows(),
            "listes": lists,
            NIGHTS: self.before.nights,
            "retraits": self.publication.tombstone_rows(reasons),
        }


def _noting(refused: list[InputRefused], movements: Iterable[Numbered]) -> Iterator[Numbered]:
    """The movements of an input; why it is refused, if it is, is added to `refused`."""
    try:
        yield from movements
    except InputRefused as error:
        refused.append(error)
        raise


def list_rows(records: Iterable[Record], held: Held, before: Mapping[str, Row]) -> list[Row]:
    """The rows of `listes`, in the order of their names: this run's lists, and those of before."""
    rows = {**before, **{record.name: record.row() for record in records}}
    return [_with_held(rows[name], held) for name in sorted(rows)]


def _with_held(row: Row, held: Held) -> Row:
    name, chamber, day, status, *others, _, sha256 = row
    if status == "refusee":
        return row
    waiting = held[chamber, datetime.date.fromisoformat(day)]
    return (name, chamber, day, "retenue" if waiting else "acceptee", *others, waiting, sha256)
