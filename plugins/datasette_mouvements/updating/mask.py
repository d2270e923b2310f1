"""Withhold names in a database file as it stands: an older copy, a file whose lists are gone."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..dataset.schema import MANDATES, TENURES
from ..dataset.writer import OWN_ROWS, write
from ..movement import Movement
from ..tracking.corrections import Corrections
from .ledger import Withheld, tenure_rows
from .published import Published


class Masked(NamedTuple):
    """How many movements and stays lost a name, and the digests of the masks that match, or once did."""

    movements: int
    tenures: int
    applied: frozenset[str]


def mask(database: Path, asked: Corrections, now: datetime.datetime) -> Masked:
    """Rewrite the file without the names that corrections withhold.

    Raises InputRefused when it is not a movements database of this version, OSError when it cannot
    be written.
    """
    # What matches is noted for this file alone.
    corrections = Corrections(asked.entries, asked.file)
    published = Published(database)
    published.refuse_outdated()
    before = list(published.tenures())
    withheld = Withheld(corrections, before, published.movements())
    changed = sum(withheld.movement(m) != m for m in published.movements())
    tenures = [withheld.tenure(tenure) for tenure in before]
    stays = sum(one != other for one, other in zip(before, tenures, strict=True))
    matched = [entry for entry in corrections.masks if entry.digest in corrections.matched]
    applied_before = corrections.published_masks(published.corrections)
    applied = frozenset(entry.digest for entry in matched + applied_before)
    if not changed and not stays:
        return Masked(0, 0, applied)

    def masked() -> Iterator[tuple[int, Movement]]:
        for number, movement in enumerate(published.movements(), 1):
            yield number, withheld.movement(movement)

    rows = list(published.corrections)
    wanted = Counter(entry.public for entry in corrections.masks)
    for row, count in Counter(entry.public for entry in matched).items():
        rows += [row] * min(count, wanted[row] - rows.count(row))
    tables = {
        TENURES: tenure_rows(tenures),
        MANDATES: [row for rows in published.mandates.values() for row in rows],
        "corrections": [(number, *row) for number, row in enumerate(rows, 1)],
        "listes": published.lists.values(),
        "retraits": published.withdrawn.values(),
        "_publication": [row for row in published.publication.items() if row[0] not in OWN_ROWS],
    }
    write(database, [(str(database), masked())], tables, now)
    return Masked(changed, stays, applied)
