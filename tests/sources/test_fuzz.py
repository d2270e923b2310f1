"""Originals of damaged bytes are refused or read right; pages: test_europarl.py. MOUVEMENTS_FUZZ says how many."""

from __future__ import annotations

import datetime
import os
import random
from typing import Any, NamedTuple

import pytest

from parlement_lists.sources import assemblee, senat
from parlement_lists.sources.originals import MemberRecord, Original, OriginalRefused, StaffList
from parlement_lists.tracking.members.known_members import Members

from . import amo10, senate_pdf
from .senate_files import GROUPS, MANDATES, filled, group, mandate, odsen, senateurs_json
from .senate_lists import EDITION, ROWS

COUNT = int(os.environ.get("MOUVEMENTS_FUZZ", "60"))
DAY = datetime.date(2026, 11, 21)
SENATORS = list(dict.fromkeys((row.elu_id, row.elu_nom, row.elu_prenom) for row in ROWS))
SITTING = [MemberRecord(*senator, "M.", "UMP") for senator in SENATORS]
DEPUTIES = amo10.many(12)
# Who works for whom: the member, the family and the given name.
Pairs = set[tuple[str, str, str]]


def pairs(read: StaffList) -> Pairs:
    return {(row.elu_id, row.collab_nom.upper(), row.collab_prenom) for row in read.rows}


class Kind(NamedTuple):
    """An original, the others that it is read with, the source and its right pairs."""

    name: str
    body: bytes
    others: dict[str, bytes]
    source: Any
    right: Pairs


PDF, OTHER_PDF = (senate_pdf.make(ROWS, EDITION, alphabetical=each) for each in (False, True))
ROSTER = senateurs_json(SITTING)
ELUS = odsen(MANDATES, (mandate(m, "2023-10-02", "", "En Cours") for m in filled(SITTING)))
GROUPES = odsen(GROUPS, (group(m, "UMP", "2023-10-02") for m in filled(SITTING)))
OF_SENATE = pairs(StaffList(ROWS, ""))
OF_ASSEMBLY = pairs(StaffList(DEPUTIES, ""))
ZIP = amo10.make(DEPUTIES)
KINDS = [
    Kind("a.zip", ZIP, {}, assemblee.SOURCE, OF_ASSEMBLY),
    Kind("a.pdf", PDF, {"b.pdf": OTHER_PDF, "s": ROSTER}, senat.SOURCE, OF_SENATE),
    Kind("b.pdf", OTHER_PDF, {"a.pdf": PDF, "s": ROSTER}, senat.SOURCE, OF_SENATE),
    Kind("elus.csv", ELUS, {"a.pdf": PDF, "s": ROSTER}, senat.SOURCE, OF_SENATE),
    Kind("groupes.csv", GROUPES, {"a.pdf": PDF, "s": ROSTER}, senat.SOURCE, OF_SENATE),
]


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
        source.members(given, DAY)
        return pairs(source.read(given, Members(), None))
    except OriginalRefused as error:
        why = str(error)
    assert "EXEMPLE-" not in why
    assert len(why) < 1_000
    return None


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_an_original_of_damaged_bytes_is_refused_or_read_right(kind: Kind) -> None:
    chance, refused = random.Random(kind.name), 0
    for _ in range(COUNT):
        originals = {kind.name: damaged(kind.body, chance), **kind.others}
        answer = read(kind.source, originals)
        refused += answer is None
        # A letter changed in a file of senators makes another name: its senator is told, and left out.
        left_out = {member for member, _, _ in (answer or kind.right) ^ kind.right}
        assert len(left_out) <= (1 if kind.name.endswith(".csv") else 0)
    assert refused > 0
