"""Originals of damaged bytes are refused or read right; pages: test_europarl.py. MOUVEMENTS_FUZZ says how many."""

from __future__ import annotations

import datetime
import os
import random
from typing import Any

import pytest

from parlement_lists.sources import assemblee, senat
from parlement_lists.sources.members import combine
from parlement_lists.sources.originals import MemberRecord, Original, OriginalRefused

from . import amo10, senate_pdf
from .senate_files import GROUPS, MANDATES, filled, group, mandate, odsen, senateurs_json
from .senate_lists import EDITION, ROWS

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "60"))
DAY, SINCE = datetime.date(2026, 11, 21), "2023-10-02"
SENATORS = dict.fromkeys((row.elu_id, row.elu_nom, row.elu_prenom) for row in ROWS)
SITTING = [MemberRecord(*senator, "M.", "UMP") for senator in SENATORS]
ASSEMBLY = {"a.zip": amo10.make(amo10.many(12))}
SENATE = {
    "a.pdf": senate_pdf.make(ROWS, EDITION),
    "b.pdf": senate_pdf.make(ROWS, EDITION, alphabetical=True),
    "elus.csv": odsen(MANDATES, (mandate(m, SINCE, "", "En Cours") for m in filled(SITTING))),
    "groupes.csv": odsen(GROUPS, (group(m, "UMP", SINCE) for m in filled(SITTING))),
}
SITS = {"senateurs.json": senateurs_json(SITTING)}
# Who works for whom: the member, the family and the given name.
Pairs = set[tuple[str, str, str]]


def damaged(body: bytes, chance: random.Random) -> bytes:
    """Bytes flipped, cut out, doubled, or the end cut off."""
    made = bytearray(body)
    for _ in range(chance.choice((1, 1, 1, 3, 20))):
        at = chance.randrange(len(made))
        until = min(len(made), at + chance.choice((1, 8, 400)))
        kind = chance.randrange(5)
        if kind < 2:
            made[at] ^= 1 << chance.randrange(8)
        elif kind == 2:
            del made[at:until]
        elif kind == 3:
            made[at:at] = made[at:until]
        elif chance.random() < 0.2:
            del made[at:]
        made = made or bytearray(b"%")
    return bytes(made)


def read(source: Any, originals: dict[str, bytes]) -> Pairs | None:
    """The pairs of the list, None where it is refused, with a sentence that names a file and no staff."""
    given = [Original(*each) for each in originals.items()]
    try:
        members = combine(None, source.chamber, source.members(given, DAY), DAY)
        rows = source.read(given, members, None).rows
        return {(row.elu_id, row.collab_nom.upper(), row.collab_prenom) for row in rows}
    except OriginalRefused as error:
        why = str(error)
    assert "EXEMPLE-" not in why
    assert len(why) < 1_000
    return None


@pytest.mark.parametrize("name", [*ASSEMBLY, *SENATE])
def test_an_original_of_damaged_bytes_is_refused_or_read_right(name: str) -> None:
    of_senate = name in SENATE
    source, whole = (senat.SOURCE, SENATE | SITS) if of_senate else (assemblee.SOURCE, ASSEMBLY)
    if name.endswith(".csv"):
        whole = {other: body for other, body in whole.items() if other in ("a.pdf", name, *SITS)}
    right = read(source, whole)
    assert right
    chance, refused = random.Random(name), 0
    for _ in range(COUNT):
        answer = read(source, whole | {name: damaged(whole[name], chance)})
        refused += answer is None
        # A letter changed in a file of senators makes another name: its senator is told, and left out.
        left_out = {member for member, _, _ in (right if answer is None else answer) ^ right}
        assert len(left_out) <= (1 if name.endswith(".csv") else 0)
    assert refused > 0
