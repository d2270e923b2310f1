"""Withhold names in a database file as it stands: an older copy, a file whose sources are gone."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

from ..tracking.corrections import Corrections
from .build import write
from .files import InputRefused
from .movement import Movement
from .published import Published


def mask(database: Path, corrections: Corrections, now: datetime.datetime) -> int:
    """Rewrite the file without the names the corrections withhold; returns how many movements had one."""
    published = Published(database)
    if published.foreign:
        raise InputRefused(
            [f"{database}: not a movements database of this version: build it again"]
        )
    changed = [m.id for m in published.movements() if corrections.masked(m) != m]
    if not changed:
        return 0

    def masked() -> Iterator[tuple[int, Movement]]:
        for number, movement in enumerate(published.movements(), 1):
            yield number, corrections.masked(movement)

    made = list(published.corrections)
    made += [row[1:] for row in corrections.rows() if row[2] == "masquer" and row[1:] not in made]
    own = ("schema", "version", "empreinte", "mouvements", "construite_le")
    tables = {
        "corrections": [(number, *row) for number, row in enumerate(made, 1)],
        "listes": published.lists.values(),
        "retraits": published.withdrawn.values(),
        "_publication": [row for row in published.publication.items() if row[0] not in own],
    }
    write(database, [(str(database), masked())], tables, now)
    return len(changed)
