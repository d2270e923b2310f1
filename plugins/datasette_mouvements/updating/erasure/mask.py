"""Withhold names in a database file as it stands: an older copy, a file whose lists are gone."""

from __future__ import annotations

import datetime
import secrets
from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from parlement_lists.tracking.correction import PublicRow
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.state import StateError, TrackingState

from ...dataset.changes import Draw
from ...dataset.schema import HOMONYMS, NIGHTS, TENURES
from ...dataset.writer import OWN_ROWS, replacing
from ..publication import Publication
from ..published import Published, Row
from ..state_file import StateFile
from .pseudonyms import Pseudonyms


class MaskCounts(NamedTuple):
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
    mode: int | None = None,
) -> MaskCounts:
    """Rewrite the file without the names that corrections withhold.

    Their identifiers become random ones, which the tracking state beside the file, or beside the one it is
    a `copy_of`, knows already, or is told now if it exists. `draw`: see `Draw`; `mode`: see `replacing`.
    Raises InputRefused when it is not a movements database of this version, StateError when another run is at work on it, OSError when it cannot be written.
    """
    state_file = StateFile(copy_of or database)
    locked = copy_of is None and state_file.path.exists()
    # An erasure does not wait for a sound state: without one, new identifiers are made. A copy is replaced
    # soon, so there a full disk does not stop it either.
    lost = (StateError,) if copy_of is None else (StateError, OSError)
    with state_file.locked() if locked else nullcontext():
        known: dict[str, str] = {}
        with suppress(*lost):
            known = state_file.pseudonyms()
        pseudonyms = Pseudonyms(known, draw)
        before, masks = Published(database, pseudonyms), _masks(asked)
        with suppress(*lost):
            state_file.tell_shorter(masks)
        with suppress(*lost):
            # What is near a masked name is withheld already, and a mask of it matches.
            for one in (state_file.found(before.token) or TrackingState()).withheld():
                masks.withholds(one)
        publication = Publication(before, masks, now.date(), pseudonyms)
        tenures = list(before.tenures())
        publication.take(tenures, before.movements())
        movements = sum(publication.movement(m) != m for m in before.movements())
        stays = sum(publication.tenure(t) != t for t in tenures)
        if movements or stays:
            inputs = [(str(database), publication.movements(enumerate(before.movements(), 1)))]
            tables = _tables(before, publication)
            written = replacing(database, inputs, tables, now, draw, mode=mode)
            with written, suppress(*lost):
                if state_file.path.exists():
                    state_file.add_pseudonyms(pseudonyms.known)
    applied = {mask.digest for mask in masks.published_masks(before.corrections)}
    return MaskCounts(movements, stays, frozenset(masks.matched | applied))


def _masks(asked: Corrections) -> Corrections:
    """The corrections that withhold names, anew for each file: what matches is noted in them."""
    entries = [entry for entry in asked.entries if entry.kind in ("masquer", "meme_personne")]
    return Corrections(entries, asked.file)


def _tables(before: Published, publication: Publication) -> dict[str, Iterable[Row]]:
    """The rows of the tables beside the movements, to be read after these."""
    corrections = _correction_rows(before, publication.corrections)
    return {
        TENURES: publication.tenure_rows(),
        **before.members,
        HOMONYMS: publication.homonym_rows(before.homonyms),
        "corrections": [(number, *row) for number, row in enumerate(corrections, 1)],
        "listes": before.lists.values(),
        NIGHTS: before.nights,
        "retraits": publication.tombstone_rows({}),
        "_publication": [row for row in before.publication.items() if row[0] not in OWN_ROWS],
    }


def _correction_rows(before: Published, masks: Corrections) -> list[PublicRow]:
    """The rows of the file before, and those of masks that match and have none yet."""
    rows = list(before.corrections)
    wanted = Counter(mask.public for mask in masks.masks)
    matched = Counter(mask.public for mask in masks.masks if mask.digest in masks.matched)
    for row, count in matched.items():
        rows += [row] * min(count, wanted[row] - rows.count(row))
    return rows
