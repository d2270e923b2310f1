"""What is published of movements and stays, beside a file before."""

from __future__ import annotations

import datetime
from pathlib import Path

from datasette_mouvements.dataset.writer import write
from datasette_mouvements.updating.erasure.pseudonyms import Pseudonyms
from datasette_mouvements.updating.publication import GONE, Publication
from datasette_mouvements.updating.published import Published
from parlement_lists.tracking.correction import Entry
from parlement_lists.tracking.corrections import Corrections

from .original_service import movement


def test_a_reason_is_not_published_beside_the_old_identifier_of_what_is_masked(
    tmp_path: Path,
) -> None:
    masked, gone = movement(1), movement(2)
    write(tmp_path / "x.db", [("test", enumerate([masked, gone], 1))])
    name = f"{masked.collab_prenom} {masked.collab_nom}"
    mask = Corrections([Entry(1, "2026-10-01", "Demande", "masquer", {"nom": name})])
    pseudonyms = Pseudonyms()
    before = Published(tmp_path / "x.db", pseudonyms)
    publication = Publication(before, mask, datetime.date(2026, 10, 1), pseudonyms)
    ((_, published),) = publication.movements([(1, masked)])
    assert (published.id != masked.id, published.collab_nom) == (True, "")
    reasons = {masked.id: "why it is gone", gone.id: "why it is gone"}
    assert {id: reason for id, _, reason in publication.tombstone_rows(reasons)} == {
        masked.id: GONE,
        gone.id: "why it is gone",
    }
