"""Withhold names in a database file as it stands: an older copy, a file whose sources are gone."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..dataset.input_files import InputRefused
from ..dataset.writer import write
from ..movement import Movement
from ..tracking.corrections import Corrections, Entry
from .published import Published


class Masked(NamedTuple):
    """How many movements had a name withheld, and the masks that apply to the file, now or before."""

    movements: int
    applied: frozenset[str]


def mask(database: Path, asked: Corrections, now: datetime.datetime) -> Masked:
    """Rewrite the file without the names the corrections withhold."""
    corrections = Corrections(
        asked.entries, asked.file
    )  # what matched is noted for this file alone
    published = Published(database)
    if published.foreign:
        raise InputRefused(
            [f"{database}: not a movements database of this version: build it again"]
        )
    changed = [m.id for m in published.movements() if corrections.masked(m) != m]
    matched = [entry for entry in corrections.masks if entry.digest in corrections.matched]
    applied = frozenset(entry.digest for entry in matched + _before(published, corrections.masks))
    if not changed:
        return Masked(0, applied)

    def masked() -> Iterator[tuple[int, Movement]]:
        for number, movement in enumerate(published.movements(), 1):
            yield number, corrections.masked(movement)

    made = list(published.corrections)
    wanted = Counter(map(_row, corrections.masks))
    for row, count in Counter(map(_row, matched)).items():
        made += [row] * min(count, wanted[row] - made.count(row))
    own = ("schema", "version", "empreinte", "mouvements", "construite_le")
    tables = {
        "corrections": [(number, *row) for number, row in enumerate(made, 1)],
        "listes": published.lists.values(),
        "retraits": published.withdrawn.values(),
        "_publication": [row for row in published.publication.items() if row[0] not in own],
    }
    write(database, [(str(database), masked())], tables, now)
    return Masked(len(changed), applied)


def _row(entry: Entry) -> tuple[str, str, str]:
    return entry.date, entry.kind, entry.reason


def _before(published: Published, masks: list[Entry]) -> list[Entry]:
    """Masks the file was made with. Where fewer of one day and reason were, which is not known: none."""
    made, wanted = Counter(published.corrections), Counter(map(_row, masks))
    return [entry for entry in masks if made[_row(entry)] >= wanted[_row(entry)]]
