"""The tables beside the movements: lists taken or refused, movements withdrawn."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping

from ..tracking.corrections import Corrections
from ..tracking.report import Record
from .published import Published, Row

Held = Counter[tuple[str, datetime.date]]


class Ledger:
    """What the next database says about its lists and about movements that are no more."""

    def __init__(self, before: Published, today: datetime.date) -> None:
        self.before = before
        self.today = today.isoformat()
        self.existing = before.identifiers()
        self._gone = set(self.existing)
        self._written: set[str] = set()
        self.withdrawn = 0

    def wrote(self, id: str) -> None:
        """Note that the next database has this movement."""
        self._written.add(id)
        self._gone.discard(id)

    def lists(self, records: list[Record], kept: Mapping[str, str], held: Held) -> list[Row]:
        """The rows of `listes`: this run's, and earlier ones newer than `kept` says of their chamber."""
        rows = {record.name: record.row() for record in records}
        for name, row in self.before.lists.items():
            chamber, day = row[1], row[2]
            if chamber in kept and day > kept[chamber] and name not in rows:
                rows[name] = row
        return [_with_held(rows[name], held) for name in sorted(rows)]

    def withdrawals(self, corrections: Corrections, reasons: Mapping[str, str]) -> Iterator[Row]:
        """The rows of `retraits`; to be read once every movement is written."""
        rows = {row[0]: row for row in corrections.withdrawals()} | self.before.withdrawn
        for id in self._gone:
            self.withdrawn += 1
            reason = reasons.get(id) or "absent des sources à la reconstruction"
            rows.setdefault(id, (id, self.today, reason))
        yield from (rows[id] for id in sorted(rows.keys() - self._written))


def _with_held(row: Row, held: Held) -> Row:
    name, chamber, day, status, *others, _ = row
    if status == "refusee":
        return row
    waiting = held[chamber, datetime.date.fromisoformat(day)]
    return (name, chamber, day, "retenue" if waiting else "acceptee", *others, waiting)
