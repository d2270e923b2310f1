"""Withhold names in a database file as it stands: an older copy, a file whose lists are gone."""

from __future__ import annotations

import datetime
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from parlement_lists.tracking.corrections import Corrections, Entry
from parlement_lists.tracking.state import StateError

from ..dataset.changes import Draw
from ..dataset.input_files import Line
from ..dataset.schema import TENURES
from ..dataset.writer import OWN_ROWS, replacing
from .pseudonyms import Pseudonyms, in_no_order_of_names, loses_name
from .published import Published, Row
from .run_ledger import tenure_rows
from .state_file import StateFile
from .tombstones import withdrawal_rows
from .withheld import Withheld


class Masked(NamedTuple):
    """How many movements and stays lost a name, and the digests of the masks that match, or once did."""

    movements: int
    tenures: int
    applied: frozenset[str]


def mask(
    database: Path,
    asked: Corrections,
    now: datetime.datetime,
    copy_of: Path | None = None,
    draw: Draw = secrets.token_hex,
) -> Masked:
    """Rewrite the file without the names that corrections withhold.

    What stands for their identifiers is that of the tracking state beside the file, or beside the one it is
    a `copy_of`; made now, it is kept there, if there is one. `draw` makes so many random bytes, in
    hexadecimal. Raises InputRefused when it is not a movements database of this version or the one
    before, StateError when another run is at work on it, OSError when it cannot be written.
    """
    state_file = StateFile(copy_of or database)
    locked = copy_of is None and state_file.path.exists()
    # An erasure waits for nothing: what a damaged state says is lost, and others are made. A copy is
    # replaced soon, and has a name in it until then.
    lost = (StateError,) if copy_of is None else (StateError, OSError)
    with state_file.locked() if locked else nullcontext():
        known: dict[str, str] = {}
        with suppress(*lost):
            known = state_file.pseudonyms()
        rewriting = _Rewriting(database, asked, Pseudonyms(known, draw))
        if rewriting.needed:
            today = now.date().isoformat()
            inputs = [(str(database), rewriting.movements())]
            tables = rewriting.tables(today)
            with replacing(database, inputs, tables, now, draw), suppress(*lost):
                if state_file.path.exists():
                    state_file.add_pseudonyms(rewriting.pseudonyms.known)
        return rewriting.masked


class _Rewriting:
    """A file as it is to be: its movements, and the tables beside them, to be read after these."""

    def __init__(self, database: Path, asked: Corrections, pseudonyms: Pseudonyms) -> None:
        # What matches is noted for this file alone.
        self._corrections = Corrections(asked.entries, asked.file)
        self.pseudonyms = pseudonyms
        self._before = Published(database, pseudonyms)
        self._tenures = list(self._before.tenures())
        self._withheld = Withheld(self._corrections, self._tenures, self._before.movements())
        self._written: dict[str, str] = {}
        told = self._withheld
        self.masked = Masked(
            sum(told.movement(m) != m for m in self._before.movements()),
            sum(told.tenure(t) != t for t in self._tenures),
            frozenset(entry.digest for entry in self._matched() + self._applied_before()),
        )

    @property
    def needed(self) -> bool:
        """Whether the file does not stay as it is."""
        changed = self.masked.movements or self.masked.tenures
        return bool(changed or self._before.former)

    def _matched(self) -> list[Entry]:
        masks, matched = self._corrections.masks, self._corrections.matched
        return [entry for entry in masks if entry.digest in matched]

    def _applied_before(self) -> list[Entry]:
        return self._corrections.published_masks(self._before.corrections)

    def movements(self) -> Iterator[tuple[Line, Movement]]:
        """The movements as they are published, numbered."""
        last: list[tuple[Line, Movement]] = []
        for number, movement in enumerate(self._before.movements(), 1):
            told = self.pseudonyms.published(self._withheld.movement(movement), movement)
            self._written[movement.id] = told.id
            if loses_name(movement, told):
                last.append((number, told))
            else:
                yield number, told
        yield from in_no_order_of_names(last)

    def tables(self, today: str) -> dict[str, Iterable[Row]]:
        """The rows of the other tables."""
        before = self._before
        return {
            TENURES: tenure_rows(map(self._told, self._tenures)),
            **before.members,
            "corrections": [(n, *row) for n, row in enumerate(self._correction_rows(), 1)],
            "listes": before.lists.values(),
            "retraits": withdrawal_rows(
                before.withdrawn,
                before.public_identifiers(),
                self._written,
                {},
                today,
            ),
            "_publication": [row for row in before.publication.items() if row[0] not in OWN_ROWS],
        }

    def _told(self, tenure: Tenure) -> Tenure:
        told = self.pseudonyms.published(self._withheld.tenure(tenure), tenure)
        return told._replace(
            mouvement_debut=self._written.get(tenure.mouvement_debut, ""),
            mouvement_fin=self._written.get(tenure.mouvement_fin, ""),
        )

    def _correction_rows(self) -> list[tuple[str, str, str]]:
        """The rows of before, and those of the masks that match and have none yet."""
        rows = list(self._before.corrections)
        wanted = Counter(entry.public for entry in self._corrections.masks)
        for row, count in Counter(entry.public for entry in self._matched()).items():
            rows += [row] * min(count, wanted[row] - rows.count(row))
        return rows
